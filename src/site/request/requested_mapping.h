/* A mapping of names that a request is about. It tells the names of a program's source, so nobody
 * but its owner learns that it is there. */
#ifndef TV_SITE_REQUEST_REQUESTED_MAPPING_H
#define TV_SITE_REQUEST_REQUESTED_MAPPING_H

#include <stdbool.h>

#include "base/text/json.h"
#include "site/request/request_context.h"

/* Finds the mapping that the path names, for its owner. False: the response says why not. */
bool tv_requested_mapping_find(struct tv_request_context *context, struct tv_trace_row *row,
                               struct tv_http_response *response);
/* The keys of a mapping, docs/site-api.md; the object is open, and stays so. */
void tv_requested_mapping_write(const struct tv_request_context *context,
                                const struct tv_trace_row *row, struct tv_json *json);

#endif
