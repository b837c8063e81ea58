/*
 * Looking at a program's threads by ptrace; see os/process/sampler.h.
 *
 * The kernel tells of a new thread, of a signal, and of an exec by stopping the thread that has it;
 * between two looks those stops are answered as they come. After each interval of CPU time, either
 * the kernel copies the stack of the thread that runs (sample_rings.h), or a timer stops that
 * thread (thread_timer.h), so looks fall where threads run. Other threads are asked to stop at
 * random intervals, for their wall time. A thread is not stopped if it has not run since the last
 * look, or if it waits where its stack can be known without a stop. Everything happens on the
 * calling thread, which is the tracer.
 *
 * A process that a traced one starts is traced from its first instruction on by the kernel, which
 * reports it as it reports a new thread. What still runs when the program has ended is let go.
 */
#include "os/process/sampler.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/units.h"
#include "os/clock.h"
#include "os/process/child.h"
#include "os/process/sample_rings.h"
#include "os/process/thread_facts.h"
#include "os/process/thread_timer.h"

/* With timers, a round of looks is followed by a rest of LOOKS_REST times its own CPU time, so that
 * looking at waiting threads takes a fifth of a processor at most. After a round that took longer
 * than the one before, the rest is that of the one before: the longer round has read the symbols of
 * a library, which happens once, and a longer rest would miss waits. */
#define LOOKS_REST 4u
#define TELL_NS UINT64_C(200000000)
/* How often the name of a thread is read again; it is also read at the thread's end. */
#define NAME_NS UINT64_C(100000000)
#define STATUS_NOT_STARTED 127
/* Of the files that this user may have open, FILES_OF_OTHERS are left for files that are read and
 * closed again, for the recording and for copies of stacks. A thread keeps up to three files open,
 * and FILES_EACH counts one more for it. */
#define FILES_OF_OTHERS 64u
#define FILES_EACH 4u
/* How long to try to stop a thread at the end. One that cannot be stopped, as in an uninterruptible
 * wait, is let go by the kernel when the tracer ends. */
#define LET_GO_MOST_NS TV_NS_PER_S
/* The time within which a Ctrl-C of the terminal reaches all processes, one after the other. */
#define INTERRUPT_NS UINT64_C(200000000)
#define EVENT_SHIFT 16

#define READY_MOST 32u
/* After this many ready looks in a row, check whether the thread blocks the timer's signal. */
#define READY_ODD 4u
/* A thread that has used the CPU time of this many copies, but of which no copy came, is stopped
 * like a thread that is not copied: it may run on a processor that was not there when sampling
 * began. */
#define COPIES_MISSED_MOST 32u
/* A waiting thread that runs each time its stack is read is stopped after this many tries. */
#define MOVED_MOST 8u
/* Going back into a wait takes less of a processor than this. */
#define GO_BACK_MOST_NS 50000u

/* Results of a system call that a signal or a stop has interrupted: numbers of the kernel that only
 * a tracer sees. */
#define RESTART_SYS (-512)
#define RESTART_NOINTR (-513)
#define RESTART_NOHAND (-514)
#define RESTART_BLOCK (-516)

struct thread {
    pid_t process, id;
    struct tv_thread_timer timer;
    bool is_copied;       /* the kernel copies its stack: it has no timer */
    uint64_t copied_ns;   /* its CPU time when that of a copy was read last */
    bool blocks_timer;    /* at the last check */
    unsigned ready_count; /* looks in a row that found it ready, since the timer stopped it */
    uint64_t base_ns;     /* its CPU time before the program began */
    uint64_t begin_ns;    /* when it was met */
    struct tv_thread_files files;
    bool keeps_files;              /* open, so that they are read faster */
    char name[TV_THREAD_NAME_CAP]; /* as it was at `named_ns` */
    uint64_t named_ns;
    struct tv_thread_schedule seen; /* counts at the last look */
    struct tv_thread_schedule met;  /* counts when `state` was read, in the round of looks before */
    char state;                     /* see tv_thread_state(); 0: it was not read */
    struct tv_thread_schedule asked; /* counts when it was asked to stop */
    uint64_t asked_ns;               /* when the round of looks began in which it was asked */
    bool is_seen;                    /* it was looked at */
    bool is_stopping;                /* it was asked to, and has not yet */
    bool was_ready;                  /* it was ready to run when it was asked to stop */
    bool is_stopped;                 /* and is to be looked at */
    bool is_running;                 /* when the looks began */
    bool is_by_timer;                /* its timer has stopped it */
    bool has_waited;                 /* until that look */
    struct tv_wait_place waited;     /* in which call, if so */
    bool has_ended;                  /* that was told */
    bool is_resting;                 /* the last look that was told found it waiting */
    uint64_t ready_ns, ran_ns;       /* see struct tv_sampled_thread, since that look */
    unsigned moved_count; /* looks in a row that it ran through, so that they found nothing */
};

