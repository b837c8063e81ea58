/*
 * Sources whose bytes go as messages of a WebSocket (RFC 6455), where a page asks for that.
 *
 * A browser opens six connections at most to one server for all its tabs, and counts each answer
 * that has no end among them: with six event streams no question has a connection left. WebSockets
 * it counts by themselves, and allows hundreds. So an endless source can be had in either way; what
 * it says is the same.
 *
 * A page says nothing on a WebSocket, so whatever comes from it is its end. No limit of time cuts
 * one whose page does not read, as a browser may halt a page that nobody looks at.
 */
#ifndef TV_HTTP_WEB_SOCKETS_H
#define TV_HTTP_WEB_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/exchange.h"

/* The longest message: what a source gives at once. */
#define TV_WEB_SOCKET_MESSAGE_MOST 4096u
#define TV_WEB_SOCKET_HEADER_MOST 4u
/* "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" and a NUL. */
#define TV_WEB_SOCKET_ACCEPT_CAP 29u

void tv_web_sockets_init(struct tv_web_sockets *web_sockets);
void tv_web_sockets_release(struct tv_web_sockets *web_sockets);
/* Whether the answer of the exchange, which has a sender, is to be a WebSocket. */
bool tv_web_sockets_is_asked(const struct tv_exchange *exchange);
/* Takes the sender of the exchange over once the library has sent the headers. NULL: memory ran
 * out. */
struct MHD_Response *tv_web_sockets_response(struct tv_exchange *exchange);
/* Sends what there is to send, and ends those whose page has gone. Called now and then, by one
 * thread. */
void tv_web_sockets_tick(struct tv_httpd *httpd);
/* Ends all, and those that would still begin. By the same thread. */
void tv_web_sockets_end(struct tv_httpd *httpd);

/* What the server answers to the key of a page. */
void tv_web_socket_accept(struct tv_str key, char accept[TV_WEB_SOCKET_ACCEPT_CAP]);
/* The header of a message of text of that many bytes; returns its length. */
size_t tv_web_socket_header(size_t len, uint8_t header[TV_WEB_SOCKET_HEADER_MOST]);

#endif
