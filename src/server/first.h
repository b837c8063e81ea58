/*
 * What the page is told first, at once: how things stand, the settings, and of the trace that is
 * shown or promised what `info` says. It stands in the page itself, with the window that was asked
 * first when the trace was open last, so that the first picture is drawn without another question.
 */
#ifndef TV_SERVER_FIRST_H
#define TV_SERVER_FIRST_H

#include "server/viewer.h"

/* The answer to `first`; where a trace is being loaded, it is waited for up to a second. */
void tv_first_send(struct tv_viewer *viewer, struct tv_http_response *response);
/* The page with these answers; the build has one. */
void tv_first_send_page(struct tv_viewer *viewer, struct tv_http_response *response);

#endif
