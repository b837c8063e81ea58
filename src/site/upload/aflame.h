/* AFlame's routes, which old scripts and bookmarks use: POST /upload_trace and /trace/MD5. */
#ifndef TV_SITE_UPLOAD_AFLAME_H
#define TV_SITE_UPLOAD_AFLAME_H

#include "site/request/request_context.h"

/* Sends the client to the new trace; a browser's form is answered with a page, which tells the
 * owner token. */
void tv_aflame_upload(void *context, struct tv_http_response *response);
/* Sends the client from /trace/ID to /trace/ID/, since the addresses in the page are relative; from
 * /trace/MD5 to the oldest trace of that checksum. */
void tv_aflame_find(void *context, struct tv_http_response *response);

#endif
