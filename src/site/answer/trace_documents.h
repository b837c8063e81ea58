/* The pages of one trace, below /trace/ID/, and what the viewer's page asks there besides the
 * routes of docs/api.md. */
#ifndef TV_SITE_ANSWER_TRACE_DOCUMENTS_H
#define TV_SITE_ANSWER_TRACE_DOCUMENTS_H

#include "site/request/request_context.h"

/* The viewer's page; while the trace is processed a page that says so, and one that says why it
 * cannot be. */
void tv_trace_page(void *context, struct tv_http_response *response);
/* Changes by the owner, without script. */
void tv_trace_owner_page(void *context, struct tv_http_response *response);
void tv_trace_owner_form(void *context, struct tv_http_response *response);
/* All threads' flame graphs, and one of them. */
void tv_trace_flames(void *context, struct tv_http_response *response);
void tv_trace_picture(void *context, struct tv_http_response *response);
/* What the viewer's page asks first: as of the local viewer, and `site`. */
void tv_trace_first(void *context, struct tv_http_response *response);

#endif
