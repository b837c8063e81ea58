/*
 * Times on their way into another version; see format/write/write_times.h.
 *
 * A clock keeps the time that a view of the trace would show: wraps of 32 bits are added up, and a
 * time that steps back is raised to the highest one before. What is written is that time in the
 * unit and width of the version. Every change that loses something is told by a TV_WRITE_TIME_
 * flag, which the caller counts.
 */
#include "format/write/write_times.h"

#include "base/units.h"

#define WRAP (UINT64_C(1) << 32)
/* A step of more than this, of 32-bit microseconds, is a fall: 2^32 less one minute. */
#define STEP_MOST (WRAP - UINT64_C(60000000))

/* A large step forward modulo 2^32 is a small step back, and so is one that would end long after
 * the trace. */
void tv_write_clock_take(struct tv_write_clock *clock, const struct tv_write_times *times,
                         enum tv_clock kind, uint64_t time)
{
    int64_t step = (int64_t)((time - clock->raw) & (WRAP - 1));
    if (!clock->has_begun || times->from_bits == 64) {
        clock->now = (int64_t)time;
    } else {
        const int64_t from = kind == TV_CLOCK_CPU ? clock->first : 0;
        bool is_back =
            (uint64_t)step > STEP_MOST ||
            (time < clock->raw && tv_wrap_is_too_late(clock->now + step - from, times->elapsed));
        clock->now += is_back ? step - (int64_t)WRAP : step;
    }
    if (!clock->has_begun)
        clock->first = clock->high = clock->now < 0 ? 0 : clock->now;
    if (clock->now > clock->high)
        clock->high = clock->now;
    clock->raw = time;
    clock->has_begun = true;
}

bool tv_write_times_stay(const struct tv_write_times *times)
{
    return times->from_bits == 32 && times->to_unit_ns != 1;
}

bool tv_write_times_narrow(const struct tv_write_times *times)
{
    return times->from_bits == 64 && times->to_unit_ns != 1;
}

/* The nearest multiple to the record before, a tie to the smaller one, and none that puts the
 * thread's last record behind the elapsed time. */
void tv_write_times_place(const struct tv_write_times *times, struct tv_write_thread_times *thread,
                          int64_t before)
{
    const struct tv_write_clock *wall = &thread->clock[TV_CLOCK_WALL];
    thread->multiple = 0;
    if (times->from_bits != 32 || !times->has_common_axis || !times->elapsed ||
        before <= wall->first || (uint64_t)wall->high > times->elapsed)
        return;
    uint64_t ahead = (uint64_t)(before - wall->first);
    uint64_t nearest = (ahead >> 32) + ((ahead & UINT32_MAX) > WRAP / 2);
    uint64_t largest = (times->elapsed - (uint64_t)wall->high) >> 32;
    thread->multiple = (nearest < largest ? nearest : largest) << 32;
}

/* A time of the trace in the unit of the version. */
static uint64_t in_unit(const struct tv_write_times *times, uint64_t time, unsigned *changes)
{
    if (times->from_unit_ns > times->to_unit_ns) {
        time = time > UINT64_MAX / TV_NS_PER_US ? UINT64_MAX : time * TV_NS_PER_US;
    } else if (times->from_unit_ns < times->to_unit_ns) {
        *changes |= time % TV_NS_PER_US ? TV_WRITE_TIME_ROUNDED : 0u;
        time /= TV_NS_PER_US;
    }
    if (times->to_unit_ns == 1 && time > times->most) {
        *changes |= TV_WRITE_TIME_CUT;
        time = times->most;
    }
    return time;
}

/* Whether 32-bit microseconds are read otherwise when `time` follows `before`, of a thread whose
 * first record is at `first`. */
static bool is_misread(const struct tv_write_times *times, enum tv_clock clock, uint64_t first,
                       uint64_t before, uint64_t time)
{
    const uint64_t from = clock == TV_CLOCK_CPU ? first : 0;
    const uint64_t elapsed = times->elapsed * times->from_unit_ns / TV_NS_PER_US;
    return time - before > STEP_MOST ||
           (time / WRAP != before / WRAP && tv_wrap_is_too_late((int64_t)(time - from), elapsed));
}

/* What views show for the last time of a clock. */
static uint64_t shown(const struct tv_write_thread_times *thread, enum tv_clock clock)
{
    return (uint64_t)thread->clock[clock].high + (clock == TV_CLOCK_WALL ? thread->multiple : 0);
}

uint64_t tv_write_time_next(struct tv_write_times *times, struct tv_write_thread_times *thread,
                            enum tv_clock clock, uint64_t time, unsigned *changes)
{
    struct tv_write_clock *of = &thread->clock[clock];
    bool has_before = of->has_begun;
    uint64_t before = shown(thread, clock) / TV_NS_PER_US;
    tv_write_clock_take(of, times, clock, time);
    uint64_t now = shown(thread, clock);
    if (clock == TV_CLOCK_WALL && now > times->latest_wall)
        times->latest_wall = now;
    if (tv_write_times_stay(times))
        return time;
    *changes |= of->now != of->high ? TV_WRITE_TIME_RAISED : 0u;
    uint64_t out = in_unit(times, now, changes);
    if (tv_write_times_narrow(times) &&
        (has_before ? is_misread(times, clock, (uint64_t)of->first / TV_NS_PER_US, before, out)
                    : out >= WRAP))
        *changes |= TV_WRITE_TIME_AMBIGUOUS;
    return out;
}

void tv_write_time_see(struct tv_write_times *times, struct tv_write_thread_times *thread,
                       const struct tv_trace *trace, uint64_t threads,
                       const struct tv_last_seen *seen)
{
    struct tv_last_seen of_output = *seen;
    uint64_t time[TV_CLOCK_COUNT];
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        time[clock] = shown(thread, (enum tv_clock)clock);
        if (!thread->clock[clock].has_begun) /* a clock that the output does not have */
            of_output.ns[clock] = 0;
    }
    thread->has_wall_end |= tv_last_seen_move_on(trace, threads, &of_output, time);
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++)
        thread->clock[clock].high += (int64_t)(time[clock] - shown(thread, (enum tv_clock)clock));
    if (time[TV_CLOCK_WALL] > times->latest_wall)
        times->latest_wall = time[TV_CLOCK_WALL];
}

uint64_t tv_write_time_end(const struct tv_write_times *times,
                           const struct tv_write_thread_times *thread, enum tv_clock clock,
                           unsigned *changes)
{
    bool is_latest = clock == TV_CLOCK_WALL && times->has_common_axis && !thread->has_wall_end;
    uint64_t own = shown(thread, clock);
    uint64_t end = in_unit(times, is_latest ? times->latest_wall : own, changes);
    const uint64_t first = (uint64_t)thread->clock[clock].first / TV_NS_PER_US;
    if (times->to_unit_ns != 1 &&
        is_misread(times, clock, first, in_unit(times, own, changes), end))
        *changes |= TV_WRITE_TIME_AMBIGUOUS;
    return end;
}
