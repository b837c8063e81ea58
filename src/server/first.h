/*
 * What the page asks first, in one answer: how things stand, the settings, and of the trace that is
 * shown what `info` says.
 */
#ifndef TV_SERVER_FIRST_H
#define TV_SERVER_FIRST_H

#include "server/viewer.h"

/* The answer to `first`; where a trace is being loaded, it is waited for up to a second. */
void tv_first_send(struct tv_viewer *viewer, struct tv_http_response *response);

#endif