struct sampling {
    const struct tv_sampler *sampler;
    uint64_t looks_ns;            /* when the looks under way began */
    uint64_t looks_took_ns;       /* CPU time of the round before */
    uint64_t interrupted_ns;      /* when Ctrl-C ended the looking; 0: it did not */
    uint64_t random;              /* never 0 */
    pid_t process;                /* the program's; others are those that it started */
    size_t keeping, keeping_most; /* threads whose files stay open */
    struct thread *threads;
    size_t count, cap;
    bool has_begun; /* the child has become the program */
    bool is_looking;
    bool has_timers;               /* threads that run are sampled by their own CPU time */
    struct tv_sample_rings *rings; /* of copied stacks; NULL: there are none */
    bool has_enough;               /* sampling has ended before its time was over */
    bool has_ended;
    struct tv_child_end *end;
    struct tv_error *err;
    enum tv_code code; /* of what failed first */
};

static struct thread *find_thread(struct sampling *sampling, pid_t id)
{
    for (size_t i = 0; i < sampling->count; i++) {
        if (sampling->threads[i].id == id)
            return &sampling->threads[i];
    }
    return NULL;
}

static bool has_process(const struct sampling *sampling, pid_t process)
{
    for (size_t i = 0; i < sampling->count; i++) {
        if (sampling->threads[i].process == process)
            return true;
    }
    return false;
}

/* Has the thread's stack copied by its own CPU time, or the thread stopped, where the kernel lets
 * this user. Copies are of all threads of a process, from the time on when it had only the first.
 */
static void start_timer(struct sampling *sampling, struct thread *thread, bool is_first)
{
    struct tv_sample_rings *rings = sampling->rings;
    thread->is_copied = rings && (is_first ? tv_sample_rings_start(rings, thread->process)
                                           : tv_sample_rings_has(rings, thread->process));
    sampling->has_timers |=
        thread->is_copied ||
        tv_thread_timer_start(&thread->timer, thread->id, sampling->sampler->interval_ns);
}

/* Adds a thread; the first of a process begins that. */
static void add_thread(struct sampling *sampling, pid_t process, pid_t id)
{
    const struct tv_sampler *sampler = sampling->sampler;
    const bool is_first = !has_process(sampling, process);
    if (sampling->code == TV_OK)
        sampling->code =
            tv_alloc_grow(tv_alloc_libc(), &sampling->threads, &sampling->cap, sampling->count + 1,
                          sizeof(*sampling->threads), sampling->err);
    if (sampling->code == TV_OK) {
        const bool keeps_files = sampling->keeping < sampling->keeping_most;
        sampling->threads[sampling->count++] = (struct thread){
            .process = process, .id = id, .begin_ns = tv_now_ns(), .keeps_files = keeps_files};
        sampling->keeping += keeps_files;
    }
    if (sampling->code == TV_OK && sampling->is_looking)
        start_timer(sampling, &sampling->threads[sampling->count - 1], is_first);
    if (sampling->code == TV_OK && is_first)
        sampling->code = sampler->begin(sampler->ctx, process, sampling->err);
}

static void remove_at(struct sampling *sampling, size_t at)
{
    tv_thread_timer_stop(&sampling->threads[at].timer);
    tv_thread_files_close(&sampling->threads[at].files);
    sampling->keeping -= sampling->threads[at].keeps_files;
    sampling->threads[at] = sampling->threads[--sampling->count];
}

static void remove_thread(struct sampling *sampling, pid_t id)
{
    const struct thread *thread = find_thread(sampling, id);
    if (!thread)
        return;
    const pid_t process = thread->process;
    remove_at(sampling, (size_t)(thread - sampling->threads));
    if (has_process(sampling, process))
        return;
    if (sampling->rings)
        tv_sample_rings_stop(sampling->rings, process);
    sampling->sampler->leave(sampling->sampler->ctx, process);
}

/* What ptrace() takes as data is a number here. */
static long tell(int request, pid_t id, long data)
{
    return ptrace((unsigned)request, id, NULL, data);
}

#if defined(__x86_64__)

/* System calls that do nothing but wait, so that whoever is in one was on no processor. */
static bool does_wait(long number)
{
    static const long calls[] = {
        SYS_nanosleep,  SYS_clock_nanosleep, SYS_restart_syscall, SYS_futex,
        SYS_poll,       SYS_ppoll,           SYS_select,          SYS_pselect6,
        SYS_epoll_wait, SYS_epoll_pwait,     SYS_wait4,           SYS_waitid,
        SYS_pause,      SYS_rt_sigsuspend,   SYS_rt_sigtimedwait, SYS_sched_yield,
        SYS_accept,     SYS_accept4};
    for (size_t i = 0; i < TV_COUNT_OF(calls); i++) {
        if (calls[i] == number)
            return true;
    }
    return false;
}

/* Whether a stopped thread was taken out of a system call that waited, or has just been woken, and
 * which call that is. A call that is to be begun again for the stop's sake alone, as a clone, is
 * one of these. */
