/*
 * A signal at every instruction of the recorder's hooks, for a program compiled with
 * -finstrument-functions. The program's child traces it by ptrace. Between two breakpoints, a first
 * thread runs instruction by instruction, and the child notes where. Each further thread gets a
 * breakpoint at one of these places, and the signal when it comes there.
 *
 * stepped returns       the handler returns
 * stepped jumps         the handler leaves by siglongjmp()
 *
 * Prints how often each function's body began: a function whose hook a jump left has no body. Ends
 * with 77 where ptrace() is forbidden.
 */
#define _GNU_SOURCE /* sched_setaffinity(), dladdr() */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define COUNTED(name) (void)__atomic_fetch_add(&bodies.name, 1, __ATOMIC_RELAXED)
#define BREAKPOINT 0xccL
#define TRAP_BY_BREAKPOINT 0x80 /* SI_KERNEL */
#define RIP ((void *)offsetof(struct user, regs.rip))
#define SPOTS_MOST 20000
#define ADDRESSES (1 << 16)
/* How often an instruction gets the signal: loops of the recorder run some of them more often. */
#define TIMES_MOST 4

/* Where a signal comes: before an instruction runs for the n-th time. */
struct spot {
    unsigned long address;
    int times;
};

/* What both processes see. */
struct shared {
    struct spot spots[SPOTS_MOST];
    volatile int count;         /* spots that the first thread told */
    volatile int at;            /* of this thread; -1: it is the first one */
    volatile int has_no_tracer; /* ptrace() is forbidden */
};

static struct shared *shared;
static struct {
    long leaf, middle, attempt, landed, on_signal, inner;
} bodies;
static int jumps;
static _Thread_local sigjmp_buf place;

static void inner(void)
{
    COUNTED(inner);
}

static void on_signal(int number)
{
    (void)number;
    COUNTED(on_signal);
    inner();
    if (jumps)
        siglongjmp(place, 1);
}

static void leaf(void)
{
    COUNTED(leaf);
}

static void middle(void)
{
    COUNTED(middle);
    leaf();
}

static void landed(void)
{
    COUNTED(landed);
}

static void attempt(int before)
{
    COUNTED(attempt);
    for (int i = 0; i < before; i++)
        leaf();
    if (sigsetjmp(place, 1) == 0) {
        __asm__ volatile("int3");
        middle();
        __asm__ volatile("int3");
    } else {
        __asm__ volatile("int3");
        landed();
    }
}

PLAIN static void *run(void *before)
{
    attempt(*(int *)before);
    return NULL;
}

/*
 * The tracer.
 */

/* Waits for a thread's next stop; false: it has ended. */
PLAIN static int wait_stop(pid_t thread)
{
    int status;
    return waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status);
}

PLAIN static int one_step(pid_t thread)
{
    return ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL) == 0 && wait_stop(thread);
}

PLAIN static int is_at_breakpoint(pid_t thread)
{
    siginfo_t told;
    return ptrace(PTRACE_GETSIGINFO, thread, NULL, &told) == 0 &&
           told.si_code == TRAP_BY_BREAKPOINT;
}

/* Counts an address that is run, and returns how often it was. */
PLAIN static int count_address(unsigned long address)
{
    static struct spot run[ADDRESSES];
    unsigned at = (unsigned)(address * 2654435761u) % ADDRESSES;
    if (address == 0) {
        memset(run, 0, sizeof(run));
        return 0;
    }
    while (run[at].address && run[at].address != address)
        at = (at + 1) % ADDRESSES;
    run[at].address = address;
    return ++run[at].times;
}

/* The main thread runs code of the C library at the same time, where no breakpoint may stand. */
PLAIN static int is_of_libc(unsigned long address)
{
    Dl_info library, there;
    return dladdr((void *)pthread_join, &library) == 0 || dladdr((void *)address, &there) == 0 ||
           there.dli_fbase == library.dli_fbase;
}

/* Notes where a thread runs, to its second breakpoint. */
PLAIN static void note_spots(pid_t thread)
{
    int count = 0;
    (void)count_address(0);
    do {
        const unsigned long address = (unsigned long)ptrace(PTRACE_PEEKUSER, thread, RIP, NULL);
        const int times = count_address(address);
        if (times <= TIMES_MOST && count < SPOTS_MOST && !is_of_libc(address))
            shared->spots[count++] = (struct spot){address, times};
    } while (one_step(thread) && !is_at_breakpoint(thread));
    shared->count = count;
}

