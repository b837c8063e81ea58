/*
 * Sizes, durations and rates; see site/config/units.h.
 *
 * What is written can be read again and gives the same value: a number is written in the largest
 * unit that leaves it whole.
 */
#include "site/config/units.h"

#include <stdio.h>

#include "base/compiler.h"
#include "base/numbers/duration.h"
#include "base/units.h"

struct unit {
    const char *name;
    uint64_t value;
};

/* The smallest first. */
static const struct unit sizes[] = {
    {"", 1},
    {"K", (uint64_t)1 << 10},
    {"M", (uint64_t)1 << 20},
    {"G", (uint64_t)1 << 30},
    {"T", (uint64_t)1 << 40},
};
/* Units in which durations are written; base/numbers/duration.h reads them. */
static const struct unit durations[] = {
    {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", (uint64_t)7 * 86400},
};

/* A whole number and one of the units. */
static bool parse(struct tv_str text, const struct unit *units, size_t count, uint64_t *value)
{
    size_t digits = 0;
    uint64_t number;
    while (digits < text.len && text.at[digits] >= '0' && text.at[digits] <= '9')
        digits++;
    struct tv_str name = {text.at + digits, text.len - digits};
    if (!tv_str_to_u64((struct tv_str){text.at, digits}, 10, &number))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (tv_str_equal(name, tv_str_from(units[i].name)))
            return !__builtin_mul_overflow(number, units[i].value, value);
    }
    return false;
}

/* The largest unit that gives a whole number. */
static const struct unit *unit_of(uint64_t value, const struct unit *units, size_t count)
{
    while (count > 1 && (!value || value % units[count - 1].value))
        count--;
    return &units[count - 1];
}

bool tv_size_parse(struct tv_str text, uint64_t *size)
{
    return parse(text, sizes, TV_COUNT_OF(sizes), size);
}

void tv_size_text(uint64_t size, char text[TV_UNITS_TEXT])
{
    const struct unit *unit = unit_of(size, sizes, TV_COUNT_OF(sizes));
    (void)snprintf(text, TV_UNITS_TEXT, "%llu%s", (unsigned long long)(size / unit->value),
                   unit->name);
}

bool tv_duration_parse(struct tv_str text, uint64_t *duration_s)
{
    uint64_t value = TV_NEVER;
    if (!tv_str_equal(text, TV_STR("never")) &&
        (!tv_duration_s(text, &value) || value > TV_LONGEST_S))
        return false;
    *duration_s = value;
    return true;
}

/* The largest unit that divides it without a rest, so that what is printed can be read back as it
 * was. */
void tv_duration_text(uint64_t duration_s, char text[TV_UNITS_TEXT])
{
    const struct unit *unit = unit_of(duration_s, durations, TV_COUNT_OF(durations));
    if (duration_s == TV_NEVER)
        (void)snprintf(text, TV_UNITS_TEXT, "never");
    else
        (void)snprintf(text, TV_UNITS_TEXT, "%llu%s",
                       (unsigned long long)(duration_s / unit->value), unit->name);
}

/* 0 is no limit and needs no period; any other count needs one. */
bool tv_rate_limit_parse(struct tv_str text, struct tv_rate_limit *limit)
{
    struct tv_str rest = text;
    struct tv_str digits;
    uint64_t count;
    if (!tv_str_split(&rest, '/', &digits) || !tv_str_to_u64(digits, 10, &count) ||
        count > UINT32_MAX)
        return false;
    /* "0" has no period, since it is no limit. */
    if (!rest.at && !count) {
        *limit = (struct tv_rate_limit){0, 0};
        return true;
    }
    uint64_t period_ns = tv_duration_unit_ns(rest);
    if (!count || period_ns < TV_NS_PER_S)
        return false;
    *limit = (struct tv_rate_limit){count, period_ns / TV_NS_PER_S};
    return true;
}

void tv_rate_limit_text(const struct tv_rate_limit *limit, char text[TV_UNITS_TEXT])
{
    const struct unit *unit = unit_of(limit->period_s, durations, TV_COUNT_OF(durations));
    if (limit->count)
        (void)snprintf(text, TV_UNITS_TEXT, "%llu/%s", (unsigned long long)limit->count,
                       unit->name);
    else
        (void)snprintf(text, TV_UNITS_TEXT, "0");
}