static bool has_waited(pid_t id, struct tv_wait_place *waited)
{
    struct user_regs_struct registers;
    struct iovec place = {&registers, sizeof(registers)};
    if (ptrace(PTRACE_GETREGSET, id, (void *)(uintptr_t)NT_PRSTATUS, &place) != 0)
        return false;
    const long call = (long)registers.orig_rax, result = (long)registers.rax;
    *waited = (struct tv_wait_place){.code = registers.rip, .stack = registers.rsp};
    return call >= 0 && (does_wait(call) || result == RESTART_SYS || result == RESTART_NOINTR ||
                         result == RESTART_NOHAND || result == RESTART_BLOCK);
}

#else

static bool has_waited(pid_t id, struct tv_wait_place *waited)
{
    (void)id;
    (void)waited;
    return false;
}

#endif

/* Whether a stopped thread was on a processor when the looks began. A thread that had no further
 * turn since has run until it stopped. A thread with one more turn that has waited no longer than
 * the looks take lost the processor to the sampler itself. A thread that was taken out of a waiting
 * system call did not run: the kernel often wakes it together with the sampler, since timers that
 * are close share an interrupt. */
static bool was_running(const struct thread *thread, const struct tv_thread_schedule *now)
{
    const uint64_t turns = now->turns - thread->asked.turns;
    const uint64_t delay_ns = now->delay_ns - thread->asked.delay_ns;
    return thread->was_ready && !thread->has_waited &&
           (turns == 0 || (turns == 1 && delay_ns <= tv_passed_ns(thread->asked_ns, tv_now_ns())));
}

/* CPU time that a thread has used since the program began. */
static uint64_t own_cpu_ns(const struct thread *thread, uint64_t cpu_ns)
{
    return cpu_ns > thread->base_ns ? cpu_ns - thread->base_ns : 0;
}

static void read_name(struct thread *thread)
{
    char read[TV_THREAD_NAME_CAP];
    tv_thread_name(thread->process, thread->id, read);
    if (read[0]) /* else the thread is gone */
        memcpy(thread->name, read, sizeof(read));
    thread->named_ns = tv_now_ns();
}

/* Tells of a look at the thread. */
static void tell_look(struct sampling *sampling, struct thread *thread,
                      struct tv_sampled_thread *seen)
{
    if (!thread->named_ns || tv_passed_ns(thread->named_ns, tv_now_ns()) >= NAME_NS)
        read_name(thread);
    memcpy(seen->name, thread->name, sizeof(thread->name));
    thread->is_resting = !seen->is_running && !thread->was_ready;
    seen->ready_ns = thread->ready_ns;
    seen->ran_ns = thread->is_resting ? thread->ran_ns : 0;
    thread->ready_ns = thread->ran_ns = 0;
    if (sampling->code == TV_OK)
        sampling->code = sampling->sampler->look(sampling->sampler->ctx, seen, sampling->err);
    if (sampling->code != TV_OK)
        sampling->is_looking = false;
}

static void look_at(struct sampling *sampling, struct thread *thread, bool is_recalled)
{
    struct tv_sampled_thread seen = {.process = thread->process,
                                     .id = thread->id,
                                     .at_ns = tv_now_ns(),
                                     .begin_ns = thread->begin_ns,
                                     .cpu_ns = own_cpu_ns(thread, thread->seen.cpu_ns),
                                     .is_running = thread->is_running,
                                     .is_by_timer = thread->is_by_timer,
                                     .is_waiting = is_recalled || thread->has_waited,
                                     .is_recalled = is_recalled};
    tell_look(sampling, thread, &seen);
}

static struct tv_thread_schedule schedule_of(struct thread *thread)
{
    return thread->keeps_files
               ? tv_thread_schedule_again(&thread->files, thread->process, thread->id)
               : tv_thread_schedule_of(thread->process, thread->id);
}

/* The thread's stacks are deeper than what is copied of them: a timer stops it instead. */
static void stop_by_timer(const struct sampling *sampling, struct thread *thread)
{
    if (tv_thread_timer_start(&thread->timer, thread->id, sampling->sampler->interval_ns))
        thread->is_copied = false;
}

/* A stack that was copied while its thread ran, or that its process has mapped code. The kernel's
 * count of the thread's CPU time is of now, or of its last tick: no more than that and the time
 * since the copy off. */
static void take_copy(void *ctx, const struct tv_ring_sample *sample)
{
    struct sampling *sampling = ctx;
    if (sample->has_mapped) {
        sampling->sampler->map(sampling->sampler->ctx, sample->process, sample->mapped_at);
        return;
    }
    struct thread *thread = find_thread(sampling, sample->thread);
    if (!thread || thread->process != sample->process || !thread->is_copied || thread->has_ended ||
        !sampling->is_looking)
        return;
    const uint64_t cpu_ns = schedule_of(thread).cpu_ns;
    thread->has_waited = false; /* until this look */
    thread->copied_ns = cpu_ns;
    struct tv_sampled_thread seen = {.process = thread->process,
                                     .id = thread->id,
                                     .at_ns = sample->at_ns,
                                     .begin_ns = thread->begin_ns,
                                     .cpu_ns = own_cpu_ns(thread, cpu_ns),
                                     .is_running = true,
                                     .is_by_timer = true,
                                     .copy = &sample->stack};
    tell_look(sampling, thread, &seen);
    if (seen.is_cut)
        stop_by_timer(sampling, thread);
}

