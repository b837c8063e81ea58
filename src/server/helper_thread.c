/*
 * The helper thread: helpers for what the viewer's threads may not do; see server/helper_thread.h.
 *
 * The threads that answer and load are in a Landlock domain and may start no program; this one
 * thread may. It runs one recording in the background and one question at a time: it sleeps in
 * poll() on the recording's streams and on a socket pair by which the others wake it. Everything
 * shared is under `lock`; the recording's process and streams are the thread's own. The `words` of
 * a question or a recording are borrowed from the caller, which waits until the thread is done with
 * them.
 */
#include "server/helper_thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/process/helper_process.h"
#include "server/helper_run.h"
#include "server/json_check.h"

/* Questions that may wait for their turn: a page asks for devices and for processes, and there may
 * be a second window. More would take up the threads that answer other requests. */
#define MOST_WAITING 2u

#define WAKE_COUNT 3u

/* A stream of a helper, a line at a time. A line that is longer than its room is cut. */
struct lines {
    char room[TV_HELPER_THREAD_LINE_CAP];
    size_t len;
};

struct tv_helper_thread {
    const struct tv_alloc *alloc;
    struct tv_helper_thread_reader reader;
    pthread_t thread;
    int wake[2];
    pthread_mutex_t lock; /* guards all below but the helper of the recording */
    pthread_cond_t answered;
    bool is_ending;
    unsigned waiting;                              /* questions that wait for their turn */
    const struct tv_helper_thread_words *question; /* borrowed while it is asked; NULL: none */
    struct tv_buffer *answer;
    struct tv_error *answer_err;
    enum tv_code answer_code;
    bool is_asked, is_answered;
    const struct tv_helper_thread_words *wish; /* the recording to be started; NULL: none */
    bool is_stop_wanted;
    struct tv_helper_thread_view now;
    uint64_t begun_ns;
    /* The thread's own. */
    struct tv_helper recording;
    struct lines out, said;
};

/* The recording */

/* Splits bytes into lines and keeps the last whole one, as the progress or as the message that is
 * shown. Progress counts only if it is a JSON object, since it is passed on as it is. */
static void keep_lines(struct tv_helper_thread *helpers, struct lines *lines, const char *bytes,
                       size_t len, bool is_progress)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\r') {
            if (lines->len < sizeof(lines->room) - 1)
                lines->room[lines->len++] = bytes[i];
            continue;
        }
        const struct tv_str line = {lines->room, lines->len};
        const struct tv_str kept = is_progress ? line : tv_helper_thread_plain(line);
        lines->len = 0;
        if (!kept.len || (is_progress && !tv_json_is_object(kept)))
            continue;
        (void)pthread_mutex_lock(&helpers->lock);
        char *to = is_progress ? helpers->now.progress : helpers->now.text;
        memcpy(to, kept.at, kept.len);
        to[kept.len] = '\0';
        (void)pthread_mutex_unlock(&helpers->lock);
    }
}

/* Reads what a stream has. At its end a line without a newline counts as whole. False: the stream
 * has ended. */
static bool hear(struct tv_helper_thread *helpers, int fd, struct lines *lines, bool is_progress)
{
    char room[4096];
    size_t len;
    const bool is_open = tv_helper_thread_read(fd, room, sizeof(room), &len);
    keep_lines(helpers, lines, room, len, is_progress);
    if (!is_open)
        keep_lines(helpers, lines, "\n", 1, is_progress);
    return is_open;
}

static bool is_there(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
}

/* Both streams of the recording have ended. A trace that is there is shown, if the helper
 * succeeded; otherwise its path stays in the view, so that the page can offer it. */
static void end_recording(struct tv_helper_thread *helpers)
{
    char path[TV_PATH_CAP];
    const int status = tv_helper_end(&helpers->recording);
    (void)pthread_mutex_lock(&helpers->lock);
    (void)snprintf(path, sizeof(path), "%s", helpers->now.path);
    (void)pthread_mutex_unlock(&helpers->lock);
    const bool is_here = is_there(path);
    const bool is_done = status == 0 && is_here;
    if (is_done) /* before the phase changes: whoever sees "done" must find the trace's address */
        helpers->reader.recorded(helpers->reader.ctx, path);
    (void)pthread_mutex_lock(&helpers->lock);
    helpers->now.phase = is_done ? TV_HELPER_THREAD_DONE : TV_HELPER_THREAD_FAILED;
    helpers->now.elapsed_ns = tv_passed_ns(helpers->begun_ns, tv_now_ns());
    if (!is_here)
        helpers->now.path[0] = '\0';
    (void)pthread_mutex_unlock(&helpers->lock);
}

