/*
 * How each property joins; see format/joined_properties.h. The table of all properties says it by
 * one of the ways of enum way, so a new property is a new row.
 */
#include "format/joined_properties.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"
#include "format/last_seen.h"

enum way {
    JOINED_AS_SUM,
    JOINED_AS_MOST,
    JOINED_AS_LEAST,
    JOINED_AS_MEAN,   /* over the records of all that tell it: one that was killed does not */
    JOINED_AS_PARTS,  /* of that mean; none is told where one recording tells not all of them */
    JOINED_AS_EITHER, /* "true" where it is so of one */
    JOINED_AS_WORDS,  /* "boot, chosen": each word that one has */
    JOINED_AS_FIRST,  /* what the first says that has it: it is the same of all */
    BY_JOINER,        /* whoever joins makes it of the records, or of new numbers */
    OF_ONE_PROCESS    /* of the whole it would be wrong */
};

static const struct row {
    const char *key;
    enum way way;
} rows[] = {
    {"data-file-overflow", BY_JOINER},
    {"clock", BY_JOINER},
    {"elapsed-time-usec", BY_JOINER},
    {"elapsed-time-nsec", BY_JOINER},
    {"num-method-calls", BY_JOINER},
    {"clock-call-overhead-nsec", JOINED_AS_MOST},
    {"record-call-overhead-nsec", JOINED_AS_MEAN},
    {"record-leaf-overhead-nsec", JOINED_AS_PARTS},
    {"record-calling-overhead-nsec", JOINED_AS_PARTS},
    {"record-writing-nsec", JOINED_AS_SUM},
    {"recorded-by-events", JOINED_AS_MOST},
    {"ring-bytes", JOINED_AS_MOST}, /* each process has a ring of its own */
    {"ring-is-full", JOINED_AS_EITHER},
    {"slow-methods", JOINED_AS_SUM},
    {"slow-call-nsec", OF_ONE_PROCESS}, /* why that process wrote its ring, and of what method */
    {"slow-call-id", OF_ONE_PROCESS},
    {"allocated-bytes", OF_ONE_PROCESS}, /* docs/record.md: they are not told */
    {"methods-skipped", JOINED_AS_SUM},
    {"classes-left-out", JOINED_AS_WORDS},
    {"depth-limit", JOINED_AS_LEAST},
    {"file-limit", JOINED_AS_MOST},
    {"program", BY_JOINER}, /* before the names of threads */
    {"java-program", BY_JOINER},
    {"processor", JOINED_AS_FIRST},
    {"recording-cut", BY_JOINER}, /* of a part whose end is missing, whatever its file says */
    {"records-lost", JOINED_AS_SUM},
    {"sampling-interval-usec", JOINED_AS_MOST},
    {"sampled-stacks", JOINED_AS_SUM},
    {"sampled-running-stacks", JOINED_AS_SUM},
    {"sampling-tick-usec", JOINED_AS_MOST},
    {"sampling-apart-usec", JOINED_AS_MOST},
    {TV_LAST_SEEN_KEY, BY_JOINER},
    {"pid", OF_ONE_PROCESS},
    {"processes", BY_JOINER},
};

_Static_assert(TV_COUNT_OF(rows) == TV_JOINED_PROPERTY_COUNT, "a place for each property");

static void add_text(char text[TV_JOINED_PROPERTY_CAP], struct tv_str more)
{
    const size_t len = strlen(text);
    if (more.len < TV_JOINED_PROPERTY_CAP - len) {
        memcpy(text + len, more.at, more.len);
        text[len + more.len] = '\0';
    }
}

/* Of words that do not fit, not even what parts them from the others is added. */
static void add_word(char text[TV_JOINED_PROPERTY_CAP], struct tv_str word)
{
    char parted[TV_JOINED_PROPERTY_CAP];
    const int len =
        snprintf(parted, sizeof(parted), "%s%.*s", text[0] ? ", " : "", (int)word.len, word.at);
    if (len > 0 && (size_t)len < sizeof(parted))
        add_text(text, (struct tv_str){parted, (size_t)len});
}

static void add_words(char text[TV_JOINED_PROPERTY_CAP], struct tv_str words)
{
    struct tv_str part;
    while (tv_str_split(&words, ',', &part)) {
        const struct tv_str word = tv_str_trim(part);
        if (!tv_str_has_word(tv_str_from(text), word))
            add_word(text, word);
    }
}

/* Adds what one recording says. A mean is kept as a sum until it is asked for, weighed by the
 * recording's records; the properties that only the joiner or one process can tell are passed over,
 * and then not counted as said by a recording. */
static void add(struct tv_joined_property *joined, enum way way, struct tv_str value,
                uint64_t records)
{
    uint64_t number = 0;
    (void)tv_str_to_u64(value, 10, &number);
    switch (way) {
    case JOINED_AS_SUM:
        joined->number += number;
        break;
    case JOINED_AS_MOST:
        joined->number = number > joined->number ? number : joined->number;
        break;
    case JOINED_AS_LEAST:
        joined->number = joined->recordings && joined->number < number ? joined->number : number;
        break;
    case JOINED_AS_MEAN:
    case JOINED_AS_PARTS:
        joined->number += number * records;
        break;
    case JOINED_AS_EITHER:
        joined->number |= tv_str_equal(value, TV_STR("true"));
        break;
    case JOINED_AS_WORDS:
        add_words(joined->text, value);
        break;
    case JOINED_AS_FIRST:
        if (!joined->recordings)
            add_text(joined->text, value);
        break;
    case BY_JOINER:
    case OF_ONE_PROCESS:
        return;
    }
    joined->recordings++;
    joined->records += records;
}

void tv_joined_properties_add(struct tv_joined_properties *joined, const struct tv_trace *trace)
{
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        const struct tv_str value = tv_trace_property_of(trace, tv_str_from(rows[i].key));
        if (value.len)
            add(&joined->of[i], rows[i].way, value, trace->fixed.count);
    }
}

static bool is_mean(enum way way)
{
    return way == JOINED_AS_MEAN || way == JOINED_AS_PARTS;
}

/* A recorder of before wrote the cost of a call alone, without the two parts of it, which would
 * look too small beside it. */
static bool has_parts(const struct tv_joined_properties *joined)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        const size_t recordings = joined->of[i].recordings;
        if (is_mean(rows[i].way) && recordings > most)
            most = recordings;
        if (is_mean(rows[i].way) && recordings < least)
            least = recordings;
    }
    return least == most;
}

bool tv_joined_properties_get(const struct tv_joined_properties *joined, size_t place,
                              const char **key, char value[TV_JOINED_PROPERTY_CAP])
{
    const struct tv_joined_property *property = &joined->of[place];
    const enum way way = rows[place].way;
    *key = rows[place].key;
    if (!property->recordings || (way == JOINED_AS_PARTS && !has_parts(joined)) ||
        (is_mean(way) && !property->records))
        return false;
    if (way == JOINED_AS_WORDS || way == JOINED_AS_FIRST)
        memcpy(value, property->text, TV_JOINED_PROPERTY_CAP);
    else if (way == JOINED_AS_EITHER)
        (void)snprintf(value, TV_JOINED_PROPERTY_CAP, "%s", property->number ? "true" : "false");
    else
        (void)snprintf(value, TV_JOINED_PROPERTY_CAP, "%" PRIu64,
                       is_mean(way) ? property->number / property->records : property->number);
    return value[0] != '\0';
}
