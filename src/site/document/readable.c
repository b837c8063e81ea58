/*
 * Numbers in words; see site/document/readable.h.
 *
 * Times are UTC. The calendar is computed here for all years to 9999, so that no locale and no time
 * zone of the server matters.
 */
#include "site/document/readable.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"

#define DAY_S 86400u
#define LAST_DAY 2932896u /* 9999-12-31, in days since 1970 */

static struct tv_str TV_PRINTF(2, 3) print(char room[TV_READABLE_MOST], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(room, TV_READABLE_MOST, format, args);
    va_end(args);
    return (struct tv_str){room, len > 0 ? (size_t)len : 0};
}

struct tv_str tv_readable_bytes(char room[TV_READABLE_MOST], uint64_t bytes)
{
    const double kib = 1024;
    if (bytes < 1024)
        return print(room, "%u B", (unsigned)bytes);
    if (bytes < 1024 * 1024)
        return print(room, "%.0f KiB", (double)bytes / kib);
    if (bytes < 1024 * 1024 * 1024)
        return print(room, "%.1f MiB", (double)bytes / (kib * kib));
    return print(room, "%.2f GiB", (double)bytes / (kib * kib * kib));
}

/* The largest unit of which it is a whole number: "90 days" and not "3 months". */
struct tv_str tv_readable_duration(char room[TV_READABLE_MOST], uint64_t seconds)
{
    static const struct {
        uint64_t len;
        const char *name;
    } units[] = {{DAY_S, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t unit = 0;
    while (unit + 1 < TV_COUNT_OF(units) &&
           (seconds % units[unit].len || seconds < units[unit].len))
        unit++;
    uint64_t count = seconds / units[unit].len;
    return print(room, "%llu %s%s", (unsigned long long)count, units[unit].name,
                 count == 1 ? "" : "s");
}

struct date {
    unsigned year, month, day; /* from 1 */
};

static bool is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* The Gregorian date of a day since 1970, at most LAST_DAY: whole cycles of 400 years at once, then
 * year by year. */
static struct date date_of(uint32_t day)
{
    const uint32_t cycle = 146097;
    struct date date = {1970 + day / cycle * 400, 1, 1};
    day %= cycle;
    for (uint32_t len = 365; day >= len; len = is_leap(date.year) ? 366 : 365) {
        day -= len;
        date.year++;
    }
    for (; day >= days_of_month(date.year, date.month); date.month++)
        day -= days_of_month(date.year, date.month);
    date.day = 1 + day;
    return date;
}

static struct date split_time(uint64_t seconds, unsigned *second_of_day)
{
    uint64_t day = seconds / DAY_S;
    *second_of_day = (unsigned)(seconds % DAY_S);
    return date_of((uint32_t)(day < LAST_DAY ? day : LAST_DAY));
}

/* UTC, since the server does not know where the reader is. */
struct tv_str tv_readable_time(char room[TV_READABLE_MOST], uint64_t seconds)
{
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    unsigned second;
    struct date date = split_time(seconds, &second);
    return print(room, "%u %s %u, %02u:%02u UTC", date.day, months[date.month - 1], date.year,
                 second / 3600, second / 60 % 60);
}

struct tv_str tv_readable_time_iso(char room[TV_READABLE_MOST], uint64_t seconds)
{
    unsigned second;
    struct date date = split_time(seconds, &second);
    return print(room, "%04u-%02u-%02uT%02u:%02u:%02uZ", date.year, date.month, date.day,
                 second / 3600, second / 60 % 60, second % 60);
}

struct tv_str tv_readable_moment(char room[TV_READABLE_MOST], int64_t moment)
{
    return tv_readable_time_iso(room, moment > 0 ? (uint64_t)moment : 0);
}

struct tv_str tv_readable_day(char room[TV_READABLE_MOST], int64_t moment)
{
    return (struct tv_str){tv_readable_moment(room, moment).at, sizeof("2026-11-22") - 1};
}

struct tv_str tv_readable_count(char room[TV_READABLE_MOST], uint64_t count, const char *one,
                                const char *several)
{
    char digits[TV_STR_COUNT_MOST];
    struct tv_str number = tv_str_of_count(digits, count);
    return print(room, "%.*s %s", (int)number.len, number.at, count == 1 ? one : several);
}
