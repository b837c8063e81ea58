/*
 * Who gets an answer. The viewer listens on this machine only, but every program and every web page
 * on this machine can send requests to it. guard.c is the list of what keeps them out: the Host
 * header against names that resolve to 127.0.0.1, the Origin header against pages of others, a
 * random token in the path against everybody who was not told it, a look at the other end of the
 * connection where the token may have been read by other users, and limits on what one client may
 * take. The content policy (served/page.h) is about what the viewer's own page may do.
 */
#ifndef TV_SERVER_GUARD_H
#define TV_SERVER_GUARD_H

#include <stdbool.h>

#include "http/http.h"

/* The longest body that is no trace. What a connection may take is in http/connection_table.h: who
 * has shown the token is known there. */
#define TV_LIMIT_BODY ((size_t)64 * 1024)

/*
 * Whether the request may have an answer. True: *path is what follows "/TOKEN/", without the query,
 * and path->at is NULL where the slash behind the token is missing. False: the response is the
 * refusal.
 */
bool tv_guard_admits(const struct tv_http_request *request, struct tv_str token,
                     struct tv_str *path, struct tv_str *query, struct tv_http_response *response);

/* Splits "/FIRST/PATH?QUERY", not decoded, and whatever FIRST is; path->at is NULL where the slash
 * behind it is missing. */
void tv_guard_split_target(struct tv_str target, struct tv_str *path, struct tv_str *query);
/* Whether the target of a request has the session token, which is all that is known of the request
 * when its first line has come. */
bool tv_guard_has_token(struct tv_str target, struct tv_str token);
/* Whether the request has the address that the browser is started with. True: the caller answers
 * it, once. */
bool tv_guard_is_entry(const struct tv_http_request *request, struct tv_str entry);
/* Whether a program of this user, or of root, sent the request. */
bool tv_guard_is_own_user(const struct tv_http_request *request);

/* The headers that every answer to the request carries. */
void tv_guard_add_headers(const struct tv_http_request *request, struct tv_http_response *response);

#endif
