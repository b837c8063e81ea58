/* Packing answers for clients that take them packed. */
#ifndef TV_HTTP_CONTENT_ENCODING_H
#define TV_HTTP_CONTENT_ENCODING_H

#include "http/http.h"
#include "os/file/inflate.h"

/* Whether the client takes answers of that packing (Accept-Encoding). */
bool tv_http_takes(const struct tv_http_request *request, enum tv_packing packing);

/* Packs an answer of text whose bytes are there, if it is long enough to be worth it, the way that
 * the client likes best, zstd before gzip among equals. Names the packing in Content-Encoding, in
 * its ETag and in Vary. Called when the answer is complete. An answer that cannot be packed for
 * want of memory stays as it is. */
void tv_http_pack(const struct tv_http_request *request, struct tv_http_response *response);

#endif
