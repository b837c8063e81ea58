/*
 * Looking at a program's threads; see os/process/sampler.h. The kernel tells of a new thread, of a
 * signal, and of an exec by stopping the thread that has it; between two looks those stops are
 * answered as they come.
 */
#include "os/process/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/clock.h"
#include "os/process/child.h"

#define NS_PER_S UINT64_C(1000000000)
#define STATUS_NOT_STARTED 127
#define EVENT_SHIFT 16
#define LINE_CAP 512

struct thread {
    pid_t id;
    uint64_t cpu_ns;  /* when it was last looked at */
    bool is_seen;     /* it was */
    bool is_stopping; /* it was asked to, and has not yet */
};

struct sampling {
    const struct tv_sampler *sampler;
    pid_t process;
    struct thread *threads;
    size_t count, cap;
    bool has_begun; /* the child has become the program */
    bool is_looking;
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

static void add_thread(struct sampling *sampling, pid_t id)
{
    if (sampling->code == TV_OK)
        sampling->code =
            tv_alloc_grow(tv_alloc_libc(), &sampling->threads, &sampling->cap, sampling->count + 1,
                          sizeof(*sampling->threads), sampling->err);
    if (sampling->code == TV_OK)
        sampling->threads[sampling->count++] = (struct thread){.id = id};
}

static void remove_thread(struct sampling *sampling, pid_t id)
{
    struct thread *thread = find_thread(sampling, id);
    if (thread)
        *thread = sampling->threads[--sampling->count];
}

/* What ptrace() takes as data is a number here. */
static long tell(int request, pid_t id, long data)
{
    return ptrace((enum __ptrace_request)request, id, NULL, data);
}

/* Only the program's own thread remains, under the number of the process. */
static void take_exec(struct sampling *sampling)
{
    sampling->count = 0;
    add_thread(sampling, sampling->process);
    sampling->is_looking =
        sampling->is_looking || (!sampling->has_begun && sampling->code == TV_OK);
    sampling->has_begun = true;
    sampling->sampler->replace(sampling->sampler->ctx);
}

/* The content of a short file of the kernel about the thread; NULL: the thread is gone. */
static const char *read_about(const struct sampling *sampling, pid_t id, const char *name,
                              char text[LINE_CAP])
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)sampling->process, (int)id,
                   name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    ssize_t len = read(file, text, LINE_CAP - 1);
    close(file);
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? text : NULL;
}

/* The state stands behind the name, which may have any character in it. */
static char state_of(const struct sampling *sampling, pid_t id)
{
    char text[LINE_CAP];
    const char *name_end = NULL;
    if (read_about(sampling, id, "stat", text))
        name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 'X';
}

static uint64_t cpu_ns_of(const struct sampling *sampling, pid_t id)
{
    char text[LINE_CAP];
    return read_about(sampling, id, "schedstat", text) ? strtoull(text, NULL, 10) : 0;
}

static void read_name(const struct sampling *sampling, struct tv_sampled_thread *thread)
{
    char text[LINE_CAP] = "";
    (void)read_about(sampling, thread->id, "comm", text);
    text[strcspn(text, "\n")] = '\0';
    (void)snprintf(thread->name, sizeof(thread->name), "%.*s", TV_THREAD_NAME_CAP - 1, text);
}

static void look_at_stopped(struct sampling *sampling, pid_t id)
{
    struct tv_sampled_thread seen = {.id = id, .cpu_ns = cpu_ns_of(sampling, id)};
    struct thread *thread = find_thread(sampling, id);
    read_name(sampling, &seen);
    if (thread) {
        thread->cpu_ns = seen.cpu_ns;
        thread->is_seen = true;
    }
    if (sampling->code == TV_OK)
        sampling->code = sampling->sampler->look(sampling->sampler->ctx, &seen, sampling->err);
    if (sampling->code != TV_OK)
        sampling->is_looking = false;
}

/* Lets a thread go on that the kernel stopped. */
static void answer_stop(struct sampling *sampling, pid_t id, int status)
{
    int event = status >> EVENT_SHIFT;
    int number = WSTOPSIG(status);
    struct thread *thread = find_thread(sampling, id);
    if (!thread)
        add_thread(sampling, id);
    if (event == PTRACE_EVENT_EXEC)
        take_exec(sampling);
    thread = find_thread(sampling, id);
    if (event == PTRACE_EVENT_STOP && thread && thread->is_stopping) {
        thread->is_stopping = false;
        if (sampling->is_looking)
            look_at_stopped(sampling, id);
    }
    bool is_group_stop = event == PTRACE_EVENT_STOP && (number == SIGSTOP || number == SIGTSTP ||
                                                        number == SIGTTIN || number == SIGTTOU);
    if (is_group_stop) {
        (void)tell(PTRACE_LISTEN, id, 0);
        return;
    }
    if (!event && number == SIGINT && !sampling->sampler->is_ended && sampling->is_looking) {
        sampling->is_looking = false; /* Ctrl-C is for the looking */
        number = 0;
    }
    (void)tell(PTRACE_CONT, id, event ? 0 : number);
}