/* Whatever follows of a thread comes after its copies. */
static void take_copies(struct sampling *sampling)
{
    if (sampling->rings)
        tv_sample_rings_read(sampling->rings, take_copy, sampling);
}

/* No more stacks are copied. */
static void end_copies(struct sampling *sampling)
{
    const uint64_t lost = sampling->rings ? tv_sample_rings_lost(sampling->rings) : 0;
    if (lost)
        sampling->sampler->lose(sampling->sampler->ctx, lost);
    tv_sample_rings_free(sampling->rings);
    sampling->rings = NULL;
}

/* Lets a stopped thread go on; it may be NULL. Any stop, as that of a clone, takes back one that
 * was asked for and has not come yet (ptrace_stop() of Linux), so that is asked for again, which
 * changes nothing where it is still to come. */
static void let_go_on(const struct thread *thread, pid_t id, int signal)
{
    if (thread && thread->is_stopping)
        (void)tell(PTRACE_INTERRUPT, id, 0);
    (void)tell(PTRACE_CONT, id, signal);
}

/* Looks at the threads that have stopped. All that have are known by now, so that the time of
 * looking at the first is not counted as the others' waiting. */
static void look_at_all_stopped(struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->count; i++) {
        struct thread *thread = &sampling->threads[i];
        if (!thread->is_stopped)
            continue;
        thread->is_stopped = false;
        if (sampling->is_looking)
            look_at(sampling, thread, false);
        let_go_on(thread, thread->id, 0);
    }
}

/* A thread has stopped for a look: because it was asked to, or by its timer, which only stops
 * threads that run. */
static void take_stop(struct thread *thread, bool is_by_timer)
{
    const struct tv_thread_schedule now = schedule_of(thread);
    thread->is_stopping = is_by_timer && thread->is_stopping;
    thread->is_stopped = true;
    thread->is_seen = true;
    thread->is_by_timer = is_by_timer;
    thread->has_waited = has_waited(thread->id, &thread->waited);
    thread->is_running = is_by_timer || was_running(thread, &now);
    thread->ready_count = 0;
    thread->blocks_timer = thread->blocks_timer && !is_by_timer;
    thread->seen = now;
}

static void tell_end(const struct sampling *sampling, struct thread *thread, uint64_t cpu_ns)
{
    struct tv_sampled_thread ended = {
        .process = thread->process, .id = thread->id, .cpu_ns = own_cpu_ns(thread, cpu_ns)};
    memcpy(ended.name, thread->name, sizeof(thread->name));
    if (sampling->is_looking && !thread->has_ended)
        sampling->sampler->end(sampling->sampler->ctx, &ended);
    thread->has_ended = true;
}

/* A thread is about to end, or is let go; this is the last moment at which its counts can be read.
 */
static void take_end(const struct sampling *sampling, struct thread *thread)
{
    read_name(thread);
    tell_end(sampling, thread, schedule_of(thread).cpu_ns);
}

/* The threads of a process end by an exec, but for that under the process's own number where it is
 * the one that has called it, `caller`. Any other caller gets that number by it, and the counts of
 * its own before are read by it. */
static void end_threads(struct sampling *sampling, pid_t process, pid_t caller)
{
    const uint64_t caller_ns = tv_thread_schedule_of(process, process).cpu_ns;
    for (size_t i = sampling->count; i > 0; i--) {
        struct thread *thread = &sampling->threads[i - 1];
        if (thread->process != process || (caller == process && thread->id == process))
            continue;
        tell_end(sampling, thread, thread->id == caller ? caller_ns : thread->seen.cpu_ns);
        if (thread->id != process)
            remove_at(sampling, i - 1);
    }
}

/* An exec leaves only one thread, under the number of the process. CPU time from before the program
 * began belongs to the starting of it. False: the process is not to be looked at any more. */
static bool take_exec(struct sampling *sampling, pid_t process)
{
    unsigned long caller = 0;
    if (ptrace(PTRACE_GETEVENTMSG, process, NULL, &caller) != 0 || !caller)
        caller = (unsigned long)process;
    end_threads(sampling, process, (pid_t)caller);
    struct thread *thread = find_thread(sampling, process);
    const bool is_first = !sampling->has_begun;
    sampling->has_begun = true;
    if (!thread)
        return true; /* there was no memory for it */
    const bool is_new = is_first || thread->has_ended;
    const uint64_t cpu_ns = tv_thread_schedule_of(process, process).cpu_ns;
    tv_thread_timer_stop(&thread->timer);
    tv_thread_files_close(&thread->files);
    *thread = (struct thread){.process = process,
                              .id = process,
                              .keeps_files = thread->keeps_files,
                              .copied_ns = cpu_ns,
                              .base_ns = is_new ? cpu_ns : thread->base_ns,
                              .begin_ns = is_new ? tv_now_ns() : thread->begin_ns};
    if (is_first)
        sampling->is_looking = sampling->code == TV_OK;
    if (sampling->is_looking)
        start_timer(sampling, thread, true);
    return sampling->sampler->replace(sampling->sampler->ctx, process);
}

