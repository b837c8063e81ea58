/* One question of the api (api/api.h) about an index, put into an HTTP response. */
#ifndef TV_SERVED_ASK_H
#define TV_SERVED_ASK_H

#include "api/api.h"
#include "base/str.h"
#include "http/http.h"

/* Fills an initialised response, whose bytes are of the api's allocator then. The index may be a
 * saved one that becomes shorter. The answer does not point into the index. */
void tv_ask_index(const struct tv_api *api, struct tv_str route, struct tv_str query,
                  struct tv_http_response *response);

#endif
