/*
 * Resumable uploads, docs/site-api.md: begun, sent in pieces, each of which says at which offset it
 * stands, and completed. An upload has the id and the owner token that its trace will have, so
 * that whoever has no token learns nothing of it.
 */
#ifndef TV_SITE_UPLOAD_UPLOADS_H
#define TV_SITE_UPLOAD_UPLOADS_H

#include "http/service.h"
#include "site/request/request_context.h"

void tv_uploads_begin(void *context, struct tv_http_response *response);
void tv_uploads_tell(void *context, struct tv_http_response *response);
void tv_uploads_add(void *context, struct tv_http_response *response);
void tv_uploads_delete(void *context, struct tv_http_response *response);
void tv_uploads_complete(void *context, struct tv_http_response *response);

/* The headers of a piece have come: how its body is taken. */
enum tv_http_take tv_uploads_take(struct tv_request_context *context, struct tv_http_body_sink *how,
                                  struct tv_http_response *response);
/* The client went away inside a piece: keeps what came, so that it need not be sent again. */
void tv_uploads_cut(struct tv_request_context *context);

#endif