/* Lets a thread run to a spot, and gives it the signal there. Returns whether it came to its second
 * breakpoint before. */
PLAIN static int signal_at(pid_t thread, const struct spot *spot)
{
    void *address = (void *)spot->address;
    const long word = ptrace(PTRACE_PEEKTEXT, thread, address, NULL);
    const long broken = (word & ~0xffL) | BREAKPOINT;
    for (int times = spot->times;; times--) {
        /* The thread may be there already, before its first run. */
        if ((unsigned long)ptrace(PTRACE_PEEKUSER, thread, RIP, NULL) != spot->address) {
            if (ptrace(PTRACE_POKETEXT, thread, address, (void *)broken) != 0)
                break;
            ptrace(PTRACE_CONT, thread, NULL, NULL);
            if (!wait_stop(thread))
                return 1;
            ptrace(PTRACE_POKETEXT, thread, address, (void *)word);
            if ((unsigned long)ptrace(PTRACE_PEEKUSER, thread, RIP, NULL) != spot->address + 1)
                return 1;
            ptrace(PTRACE_POKEUSER, thread, RIP, address);
        }
        if (times == 1) {
            ptrace(PTRACE_CONT, thread, NULL, (void *)SIGUSR1);
            return 0;
        }
        if (!one_step(thread) || is_at_breakpoint(thread))
            return 1;
    }
    ptrace(PTRACE_CONT, thread, NULL, NULL);
    return 0;
}

PLAIN static void trace(pid_t program, int ready)
{
    int status, is_second = 0;
    pid_t thread;
    shared->has_no_tracer =
        ptrace(PTRACE_SEIZE, program, NULL, (void *)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)) != 0;
    if (write(ready, "", 1) != 1 || shared->has_no_tracer)
        return;
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status))
            continue;
        const int is_event = status >> 16 != 0;
        const int number = WSTOPSIG(status);
        int has_ended = is_second;
        if (is_event || number != SIGTRAP) {
            ptrace(PTRACE_CONT, thread, NULL, (void *)(is_event ? 0L : (long)number));
            continue;
        }
        if (!is_second && shared->at < 0) {
            note_spots(thread);
            has_ended = 1;
        } else if (!is_second) {
            has_ended = signal_at(thread, &shared->spots[shared->at]);
        }
        is_second = !has_ended;
        if (has_ended)
            ptrace(PTRACE_CONT, thread, NULL, NULL);
    }
}

/* Processes that wait for each other at each instruction are faster on one processor. */
PLAIN static void share_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    (void)sched_setaffinity(0, sizeof(one), &one);
}

PLAIN static int begin_tracer(void)
{
    int may_trace[2], ready[2];
    char byte;
    if (pipe(may_trace) != 0 || pipe(ready) != 0)
        return 0;
    const pid_t tracer = fork();
    if (tracer == 0) {
        close(ready[0]);
        if (read(may_trace[0], &byte, 1) == 1)
            trace(getppid(), ready[1]);
        _exit(0);
    }
    prctl(PR_SET_PTRACER, tracer);
    return write(may_trace[1], "", 1) == 1 && read(ready[0], &byte, 1) == 1 &&
           !shared->has_no_tracer;
}

int main(int argc, char **argv)
{
    static const int befores[] = {0, 29, 30}; /* a thread's first block has 62 records */
    struct sigaction action = {.sa_handler = on_signal};
    jumps = argc > 1 && strcmp(argv[1], "jumps") == 0;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    share_processor();
    if (!begin_tracer())
        return 77;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 3; i++) {
        shared->count = 0;
        for (int at = -1; at < shared->count; at++) {
            pthread_t thread;
            int before = befores[i];
            shared->at = at;
            if (pthread_create(&thread, NULL, run, &before) != 0 || pthread_join(thread, NULL) != 0)
                return 1;
        }
    }
    printf("leaf %ld\nmiddle %ld\nattempt %ld\nlanded %ld\non_signal %ld\ninner %ld\n", bodies.leaf,
           bodies.middle, bodies.attempt, bodies.landed, bodies.on_signal, bodies.inner);
    return 0;
}
