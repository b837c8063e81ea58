/* Adding up bytes by method (record/method_bytes.h). One thread at a time. */
#ifndef TV_JVM_METHOD_BYTES_H
#define TV_JVM_METHOD_BYTES_H

#include <stdint.h>

#include "record/method_bytes.h"

/* Adds an allocation of `count` bytes by a stack of methods, outermost first. If memory runs out,
 * the allocation is not counted. */
void tv_method_bytes_add(struct tv_method_bytes *bytes, const uint32_t *numbers, uint32_t depth,
                         uint64_t count);
/* Forgets all. */
void tv_method_bytes_clear(struct tv_method_bytes *bytes);

#endif
