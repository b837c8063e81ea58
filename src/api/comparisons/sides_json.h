/*
 * The JSON of a question about a trace and an older one: what changed, and below it the whole
 * answer about each of both, {KEY: ..., "old": {...}, "new": {...}}. The new trace is the one that
 * is meant.
 */
#ifndef TV_API_COMPARISONS_SIDES_JSON_H
#define TV_API_COMPARISONS_SIDES_JSON_H

#include <stddef.h>

#include "api/api.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "compare/side.h"

struct tv_sides_plan {
    const char *key;
    /* Writes the value of the key. */
    void (*write)(struct tv_json *json, const void *ctx);
    const void *ctx;
    /* Writes the answer about the trace that is meant, with a newline at its end. */
    enum tv_code (*answer)(const struct tv_api *api, struct tv_buffer *body, struct tv_error *err);
    /* Writes the answer about the trace of `side`, of which `ctx` knows a part already. NULL:
     * `answer` writes it. */
    enum tv_code (*answer_side)(const struct tv_api *api, const void *ctx, enum tv_side side,
                                struct tv_buffer *body, struct tv_error *err);
};

/* `old_trace` is the place of the old one among the traces of the api. */
enum tv_code tv_sides_json(const struct tv_api *api, size_t old_trace,
                           const struct tv_sides_plan *plan, struct tv_buffer *body,
                           struct tv_error *err) TV_MUST_CHECK;

#endif
