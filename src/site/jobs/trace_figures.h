/* What lists of traces tell of a trace, found in its index. Any thread. */
#ifndef TV_SITE_JOBS_TRACE_FIGURES_H
#define TV_SITE_JOBS_TRACE_FIGURES_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/text/json.h"
#include "index/index.h"
#include "store/store_db.h"

/* TV_ERR_MEMORY: the frames of the trace take more than there is; the figures are not known. */
enum tv_code tv_trace_figures_find(struct tv_trace_figures *figures, const struct tv_index *index,
                                   const struct tv_alloc *alloc, struct tv_error *err);

/* Writes the key `figures`, docs/site-api.md, into an open object. */
void tv_trace_figures_write(const struct tv_trace_figures *figures, struct tv_json *json);

#endif