/* A process that runs on without being looked at; `thread` is stopped, and its only one. */
static void let_process_go(struct sampling *sampling, pid_t thread)
{
    struct thread *known = find_thread(sampling, thread);
    if (known)
        take_end(sampling, known);
    remove_thread(sampling, thread);
    (void)tell(PTRACE_DETACH, thread, 0);
}

/* Nothing is looked at any more. All threads end here for whoever keeps the looks: what they do
 * from now on is not in the recording. Their timers stop them no more; the signal of one that has
 * ended is ignored by most programs, as by default. */
static void end_looks(struct sampling *sampling)
{
    if (!sampling->is_looking)
        return;
    take_copies(sampling);
    for (size_t i = 0; i < sampling->count; i++) {
        take_end(sampling, &sampling->threads[i]);
        tv_thread_timer_pause(&sampling->threads[i].timer);
    }
    end_copies(sampling);
    sampling->is_looking = false;
}

/* Ctrl-C has come: it is for the looking, and not for the program; of several processes each gets
 * one. */
static bool takes_interrupt(struct sampling *sampling)
{
    if (sampling->sampler->is_ended)
        return false;
    if (sampling->is_looking || sampling->has_enough) {
        end_looks(sampling);
        sampling->has_enough = false;
        sampling->interrupted_ns = tv_now_ns();
        return true;
    }
    return sampling->interrupted_ns &&
           tv_passed_ns(sampling->interrupted_ns, tv_now_ns()) < INTERRUPT_NS;
}

/* Lets a thread go on that the kernel has stopped. A look's stop is kept until all threads have
 * stopped; a stop of job control must stay one (PTRACE_LISTEN); Ctrl-C ends the looking and not the
 * program; any other signal is delivered. */
static void answer_stop(struct sampling *sampling, pid_t id, int status)
{
    int event = status >> EVENT_SHIFT;
    int number = WSTOPSIG(status);
    struct thread *thread = find_thread(sampling, id);
    if (!thread)
        add_thread(sampling, tv_thread_process(id), id);
    if (event == PTRACE_EVENT_EXEC && !take_exec(sampling, id)) {
        let_process_go(sampling, id);
        return;
    }
    thread = find_thread(sampling, id);
    if (event == PTRACE_EVENT_EXIT && thread)
        take_end(sampling, thread);
    bool is_group_stop = event == PTRACE_EVENT_STOP && (number == SIGSTOP || number == SIGTSTP ||
                                                        number == SIGTTIN || number == SIGTTOU);
    if (is_group_stop) {
        if (thread && thread->is_stopping) {
            take_stop(thread, false);
            thread->is_stopped = false;
            if (sampling->is_looking)
                look_at(sampling, thread, false);
        }
        (void)tell(PTRACE_LISTEN, id, 0);
        return;
    }
    if (event == PTRACE_EVENT_STOP && thread && thread->is_stopping) {
        take_stop(thread, false);
        return;
    }
    if (!event && thread && tv_thread_timer_has_stopped(&thread->timer, id, number)) {
        take_stop(thread, true);
        return;
    }
    if (!event && number == SIGINT && takes_interrupt(sampling))
        number = 0;
    let_go_on(thread, id, event ? 0 : number);
}

static void take_status(struct sampling *sampling, pid_t id, int status)
{
    take_copies(sampling);
    if (WIFSTOPPED(status)) {
        answer_stop(sampling, id, status);
        return;
    }
    remove_thread(sampling, id);
    if (id == sampling->process) {
        sampling->has_ended = true;
        sampling->end->status = status;
    }
}

