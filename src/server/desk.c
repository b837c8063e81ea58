/* The desk: helpers for what the viewer's threads may not do; see server/desk.h. */
#include "server/desk.h"

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
#include "os/process/helper.h"
#include "server/desk_helper.h"
#include "server/json_check.h"

/* So many questions wait for their turn: a page asks for devices and for processes, and there may
 * be a second window. More would take the threads that answer other questions. */
#define MOST_WAITING 2u

#define WAKE_COUNT 3u

/* A stream of a helper, a line at a time. A line that is longer than its room is cut. */
struct lines {
    char room[TV_DESK_LINE_CAP];
    size_t len;
};

struct tv_desk {
    const struct tv_alloc *alloc;
    struct tv_desk_reader reader;
    pthread_t thread;
    int wake[2];
    pthread_mutex_t lock; /* guards all below but the helper of the recording */
    pthread_cond_t answered;
    bool is_ending;
    unsigned waiting;                     /* questions that wait for their turn */
    const struct tv_desk_words *question; /* borrowed while it is asked; NULL: none */
    struct tv_buffer *answer;
    struct tv_error *answer_err;
    enum tv_code answer_code;
    bool is_asked, is_answered;
    const struct tv_desk_words *wish; /* the recording to be started; NULL: none */
    bool is_stop_wanted;
    struct tv_desk_view now;
    uint64_t begun_ns;
    /* The thread's own. */
    struct tv_helper recording;
    struct lines out, said;
};

/* The recording */

/* Takes the lines that are whole, and keeps the last one. */
static void keep_lines(struct tv_desk *desk, struct lines *lines, const char *bytes, size_t len,
                       bool is_progress)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\r') {
            if (lines->len < sizeof(lines->room) - 1)
                lines->room[lines->len++] = bytes[i];
            continue;
        }
        const struct tv_str line = {lines->room, lines->len};
        const struct tv_str kept = is_progress ? line : tv_desk_plain(line);
        lines->len = 0;
        if (!kept.len || (is_progress && !tv_json_is_object(kept)))
            continue;
        (void)pthread_mutex_lock(&desk->lock);
        char *to = is_progress ? desk->now.progress : desk->now.text;
        memcpy(to, kept.at, kept.len);
        to[kept.len] = '\0';
        (void)pthread_mutex_unlock(&desk->lock);
    }
}

/* False: the stream has ended. */
static bool hear(struct tv_desk *desk, int fd, struct lines *lines, bool is_progress)
{
    char room[4096];
    size_t len;
    const bool is_open = tv_desk_read(fd, room, sizeof(room), &len);
    keep_lines(desk, lines, room, len, is_progress);
    if (!is_open)
        keep_lines(desk, lines, "\n", 1, is_progress);
    return is_open;
}

static bool is_there(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
}

static void end_recording(struct tv_desk *desk)
{
    char path[TV_PATH_CAP];
    const int status = tv_helper_end(&desk->recording);
    (void)pthread_mutex_lock(&desk->lock);
    (void)snprintf(path, sizeof(path), "%s", desk->now.path);
    (void)pthread_mutex_unlock(&desk->lock);
    const bool is_here = is_there(path);
    const bool is_done = status == 0 && is_here;
    if (is_done) /* first: whoever sees that it is done sees where its trace is, too */
        desk->reader.recorded(desk->reader.ctx, path);
    (void)pthread_mutex_lock(&desk->lock);
    desk->now.phase = is_done ? TV_DESK_DONE : TV_DESK_FAILED;
    desk->now.elapsed_ns = tv_passed_ns(desk->begun_ns, tv_now_ns());
    if (!is_here)
        desk->now.path[0] = '\0';
    (void)pthread_mutex_unlock(&desk->lock);
}

static void fail_recording(struct tv_desk *desk, const struct tv_error *err)
{
    (void)pthread_mutex_lock(&desk->lock);
    desk->now.phase = TV_DESK_FAILED;
    desk->now.path[0] = '\0';
    (void)snprintf(desk->now.text, sizeof(desk->now.text), "%s", err->text);
    (void)pthread_mutex_unlock(&desk->lock);
}

/* What the thread is to do next. */
struct task {
    const struct tv_desk_words *question, *wish;
    bool is_stop, is_end;
};

static struct task take_task(struct tv_desk *desk)
{
    (void)pthread_mutex_lock(&desk->lock);
    struct task task = {.question = desk->is_asked ? desk->question : NULL,
                        .wish = desk->wish,
                        .is_stop = desk->is_stop_wanted,
                        .is_end = desk->is_ending};
    desk->is_asked = false;
    desk->is_stop_wanted = false;
    (void)pthread_mutex_unlock(&desk->lock);
    return task;
}

static void give_answer(struct tv_desk *desk, enum tv_code code)
{
    (void)pthread_mutex_lock(&desk->lock);
    desk->answer_code = code;
    desk->is_answered = true;
    (void)pthread_cond_broadcast(&desk->answered);
    (void)pthread_mutex_unlock(&desk->lock);
}

static void start_recording(struct tv_desk *desk, const struct tv_desk_words *words)
{
    struct tv_error err = {.code = TV_OK};
    desk->out.len = desk->said.len = 0;
    const enum tv_code code = tv_desk_start(&desk->recording, words, &err);
    (void)pthread_mutex_lock(&desk->lock);
    desk->wish = NULL;
    (void)pthread_cond_broadcast(&desk->answered);
    (void)pthread_mutex_unlock(&desk->lock);
    if (code != TV_OK)
        fail_recording(desk, &err);
}

