/*
 * Conditions and moments of the clock that only goes forward; see os/waits.h. The default clock of
 * a condition follows changes of the time of day, which would end a wait at once or never.
 */
#include "os/waits.h"

#include "base/compiler.h"
#include "os/clock.h"

static _Thread_local bool must_not_wait;
static _Thread_local struct tv_waits *waits_of_request;

bool tv_wait_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    bool is_made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                   pthread_cond_init(condition, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return is_made;
}

struct timespec tv_wait_until(uint64_t patience_ns)
{
    uint64_t now_ns = tv_now_ns();
    uint64_t end_ns = patience_ns < INT64_MAX - now_ns ? now_ns + patience_ns : INT64_MAX;
    return tv_timespec_of(end_ns);
}

void tv_wait_forbid(bool is_forbidden)
{
    must_not_wait = is_forbidden;
}

void tv_wait_expect(void)
{
    tv_assert(!must_not_wait);
}

void tv_waits_begin(struct tv_waits *waits)
{
    waits_of_request = waits;
}

void tv_waits_note(enum tv_waited what, uint64_t since_ns)
{
    if (waits_of_request)
        waits_of_request->ns[what] += tv_passed_ns(since_ns, tv_now_ns());
}

uint64_t tv_waits_of(enum tv_waited what)
{
    return waits_of_request ? waits_of_request->ns[what] : 0;
}