static void take_all_statuses(struct sampling *sampling)
{
    int status;
    pid_t id;
    while ((id = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
        take_status(sampling, id, status);
    if (id < 0 && errno == ECHILD)
        sampling->has_ended = true;
    look_at_all_stopped(sampling);
}

/* Whether a thread has done nothing since the last look except go back into the wait that the look
 * interrupted. */
static bool has_gone_back(const struct thread *thread, const struct tv_thread_schedule *now)
{
    struct tv_wait_place place;
    return thread->has_waited && now->turns == thread->seen.turns + 1 &&
           now->cpu_ns - thread->seen.cpu_ns < GO_BACK_MOST_NS &&
           tv_thread_wait_place(thread->process, thread->id, &place) &&
           place.code == thread->waited.code && place.stack == thread->waited.stack;
}

/* Looks at a thread that waits without stopping it: a stop would end its call early. False: that
 * tells nothing, and it has to be stopped. A thread that ran meanwhile is looked at next time. */
static bool look_at_waiting(struct sampling *sampling, struct thread *thread)
{
    struct tv_wait_place place;
    take_copies(sampling);
    if (!tv_thread_wait_place(thread->process, thread->id, &place) ||
        !sampling->sampler->recall(sampling->sampler->ctx, thread->process, &place))
        return false;
    const struct tv_thread_schedule now = schedule_of(thread);
    if (now.turns != thread->asked.turns || now.cpu_ns != thread->asked.cpu_ns)
        return ++thread->moved_count < MOVED_MOST;
    thread->moved_count = 0;
    thread->is_seen = true;
    thread->is_running = thread->is_by_timer = thread->has_waited = false;
    thread->ready_count = 0;
    thread->seen = now;
    look_at(sampling, thread, true);
    return true;
}

static bool is_same(const struct tv_thread_schedule *a, const struct tv_thread_schedule *b)
{
    return a->turns == b->turns && a->cpu_ns == b->cpu_ns;
}

/* Whether copies of the thread's stack come while it runs. */
static bool has_copies(const struct sampling *sampling, const struct thread *thread)
{
    const uint64_t most_ns = COPIES_MISSED_MOST * sampling->sampler->interval_ns;
    return thread->is_copied && tv_passed_ns(thread->copied_ns, thread->asked.cpu_ns) < most_ns;
}

/* A look has found the thread ready, and tells no stack. */
static void note_ready(struct thread *thread, uint64_t at_ns)
{
    if (!thread->is_resting)
        thread->ran_ns = at_ns;
    else if (!thread->ready_ns)
        thread->ready_ns = at_ns;
}

/* Asks a thread to stop if it may have run since the last look; it stops as soon as it runs. Of a
 * thread that has had no turn since, nothing else is asked: of a thousand threads few have. */
static void stop_thread(struct sampling *sampling, struct thread *thread)
{
    if (thread->is_stopping)
        return;
    thread->asked = schedule_of(thread);
    if (thread->is_seen && is_same(&thread->asked, &thread->seen)) {
        sampling->sampler->rest(sampling->sampler->ctx, thread->process, thread->id);
        return;
    }
    if (!thread->state || !is_same(&thread->asked, &thread->met))
        thread->state = thread->keeps_files
                            ? tv_thread_state_again(&thread->files, thread->process, thread->id)
                            : tv_thread_state(thread->process, thread->id);
    thread->met = thread->asked;
    const char state = thread->state;
    if (state == 'X' || state == 'Z')
        return;
    if (state == 'R')
        note_ready(thread, sampling->looks_ns);
    if (state == 'R' && has_copies(sampling, thread))
        return;
    /* The thread's timer will stop it. If the timer does not for some looks, the thread may block
     * the timer's signal, and is then stopped as threads without a timer are; or it waits for a
     * processor, and is then looked at seldom. */
    if (state == 'R' && thread->timer.file && ++thread->ready_count == READY_ODD)
        thread->blocks_timer =
            tv_thread_blocks(thread->process, thread->id, TV_THREAD_TIMER_SIGNAL);
    if (state == 'R' && thread->timer.file && thread->ready_count < READY_MOST &&
        !thread->blocks_timer)
        return;
    thread->asked_ns = sampling->looks_ns;
    thread->was_ready = state == 'R';
    if (!thread->was_ready && thread->is_seen &&
        (thread->seen.cpu_ns == thread->asked.cpu_ns || has_gone_back(thread, &thread->asked))) {
        thread->seen = thread->asked;
        thread->has_waited = false;
        thread->ready_ns = 0;
        sampling->sampler->rest(sampling->sampler->ctx, thread->process, thread->id);
        return;
    }
    if (!thread->was_ready && look_at_waiting(sampling, thread))
        return;
    thread->moved_count = 0;
    thread->is_stopping = tell(PTRACE_INTERRUPT, thread->id, 0) == 0;
}

static void stop_threads(struct sampling *sampling)
{
    sampling->looks_ns = tv_now_ns();
    take_copies(sampling);
    for (size_t i = 0; i < sampling->count; i++)
        stop_thread(sampling, &sampling->threads[i]);
}

/* A random time between half of the interval and one and a half of it (Marsaglia's xorshift). */
static uint64_t random_interval(struct sampling *sampling)
{
    sampling->random ^= sampling->random << 13;
    sampling->random ^= sampling->random >> 7;
    sampling->random ^= sampling->random << 17;
    return sampling->sampler->interval_ns / 2 +
           sampling->random % (sampling->sampler->interval_ns + 1);
}

/* When looks are taken next, which was to be at `next_ns`: not before the program had the
 * processors for a while. Where timers tell what runs, looks are for waits alone. */
static uint64_t after_looks_ns(struct sampling *sampling, uint64_t next_ns, uint64_t took_ns)
{
    const uint64_t now_ns = tv_now_ns();
    const uint64_t usual_ns = took_ns < sampling->looks_took_ns ? took_ns : sampling->looks_took_ns;
    const uint64_t rested_ns = now_ns + LOOKS_REST * usual_ns;
    sampling->looks_took_ns = took_ns;
    if (sampling->has_timers)
        return next_ns > rested_ns ? next_ns : rested_ns;
    return next_ns >= now_ns ? next_ns : now_ns + random_interval(sampling) / 2;
}

/* Waits for a change of the program, or until the time. Copies of stacks are taken each interval,
 * also where looks at those that wait come seldom: a program that ends or becomes another one has
 * its stacks followed before. */
static void wait_until(const struct sampling *sampling, struct tv_child_signals *signals,
                       uint64_t time_ns)
{
    uint64_t now_ns = tv_now_ns();
    uint64_t left_ns = time_ns > now_ns ? time_ns - now_ns : 0;
    if (sampling->rings && left_ns > sampling->sampler->interval_ns)
        left_ns = sampling->sampler->interval_ns;
    const struct timespec left = tv_timespec_of(left_ns);
    (void)tv_child_signals_wait(signals, sampling->process, &left);
}

/* Its time is over: the program first, so that it begins nothing new when the others end. */
static void end_processes(struct sampling *sampling)
{
    sampling->end->was_told_to_end = true;
    (void)kill(sampling->process, SIGTERM);
    for (size_t i = 0; i < sampling->count; i++) {
        const struct thread *thread = &sampling->threads[i];
        if (thread->id == thread->process && thread->process != sampling->process)
            (void)kill(thread->process, SIGTERM);
    }
}

/* The loop: looks when it is time, answers stops, and ends the program when the time is over, if
 * that is wanted. */
static void run_to_end(struct sampling *sampling, struct tv_child_signals *signals)
{
    const struct tv_sampler *sampler = sampling->sampler;
    uint64_t start_ns = tv_now_ns();
    uint64_t next_ns = start_ns, tell_ns = start_ns + TELL_NS;
    bool is_told = false;
    while (!sampling->has_ended) {
        uint64_t now_ns = tv_now_ns();
        if (sampler->duration_ns && now_ns - start_ns >= sampler->duration_ns) {
            end_looks(sampling);
            sampling->has_enough = false;
        }
        if (sampling->has_begun && !sampling->is_looking && !sampling->has_enough && !is_told &&
            sampling->code == TV_OK) {
            is_told = true;
            sampler->over(sampler->ctx);
            if (sampler->is_ended)
                end_processes(sampling);
        }
        if (sampling->is_looking && now_ns >= next_ns) {
            const uint64_t cpu_ns = tv_own_cpu_ns();
            stop_threads(sampling);
            next_ns = after_looks_ns(sampling, next_ns + random_interval(sampling),
                                     tv_own_cpu_ns() - cpu_ns);
        }
        if (sampler->tell && sampling->is_looking && now_ns >= tell_ns) {
            sampler->tell(sampler->ctx, now_ns - start_ns);
            tell_ns = now_ns + TELL_NS;
        }
        take_copies(sampling);
        take_all_statuses(sampling);
        if (sampling->is_looking && sampler->is_enough(sampler->ctx)) {
            end_looks(sampling);
            sampling->has_enough = true;
        }
        if (!sampling->has_ended)
            wait_until(sampling, signals,
                       sampling->is_looking ? next_ns : tv_now_ns() + TV_NS_PER_S);
        if (sampler->request && signals->came == sampler->request && sampling->is_looking)
            sampler->requested(sampler->ctx);
    }
}

/* A thread that has stopped goes on without a tracer, with the signal that has stopped it; a signal
 * of a timer is no signal of the program. */
static void let_thread_go(struct sampling *sampling, pid_t id, int status)
{
    struct thread *thread = find_thread(sampling, id);
    int number = WSTOPSIG(status);
    if (thread)
        take_end(sampling, thread);
    if (status >> EVENT_SHIFT ||
        (thread && tv_thread_timer_has_stopped(&thread->timer, id, number)))
        number = 0;
    (void)tell(PTRACE_DETACH, id, number);
    remove_thread(sampling, id);
}

/* The program has ended; what it started and still runs is let go. */
static void let_all_go(struct sampling *sampling)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const uint64_t begin_ns = tv_now_ns();
    int status;
    for (size_t i = 0; i < sampling->count; i++)
        (void)tell(PTRACE_INTERRUPT, sampling->threads[i].id, 0);
    while (sampling->count && tv_passed_ns(begin_ns, tv_now_ns()) < LET_GO_MOST_NS) {
        const pid_t id = waitpid(-1, &status, __WALL | WNOHANG);
        if (id < 0)
            break; /* there is none any more */
        if (id == 0)
            (void)nanosleep(&moment, NULL);
        else if (WIFSTOPPED(status))
            let_thread_go(sampling, id, status);
        else
            remove_thread(sampling, id);
    }
    while (sampling->count)
        remove_thread(sampling, sampling->threads[0].id);
}

/* In the child: waits until it is traced, then becomes the program. */
static void become(const struct tv_sampler *sampler, const struct tv_child_signals *signals, int go,
                   int told)
{
    char *const *words;
    char byte;
    ssize_t got;
    while ((got = read(go, &byte, 1)) < 0 && errno == EINTR)
        continue;
    if (got != 1)
        _exit(STATUS_NOT_STARTED); /* the sampler has ended: nobody would look at the program */
    memcpy(&words, &sampler->words, sizeof(words)); /* execvp() does not change them */
    for (size_t i = 0; i < sampler->variable_count; i++) {
        if (sampler->variables[i].value)
            (void)setenv(sampler->variables[i].name, sampler->variables[i].value, 1);
    }
    tv_child_signals_inherit(signals);
    (void)execvp(words[0], words);
    int why = errno;
    if (write(told, &why, sizeof(why)) < 0)
        _exit(STATUS_NOT_STARTED);
    _exit(STATUS_NOT_STARTED);
}

/* Starts the child and traces it before it becomes the program. Returns an errno. */
static int start(struct sampling *sampling, const struct tv_child_signals *signals, int *told)
{
    int go[2], told_pipe[2];
    const long options =
        PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT |
        (sampling->sampler->follows ? PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK : 0);
    if (pipe2(go, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(told_pipe, O_CLOEXEC) != 0) {
        int why = errno;
        close(go[0]);
        close(go[1]);
        return why;
    }
    pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        become(sampling->sampler, signals, go[0], told_pipe[1]);
    }
    int why = child < 0 ? errno : 0;
    sampling->process = child;
    if (!why && tell(PTRACE_SEIZE, child, options) != 0) {
        sampling->code = tv_fail(sampling->err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                                 "%s cannot be looked at: ptrace: %s; it was not run",
                                 sampling->sampler->words[0], strerror(errno));
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        sampling->has_ended = true;
    }
    if (!why && sampling->code == TV_OK && write(go[1], "", 1) != 1) /* the child goes on */
        why = errno;
    close(told_pipe[1]);
    close(go[0]);
    close(go[1]);
    *told = told_pipe[0];
    return why;
}

/* The errno that kept the child from becoming the program; 0 once it did. */
static int read_failure(int told)
{
    int why = 0;
    ssize_t len = read(told, &why, sizeof(why));
    return len == (ssize_t)sizeof(why) ? why : 0;
}

/* The sampler runs for moments and should run on time: a kernel from 6.12 on lets a thread that
 * asks for short turns have them early. Older kernels refuse or ignore this. */
static void ask_for_short_turns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } wish = {.size = 48, .flags = 1 /* not for children */, .runtime = 100000};
    wish.nice = getpriority(PRIO_PROCESS, 0);
    (void)syscall(SYS_sched_setattr, 0, &wish, 0);
    (void)prctl(PR_SET_TIMERSLACK, 1);
}

