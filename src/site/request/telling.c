/* Counts and log lines of a request; see site/request/telling.h. */
#include "site/request/telling.h"

#include <time.h>

#include "site/log/access_log.h"
#include "site/log/metrics.h"

static uint64_t now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void count(struct tv_metrics *metrics, const struct tv_asked *asked,
                  const struct tv_http_ending *ending)
{
    const struct tv_http_route *route = asked->found.route;
    bool is_fine = ending->status >= 200 && ending->status < 400;
    bool is_upload = route && (route->body == TV_ROUTE_TRACE || route->body == TV_ROUTE_PIECE);
    tv_metrics_request(metrics, ending->status, asked->request->taken, ending->sent, ending->ns);
    if (is_upload && !is_fine)
        tv_metrics_add(metrics, TV_COUNTER_UPLOADS_REFUSED, 1);
    if (ending->status == 429)
        tv_metrics_add(metrics, TV_COUNTER_RATE_LIMITED, 1);
}

void tv_site_tell(const struct tv_asked *asked, const struct tv_http_ending *ending)
{
    struct tv_site *site = asked->site;
    const struct tv_http_request *request = asked->request;
    struct tv_access access = {.now_ms = now_ms(),
                               .method = tv_http_method_name(request->method),
                               .route = asked->found.route ? asked->found.route->path : NULL,
                               .status = ending->status,
                               .is_whole = ending->is_whole,
                               .received = request->taken,
                               .sent = ending->sent,
                               .ns = ending->ns,
                               .client = asked->client.address,
                               .user = asked->client.user};
    if (asked->found.route)
        access.id = asked->found.parts.id;
    count(site->metrics, asked, ending);
    tv_access_log_write(site->log, &access);
    if (asked->trouble.code != TV_OK)
        tv_access_log_error(site->log, access.now_ms, access.route ? access.route : "",
                            &asked->trouble);
}
