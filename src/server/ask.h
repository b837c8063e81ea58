/* A question of the api to the trace that is shown. */
#ifndef TV_SERVER_ASK_H
#define TV_SERVER_ASK_H

#include "server/viewer.h"

/* Fills an initialised response; `shown` is held. */
void tv_ask_shown(const struct tv_viewer *viewer, const struct tv_shown *shown, struct tv_str route,
                  struct tv_str query, struct tv_http_response *response);

#endif
