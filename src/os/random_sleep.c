/*
 * Random sleeps; see os/random_sleep.h. In builds for tests they widen the moments between two
 * locks, so that races which need bad luck happen soon.
 */
#include "os/random_sleep.h"

#include <stdint.h>
#include <time.h>

#include "base/str.h"
#include "os/clock.h"

/* One call in ONE_SLEEPS sleeps, and one in ONE_IS_LONG of those sleeps long. */
#define ONE_SLEEPS 8u
#define ONE_IS_LONG 8u
#define SHORT_NS 1500000u
#define LONG_NS 20000000u

/* The clock's last digits are random enough, and need no state that threads would share. */
void tv_random_sleep(void)
{
    const uint64_t now_ns = tv_now_ns();
    const uint64_t random = tv_hash_bytes(&now_ns, sizeof(now_ns));
    if (random % ONE_SLEEPS)
        return;
    const uint64_t most_ns = random / ONE_SLEEPS % ONE_IS_LONG ? SHORT_NS : LONG_NS;
    const struct timespec pause = {.tv_nsec = (long)((random >> 16) % most_ns)};
    (void)nanosleep(&pause, NULL);
}
