/* The page's settings: a JSON object in a file, that nothing but the page looks into. */
#ifndef TV_SERVER_SETTINGS_H
#define TV_SERVER_SETTINGS_H

#include "server/viewer.h"

/* Fills an initialised response with the object; an empty one where there is none. */
void tv_settings_send(const struct tv_viewer *viewer, struct tv_http_response *response);
/* Puts an object in its place and answers with it, or says why not. */
void tv_settings_keep(const struct tv_viewer *viewer, struct tv_str body,
                      struct tv_http_response *response);

#endif
