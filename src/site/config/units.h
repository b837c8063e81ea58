/* Sizes, durations and rates as people write them. Every text has one meaning, and what is written
 * back is read as the same value. */
#ifndef TV_SITE_CONFIG_UNITS_H
#define TV_SITE_CONFIG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* A duration without an end. */
#define TV_NEVER UINT64_MAX
/* The longest duration with an end: a thousand years. */
#define TV_LONGEST_S ((uint64_t)1000 * 365 * 86400)

/* At most `count` in `period_s` seconds; count 0: as many as come. */
struct tv_rate_limit {
    uint64_t count;
    uint64_t period_s;
};

/* Room for any size, duration or rate as text. */
#define TV_UNITS_TEXT 32u

/* "512", "64K", "100M", "2G", "1T": bytes; K is 1024. */
bool tv_size_parse(struct tv_str text, uint64_t *size);
void tv_size_text(uint64_t size, char text[TV_UNITS_TEXT]);
/* "10s", "10min", "12h", "30d", "2w", "never": seconds, as base/numbers/duration.h reads them. */
bool tv_duration_parse(struct tv_str text, uint64_t *duration_s);
void tv_duration_text(uint64_t duration_s, char text[TV_UNITS_TEXT]);
/* "100/s", "600/min", "120/h", "50/d", or "0". */
bool tv_rate_limit_parse(struct tv_str text, struct tv_rate_limit *limit);
void tv_rate_limit_text(const struct tv_rate_limit *limit, char text[TV_UNITS_TEXT]);

#endif
