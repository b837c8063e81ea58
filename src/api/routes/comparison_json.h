/*
 * A comparison as JSON (docs/api.md, "diff"): the route writes it, and `traceview diff --json`,
 * which puts the verdicts of rules between both parts. Each writes members of an open object.
 */
#ifndef TV_API_ROUTES_COMPARISON_JSON_H
#define TV_API_ROUTES_COMPARISON_JSON_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/json.h"
#include "compare/comparison.h"

/* Both sides, what is compared, and how many verdicts of each kind there are. */
void tv_comparison_write_head(const struct tv_comparison *comparison, struct tv_json *json);
/* The lists of methods. `body` is what the JSON is written to; rows for which it has no room within
 * `limit` bytes are left out and counted. */
enum tv_code tv_comparison_write_lists(const struct tv_comparison *comparison, struct tv_json *json,
                                       const struct tv_buffer *body, size_t limit,
                                       struct tv_error *err) TV_MUST_CHECK;
/* What rows of methods have besides, of whoever knows more of a comparison: members of the open
 * object of the method at `place` of the join. */
struct tv_compared_more {
    enum tv_code (*write)(void *ctx, uint32_t place, struct tv_json *json, struct tv_error *err);
    void *ctx;
};
/* Writes the lists of the comparison, with the members of `more` in each row; NULL: none. */
enum tv_code tv_comparison_write_more(const struct tv_comparison *comparison, struct tv_json *json,
                                      const struct tv_buffer *body, size_t limit,
                                      const struct tv_compared_more *more,
                                      struct tv_error *err) TV_MUST_CHECK;
/* Writes the whole comparison as one document. */
enum tv_code tv_comparison_write(const struct tv_comparison *comparison, struct tv_buffer *body,
                                 size_t limit, struct tv_error *err) TV_MUST_CHECK;

#endif
