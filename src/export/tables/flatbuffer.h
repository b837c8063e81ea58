/*
 * FlatBuffers (flatbuffers.dev, "Internals"), as far as Arrow's messages need them:
 * tables, strings and vectors, written front to back. A table, string or vector that another one
 * points to is written later, and the pointer is set then. The first failure sticks in `error`;
 * places are bytes from the start of the buffer.
 */
#ifndef TV_EXPORT_TABLES_FLATBUFFER_H
#define TV_EXPORT_TABLES_FLATBUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

struct tv_flat {
    struct tv_buffer *out;
    struct tv_error error;
};

/* A field of a table; fields stand in the order of their length, the longest first. */
struct tv_flat_field {
    unsigned id;  /* its place in the schema of the table */
    unsigned len; /* 1, 2, 4 or 8 bytes; a pointer has 4 */
    uint64_t value;
};

/* Empties the buffer and begins with the pointer to the root, which is at place 0. */
void tv_flat_begin(struct tv_flat *flat, struct tv_buffer *out);
/* Writes a table, and sets the pointer at `from` to it. places[i] is where the value of the i-th
 * field stands. */
void tv_flat_table(struct tv_flat *flat, size_t from, const struct tv_flat_field *fields,
                   size_t count, size_t *places);
void tv_flat_string(struct tv_flat *flat, size_t from, struct tv_str text);
/* Writes a vector of `count` structs of 64-bit numbers, `len` numbers in all. */
void tv_flat_words(struct tv_flat *flat, size_t from, size_t count, const uint64_t *words,
                   size_t len);
/* Writes a vector of `count` pointers; the first is at *first, and each has 4 bytes. */
void tv_flat_pointers(struct tv_flat *flat, size_t from, size_t count, size_t *first);
/* Fills up to a multiple of 8 bytes. */
enum tv_code tv_flat_end(struct tv_flat *flat, struct tv_error *err) TV_MUST_CHECK;

#endif
