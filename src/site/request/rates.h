/*
 * How often a client may ask, which is a user or an address (tv_client_party). Each pair of a
 * client and a limit has a bucket, which holds as many requests as the limit allows in its period,
 * and fills evenly. The buckets are in memory, of a number that does not grow: where there is no
 * room for another one, the fullest of those in its place gives way, whose client asked least. Any
 * number of threads.
 */
#ifndef TV_SITE_REQUEST_RATES_H
#define TV_SITE_REQUEST_RATES_H

#include "base/alloc.h"
#include "http/http.h"
#include "site/config/units.h"

enum tv_rate_of { TV_RATE_REQUEST, TV_RATE_UPLOAD };

struct tv_rates;

enum tv_code tv_rates_new(struct tv_rates **rates, const struct tv_alloc *alloc,
                          struct tv_error *err) TV_MUST_CHECK;
void tv_rates_free(struct tv_rates *rates);
/* Takes one request of the party's bucket. 0: the bucket had one; otherwise the number of seconds
 * until there will be. `now_ns` is of a clock that only goes forward. */
uint64_t tv_rates_take(struct tv_rates *rates, enum tv_rate_of what,
                       const struct tv_rate_limit *limit, const struct tv_http_party *party,
                       uint64_t now_ns);

#endif
