/*
 * A question of the api about the trace that the viewer shows. The routes are those of docs/api.md;
 * what the server itself answers is in content.h, first_answer.h and settings.h.
 */
#ifndef TV_SERVER_ASK_H
#define TV_SERVER_ASK_H

#include "server/viewer.h"

/* Fills an initialised response. The caller holds `shown` until the function returns; the answer
 * does not point into it. */
void tv_ask_shown(const struct tv_viewer *viewer, struct tv_shown *shown, struct tv_str route,
                  struct tv_str query, struct tv_http_response *response);
/* The routes that name other traces (tv_api_names_others): these are those of the addresses with
 * the numbers that the query has. They are held while the answer is made, and opened again where
 * they were closed.
 */
void tv_ask_diff(struct tv_viewer *viewer, const struct tv_state *state, struct tv_shown *shown,
                 struct tv_str route, struct tv_str query, struct tv_http_response *response);
/* Answers that there is no trace to answer from, and why. */
void tv_ask_nothing(struct tv_state *state, struct tv_http_response *response);

#endif
