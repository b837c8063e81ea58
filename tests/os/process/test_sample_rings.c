/* Samples that the kernel takes of a child: whose they are, how many, and what stands in them. */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/clock.h"
#include "os/process/sample_rings.h"

#define INTERVAL_NS UINT64_C(1000000)
#define INTERVALS 60
#define MARK UINT64_C(0x7261636576696577)
#define MARKS 3000 /* most of what is copied of a stack */
/* Below programs, where nothing is mapped, and where no sanitizer has its own memory. */
#define MAPPED_AT ((void *)(uintptr_t)0x550000000000)
#define MAPPED_LEN 4096u
/* More samples than any ring has room for. */
#define TOO_MANY 400

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Works with MARKS marks on its stack, above where the stack pointer is meanwhile. */
static void *work(void *of)
{
    const uint64_t end_ns = cpu_ns() + *(const uint64_t *)of;
    volatile uint64_t marks[MARKS];
    for (size_t i = 0; i < MARKS; i++)
        marks[i] = MARK;
    while (cpu_ns() < end_ns && marks[0] == MARK)
        continue;
    return NULL;
}

#if defined(__x86_64__)

#define REGISTER_MARK 0x1000u /* and the number of the register */

/* Works for a while with a number of its own in each register but for the stack pointer. */
static void work_with_registers(void)
{
    __asm__ volatile("sub $128, %%rsp\n\t" /* what a function may use below its stack pointer */
                     "push %%rbp\n\t"
                     "pushq $40000000\n\t"
                     "mov $0x1000, %%rax\n\t"
                     "mov $0x1001, %%rdx\n\t"
                     "mov $0x1002, %%rcx\n\t"
                     "mov $0x1003, %%rbx\n\t"
                     "mov $0x1004, %%rsi\n\t"
                     "mov $0x1005, %%rdi\n\t"
                     "mov $0x1006, %%rbp\n\t"
                     "mov $0x1008, %%r8\n\t"
                     "mov $0x1009, %%r9\n\t"
                     "mov $0x100a, %%r10\n\t"
                     "mov $0x100b, %%r11\n\t"
                     "mov $0x100c, %%r12\n\t"
                     "mov $0x100d, %%r13\n\t"
                     "mov $0x100e, %%r14\n\t"
                     "mov $0x100f, %%r15\n"
                     "1:\n\t"
                     "decq (%%rsp)\n\t"
                     "jnz 1b\n\t"
                     "pop %%rax\n\t"
                     "pop %%rbp\n\t"
                     "add $128, %%rsp\n\t" ::
                         : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
                           "r12", "r13", "r14", "r15", "memory", "cc");
}

/* All but the stack pointer and the instruction. */
static bool has_marked_registers(const struct tv_stack_copy *stack)
{
    for (uint64_t i = 0; i < TV_STACK_COPY_CODE; i++) {
        if (i != TV_STACK_COPY_STACK && stack->registers[i] != REGISTER_MARK + i)
            return false;
    }
    return true;
}

#else

static void work_with_registers(void)
{
}

static bool has_marked_registers(const struct tv_stack_copy *stack)
{
    (void)stack;
    return false;
}

#endif

/* What the child is told to do, and answers when it is done. */
enum {
    WORK = 'w',
    WORK_LONG = 'l',
    WORK_IN_THREAD = 't',
    WORK_IN_BOTH = 'b',
    WORK_IN_CHILD = 'c',
    WORK_WITH_REGISTERS = 'r',
    MAP_CODE = 'm',
    SLEEP = 's',
};

/* From now on all samples are in one ring. */
static void stay_on_one_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
}

