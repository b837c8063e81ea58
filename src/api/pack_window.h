/*
 * A window of the timeline as packed columns: what the routes window and overview answer.
 *
 * An answer takes at most TV_WINDOW_BYTES, however wide its numbers are, as long as the window was
 * computed with the limit of boxes that tv_pack_window_room gives.
 */
#ifndef TV_API_PACK_WINDOW_H
#define TV_API_PACK_WINDOW_H

#include <stdint.h>

#include "analysis/timeline/window.h"
#include "api/route.h"

#define TV_WINDOW_BYTES ((size_t)256 << 10)

/* How many boxes an answer with `row_count` rows may have. */
uint32_t tv_pack_window_room(uint32_t row_count);
enum tv_code tv_pack_window(struct tv_request *request, const struct tv_window *window,
                            const struct tv_window_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
