/*
 * When threads were last seen; see format/last_seen.h. Reads the property entry by entry, and moves
 * a thread's clocks on to that moment where the rest of the file allows it.
 */
#include "format/last_seen.h"

#include "base/compiler.h"
#include "base/units.h"

bool tv_last_seen_is(struct tv_str value)
{
    struct tv_last_seen seen;
    while (value.at) {
        if (!tv_last_seen_next(&value, &seen))
            return false;
    }
    return true;
}

struct tv_str tv_last_seen_of(const struct tv_trace *trace)
{
    const struct tv_str value = tv_trace_property_of(trace, TV_STR(TV_LAST_SEEN_KEY));
    const bool is_first = trace->version == 1 && !trace->is_streaming;
    return is_first || !tv_last_seen_is(value) ? TV_STR("") : value;
}

bool tv_last_seen_next(struct tv_str *value, struct tv_last_seen *seen)
{
    uint64_t id = 0;
    uint64_t *const numbers[] = {&id, &seen->ns[TV_CLOCK_WALL], &seen->ns[TV_CLOCK_CPU]};
    struct tv_str part;
    if (!tv_str_split(value, ';', &part) ||
        !tv_str_to_numbers(part, ':', numbers, TV_COUNT_OF(numbers)))
        return false;
    seen->thread = (uint32_t)id;
    return id <= UINT32_MAX;
}

/* Whether the file may say so: a time that can be added up over all threads, and which is at most a
 * minute later after `from` than the trace lasted. */
static bool can_be(const struct tv_trace *trace, uint64_t threads, uint64_t from, uint64_t time)
{
    const uint64_t elapsed = tv_trace_elapsed(trace);
    const uint64_t margin = TV_ELAPSED_MARGIN_US * TV_NS_PER_US / trace->unit_ns;
    return time <= (uint64_t)INT64_MAX / trace->unit_ns / threads &&
           (!elapsed || time <= from || time - from <= margin || time - from - margin <= elapsed);
}

bool tv_last_seen_move_on(const struct tv_trace *trace, uint64_t threads,
                          const struct tv_last_seen *seen, uint64_t time[TV_CLOCK_COUNT])
{
    const uint64_t wall =
        trace->has_clock[TV_CLOCK_WALL] ? seen->ns[TV_CLOCK_WALL] / trace->unit_ns : 0;
    const uint64_t cpu =
        trace->has_clock[TV_CLOCK_CPU] ? seen->ns[TV_CLOCK_CPU] / trace->unit_ns : 0;
    if (!can_be(trace, threads, 0, wall) || !can_be(trace, threads, time[TV_CLOCK_CPU], cpu))
        return false;
    if (wall > time[TV_CLOCK_WALL])
        time[TV_CLOCK_WALL] = wall;
    if (cpu > time[TV_CLOCK_CPU])
        time[TV_CLOCK_CPU] = cpu;
    return wall != 0;
}
