/* The trace that a request is about, as the store knows it. */
#ifndef TV_SITE_REQUEST_REQUESTED_TRACE_H
#define TV_SITE_REQUEST_REQUESTED_TRACE_H

#include <stdbool.h>

#include "base/text/json.h"
#include "site/document/documents.h"
#include "site/jobs/index_job.h"
#include "site/request/request_context.h"
#include "site/stored/stored.h"

/* Texts lie in the memory of the request. */
struct tv_requested_trace {
    struct tv_trace_row row;
    struct tv_job job;         /* that makes its index */
    enum tv_named_by named_by; /* why these mappings are tried */
    bool is_owned;             /* the request may change it, by its token or by its user */
};

/* Says that there is no such trace: in the same words of an id that no trace has, of a trace that
 * is not for the client, and of one that has expired, so that nobody learns which of these it is.
 */
enum tv_code tv_requested_trace_none(struct tv_error *err) TV_MUST_CHECK;
/* Finds the trace that the path names, and asks for its index where nobody did. False: the response
 * says why not. */
bool tv_requested_trace_find(struct tv_request_context *context,
                             struct tv_requested_trace *requested,
                             struct tv_http_response *response);
/* Finds the trace that the path names, and writes no response. */
enum tv_code tv_requested_trace_of_path(struct tv_request_context *context,
                                        struct tv_requested_trace *requested,
                                        struct tv_error *err) TV_MUST_CHECK;
/* Finds the trace with this id, and writes no response. */
enum tv_code tv_requested_trace_get(struct tv_request_context *context, const struct tv_id *id,
                                    struct tv_requested_trace *requested,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Finds the trace, or the mapping of names, that an upload with this id became; writes no response.
 */
enum tv_code tv_requested_upload_get(struct tv_request_context *context, const struct tv_id *id,
                                     struct tv_requested_trace *requested,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Where the index of the row is; a mapping has none. */
enum tv_code tv_requested_trace_look(struct tv_request_context *context,
                                     struct tv_requested_trace *requested,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Finds the trace that the path names, for its owner alone. False: the response says why not. */
bool tv_requested_trace_find_owned(struct tv_request_context *context,
                                   struct tv_requested_trace *requested,
                                   struct tv_http_response *response);
/* Finds the trace that the path names for its owner, also if it has expired and was not dropped
 * yet: its owner may give it more time. The index of such a trace is not asked for. */
bool tv_requested_trace_find_kept(struct tv_request_context *context,
                                  struct tv_requested_trace *requested,
                                  struct tv_http_response *response);
/* Whether it has expired. */
bool tv_requested_trace_is_over(const struct tv_request_context *context,
                                const struct tv_requested_trace *requested);
/* Whether its index is ready; otherwise the response is 409 while it is made, and 422 where it
 * cannot be. */
bool tv_requested_trace_is_ready(const struct tv_request_context *context,
                                 const struct tv_requested_trace *requested,
                                 struct tv_http_response *response);
/* Both. */
bool tv_requested_trace_find_ready(struct tv_request_context *context,
                                   struct tv_requested_trace *requested,
                                   struct tv_http_response *response);

/* Room for the name of a file as a zero-ended text. */
#define TV_KNOWN_NAME (TV_STORE_NAME_MOST + 1u)
struct tv_document_trace tv_requested_trace_page(const struct tv_requested_trace *requested);
struct tv_stored_trace tv_requested_trace_stored(const struct tv_requested_trace *requested,
                                                 char file_name[TV_KNOWN_NAME]);

/* The keys of a trace or a mapping, docs/site-api.md; the object is open, and stays so. */
void tv_requested_trace_write(const struct tv_request_context *context,
                              const struct tv_requested_trace *requested, struct tv_json *json);
/* The keys with which documents of traces and of mappings begin. */
void tv_requested_trace_begin(const struct tv_request_context *context,
                              const struct tv_trace_row *row, struct tv_json *json);
/* The path of a trace's page, or of a mapping in the API. */
void tv_requested_trace_path(const struct tv_request_context *context,
                             const struct tv_trace_row *row,
                             char path[TV_REQUEST_CONTEXT_PATH_CAP]);
/* By which mapping the names of a ready trace are. False: none was tried. */
bool tv_requested_trace_names(const struct tv_requested_trace *requested,
                              struct tv_names_told *told);
/* Answers with the trace, or the mapping, as JSON. `owner_token`: of a new trace, which is told
 * once; NULL: not. */
void tv_requested_trace_send(const struct tv_request_context *context,
                             const struct tv_requested_trace *requested, int status,
                             const char *owner_token, struct tv_http_response *response);

#endif
