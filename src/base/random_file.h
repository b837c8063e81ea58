/* A file that is read and written at any place, as a database needs it. */
#ifndef TV_BASE_RANDOM_FILE_H
#define TV_BASE_RANDOM_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tv_random_file {
    /* Reads len bytes from `off` on; *got is less than len only where the file ends. */
    enum tv_code (*read)(void *ctx, uint64_t off, void *bytes, size_t len, size_t *got,
                         struct tv_error *err);
    enum tv_code (*write)(void *ctx, uint64_t off, const void *bytes, size_t len,
                          struct tv_error *err);
    enum tv_code (*cut)(void *ctx, uint64_t len, struct tv_error *err);
    enum tv_code (*len)(void *ctx, uint64_t *len, struct tv_error *err);
    void *ctx;
};

#endif
