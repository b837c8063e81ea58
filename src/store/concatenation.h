/* The bytes of files of a store one behind the other, in a draft. Any thread; waits for the disk.
 */
#ifndef TV_STORE_CONCATENATION_H
#define TV_STORE_CONCATENATION_H

#include "base/compiler.h"
#include "store/store_files.h"

/* How many bytes these files have together; UINT64_MAX where that is no number. */
uint64_t tv_concatenation_len(const struct tv_file_part *parts, size_t count);

/* One of the two of struct tv_store_files. */
typedef enum tv_code (*tv_store_files_open)(void *ctx, const struct tv_hash *name, int *fd,
                                            uint64_t *len, struct tv_error *err);
/* Writes the files into an empty draft. TV_ERR_NOT_FOUND: a file is not there. TV_ERR_SYSTEM: one
 * cannot be read, or is not as long as its part. TV_ERR_LIMIT: the disk is full. */
enum tv_code tv_concatenation_write(int draft, const struct tv_file_part *parts, size_t count,
                                    tv_store_files_open open, void *ctx,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
