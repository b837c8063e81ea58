/*
 * The parts of a log of SARIF 2.1.0 that every answer has: the OASIS standard "Static Analysis
 * Results Interchange Format (SARIF) Version 2.1.0", sections 3.13 (the log), 3.18 (the tool), 3.19
 * (its driver) and 3.33 (logical locations).
 */
#ifndef TV_CLI_COMPARE_SARIF_H
#define TV_CLI_COMPARE_SARIF_H

#include "base/str.h"
#include "base/text/json.h"

/* Begins the log, its one run, the tool and the list of the tool's rules. */
void tv_sarif_begin(struct tv_json *json, const char *tool);
/* Ends the list of rules, and the tool; members of the run may follow. */
void tv_sarif_end_rules(struct tv_json *json);
/* Ends the run and the log. */
void tv_sarif_end(struct tv_json *json);
/* A member whose value is a message or a description. */
void tv_sarif_text(struct tv_json *json, const char *key, struct tv_str text);
/* The member `locations`, with one name. SARIF has no kind for what is no function. */
void tv_sarif_location(struct tv_json *json, struct tv_str name, bool is_function);

#endif
