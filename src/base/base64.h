/* Standard base64 (RFC 4648, section 4), for bytes inside of JSON. */
#ifndef TV_BASE_BASE64_H
#define TV_BASE_BASE64_H

#include "base/buffer.h"

enum tv_code tv_base64_append(struct tv_buffer *text, struct tv_str bytes,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