/* Waits for something to do, and hears the recording. */
static void wait_and_hear(struct tv_desk *desk)
{
    char room[64];
    size_t len;
    const bool is_recording = desk->recording.pid > 0;
    struct pollfd polled[WAKE_COUNT] = {
        {.fd = desk->wake[0], .events = POLLIN},
        {.fd = is_recording ? desk->recording.out : -1, .events = POLLIN},
        {.fd = is_recording ? desk->recording.said : -1, .events = POLLIN}};
    (void)poll(polled, WAKE_COUNT, -1);
    if (polled[0].revents)
        (void)tv_desk_read(desk->wake[0], room, sizeof(room), &len);
    if (polled[2].revents && !hear(desk, desk->recording.said, &desk->said, false)) {
        (void)close(desk->recording.said);
        desk->recording.said = -1;
    }
    if (polled[1].revents && !hear(desk, desk->recording.out, &desk->out, true)) {
        (void)close(desk->recording.out);
        desk->recording.out = -1;
    }
    if (is_recording && desk->recording.out < 0 && desk->recording.said < 0)
        end_recording(desk);
}

static void *work(void *ctx)
{
    struct tv_desk *desk = ctx;
    for (;;) {
        const struct task task = take_task(desk);
        if (task.is_end)
            break;
        if (task.question)
            give_answer(desk, tv_desk_run(task.question, desk->answer, desk->answer_err));
        if (task.wish)
            start_recording(desk, task.wish);
        if (task.is_stop)
            tv_helper_signal(&desk->recording, SIGINT);
        if (!task.question && !task.wish)
            wait_and_hear(desk);
    }
    /* The recording ends as by Ctrl-C, and keeps what it has, after the viewer. */
    if (!desk->now.is_stopped)
        tv_helper_signal(&desk->recording, SIGINT);
    return NULL;
}

static void wake(const struct tv_desk *desk)
{
    (void)send(desk->wake[1], "", 1, MSG_NOSIGNAL);
}

enum tv_code tv_desk_new(struct tv_desk **desk, const struct tv_alloc *alloc,
                         const struct tv_desk_reader *reader, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, desk, 1, sizeof(**desk), err));
    struct tv_desk *made = *desk;
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
    tv_alloc_release(alloc, desk, 1, sizeof(**desk));
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a thread for devices: %s", strerror(why));
}

void tv_desk_free(struct tv_desk *desk)
{
    if (!desk)
        return;
    const struct tv_alloc *alloc = desk->alloc;
    (void)pthread_mutex_lock(&desk->lock);
    desk->is_ending = true;
    (void)pthread_mutex_unlock(&desk->lock);
    wake(desk);
    (void)pthread_join(desk->thread, NULL);
    (void)close(desk->wake[0]);
    (void)close(desk->wake[1]);
    (void)pthread_cond_destroy(&desk->answered);
    (void)pthread_mutex_destroy(&desk->lock);
    tv_alloc_release(alloc, &desk, 1, sizeof(*desk));
}

enum tv_code tv_desk_ask(struct tv_desk *desk, const struct tv_desk_words *words,
                         struct tv_buffer *answer, struct tv_error *err)
{
    (void)pthread_mutex_lock(&desk->lock);
    const bool may_wait = desk->waiting < MOST_WAITING;
    if (may_wait) {
        desk->waiting++;
        while (desk->question && !desk->is_ending)
            (void)pthread_cond_wait(&desk->answered, &desk->lock);
        desk->waiting--;
    }
    if (desk->question || desk->is_ending) {
        (void)pthread_mutex_unlock(&desk->lock);
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "devices are being asked already");
    }
    desk->question = words;
    desk->answer = answer;
    desk->answer_err = err;
    desk->is_asked = true;
    desk->is_answered = false;
    wake(desk);
    while (!desk->is_answered)
        (void)pthread_cond_wait(&desk->answered, &desk->lock);
    desk->question = NULL;
    (void)pthread_cond_broadcast(&desk->answered); /* the next question's turn */
    const enum tv_code code = desk->answer_code;
    (void)pthread_mutex_unlock(&desk->lock);
    return code;
}

enum tv_code tv_desk_record(struct tv_desk *desk, const struct tv_desk_words *words,
                            const char *path, struct tv_error *err)
{
    (void)pthread_mutex_lock(&desk->lock);
    if (desk->now.phase == TV_DESK_RUNNING) {
        (void)pthread_mutex_unlock(&desk->lock);
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "a recording is under way: stop it first");
    }
    desk->now = (struct tv_desk_view){.phase = TV_DESK_RUNNING};
    (void)snprintf(desk->now.path, sizeof(desk->now.path), "%s", path);
    desk->begun_ns = tv_now_ns();
    desk->is_stop_wanted = false;
    desk->wish = words;
    wake(desk);
    while (desk->wish)
        (void)pthread_cond_wait(&desk->answered, &desk->lock);
    (void)pthread_mutex_unlock(&desk->lock);
    return TV_OK;
}

void tv_desk_stop(struct tv_desk *desk)
{
    (void)pthread_mutex_lock(&desk->lock);
    /* Asked a second time, the helper would give up what it pulls. */
    if (desk->now.phase == TV_DESK_RUNNING && !desk->now.is_stopped)
        desk->now.is_stopped = desk->is_stop_wanted = true;
    (void)pthread_mutex_unlock(&desk->lock);
    wake(desk);
}

void tv_desk_look(struct tv_desk *desk, struct tv_desk_view *view)
{
    (void)pthread_mutex_lock(&desk->lock);
    *view = desk->now;
    if (view->phase == TV_DESK_RUNNING)
        view->elapsed_ns = tv_passed_ns(desk->begun_ns, tv_now_ns());
    (void)pthread_mutex_unlock(&desk->lock);
}
