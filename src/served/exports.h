/*
 * The routes of a download (docs/api.md, "Downloads"): export streams a file, exporting tells how
 * far it is, and stops it. What can be exported is told by the api's route exports.
 */
#ifndef TV_SERVED_EXPORTS_H
#define TV_SERVED_EXPORTS_H

#include "served/download.h"

/* Answers with an export of an index, which is let go of. `query` is that of the route `export`. */
void tv_exports_send(struct tv_downloads *downloads, const struct tv_held *held,
                     const struct tv_http_request *request, struct tv_str query,
                     struct tv_http_response *response);
/* Answers the route `exporting`. */
void tv_exports_tell(struct tv_downloads *downloads, const struct tv_http_request *request,
                     struct tv_str query, struct tv_http_response *response);

/* Answers that an export has failed before its first byte was sent. */
void tv_exports_refuse(struct tv_http_response *response, const struct tv_error *err);

#endif
