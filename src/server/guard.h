/*
 * Who gets in. Everything that keeps strangers and other pages out stands in guard.c and reads like
 * a list.
 */
#ifndef TV_SERVER_GUARD_H
#define TV_SERVER_GUARD_H

#include <stdbool.h>

#include "server/http.h"

/* Limits of the local viewer. */
#define TV_LIMIT_CONNECTIONS 128u
#define TV_LIMIT_CONNECTION_MEMORY ((size_t)64 * 1024) /* request line and headers, too */
/* A connection that has not had an answer may be silent for so long, one that has had a good one
 * for so long. */
#define TV_LIMIT_UNKNOWN_IDLE_S 3u
#define TV_LIMIT_IDLE_S 60u
#define TV_LIMIT_BODY ((size_t)64 * 1024)

/*
 * Whether the request may have an answer. *path is then what follows "/TOKEN/", without the query.
 * Otherwise the response is the refusal.
 */
bool tv_guard_admits(const struct tv_http_request *request, struct tv_str token,
                     struct tv_str *path, struct tv_str *query, struct tv_http_response *response);

/* The headers that every answer to the request carries. */
void tv_guard_add_headers(const struct tv_http_request *request, struct tv_http_response *response);

#endif
