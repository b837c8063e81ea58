/* A spool: a file without a name that takes what is dropped on the page piece by piece. It is gone
 * when the program ends, however it ends. It lies in $TMPDIR where that is a whole path, else in
 * /var/tmp, which unlike /tmp is not kept in memory, else in /tmp. */
#ifndef TV_OS_FILE_SPOOL_H
#define TV_OS_FILE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

/* The most bytes that a spool takes. */
#define TV_SPOOL_MOST ((uint64_t)64 << 30)
/* The bytes that a spool leaves free on its disk. */
#define TV_SPOOL_SPARE ((uint64_t)64 << 20)
/* Room for tv_spool_path. */
#define TV_SPOOL_PATH_CAP 32

struct tv_spool {
    int fd; /* -1: none */
    uint64_t len;
};

void tv_spool_init(struct tv_spool *spool);
/* Closes the file, which is gone with the last mapping of it. */
void tv_spool_release(struct tv_spool *spool);
/* Opens a spool for expected_len bytes, 0 when that is not known. TV_ERR_LIMIT when that is more
 * than a spool takes, or than the disk has room for. */
enum tv_code tv_spool_open(struct tv_spool *spool, uint64_t expected_len,
                           struct tv_error *err) TV_MUST_CHECK;
/* Appends bytes. TV_ERR_LIMIT as above, and when the disk is full. */
enum tv_code tv_spool_append(struct tv_spool *spool, const void *bytes, size_t len,
                             struct tv_error *err) TV_MUST_CHECK;
/* The folder that spools are made in. */
const char *tv_spool_folder(void);
/* A path under which this process can open the file while the spool is not released. */
void tv_spool_path(const struct tv_spool *spool, char path[TV_SPOOL_PATH_CAP]);

/* A spool may also be a file that is read and written at any place; nothing is appended to it then.
 * *got is less than len only where the file ends. */
enum tv_code tv_spool_read_at(const struct tv_spool *spool, uint64_t off, void *bytes, size_t len,
                              size_t *got, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_spool_write_at(const struct tv_spool *spool, uint64_t off, const void *bytes,
                               size_t len, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_spool_cut(const struct tv_spool *spool, uint64_t len,
                          struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_spool_file_len(const struct tv_spool *spool, uint64_t *len,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