static void fail_recording(struct tv_helper_thread *helpers, const struct tv_error *err)
{
    (void)pthread_mutex_lock(&helpers->lock);
    helpers->now.phase = TV_HELPER_THREAD_FAILED;
    helpers->now.path[0] = '\0';
    (void)snprintf(helpers->now.text, sizeof(helpers->now.text), "%s", err->text);
    (void)pthread_mutex_unlock(&helpers->lock);
}

/* What the thread is to do next. */
struct task {
    const struct tv_helper_thread_words *question, *wish;
    bool is_stop, is_end;
};

static struct task take_task(struct tv_helper_thread *helpers)
{
    (void)pthread_mutex_lock(&helpers->lock);
    struct task task = {.question = helpers->is_asked ? helpers->question : NULL,
                        .wish = helpers->wish,
                        .is_stop = helpers->is_stop_wanted,
                        .is_end = helpers->is_ending};
    helpers->is_asked = false;
    helpers->is_stop_wanted = false;
    (void)pthread_mutex_unlock(&helpers->lock);
    return task;
}

static void give_answer(struct tv_helper_thread *helpers, enum tv_code code)
{
    (void)pthread_mutex_lock(&helpers->lock);
    helpers->answer_code = code;
    helpers->is_answered = true;
    (void)pthread_cond_broadcast(&helpers->answered);
    (void)pthread_mutex_unlock(&helpers->lock);
}

static void start_recording(struct tv_helper_thread *helpers,
                            const struct tv_helper_thread_words *words)
{
    struct tv_error err = {.code = TV_OK};
    helpers->out.len = helpers->said.len = 0;
    const enum tv_code code = tv_helper_thread_start(&helpers->recording, words, &err);
    (void)pthread_mutex_lock(&helpers->lock);
    helpers->wish = NULL;
    (void)pthread_cond_broadcast(&helpers->answered);
    (void)pthread_mutex_unlock(&helpers->lock);
    if (code != TV_OK)
        fail_recording(helpers, &err);
}

/* Sleeps until there is something to do or to hear. Signals need no care: poll() is just called
 * again. */
static void wait_and_hear(struct tv_helper_thread *helpers)
{
    char room[64];
    size_t len;
    const bool is_recording = helpers->recording.pid > 0;
    struct pollfd polled[WAKE_COUNT] = {
        {.fd = helpers->wake[0], .events = POLLIN},
        {.fd = is_recording ? helpers->recording.out : -1, .events = POLLIN},
        {.fd = is_recording ? helpers->recording.said : -1, .events = POLLIN}};
    (void)poll(polled, WAKE_COUNT, -1);
    if (polled[0].revents)
        (void)tv_helper_thread_read(helpers->wake[0], room, sizeof(room), &len);
    if (polled[2].revents && !hear(helpers, helpers->recording.said, &helpers->said, false)) {
        (void)close(helpers->recording.said);
        helpers->recording.said = -1;
    }
    if (polled[1].revents && !hear(helpers, helpers->recording.out, &helpers->out, true)) {
        (void)close(helpers->recording.out);
        helpers->recording.out = -1;
    }
    if (is_recording && helpers->recording.out < 0 && helpers->recording.said < 0)
        end_recording(helpers);
}

/* The helper thread. While a question runs, the recording's streams are not read: a question has 45
 * seconds at most, and a pipe holds what comes meanwhile. */
static void *work(void *ctx)
{
    struct tv_helper_thread *helpers = ctx;
    for (;;) {
        const struct task task = take_task(helpers);
        if (task.is_end)
            break;
        if (task.question)
            give_answer(helpers,
                        tv_helper_thread_run(task.question, helpers->answer, helpers->answer_err));
        if (task.wish)
            start_recording(helpers, task.wish);
        if (task.is_stop)
            tv_helper_signal(&helpers->recording, SIGINT);
        if (!task.question && !task.wish)
            wait_and_hear(helpers);
    }
    /* The recording is ended as by Ctrl-C; it goes on alone for a moment after the viewer, and
     * keeps what it has. */
    if (!helpers->now.is_stopped)
        tv_helper_signal(&helpers->recording, SIGINT);
    return NULL;
}

static void wake(const struct tv_helper_thread *helpers)
{
    (void)send(helpers->wake[1], "", 1, MSG_NOSIGNAL);
}