static void take_status(struct sampling *sampling, pid_t id, int status)
{
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
}

/* Asks a thread that may have run since to stop, which it does once it runs. */
static void stop_thread(struct sampling *sampling, struct thread *thread)
{
    char state = state_of(sampling, thread->id);
    if (thread->is_stopping || state == 'X' || state == 'Z')
        return;
    if (state != 'R' && thread->is_seen && thread->cpu_ns == cpu_ns_of(sampling, thread->id)) {
        sampling->sampler->rest(sampling->sampler->ctx, thread->id);
        return;
    }
    thread->is_stopping = tell(PTRACE_INTERRUPT, thread->id, 0) == 0;
}

static void stop_threads(struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->count; i++)
        stop_thread(sampling, &sampling->threads[i]);
}

/* Waits for a change of the program, or until the time. */
static void wait_until(const struct sampling *sampling, const struct tv_child_signals *signals,
                       uint64_t time_ns)
{
    uint64_t now_ns = tv_now_ns();
    uint64_t left_ns = time_ns > now_ns ? time_ns - now_ns : 0;
    const struct timespec left = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                                  .tv_nsec = (long)(left_ns % NS_PER_S)};
    (void)tv_child_signals_wait(signals, sampling->process, &left);
}

static void run_to_end(struct sampling *sampling, const struct tv_child_signals *signals)
{
    const struct tv_sampler *sampler = sampling->sampler;
    uint64_t start_ns = tv_now_ns();
    uint64_t next_ns = start_ns;
    bool is_told = false;
    while (!sampling->has_ended) {
        uint64_t now_ns = tv_now_ns();
        if (sampler->duration_ns && now_ns - start_ns >= sampler->duration_ns)
            sampling->is_looking = false;
        if (sampling->has_begun && !sampling->is_looking && !is_told && sampler->is_ended &&
            sampling->code == TV_OK) {
            is_told = true;
            sampling->end->was_told_to_end = true;
            (void)kill(sampling->process, SIGTERM);
        }
        if (sampling->is_looking && now_ns >= next_ns) {
            stop_threads(sampling);
            next_ns += sampler->interval_ns;
            if (next_ns < tv_now_ns()) /* the looks take longer than the interval */
                next_ns = tv_now_ns() + sampler->interval_ns / 2;
        }
        take_all_statuses(sampling);
        if (!sampling->has_ended)
            wait_until(sampling, signals, sampling->is_looking ? next_ns : tv_now_ns() + NS_PER_S);
    }
}

/* In the child: becomes the program once it is traced. */
static void become(const struct tv_sampler *sampler, const struct tv_child_signals *signals, int go,
                   int told)
{
    char *const *words;
    char byte;
    while (read(go, &byte, 1) < 0 && errno == EINTR)
        continue;
    memcpy(&words, &sampler->words, sizeof(words)); /* execvp() does not change them */
    tv_child_signals_inherit(signals);
    (void)execvp(words[0], words);
    int why = errno;
    if (write(told, &why, sizeof(why)) < 0)
        _exit(STATUS_NOT_STARTED);
    _exit(STATUS_NOT_STARTED);
}

/* Starts the child, traced. Returns an errno. */
static int start(struct sampling *sampling, const struct tv_child_signals *signals, int *told)
{
    int go[2], told_pipe[2];
    long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
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
                                 "%s cannot be looked at: ptrace: %s", sampling->sampler->words[0],
                                 strerror(errno));
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        sampling->has_ended = true;
    }
    close(told_pipe[1]);
    close(go[0]);
    close(go[1]); /* the child goes on */
    *told = told_pipe[0];
    return why;
}

/* What the child could not do, or 0 once it became the program. */
static int read_failure(int told)
{
    int why = 0;
    ssize_t len = read(told, &why, sizeof(why));
    return len == (ssize_t)sizeof(why) ? why : 0;
}

/* Returns an errno; what else failed is in sampling->code. */
static int start_and_look(struct sampling *sampling, const struct tv_child_signals *signals)
{
    int told = -1;
    int why = start(sampling, signals, &told);
    if (!why) {
        add_thread(sampling, sampling->process);
        if (sampling->code == TV_OK)
            sampling->code =
                sampling->sampler->begin(sampling->sampler->ctx, sampling->process, sampling->err);
        run_to_end(sampling, signals);
        why = read_failure(told);
    }
    if (told >= 0)
        close(told);
    return why;
}

enum tv_code tv_sampler_run(const struct tv_sampler *sampler, struct tv_child_end *end,
                            struct tv_error *err)
{
    struct sampling sampling = {.sampler = sampler, .end = end, .err = err};
    *end = (struct tv_child_end){.status = 0};
    struct tv_child_signals signals;
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
