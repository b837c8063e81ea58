/*
 * The bytes of a trace, wherever they are: mapped from a file, read from a pipe, joined from two
 * files, and unpacked where they are packed.
 *
 * A name is tried as it is; when there is no such file, as NAME.trace, and then as the pair
 * NAME.key and NAME.data of very old traces, which may also be named by one of its two files. "-"
 * is the standard input.
 */
#ifndef TV_OS_FILE_FILE_H
#define TV_OS_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "os/file/inflate.h"
#include "os/memory/mapping.h"

struct tv_file {
    const uint8_t *bytes; /* all bytes, unpacked and joined; NULL when len is 0 */
    size_t len;
    bool is_cut;               /* the packed data ends early; `bytes` is what came before the end */
    size_t packed_len;         /* of gzip or zstd data, before it was unpacked; 0: it was neither */
    struct tv_mapping mapping; /* empty: the bytes are in `memory` */
    struct tv_buffer memory;
};

/* Whether what was told of two files is of one. */
TV_INLINE bool tv_file_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The length of an open file; 0 where it is not told. */
TV_INLINE uint64_t tv_file_len_of(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

/* When a file was made, in ns since 1970; 0 where its file system does not tell, or there is none.
 * A copy was made at another time. */
int64_t tv_file_made_ns(const char *path);

#define TV_FILE_NAME_CAP 4096
#define TV_FILE_PARTS 2u

/* The names of the files that a name stands for: one, or two for a pair; 0 when the name is too
 * long. The files need not exist. */
size_t tv_file_parts(const char *name, char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP]);

/* How a file is opened; all zero is fine. */
struct tv_file_opts {
    struct tv_inflate_opts unpack; /* its progress is asked while a pipe is waited for, too */
    bool only_regular;             /* a pipe is refused */
    const char *in_folder;         /* what to do about a folder; NULL: what is done for a trace */
    const char *when_empty;        /* what to do about an empty file; the same */
    uint64_t most_len;             /* of the file as it is, packed or not; 0: no limit */
};

void tv_file_init(struct tv_file *file, const struct tv_alloc *alloc);
void tv_file_release(struct tv_file *file);
/* Opens a trace by name. A pipe is read to its end, unless it is refused; a device, which may have
 * no end, is always refused, but for the standard input, and so is a pipe for half of a pair.
 * Between the look at a file and its opening nothing can come into its place. TV_ERR_NOT_FOUND and
 * TV_ERR_SYSTEM say what the system answered; TV_ERR_FORMAT, TV_ERR_LIMIT and TV_ERR_CANCELLED are
 * those of tv_inflate. `opts` may be NULL. */
enum tv_code tv_file_open(struct tv_file *file, const char *name, const struct tv_file_opts *opts,
                          struct tv_error *err) TV_MUST_CHECK;

/* Opens exactly this file: no other name is tried, and no pair is joined. */
enum tv_code tv_file_open_alone(struct tv_file *file, const char *name,
                                const struct tv_file_opts *opts,
                                struct tv_error *err) TV_MUST_CHECK;

/* The code of what was made of the bytes; or TV_ERR_SYSTEM, where other bytes may have been read,
 * because the file became shorter or was written anew meanwhile. To be asked when the last byte has
 * been read, before a result is believed. */
enum tv_code tv_file_check(const struct tv_file *file, enum tv_code code,
                           struct tv_error *err) TV_MUST_CHECK;

/* Whether opening by that name takes no noticeable time: nothing to unpack, and no pipe
 * to wait for. */
bool tv_file_opens_at_once(const char *name);

#endif
