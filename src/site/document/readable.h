/* Numbers in words for people: sizes, durations, dates. Each is written into a room of the caller.
 */
#ifndef TV_SITE_DOCUMENT_READABLE_H
#define TV_SITE_DOCUMENT_READABLE_H

#include <stdint.h>

#include "base/str.h"

#define TV_READABLE_MOST 40u

/* "17 B", "40 KiB", "2.5 MiB", "1.25 GiB", as the viewer's page has them (web/src/base/format.ts).
 */
struct tv_str tv_readable_bytes(char room[TV_READABLE_MOST], uint64_t bytes);
/* "90 days", "12 hours", "1 minute", "30 seconds": in the largest unit that it is a multiple of. */
struct tv_str tv_readable_duration(char room[TV_READABLE_MOST], uint64_t seconds);
/* "22 Nov 2026, 14:30 UTC", of seconds since 1970. Years end at 9999. */
struct tv_str tv_readable_time(char room[TV_READABLE_MOST], uint64_t seconds);
/* "2026-11-22T14:30:00Z" */
struct tv_str tv_readable_time_iso(char room[TV_READABLE_MOST], uint64_t seconds);
/* The text of a moment as rows have it; moments before 1970 are shown as its beginning. */
struct tv_str tv_readable_moment(char room[TV_READABLE_MOST], int64_t moment);
/* Its day, "2026-11-22". */
struct tv_str tv_readable_day(char room[TV_READABLE_MOST], int64_t moment);
/* "1 call", "1,234 calls" */
struct tv_str tv_readable_count(char room[TV_READABLE_MOST], uint64_t count, const char *one,
                                const char *several);

#endif
