/* Changes of a trace by its owner, from fields. */
#ifndef TV_SITE_REQUEST_TRACE_CHANGE_H
#define TV_SITE_REQUEST_TRACE_CHANGE_H

#include "site/request/fields.h"
#include "site/request/requested_trace.h"

/* A change as the store takes it, with what it points at: it stays where it was prepared. */
struct tv_prepared_change {
    struct tv_trace_change change;
    struct tv_label labels[TV_STORE_LABELS_MOST];
    int64_t expires;
};

/* What the fields say, which are kept for as long as the change. */
enum tv_code tv_trace_change_prepare(const struct tv_request_context *context,
                                     const struct tv_fields *fields,
                                     const struct tv_requested_trace *requested,
                                     struct tv_prepared_change *prepared,
                                     struct tv_error *err) TV_MUST_CHECK;
/* Whether the client may make it: a token of a program must be for reading where others see more
 * of the trace than before, and for deleting where it ends earlier. Else the response says so. */
bool tv_trace_change_admit(const struct tv_request_context *context,
                           const struct tv_requested_trace *requested,
                           const struct tv_prepared_change *prepared,
                           struct tv_http_response *response);
/* Makes the change, and looks the trace up again. *over, which may be NULL: which quota it would
 * exceed. */
enum tv_code tv_trace_change_apply(struct tv_request_context *context,
                                   struct tv_prepared_change *prepared,
                                   struct tv_requested_trace *requested, enum tv_quota_of *over,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
