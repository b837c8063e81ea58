/*
 * CPU time of a thread; see record/cpu_clock.h.
 *
 * The section that the rseq field names is a piece of read-only memory that never runs. The field
 * is a thread's own, so no lock is needed: the kernel clears it when the thread is switched out,
 * and a reading that finds it cleared asks by system call and sets it again. Where rseq is missing
 * (other processors, C libraries before glibc 2.35, a kernel that does not clear the field, which
 * is tried out once), each reading is a system call.
 */
#include "record/cpu_clock.h"

#include <stddef.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

#if defined(__x86_64__)
#define HAS_SWITCHES 1
#else
#define HAS_SWITCHES 0
#endif

/* Longer than a reading by system call takes, unless the thread is switched out meanwhile. */
#define READING_MOST_NS 3000u

/* Where a thread's area is, as glibc 2.35 and later say; other C libraries do not have these. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

#if HAS_SWITCHES

#define FIELD_AT 8u /* of rseq_cs in struct rseq */
/* What must stand before the place where a section is taken up again, or the kernel ends the
 * thread; x86. */
#define SIGNATURE 0x53053053u

/* A section as the kernel reads it. It stands in a page of its own that is never unmapped: threads
 * name it as long as they live, even when the recorder was unloaded. */
struct section {
    uint32_t version, flags;
    uint64_t begin, len, abort;
    uint32_t never_run[4]; /* what the section is said to hold */
    uint32_t signature;
    uint32_t never_reached; /* where it would be taken up again */
};

static const struct section *section; /* NULL: there is none */

static volatile uint64_t *own_field(void)
{
    char *thread;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return (volatile uint64_t *)(void *)(thread + __rseq_offset + FIELD_AT);
}

static const struct section *make_section(void)
{
    struct section *made =
        mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    made->begin = (uint64_t)(uintptr_t)made->never_run;
    made->len = 1;
    made->abort = (uint64_t)(uintptr_t)&made->never_reached;
    made->signature = SIGNATURE;
    if (mprotect(made, sizeof(*made), PROT_READ) != 0)
        return NULL;
    return made;
}

/* Whether the kernel clears the field when a thread sleeps. */
static bool is_cleared_by_a_switch(const struct section *by)
{
    volatile uint64_t *field = own_field();
    for (int tries = 0; tries < 3; tries++) {
        *field = (uint64_t)(uintptr_t)by;
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        if (*field == 0)
            return true;
    }
    *field = 0;
    return false;
}

static bool are_switches_told(void)
{
    if (&__rseq_size == NULL || &__rseq_offset == NULL || __rseq_size == 0)
        return false;
    const struct section *made = make_section();
    if (!made || !is_cleared_by_a_switch(made))
        return false;
    section = made;
    return true;
}

#else

static bool are_switches_told(void)
{
    return false;
}

#endif

enum tv_cpu_source tv_cpu_best_source(void)
{
    static enum tv_cpu_source best = TV_CPU_NONE;
    if (best == TV_CPU_NONE)
        best = are_switches_told() ? TV_CPU_SWITCHES : TV_CPU_SYSTEM_CALL;
    return best;
}

static uint64_t thread_cpu_ticks(struct tv_ticks_rate rate)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return tv_ticks_from_ns(rate, tv_timespec_ns(time.tv_sec, time.tv_nsec));
}

/* Reads CPU time by system call, and sets the offset between CPU time and ticks from it. A switch
 * between the two readings would put its length into the offset, so then both are made again. A
 * switch between `now` and the first reading would be taken off the time; then the CPU time of the
 * first reading is the better answer. */
uint64_t tv_cpu_read_anew(struct tv_cpu_clock *clock, struct tv_ticks_rate rate, uint64_t now)
{
    uint64_t first = 0;
    for (int tries = 0; tries < 3; tries++) {
        if (clock->arm)
            *clock->arm = clock->armed;
        uint64_t cpu = thread_cpu_ticks(rate) - clock->begin;
        uint64_t ticks = tv_ticks_now(rate.is_counter);
        clock->offset = cpu - ticks;
        if (tries == 0)
            first = cpu;
        if (!clock->arm || *clock->arm == clock->armed)
            break;
    }
    if (!clock->arm)
        return first;
    uint64_t time = now + clock->offset;
    bool is_late = (int64_t)(first - time) > (int64_t)tv_ticks_from_ns(rate, READING_MOST_NS);
    return is_late || (int64_t)time < 0 ? first : time;
}

void tv_cpu_begin(struct tv_cpu_clock *clock, enum tv_cpu_source source, struct tv_ticks_rate rate)
{
    static const uint64_t never_armed = 0;
    *clock = (struct tv_cpu_clock){.field = &never_armed, .armed = 1};
    if (source == TV_CPU_NONE) {
        clock->field = &clock->armed;
        return;
    }
#if HAS_SWITCHES
    if (source == TV_CPU_SWITCHES) {
        clock->arm = own_field();
        clock->field = clock->arm;
        clock->armed = (uint64_t)(uintptr_t)section;
    }
#endif
    clock->begin = thread_cpu_ticks(rate);
    /* The field may be armed already, by an earlier clock of the thread. */
    (void)tv_cpu_read_anew(clock, rate, tv_ticks_now(rate.is_counter));
}
