/* Answers that a client may have already, in whole or in part: ETag, If-None-Match, If-Match, Range
 * and If-Range (RFC 9110, 13 and 14). */
#ifndef TV_HTTP_RANGES_H
#define TV_HTTP_RANGES_H

#include <stdbool.h>

#include "http/http.h"

/* Adds ETag, a text with its quotes. True: the client has what it names, and the response is 304
 * now; headers that were added before stay. */
bool tv_http_is_known(const struct tv_http_request *request, struct tv_http_response *response,
                      const char *etag);

struct tv_http_file {
    struct tv_http_part part; /* of a regular file */
    const char *etag;         /* strong, with its quotes: other bytes have another one */
    const char *content_type;
    const char *cache; /* the value of Cache-Control */
};

/* Answers with the file, or with the one range that is asked for: 200, 206, 304, 412 or 416.
 * Several ranges are answered with the whole, as a server may. The response closes the file. */
void tv_http_send_file(const struct tv_http_request *request, struct tv_http_response *response,
                       const struct tv_http_file *file);

#endif
