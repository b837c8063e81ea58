/* A source of bytes that come piece by piece: a file, a pipe, or a test that gives short pieces
 * and failures. */
#ifndef TV_OS_FILE_SOURCE_H
#define TV_OS_FILE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"

struct tv_source {
    /* Gives 1 to cap bytes, or sets *len to 0 at the end. */
    enum tv_code (*read)(void *ctx, uint8_t *into, size_t cap, size_t *len, struct tv_error *err);
    void *ctx;
};

/* A source that reads an open file; *fd stays the caller's, and must outlive the source. */
struct tv_source tv_source_of_fd(const int *fd);
/* Appends all bytes that are left in the source. */
enum tv_code tv_source_read_all(struct tv_source source, struct tv_buffer *out,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