static void obey(char order)
{
    uint64_t for_ns = (order == WORK_LONG ? TOO_MANY : INTERVALS) * INTERVAL_NS;
    pthread_t thread;
    pid_t child;
    if (order == WORK_LONG)
        stay_on_one_processor();
    if ((order == WORK_IN_THREAD || order == WORK_IN_BOTH) &&
        pthread_create(&thread, NULL, work, &for_ns) == 0) {
        if (order == WORK_IN_BOTH)
            (void)work(&for_ns);
        (void)pthread_join(thread, NULL);
    } else if (order == WORK_IN_CHILD) {
        child = fork();
        if (child == 0) {
            (void)work(&for_ns);
            _exit(0);
        }
        (void)waitpid(child, NULL, 0);
    } else if (order == WORK_WITH_REGISTERS) {
        work_with_registers();
    } else if (order == MAP_CODE) {
        (void)mmap(MAPPED_AT, MAPPED_LEN,
                   PROT_READ | PROT_EXEC, /* NOLINT(performance-no-int-to-ptr) */
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    } else if (order == SLEEP) {
        (void)nanosleep(&(struct timespec){.tv_nsec = (long)for_ns}, NULL);
    } else {
        (void)work(&for_ns);
    }
}

static void be_sampled(int orders, int answers)
{
    char order;
    while (read(orders, &order, 1) == 1) {
        obey(order);
        if (write(answers, &order, 1) != 1)
            break;
    }
    _exit(0);
}

struct sampled {
    pid_t child;
    int orders, answers;
    struct tv_sample_rings *rings; /* NULL: this user gets none */
};

/* Of a copy without the marks: what it has of them, from where and how many bytes. */
struct copy {
    unsigned marks;
    size_t len;
    uint64_t stack, code;
};

/* What has come of it. */
struct seen {
    pid_t process; /* of the last */
    uint64_t at_ns;
    unsigned count, by_first_thread, unordered, marked, with_registers, mapped;
    struct copy last_unmarked;
};

/* Lets the child go on that was stopped to be looked at. */
static void start_rings(struct sampled *sampled)
{
    assert_int_equal(ptrace(PTRACE_SEIZE, sampled->child, NULL, NULL), 0);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, sampled->child, NULL, NULL), 0);
    assert_int_equal(waitpid(sampled->child, NULL, 0), sampled->child);
    sampled->rings = tv_sample_rings_new(INTERVAL_NS);
    if (sampled->rings)
        assert_true(tv_sample_rings_start(sampled->rings, sampled->child));
    assert_int_equal(ptrace(PTRACE_DETACH, sampled->child, NULL, NULL), 0);
}

static void finish(struct sampled *sampled)
{
    tv_sample_rings_free(sampled->rings);
    close(sampled->orders);
    close(sampled->answers);
    assert_int_equal(waitpid(sampled->child, NULL, 0), sampled->child);
}

/* False: this user gets no samples, and the child has ended. */
static bool begin(struct sampled *sampled)
{
    int orders[2], answers[2];
    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(answers), 0);
    sampled->child = fork();
    if (sampled->child == 0) {
        close(orders[1]);
        be_sampled(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    sampled->orders = orders[1];
    sampled->answers = answers[0];
    start_rings(sampled);
    if (!sampled->rings)
        finish(sampled);
    return sampled->rings != NULL;
}

static void order(const struct sampled *sampled, char what)
{
    char answer;
    assert_int_equal(write(sampled->orders, &what, 1), 1);
    assert_int_equal(read(sampled->answers, &answer, 1), 1);
}

/* How many marks of work() the copy has, which only its stack has. */
static unsigned count_marks(const struct tv_stack_copy *stack)
{
    unsigned found = 0;
    for (size_t at = 0; at + sizeof(uint64_t) <= stack->len; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, stack->bytes + at, sizeof(word));
        found += word == MARK;
    }
    return found;
}

static void take(void *ctx, const struct tv_ring_sample *sample)
{
    struct seen *seen = ctx;
    if (sample->has_mapped) {
        seen->mapped += sample->mapped_at == (uintptr_t)MAPPED_AT;
        seen->process = sample->process;
        return;
    }
    seen->unordered += sample->at_ns < seen->at_ns;
    seen->by_first_thread += sample->thread == sample->process;
    const unsigned marks = count_marks(&sample->stack);
    seen->marked += marks >= MARKS;
    if (marks < MARKS)
        seen->last_unmarked = (struct copy){.marks = marks,
                                            .len = sample->stack.len,
                                            .stack = sample->stack.registers[TV_STACK_COPY_STACK],
                                            .code = sample->stack.registers[TV_STACK_COPY_CODE]};
    seen->with_registers += has_marked_registers(&sample->stack);
    /* No sample is to be found in the place of the next. */
    memset((void *)(uintptr_t)sample->stack.bytes, 0, sample->stack.len);
    seen->process = sample->process;
    seen->at_ns = sample->at_ns;
    seen->count++;
}

/* What came while the child did so. */
static struct seen see(const struct sampled *sampled, char what)
{
    struct seen seen = {.count = 0};
    order(sampled, what);
    tv_sample_rings_read(sampled->rings, take, &seen);
    return seen;
}

