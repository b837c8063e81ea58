/* Bytes by method: what calls of a method have allocated, which becomes a property of the file. */
#ifndef TV_RECORD_METHOD_BYTES_H
#define TV_RECORD_METHOD_BYTES_H

#include <stdint.h>

#include "record/memory.h"

struct tv_bytes_of_method {
    uint64_t own, all; /* by themselves, and with all that they called */
    uint64_t sample;   /* the last that was added to `all`: a recursive method has it once */
};

/* Nothing is added while the file's properties are written. */
struct tv_method_bytes {
    struct tv_memory memory;
    struct tv_bytes_of_method *of; /* by number */
    uint32_t cap;
    uint64_t samples;
    uint64_t interval; /* bytes between two samples, on average */
};

#endif
