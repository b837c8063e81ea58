/*
 * What the page asks first, in one answer (docs/api.md, "Of the viewer"): the state, the settings,
 * and what `info` says of the shown trace. One request instead of three is what the first picture
 * waits for.
 */
#ifndef TV_SERVER_FIRST_ANSWER_H
#define TV_SERVER_FIRST_ANSWER_H

#include "server/viewer.h"

/* The answer to `first`. While the first trace of the address is loaded, or a closed one opened
 * again, the answer waits up to a second for it.
 */
void tv_first_send(struct tv_viewer *viewer, struct tv_state *state,
                   struct tv_http_response *response);

#endif