/* Most come in time on a busy machine, too: they wait in the ring. */
static void threads_are_sampled_by_what_they_use(void **state)
{
    struct sampled sampled;
    (void)state;
    if (!begin(&sampled))
        skip();
    const uint64_t begin_ns = tv_now_ns();
    struct seen seen = see(&sampled, WORK);
    assert_in_range(seen.count, INTERVALS / 2, INTERVALS * 3 / 2);
    assert_int_equal(seen.process, sampled.child);
    assert_int_equal(seen.by_first_thread, seen.count);
    assert_int_equal(seen.unordered, 0);
    assert_in_range(seen.at_ns, begin_ns, tv_now_ns());
    assert_in_range(seen.marked, seen.count - 2, seen.count); /* it begins and ends without */
    seen = see(&sampled, WORK_WITH_REGISTERS);
    assert_true(seen.count > 4 && seen.with_registers >= seen.count - 2);
    seen = see(&sampled, SLEEP);
    assert_in_range(seen.count, 0, 1);
    seen = see(&sampled, WORK_IN_THREAD);
    assert_in_range(seen.count, INTERVALS / 2, INTERVALS * 3 / 2);
    assert_int_equal(seen.process, sampled.child);
    assert_in_range(seen.by_first_thread, 0, 4); /* which begins the other and waits for it */
    seen = see(&sampled, WORK_IN_BOTH); /* where there are two processors, from two rings */
    assert_in_range(seen.count, INTERVALS, INTERVALS * 5 / 2);
    assert_int_equal(seen.unordered, 0);
    seen = see(&sampled, WORK_IN_CHILD);
    assert_in_range(seen.count, 0, 3);
    finish(&sampled);
}

/* The counts are there though no sample follows, and stay when the process is left. */
static void samples_without_room_are_counted(void **state)
{
    struct sampled sampled;
    (void)state;
    if (!begin(&sampled))
        skip();
    assert_int_equal(tv_sample_rings_lost(sampled.rings), 0);
    struct seen seen = see(&sampled, WORK_LONG);
    const uint64_t lost = tv_sample_rings_lost(sampled.rings);
    assert_in_range(seen.count, 3,
                    TOO_MANY / 2); /* rings have 128 KiB at least, and 2 MiB at most */
    if (lost)                      /* else the kernel is older than 6.0 */
        assert_in_range(lost + seen.count, TOO_MANY * 3 / 4, TOO_MANY * 3 / 2);
    for (int i = 0; i < 8; i++) { /* the ring goes on at its beginning each time */
        seen = see(&sampled, WORK);
        if (seen.count - seen.marked > 2) /* it begins and ends without */
            fail_msg("reading %d: %u of %u copies have all marks; the last without has %u in %zu "
                     "bytes from %#" PRIx64 ", code %#" PRIx64 "; %" PRIu64 " lost before",
                     i, seen.marked, seen.count, seen.last_unmarked.marks, seen.last_unmarked.len,
                     seen.last_unmarked.stack, seen.last_unmarked.code, lost);
    }
    assert_true(tv_sample_rings_lost(sampled.rings) >= lost);
    tv_sample_rings_stop(sampled.rings, sampled.child);
    assert_true(tv_sample_rings_lost(sampled.rings) >= lost);
    finish(&sampled);
}

static void a_process_is_sampled_until_it_is_left(void **state)
{
    struct sampled sampled;
    (void)state;
    if (!begin(&sampled))
        skip();
    assert_true(tv_sample_rings_has(sampled.rings, sampled.child));
    assert_false(tv_sample_rings_has(sampled.rings, getpid()));
    order(&sampled, WORK);
    tv_sample_rings_stop(sampled.rings, sampled.child);
    assert_false(tv_sample_rings_has(sampled.rings, sampled.child));
    struct seen seen = see(&sampled, WORK);
    assert_in_range(seen.count, INTERVALS / 2, INTERVALS * 3 / 2); /* of the work before */
    seen = see(&sampled, WORK);
    assert_int_equal(seen.count, 0);
    finish(&sampled);
}

static void code_that_is_mapped_is_told_once(void **state)
{
    struct sampled sampled;
    (void)state;
    if (!begin(&sampled))
        skip();
    struct seen seen = see(&sampled, WORK);
    assert_int_equal(seen.mapped, 0);
    seen = see(&sampled, MAP_CODE);
    assert_int_equal(seen.mapped, 1);
    assert_int_equal(seen.process, sampled.child);
    seen = see(&sampled, WORK);
    assert_int_equal(seen.mapped, 0);
    finish(&sampled);
}

static void a_process_that_is_not_stopped_or_not_there_is_refused(void **state)
{
    struct tv_sample_rings *rings = tv_sample_rings_new(INTERVAL_NS);
    (void)state;
    if (!rings)
        skip();
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_false(tv_sample_rings_start(rings, child));
    (void)waitpid(child, NULL, 0);
    assert_false(tv_sample_rings_start(rings, child));
    assert_false(tv_sample_rings_has(rings, child));
    tv_sample_rings_free(rings);
    tv_sample_rings_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_sampled_by_what_they_use),
        cmocka_unit_test(samples_without_room_are_counted),
        cmocka_unit_test(a_process_is_sampled_until_it_is_left),
        cmocka_unit_test(code_that_is_mapped_is_told_once),
        cmocka_unit_test(a_process_that_is_not_stopped_or_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
