/*
 * The properties of several recordings as those of one: `traceview record` joins what the processes
 * of a program recorded. Every property that our recorders write stands in a table with how it
 * joins, so that none is dropped by chance: a ring that was full, or calls that were left out, in
 * one process are so in the whole.
 */
#ifndef TV_FORMAT_JOINED_PROPERTIES_H
#define TV_FORMAT_JOINED_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace.h"

#define TV_JOINED_PROPERTY_COUNT 34u
#define TV_JOINED_PROPERTY_CAP 128u

/* Zero begins it. */
struct tv_joined_properties {
    struct tv_joined_property {
        uint64_t number;
        uint64_t records;  /* of the recordings that have it */
        size_t recordings; /* that have it */
        char text[TV_JOINED_PROPERTY_CAP];
    } of[TV_JOINED_PROPERTY_COUNT];
};

/* Adds the properties of one recording. */
void tv_joined_properties_add(struct tv_joined_properties *joined, const struct tv_trace *trace);
/* The key and the value, as text, of the property at a place below TV_JOINED_PROPERTY_COUNT. The
 * key is there in any case; false, and no value, where the whole has none. */
bool tv_joined_properties_get(const struct tv_joined_properties *joined, size_t place,
                              const char **key, char value[TV_JOINED_PROPERTY_CAP]);

#endif