enum tv_code tv_helper_thread_new(struct tv_helper_thread **helpers, const struct tv_alloc *alloc,
                                  const struct tv_helper_thread_reader *reader,
                                  struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, helpers, 1, sizeof(**helpers), err));
    struct tv_helper_thread *made = *helpers;
    made->alloc = alloc;
    made->reader = *reader;
    tv_helper_init(&made->recording);
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->answered, NULL);
    int why = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made->wake) == 0
                  ? 0
                  : errno;
    if (!why) {
        why = pthread_create(&made->thread, NULL, work, made);
        if (!why)
            return TV_OK;
        (void)close(made->wake[0]);
        (void)close(made->wake[1]);
    }
    (void)pthread_cond_destroy(&made->answered);
    (void)pthread_mutex_destroy(&made->lock);
    tv_alloc_release(alloc, helpers, 1, sizeof(**helpers));
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a thread for devices: %s", strerror(why));
}

void tv_helper_thread_free(struct tv_helper_thread *helpers)
{
    if (!helpers)
        return;
    const struct tv_alloc *alloc = helpers->alloc;
    (void)pthread_mutex_lock(&helpers->lock);
    helpers->is_ending = true;
    (void)pthread_mutex_unlock(&helpers->lock);
    wake(helpers);
    (void)pthread_join(helpers->thread, NULL);
    (void)close(helpers->wake[0]);
    (void)close(helpers->wake[1]);
    (void)pthread_cond_destroy(&helpers->answered);
    (void)pthread_mutex_destroy(&helpers->lock);
    tv_alloc_release(alloc, &helpers, 1, sizeof(*helpers));
}

/* Waits for the turn, then for the answer. A caller beyond MOST_WAITING is refused at once. */
enum tv_code tv_helper_thread_ask(struct tv_helper_thread *helpers,
                                  const struct tv_helper_thread_words *words,
                                  struct tv_buffer *answer, struct tv_error *err)
{
    (void)pthread_mutex_lock(&helpers->lock);
    const bool may_wait = helpers->waiting < MOST_WAITING;
    if (may_wait) {
        helpers->waiting++;
        while (helpers->question && !helpers->is_ending)
            (void)pthread_cond_wait(&helpers->answered, &helpers->lock);
        helpers->waiting--;
    }
    if (helpers->question || helpers->is_ending) {
        (void)pthread_mutex_unlock(&helpers->lock);
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "devices are being asked already");
    }
    helpers->question = words;
    helpers->answer = answer;
    helpers->answer_err = err;
    helpers->is_asked = true;
    helpers->is_answered = false;
    wake(helpers);
    while (!helpers->is_answered)
        (void)pthread_cond_wait(&helpers->answered, &helpers->lock);
    helpers->question = NULL;
    (void)pthread_cond_broadcast(&helpers->answered); /* the next question's turn */
    const enum tv_code code = helpers->answer_code;
    (void)pthread_mutex_unlock(&helpers->lock);
    return code;
}

/* Returns when the thread has started the recording or failed to: `words` are borrowed until then.
 */
enum tv_code tv_helper_thread_record(struct tv_helper_thread *helpers,
                                     const struct tv_helper_thread_words *words, const char *path,
                                     struct tv_error *err)
{
    (void)pthread_mutex_lock(&helpers->lock);
    if (helpers->now.phase == TV_HELPER_THREAD_RUNNING) {
        (void)pthread_mutex_unlock(&helpers->lock);
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "a recording is under way: stop it first");
    }
    helpers->now = (struct tv_helper_thread_view){.phase = TV_HELPER_THREAD_RUNNING};
    (void)snprintf(helpers->now.path, sizeof(helpers->now.path), "%s", path);
    helpers->begun_ns = tv_now_ns();
    helpers->is_stop_wanted = false;
    helpers->wish = words;
    wake(helpers);
    while (helpers->wish)
        (void)pthread_cond_wait(&helpers->answered, &helpers->lock);
    (void)pthread_mutex_unlock(&helpers->lock);
    return TV_OK;
}

void tv_helper_thread_stop(struct tv_helper_thread *helpers)
{
    (void)pthread_mutex_lock(&helpers->lock);
    /* A second SIGINT would make the helper give up the trace that it pulls. */
    if (helpers->now.phase == TV_HELPER_THREAD_RUNNING && !helpers->now.is_stopped)
        helpers->now.is_stopped = helpers->is_stop_wanted = true;
    (void)pthread_mutex_unlock(&helpers->lock);
    wake(helpers);
}

void tv_helper_thread_look(struct tv_helper_thread *helpers, struct tv_helper_thread_view *view)
{
    (void)pthread_mutex_lock(&helpers->lock);
    *view = helpers->now;
    if (view->phase == TV_HELPER_THREAD_RUNNING)
        view->elapsed_ns = tv_passed_ns(helpers->begun_ns, tv_now_ns());
    (void)pthread_mutex_unlock(&helpers->lock);
}
