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
/* All of it, as one document. */
enum tv_code tv_comparison_write(const struct tv_comparison *comparison, struct tv_buffer *body,
                                 size_t limit, struct tv_error *err) TV_MUST_CHECK;

#endif