/* Each thread's timer is an open file. The program has been started by then, and keeps its limit.
 */
static void take_files(struct sampling *sampling, struct rlimit *before)
{
    if (getrlimit(RLIMIT_NOFILE, before) != 0)
        return;
    const struct rlimit all = {.rlim_cur = before->rlim_max, .rlim_max = before->rlim_max};
    (void)setrlimit(RLIMIT_NOFILE, &all);
    if (before->rlim_max > FILES_OF_OTHERS)
        sampling->keeping_most = (size_t)(before->rlim_max - FILES_OF_OTHERS) / FILES_EACH;
}

/* Returns an errno; other failures are in sampling->code. */
static int start_and_look(struct sampling *sampling, struct tv_child_signals *signals)
{
    int told = -1;
    int why = start(sampling, signals, &told);
    if (!why && sampling->code == TV_OK) {
        struct rlimit files = {.rlim_cur = 0};
        take_files(sampling, &files);
        add_thread(sampling, sampling->process, sampling->process);
        ask_for_short_turns();
        sampling->rings = tv_sample_rings_new(sampling->sampler->interval_ns);
        run_to_end(sampling, signals);
        end_copies(sampling);
        let_all_go(sampling);
        if (files.rlim_cur)
            (void)setrlimit(RLIMIT_NOFILE, &files);
        why = read_failure(told);
    }
    if (told >= 0)
        close(told);
    return why;
}

