/* The families that can be read, and which one some bytes belong to. */
#ifndef TV_FORMAT_FORMATS_H
#define TV_FORMAT_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "format/trace.h"

extern const struct tv_format tv_format_text;    /* *version ... *end, then v1, v2 or v3 records */
extern const struct tv_format tv_format_stream;  /* 0xF1, 0xF2, 0xF3 */
extern const struct tv_format tv_format_packets; /* 4, 5, 0xF4, 0xF5 */
extern const struct tv_format
    tv_format_low_overhead; /* event blocks without a header, raw or base64 */

extern const struct tv_format tv_format_perfetto; /* Perfetto traces that carry such dumps */
extern const struct tv_format tv_format_low_overhead_old; /* and what they were like in 2024 */

/*
 * The family of these bytes. TV_ERR_FOREIGN names another tool's file and says what to do with it;
 * TV_ERR_FORMAT and TV_ERR_UNSUPPORTED say what is missing or wrong. Any thread.
 */
enum tv_code tv_sniff(const uint8_t *bytes, size_t len, const struct tv_format **format,
                      struct tv_error *err) TV_MUST_CHECK;

#endif
