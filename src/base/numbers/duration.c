/*
 * Reading durations; see base/numbers/duration.h.
 *
 * Sums are kept in ticks, nanoseconds or seconds: a thousand years, which a setting may have, are
 * more nanoseconds than 64 bits hold.
 */
#include "base/numbers/duration.h"

#include "base/compiler.h"
#include "base/units.h"

#define NS_PER_MIN (60 * TV_NS_PER_S)
#define NS_PER_H (60 * NS_PER_MIN)
#define NS_PER_DAY (24 * NS_PER_H)

/* "2,441.049" has three digits in each group behind a comma. */
#define GROUP_LEN 3u

/* One reading. */
struct reading {
    struct tv_str rest;
    uint64_t tick_ns;      /* what is counted */
    uint64_t unitless_ns;  /* what a number without a unit counts; 0: it must have one */
    uint64_t last_unit_ns; /* of the part before; 0: there is none */
    uint64_t ticks;        /* of all parts so far */
};

uint64_t tv_duration_unit_ns(struct tv_str name)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1},
                 {"us", TV_NS_PER_US},
                 {"\u00b5s", TV_NS_PER_US}, /* micro */
                 {"ms", TV_NS_PER_MS},
                 {"\u03bcs", TV_NS_PER_US}, /* the Greek letter */
                 {"s", TV_NS_PER_S},
                 {"min", NS_PER_MIN},
                 {"m", NS_PER_MIN},
                 {"h", NS_PER_H},
                 {"d", NS_PER_DAY},
                 {"w", 7 * NS_PER_DAY}};
    for (size_t i = 0; i < TV_COUNT_OF(units); i++) {
        if (tv_str_equal(name, tv_str_from(units[i].name)))
            return units[i].ns;
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_at(struct tv_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && is_digit(text.at[end]))
        end++;
    return end - at;
}

/* The length of the whole part of a number, with its commas; SIZE_MAX: one of them marks no
 * thousands. "0,123" is refused, because elsewhere it means 0.123. */
static size_t whole_len(struct tv_str text)
{
    size_t len = digits_at(text, 0);
    bool is_marked = len < text.len && text.at[len] == ',';
    if (is_marked && (!len || len > GROUP_LEN || text.at[0] == '0'))
        return SIZE_MAX;
    while (len < text.len && text.at[len] == ',') {
        if (digits_at(text, len + 1) != GROUP_LEN)
            return SIZE_MAX;
        len += 1 + GROUP_LEN;
    }
    return len;
}

/* The digits of the whole part of a number (without its commas), multiplied by `each`. */
static bool multiply(struct tv_str whole, uint64_t each, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < whole.len; i++) {
        if (is_digit(whole.at[i]) &&
            (__builtin_mul_overflow(*value, 10, value) ||
             __builtin_add_overflow(*value, (uint64_t)(whole.at[i] - '0'), value)))
            return false;
    }
    return !__builtin_mul_overflow(*value, each, value);
}

/* What digits behind a point count: tenths, hundredths and so on of the unit. */
static uint64_t fraction_ns(struct tv_str digits, uint64_t unit_ns)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unit_ns /= 10;
        sum += unit_ns * (uint64_t)(digits.at[i] - '0');
    }
    return sum;
}

/* Adds a part: a number whose unit is known. */
static bool add_part(struct reading *reading, struct tv_str whole, struct tv_str fraction,
                     uint64_t unit_ns)
{
    uint64_t part_ns = fraction_ns(fraction, unit_ns);
    uint64_t ticks;
    bool is_smaller = !reading->last_unit_ns || unit_ns < reading->last_unit_ns;
    if (!is_smaller || unit_ns < reading->tick_ns || part_ns % reading->tick_ns ||
        !multiply(whole, unit_ns / reading->tick_ns, &ticks) ||
        __builtin_add_overflow(ticks, part_ns / reading->tick_ns, &ticks) ||
        __builtin_add_overflow(reading->ticks, ticks, &reading->ticks))
        return false;
    reading->last_unit_ns = unit_ns;
    return true;
}

/* Reads a number, its unit, and the blank before the next number, if there is one. */
static bool read_part(struct reading *reading)
{
    struct tv_str text = reading->rest;
    size_t whole = whole_len(text);
    if (whole == SIZE_MAX)
        return false;
    bool has_point = whole < text.len && text.at[whole] == '.';
    size_t fraction = whole + has_point;
    size_t fraction_len = has_point ? digits_at(text, fraction) : 0;
    size_t unit = fraction + fraction_len;
    if (has_point ? !fraction_len : !whole)
        return false;
    bool has_unit = unit < text.len;
    unit += has_unit && text.at[unit] == ' ';
    size_t end = unit;
    while (end < text.len && text.at[end] != ' ' && !is_digit(text.at[end]))
        end++;
    uint64_t unit_ns = has_unit ? tv_duration_unit_ns((struct tv_str){text.at + unit, end - unit})
                       : reading->last_unit_ns ? 0
                                               : reading->unitless_ns;
    if (!unit_ns || !add_part(reading, (struct tv_str){text.at, whole},
                              (struct tv_str){text.at + fraction, fraction_len}, unit_ns))
        return false;
    bool has_more = end + 1 < text.len;
    end += has_more && text.at[end] == ' ';
    reading->rest = (struct tv_str){text.at + end, text.len - end};
    return true;
}

static bool read_all(struct reading *reading)
{
    do {
        if (!read_part(reading))
            return false;
    } while (reading->rest.len);
    return true;
}

bool tv_duration_ns(struct tv_str text, uint64_t *time_ns)
{
    struct reading reading = {.rest = text, .tick_ns = 1, .unitless_ns = TV_NS_PER_MS};
    if (!read_all(&reading) || reading.ticks > INT64_MAX)
        return false;
    *time_ns = reading.ticks;
    return true;
}

bool tv_duration_s(struct tv_str text, uint64_t *time_s)
{
    struct reading reading = {.rest = text, .tick_ns = TV_NS_PER_S};
    if (!read_all(&reading))
        return false;
    *time_s = reading.ticks;
    return true;
}
