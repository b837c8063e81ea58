/*
 * The edges of threads in a part of a trace; see format/cut_threads.h. The text is of a file that
 * anybody may have written, so a property with one wrong entry is none.
 */
#include "format/cut_threads.h"

#include "base/compiler.h"

bool tv_cut_threads_next(struct tv_str *value, struct tv_cut_thread *cut)
{
    uint64_t id = 0;
    uint64_t *const numbers[] = {&id, &cut->began_before, &cut->open_until_ns,
                                 &cut->seen_ns[TV_CLOCK_WALL], &cut->seen_ns[TV_CLOCK_CPU]};
    struct tv_str part;
    if (!tv_str_split(value, ';', &part) ||
        !tv_str_to_numbers(part, ':', numbers, TV_COUNT_OF(numbers)))
        return false;
    cut->thread = (uint32_t)id;
    return id <= UINT32_MAX;
}

bool tv_cut_threads_is(struct tv_str value)
{
    struct tv_cut_thread cut;
    while (value.at) {
        if (!tv_cut_threads_next(&value, &cut))
            return false;
    }
    return true;
}

struct tv_str tv_cut_threads_of(const struct tv_trace *trace)
{
    const struct tv_str value = tv_trace_property_of(trace, TV_STR(TV_CUT_THREADS_KEY));
    return tv_cut_threads_is(value) ? value : TV_STR("");
}
