/*
 * The route `report` (docs/api.md, "Saving as one page"): the trace that is shown, as one page that
 * opens without the program. It is made in memory, so that its size is known before any of it is
 * saved.
 */
#ifndef TV_SERVER_SAVING_H
#define TV_SERVER_SAVING_H

#include <stdbool.h>

#include "server/viewer.h"

/* Answers and returns true, if this is the route. */
bool tv_saving_answer(struct tv_viewer *viewer, const struct tv_http_request *request,
                      struct tv_str route, struct tv_http_response *response);

#endif
