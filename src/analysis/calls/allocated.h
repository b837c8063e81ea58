/*
 * What methods have allocated, where the recorder has sampled that: its property allocated-bytes
 * has for each method, by its id, the bytes of its own calls and those with all that they called.
 */
#ifndef TV_ANALYSIS_CALLS_ALLOCATED_H
#define TV_ANALYSIS_CALLS_ALLOCATED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "index/index.h"

struct tv_allocated {
    uint64_t own, all; /* bytes */
};

/* Whether the trace tells how many bytes methods allocated. */
bool tv_allocated_is_told(const struct tv_index *index);

/* Adds up the bytes of each method in of[method], which the caller sets to zeros before. What
 * follows a part that cannot be read is left out. */
enum tv_code tv_allocated_read(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_allocated *of, struct tv_error *err) TV_MUST_CHECK;

#endif
