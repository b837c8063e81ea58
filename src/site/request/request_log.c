/*
 * Counts and log lines of a request; see site/request/request_log.h. Called once for each request,
 * when it has ended, so that status, bytes and time are final. The log has the route of the table
 * and not the path, in which the id of a trace stands.
 */
#include "site/request/request_log.h"

#include <time.h>

#include "base/units.h"
#include "site/log/access_log.h"
#include "site/log/metrics.h"

static uint64_t now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return tv_timespec_ns(now.tv_sec, now.tv_nsec) / TV_NS_PER_MS;
}

static void count(struct tv_metrics *metrics, const struct tv_request_context *context,
                  const struct tv_http_ending *ending)
{
    const struct tv_http_route *route = context->found.route;
    bool is_fine = ending->status >= 200 && ending->status < 400;
    bool is_upload = route && (route->body == TV_ROUTE_TRACE || route->body == TV_ROUTE_PIECE);
    tv_metrics_request(metrics, ending->status, context->request->taken, ending->sent, ending->ns);
    if (is_upload && !is_fine)
        tv_metrics_add(metrics, TV_COUNTER_UPLOADS_REFUSED, 1);
    if (ending->status == 429)
        tv_metrics_add(metrics, TV_COUNTER_RATE_LIMITED, 1);
}

/* The right by which a request changed a trace, or looked at one that only an administrator may
 * look at; NULL: it did neither. */
static const char *right_of(const struct tv_request_context *context)
{
    static const char *const names[] = {[TV_RIGHT_NONE] = NULL,
                                        [TV_RIGHT_TOKEN] = "token",
                                        [TV_RIGHT_USER] = "user",
                                        [TV_RIGHT_ADMIN] = "admin",
                                        [TV_RIGHT_PROGRAM] = "program"};
    bool is_read = context->found.route && context->found.route->method == TV_HTTP_GET;
    return is_read && context->right != TV_RIGHT_ADMIN ? NULL : names[context->right];
}

/* Called at the end of every request, also of those that were refused before they had a route. */
void tv_site_tell(const struct tv_request_context *context, const struct tv_http_ending *ending)
{
    struct tv_site *site = context->site;
    const struct tv_http_request *request = context->request;
    struct tv_access access = {.now_ms = now_ms(),
                               .method = tv_http_method_name(request->method),
                               .route = context->found.route ? context->found.route->path : NULL,
                               .status = ending->status,
                               .is_whole = ending->is_whole,
                               .received = request->taken,
                               .sent = ending->sent,
                               .ns = ending->ns,
                               .waits = ending->waits,
                               .client = context->client.address,
                               .user = context->client.user,
                               .right = right_of(context)};
    if (context->found.route)
        access.id = context->found.parts.id;
    count(site->metrics, context, ending);
    tv_access_log_write(site->log, &access);
    if (context->trouble.code != TV_OK)
        tv_access_log_error(site->log, access.now_ms, access.route ? access.route : "",
                            &context->trouble);
}
