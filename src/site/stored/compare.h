/* Two stored traces beside each other: the page of `dmtracedump -d --html`
 * (export/report/report_diff.h).
 */
#ifndef TV_SITE_STORED_COMPARE_H
#define TV_SITE_STORED_COMPARE_H

#include "base/memory/pool.h"
#include "export/report/html.h"
#include "http/http.h"
#include "site/stored/stored.h"

/* traces[0] is run 1, the older one; the page calls and links them as `sources` says. Traces
 * without a common clock are refused with 422. It is by CPU time where both traces have it, else by
 * wall time. *is_unwanted, which may be NULL, cuts it (base/memory/pool.h): then the answer is 503.
 */
void tv_compare_send(struct tv_stored *stored, const struct tv_stored_trace traces[2],
                     const struct tv_diff_sources *sources, const struct tv_pool *pool,
                     const atomic_bool *is_unwanted, struct tv_http_response *response);

#endif
