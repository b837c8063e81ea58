/*
 * Where output goes: a file, a pipe, a growing buffer. The sink decides; the writer only sees
 * bytes. One thread at a time.
 */
#ifndef TV_BASE_SINK_H
#define TV_BASE_SINK_H

#include <stddef.h>

#include "base/error.h"

struct tv_sink {
    /* Takes all of len bytes or fails; a failure is final, later writes may be ignored. */
    enum tv_code (*write)(void *ctx, const void *bytes, size_t len, struct tv_error *err);
    void *ctx;
};

#endif
