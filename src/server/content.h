/*
 * The routes that open traces and change what is shown: open, reload, cancel and mapping; and
 * recent, which tells what can be opened (docs/api.md, "Opening traces").
 *
 * A request only says what is wanted, so the answer comes at once. Whether the trace could be read
 * is told by the event stream. The page never names a path: it sends the bytes of a file, the id of
 * an entry of the list, or asks for the example.
 */
#ifndef TV_SERVER_CONTENT_H
#define TV_SERVER_CONTENT_H

#include "http/service.h"
#include "os/file/spool.h"
#include "server/viewer.h"

/* Longest name of a dropped file. */
#define TV_LIMIT_NAME ((size_t)(TV_LABEL_CAP - 1))

/* Opens a trace for the page of that address: there where no trace is, else at the address that has
 * the trace of this file already, else at an address of its own, whose number comes back. Takes
 * over the origin. */
enum tv_code tv_content_show(struct tv_viewer *viewer, struct tv_state *state,
                             struct tv_origin *origin, uint64_t *number,
                             struct tv_error *err) TV_MUST_CHECK;

/* These answer from a struct tv_view_request (server/routes.h). */
void tv_content_open(void *asked, struct tv_http_response *response);
void tv_content_reload(void *asked, struct tv_http_response *response);
void tv_content_cancel(void *asked, struct tv_http_response *response);
/* Has the trace renamed by the mapping that is the body, or by none. */
void tv_content_mapping(void *asked, struct tv_http_response *response);
void tv_content_recent(void *asked, struct tv_http_response *response);
/* Whether the query of `open` or `mapping` says that the body is a file, which goes to a file
 * instead of memory. */
bool tv_content_has_file(struct tv_str query);

/* The bytes of a dropped trace, which are too many for memory: the `own` of their request. Whoever
 * answers may take the spool over. */
struct tv_dropped_file {
    struct tv_spool spool;
};

/* Sends the body of the request to a new spool. Called when the headers are there, so that no byte
 * of the trace comes into memory. What fails is told by the request's body_error. */
void tv_dropped_file_begin(const struct tv_alloc *alloc, struct tv_http_request *request,
                           struct tv_http_body_sink *body_sink);
/* Nothing happens where the request has none. */
void tv_dropped_file_end(const struct tv_alloc *alloc, struct tv_http_request *request);

#endif
