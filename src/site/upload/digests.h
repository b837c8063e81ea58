/* The SHA-256 that a client says of what it sends. */
#ifndef TV_SITE_UPLOAD_DIGESTS_H
#define TV_SITE_UPLOAD_DIGESTS_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "http/http.h"
#include "store/store_files.h"

/* Of the body: X-Checksum-Sha256 with 64 digits, or Content-Digest (RFC 9530) with sha-256; of the
 * whole file: Repr-Digest. *has says whether one is there. TV_ERR_ARGUMENT: it is no such sum. */
enum tv_digest_of { TV_DIGEST_OF_BODY, TV_DIGEST_OF_FILE };
enum tv_code tv_digests_find(const struct tv_http_request *request, enum tv_digest_of what,
                             bool *has, struct tv_hash *hash, struct tv_error *err) TV_MUST_CHECK;

#endif
