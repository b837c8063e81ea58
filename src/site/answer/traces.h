/* The API's routes about traces, docs/site-api.md; those about uploads are in
 * site/upload/uploads.h. */
#ifndef TV_SITE_ANSWER_TRACES_H
#define TV_SITE_ANSWER_TRACES_H

#include "site/request/request_context.h"

void tv_traces_add(void *context, struct tv_http_response *response);
/* The traces of the owner tokens that the request bears; without a token those that are listed. */
void tv_traces_list(void *context, struct tv_http_response *response);
void tv_traces_tell(void *context, struct tv_http_response *response);
void tv_traces_change(void *context, struct tv_http_response *response);
void tv_traces_delete(void *context, struct tv_http_response *response);
/* The bytes as they were uploaded: for the owner, and for everybody where the owner shares them. */
void tv_traces_raw(void *context, struct tv_http_response *response);
/* A route of docs/api.md. */
void tv_traces_view(void *context, struct tv_http_response *response);
/* A format of `traceview export`. */
void tv_traces_export(void *context, struct tv_http_response *response);
/* How far an export is; PUT ends it. */
void tv_traces_exporting(void *context, struct tv_http_response *response);

#endif
