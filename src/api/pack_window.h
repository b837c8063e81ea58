/* A window of the timeline as packed columns: what the routes window and overview answer. */
#ifndef TV_API_PACK_WINDOW_H
#define TV_API_PACK_WINDOW_H

#include "analysis/window.h"
#include "api/route.h"

enum tv_code tv_pack_window(struct tv_request *request, const struct tv_window *window,
                            const struct tv_window_opts *opts, struct tv_error *err) TV_MUST_CHECK;

#endif
