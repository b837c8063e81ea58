/* Changes of a trace by its owner, from fields. */
#ifndef TV_SITE_REQUEST_TRACE_CHANGE_H
#define TV_SITE_REQUEST_TRACE_CHANGE_H

#include "site/request/fields.h"
#include "site/request/requested_trace.h"

/* Makes the changes that the fields say, and looks the trace up again. *over, which may be NULL:
 * which quota they would exceed. */
enum tv_code tv_trace_change_apply(struct tv_request_context *context,
                                   const struct tv_fields *fields,
                                   struct tv_requested_trace *requested, enum tv_quota_of *over,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
