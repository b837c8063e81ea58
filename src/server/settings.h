/*
 * The page's settings: one JSON object in a file of the user's folder. Nothing but the page looks
 * into the object; the server only sees to it that it is one, so a damaged file cannot spoil the
 * page.
 */
#ifndef TV_SERVER_SETTINGS_H
#define TV_SERVER_SETTINGS_H

#include "server/viewer.h"

/* Answers with the settings; with an empty object where none can be read. */
void tv_settings_send(const struct tv_viewer *viewer, struct tv_http_response *response);
/* Replaces the settings by the body of the request, and answers with them, or says why not. */
void tv_settings_keep(const struct tv_viewer *viewer, struct tv_str body,
                      struct tv_http_response *response);

#endif