/* By trying it on a process that does nothing but wait for its end, which comes with that of this
 * one at the latest. */
const char *tv_sampler_is_forbidden(void)
{
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        return NULL;
    if (child == 0) {
        /* The parent may have ended before it asked for the signal. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
            _exit(0);
        for (;;)
            (void)pause();
    }
    const int why = tell(PTRACE_SEIZE, child, 0) == 0 ? 0 : errno;
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, __WALL);
    return why ? strerror(why) : NULL;
}

enum tv_code tv_sampler_run(const struct tv_sampler *sampler, struct tv_child_end *end,
                            struct tv_error *err)
{
    struct sampling sampling = {
        .sampler = sampler, .random = tv_now_ns() | 1, .end = end, .err = err};
    *end = (struct tv_child_end){.status = 0};
    struct tv_child_signals signals = {.request = sampler->request};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < FILES_OF_OTHERS)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%s cannot be looked at: that takes %u open files, and this user may have "
                       "%llu (ulimit -n); it was not run",
                       sampler->words[0], FILES_OF_OTHERS, (unsigned long long)files.rlim_max);
    tv_child_signals_take(&signals);
    int why = start_and_look(&sampling, &signals);
    tv_child_signals_give_back(&signals);
    tv_alloc_release(tv_alloc_libc(), &sampling.threads, sampling.cap, sizeof(*sampling.threads));
    end->why_not_started = why;
    if (why)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s: %s", sampler->words[0],
                       strerror(why));
    return sampling.code;
}
