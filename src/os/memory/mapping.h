/*
 * Files in memory: the one place that maps files, and what becomes of a reader when bytes of a
 * mapped file are gone.
 *
 * Another program may cut a file short while it is read, or its disk may fail. Reading a missing
 * byte of a mapping raises SIGBUS, on whatever thread reads it, and would end the program. What
 * happens instead depends on how far the reader believes its bytes:
 *
 * - Readers of traces take any bytes. The missing pages become zeros, the reader comes to its own
 *   end, with nothing leaked and no lock held, and then tv_mapping_check says that the bytes were
 *   not those of the file. So a page of zeros never becomes an answer.
 * - Readers of a saved index believe its bytes once the checksums are compared, and zeros could
 *   lead them anywhere. Such a reader is stopped where it is (tv_mapping_stop_readers): control
 *   returns to the tv_mapping_run that it runs in.
 *
 * The last page of a file is whole in memory, and the part of it behind a new end reads as zeros
 * without a signal. So tv_mapping_check looks at the length of the file, too. A saved index that it
 * finds shorter is taken away from its readers as a whole, so a reader that those zeros led in a
 * circle is stopped, too.
 */
#ifndef TV_OS_MEMORY_MAPPING_H
#define TV_OS_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* The bytes are read only, and begin at a page. */
struct tv_mapping {
    const uint8_t *bytes; /* NULL: none */
    size_t len;
};

/* Handles missing bytes in the whole process; called once, before the first mapping is read. */
void tv_mapping_handle_faults(void);

/* Maps a regular file of at least one byte, whose descriptor stays the caller's. TV_ERR_SYSTEM: it
 * cannot be mapped. TV_ERR_LIMIT: too many files are mapped already. */
enum tv_code tv_mapping_open(struct tv_mapping *mapping, int fd, size_t len,
                             struct tv_error *err) TV_MUST_CHECK;
void tv_mapping_release(struct tv_mapping *mapping);
/* Says that all bytes will be read, the first ones first. */
void tv_mapping_read_ahead(const struct tv_mapping *mapping);

/* Whether the file still has all bytes of the mapping that `at` lies in, as they were when it was
 * mapped; TV_ERR_SYSTEM says what became of it. TV_OK for memory that is no mapping of a file. Any
 * number of threads may ask. */
enum tv_code tv_mapping_check(const void *at, struct tv_error *err) TV_MUST_CHECK;

/* From now on a reader of the mapping that `at` lies in is stopped where a byte is missing. */
void tv_mapping_stop_readers(const void *at);

/*
 * Runs body(ctx). TV_ERR_SYSTEM: the body was stopped, since a byte of a saved index is missing;
 * what it had allocated by then stays allocated, and it may hold no lock of ours while it reads. A
 * reader that is stopped outside of any such run ends the program with a message and status 1.
 */
enum tv_code tv_mapping_run(void (*body)(void *ctx), void *ctx, struct tv_error *err);
/* Stops the calling thread as if it had met the missing byte: for a thread whose helper met it. */
_Noreturn void tv_mapping_stop(void);

/* An allocator that can only release, by unmapping: a block that begins TV_MAPPING_HEAD_LEN bytes
 * into a mapping and reaches to its end. With it an index can own a mapped file. */
#define TV_MAPPING_HEAD_LEN 4096u
const struct tv_alloc *tv_mapping_alloc(void);

#endif
