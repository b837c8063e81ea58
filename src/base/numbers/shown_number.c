/*
 * Numbers as people read them; see base/numbers/shown_number.h.
 *
 * Digits are put from the last to the first into the end of a room. Numbers are rounded half away
 * from zero. Whole nanoseconds from SMALL_NS on are rounded in whole numbers, since a double may
 * lie just below the half that it stands for; means and shares are doubles already.
 */
#include "base/numbers/shown_number.h"

#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"
#include "base/units.h"

#define US_PER_MS 1000u
#define MS_PLACES 3u
/* Below this a time has three significant digits. */
#define SMALL_NS 100000u
#define LEAST_PLACES 4u
#define MOST_PLACES 12u /* a millionth of a nanosecond */

/* Writes into the room from its end on. */
static char *end_of(char room[TV_SHOWN_MOST])
{
    return room + TV_SHOWN_MOST;
}

static char *put_digits(char *at, uint64_t value, unsigned places)
{
    for (; places; places--) {
        *--at = (char)('0' + value % 10);
        value /= 10;
    }
    return at;
}

static char *put_count(char *at, uint64_t count)
{
    char room[TV_STR_COUNT_MOST];
    struct tv_str text = tv_str_of_count(room, count);
    at -= text.len;
    memcpy(at, text.at, text.len);
    return at;
}

static struct tv_str text_from(char room[TV_SHOWN_MOST], const char *at)
{
    return (struct tv_str){at, (size_t)(end_of(room) - at)};
}

/* 0.0123: the value in units of 10^-places ms, without zeros behind the third decimal. */
static char *put_small(char *at, uint64_t value, unsigned places)
{
    for (; places > MS_PLACES && value % 10 == 0; places--)
        value /= 10;
    at = put_digits(at, value, places);
    *--at = '.';
    *--at = '0';
    return at;
}

/* A time below SMALL_NS, but not 0. */
static char *put_small_ns(char *at, double time_ns)
{
    /* Nanoseconds in units of 10^-places ms, by one operation: web/src/base/format.ts does the
     * same. */
    static const double scales[] = {1e2, 1e1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    double scaled = 0;
    unsigned places = LEAST_PLACES;
    for (;; places++) {
        double scale = scales[places - LEAST_PLACES];
        scaled = places < 6 ? time_ns / scale : time_ns * scale;
        if (scaled >= 100 || places == MOST_PLACES)
            break;
    }
    uint64_t value = (uint64_t)(scaled + 0.5);
    return put_small(at, value ? value : 1, places);
}

static struct tv_str shown_us(char room[TV_SHOWN_MOST], uint64_t time_us, bool is_below_zero)
{
    char *at = put_digits(end_of(room), time_us % US_PER_MS, MS_PLACES);
    *--at = '.';
    at = put_count(at, time_us / US_PER_MS);
    if (is_below_zero)
        *--at = '-';
    return text_from(room, at);
}

static struct tv_str shown_small(char room[TV_SHOWN_MOST], double time_ns, bool is_below_zero)
{
    char *at = put_small_ns(end_of(room), time_ns);
    if (is_below_zero)
        *--at = '-';
    return text_from(room, at);
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

struct tv_str tv_shown_ms(char room[TV_SHOWN_MOST], int64_t time_ns)
{
    uint64_t size = size_of(time_ns);
    if (size && size < SMALL_NS)
        return shown_small(room, (double)size, time_ns < 0);
    return shown_us(room, size / TV_NS_PER_US + (size % TV_NS_PER_US >= TV_NS_PER_US / 2),
                    time_ns < 0);
}

struct tv_str tv_shown_mean_ms(char room[TV_SHOWN_MOST], int64_t sum_ns, uint64_t count)
{
    double mean_ns = count ? (double)size_of(sum_ns) / (double)count : 0;
    if (mean_ns > 0 && mean_ns < SMALL_NS)
        return shown_small(room, mean_ns, sum_ns < 0);
    return shown_us(room, (uint64_t)(mean_ns / TV_NS_PER_US + 0.5), mean_ns > 0 && sum_ns < 0);
}

struct tv_str tv_shown_percent(char room[TV_SHOWN_MOST], int64_t part, uint64_t whole)
{
    char *at = end_of(room);
    if (!whole) {
        *--at = '-';
        return text_from(room, at);
    }
    /* Only hostile times have shares of a quadrillion. */
    double tenths = 1000.0 * (double)size_of(part) / (double)whole + 0.5;
    uint64_t value = tenths < 1e18 ? (uint64_t)tenths : (uint64_t)1e18;
    bool is_tiny = part && !value;
    at = put_digits(at, is_tiny ? 1 : value % 10, 1);
    *--at = '.';
    at = tv_decimal_before(at, value / 10);
    if (part < 0)
        *--at = '-';
    if (is_tiny)
        *--at = part < 0 ? '>' : '<';
    return text_from(room, at);
}
