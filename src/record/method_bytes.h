/*
 * Bytes by method: what calls of a method have allocated by themselves, and with all that they
 * called. Whoever samples allocations adds them up; they become a property of the file. One thread
 * at a time, and none while the file's properties are written.
 */
#ifndef TV_RECORD_METHOD_BYTES_H
#define TV_RECORD_METHOD_BYTES_H

#include <stdint.h>

#include "record/memory.h"

struct tv_bytes_of_method {
    uint64_t own, all;
    uint64_t sample; /* the last that was added to `all`: a recursive method has it once */
};

struct tv_method_bytes {
    struct tv_memory memory;
    struct tv_bytes_of_method *of; /* by number */
    uint32_t cap;
    uint64_t samples;
    uint64_t interval; /* bytes between two samples, on average */
};

/* An allocation of so many bytes by a stack of methods, outermost first. Without memory it is not
 * counted. */
void tv_method_bytes_add(struct tv_method_bytes *bytes, const uint32_t *numbers, uint32_t depth,
                         uint64_t count);
/* Forgets all. */
void tv_method_bytes_clear(struct tv_method_bytes *bytes);

#endif
