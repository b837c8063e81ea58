/* From what an uploader says to a row of the store: of a trace whose bytes have arrived, or of an
 * upload that begins. */
#ifndef TV_SITE_UPLOAD_UPLOAD_ROW_H
#define TV_SITE_UPLOAD_UPLOAD_ROW_H

#include "os/token.h"
#include "site/request/fields.h"
#include "site/request/requested_trace.h"

/* What limits uploaders, by the configuration. */
struct tv_quota tv_upload_row_quota(const struct tv_request_context *context,
                                    const struct tv_project *project);
/* Whether the disk has room for `copies` more copies of a trace of `trace_bytes`, for its index,
 * for the indexes of all traces that wait for one, and for what is to stay free. TV_ERR_LIMIT: it
 * has not. */
enum tv_code tv_upload_row_room(const struct tv_request_context *context, unsigned copies,
                                uint64_t trace_bytes, struct tv_error *err) TV_MUST_CHECK;
/* Fills a new row: an id, the fields, who uploads, and the sum of the owner token, which is the
 * uploader's where they have one already. TV_ERR_ARGUMENT: that is no token. */
enum tv_code tv_upload_row_fill(struct tv_request_context *context, const struct tv_fields *fields,
                                struct tv_trace_row *row, char token[TV_TOKEN_LEN + 1],
                                struct tv_error *err) TV_MUST_CHECK;
/* Answers that a limit is reached; *over says whose, where err is TV_ERR_LIMIT. */
void tv_upload_row_refuse(struct tv_request_context *context, enum tv_quota_of over,
                          const struct tv_error *err, struct tv_http_response *response);
/* A trace was kept: counts it, and tells the workers. */
void tv_upload_row_count(const struct tv_request_context *context, const struct tv_trace_row *row);
/* Keeps the trace that the body of the request was. False: the response says why not. */
bool tv_upload_row_keep(struct tv_request_context *context, struct tv_requested_trace *requested,
                        char token[TV_TOKEN_LEN + 1], struct tv_http_response *response);

#endif
