/*
 * The routes that change what the viewer shows: open, reload, cancel; and recent, which tells what
 * can be opened. docs/api.md has them for the page.
 */
#ifndef TV_SERVER_CONTENT_H
#define TV_SERVER_CONTENT_H

#include "server/viewer.h"

/* Longest name of a dropped file. */
#define TV_LIMIT_NAME ((size_t)(TV_LABEL_CAP - 1))

/* Answers the route, if it is one of these. */
bool tv_content_answer(struct tv_viewer *viewer, const struct tv_http_request *request,
                       struct tv_str route, struct tv_str query, struct tv_http_response *response);
/* Whether the request's body is a trace. */
bool tv_content_takes_upload(const struct tv_http_request *request, struct tv_str route,
                             struct tv_str query);

#endif
