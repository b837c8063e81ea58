/*
 * Protobuf as text: one line for each field of the file, by a shape that the test states with the
 * numbers of its own fields, "sample { location_id [2 1] label { key 4 num 2 } }". A field that the
 * shape does not have fails the test.
 */
#ifndef TESTS_EXPORT_MESSAGE_DUMP_H
#define TESTS_EXPORT_MESSAGE_DUMP_H

#include <stdint.h>

#include "base/memory/buffer.h"
#include "base/str.h"

enum shape_kind { SHAPE_NUMBER, SHAPE_TEXT, SHAPE_PACKED, SHAPE_MESSAGE };

/* A field of a message; the last one of a shape has number 0. */
struct shape {
    uint32_t field;
    const char *name;
    enum shape_kind kind;
    const struct shape *inside; /* of a message */
};

void dump_message(struct tv_str bytes, const struct shape *shape, struct tv_buffer *text);
/* The dump, compared line by line. */
void expect_message(struct tv_str bytes, const struct shape *shape, const char *expected);

#endif
