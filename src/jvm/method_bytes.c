/* Bytes by method; see jvm/method_bytes.h. The table is as long as the numbers of methods, and
 * doubles; what it was before stays until all is forgotten. */
#include "jvm/method_bytes.h"

#include <stdbool.h>
#include <string.h>

#define CAP_LEAST 1024u

static bool have_room(struct tv_method_bytes *bytes, uint32_t number)
{
    uint32_t cap = bytes->cap ? bytes->cap : CAP_LEAST;
    if (number < bytes->cap)
        return true;
    while (cap <= number && cap < UINT32_MAX / 2)
        cap *= 2;
    struct tv_bytes_of_method *of =
        cap > number ? tv_memory_take(&bytes->memory, cap * sizeof(*of)) : NULL;
    if (!of)
        return false;
    memset(of, 0, cap * sizeof(*of));
    if (bytes->of)
        memcpy(of, bytes->of, bytes->cap * sizeof(*of));
    bytes->of = of;
    bytes->cap = cap;
    return true;
}

void tv_method_bytes_add(struct tv_method_bytes *bytes, const uint32_t *numbers, uint32_t depth,
                         uint64_t count)
{
    bytes->samples++;
    for (uint32_t i = 0; i < depth; i++) {
        if (!have_room(bytes, numbers[i]))
            return;
        struct tv_bytes_of_method *of = &bytes->of[numbers[i]];
        if (of->sample != bytes->samples)
            of->all += count;
        of->sample = bytes->samples;
        if (i + 1 == depth)
            of->own += count;
    }
}

void tv_method_bytes_clear(struct tv_method_bytes *bytes)
{
    tv_memory_release(&bytes->memory);
    *bytes = (struct tv_method_bytes){.cap = 0};
}
