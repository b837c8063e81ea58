/*
 * The main thread waits for signals, and between them looks after the streams. Signals are blocked
 * before any thread starts, so that it is this one that gets them.
 */
#include "server/run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "os/clock.h"
#include "os/paths.h"
#include "server/httpd.h"
#include "server/viewer.h"
#include "server/watch.h"

#define TICK_NS 20000000 /* while loading */
#define IDLE_TICK_NS 200000000
/* The page gets this long to ask why loading failed. */
#define FAREWELL_NS 2000000000u
/* A load that is to be dropped gets this long to notice. */
#define END_PATIENCE_NS 60000000u
#define URL_CAP 128

/* One run. */
struct run {
    const struct tv_viewer_opts *opts;
    struct tv_viewer viewer;
    struct tv_loader loader;
    struct tv_httpd *httpd;
    struct tv_watch watch;
    uint64_t seen_shown_no; /* the last shown trace that was looked at */
    uint64_t failed_ns;     /* 0: what it began with has not failed */
};

static void block_signals(sigset_t *ends, sigset_t *old)
{
    (void)sigemptyset(ends);
    (void)sigaddset(ends, SIGINT);
    (void)sigaddset(ends, SIGTERM);
    (void)sigaddset(ends, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, ends, old);
}

static bool is_deserted(const struct run *run)
{
    struct tv_httpd_audience audience = tv_httpd_audience(run->httpd);
    uint64_t now_ns = tv_now_ns(); /* after left_ns was taken, so that it is not below it */
    return run->opts->life == TV_VIEWER_UNTIL_CLOSED && audience.has_been_there &&
           !audience.stream_count && now_ns - audience.left_ns > TV_VIEWER_PATIENCE_NS;
}

/* Tells of a trace that is shown now, and begins to watch its file. */
static void meet_shown(struct run *run, uint64_t shown_no)
{
    struct tv_shown *shown = tv_state_hold(&run->viewer.state);
    if (!shown)
        return;
    tv_watch_init(&run->watch, &shown->origin.stamp);
    if (shown->read_len == shown->len)
        run->opts->loaded(run->opts->ctx, tv_origin_name(&shown->origin), &shown->index);
    tv_state_let_go(&run->viewer.state, shown);
    run->seen_shown_no = shown_no;
}

static void watch_file(struct run *run, uint64_t now_ns)
{
    struct tv_shown *shown = tv_state_hold(&run->viewer.state);
    if (!shown)
        return;
    bool is_anew = false;
    if (shown->origin.kind == TV_ORIGIN_FILE) {
        struct tv_stamp now = tv_stamp_of(shown->origin.path);
        is_anew = tv_watch_look(&run->watch, &now, now_ns);
    }
    tv_state_let_go(&run->viewer.state, shown);
    if (is_anew)
        tv_state_tell_anew(&run->viewer.state);
}

/* Looks after the streams and what loading came to; false when it is time to end. */
static bool tend(struct run *run)
{
    uint64_t now_ns = tv_now_ns();
    struct tv_state_view view = tv_state_look(&run->viewer.state);
    tv_httpd_tick(run->httpd);
    if (view.shown_no != run->seen_shown_no)
        meet_shown(run, view.shown_no);
    else if (!tv_phase_is_loading(view.phase))
        watch_file(run, now_ns);
    /* A file that it was begun with and cannot be read ends it, as it does any verb. */
    if (view.has_failed_at_first && !run->failed_ns)
        run->failed_ns = now_ns;
    if (run->failed_ns)
        return tv_httpd_audience(run->httpd).stream_count && now_ns - run->failed_ns < FAREWELL_NS;
    return !is_deserted(run);
}

static void wait_for_end(struct run *run, const sigset_t *ends)
{
    while (tend(run)) {
        bool is_loading = tv_phase_is_loading(tv_state_look(&run->viewer.state).phase);
        struct timespec pause = {.tv_nsec = is_loading ? TICK_NS : IDLE_TICK_NS};
        if (sigtimedwait(ends, NULL, &pause) >= 0)
            return;
    }
}

static void want_first(struct run *run)
{
    const char *name = run->opts->name;
    struct tv_origin origin;
    if (!name)
        return;
    bool is_input = strcmp(name, "-") == 0;
    const char *slash = strrchr(name, '/');
    tv_origin_init(&origin, is_input ? TV_ORIGIN_INPUT : TV_ORIGIN_FILE, name,
                   tv_str_from(slash && slash[1] ? slash + 1 : name));
    origin.is_first = true;
    tv_state_want(&run->viewer.state, &origin);
}

static enum tv_code serve(struct run *run, const sigset_t *ends, struct tv_error *err)
{
    char url[URL_CAP];
    want_first(run);
    TV_TRY(tv_httpd_start(&run->httpd, &run->viewer, run->opts->port, err));
    TV_TRY(tv_loader_start(&run->loader, err));
    uint16_t port = tv_httpd_port(run->httpd);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/%s/", port, run->viewer.token);
    run->opts->listening(run->opts->ctx, url, port);
    wait_for_end(run, ends);
    tv_state_end(&run->viewer.state);
    if (!tv_loader_stop(&run->loader, END_PATIENCE_NS)) {
        /* The loader is deep in a large file, and all that it touches is memory of this process. */
        (void)fflush(NULL);
        _exit(0);
    }
    if (run->failed_ns) {
        struct tv_state_view view = tv_state_look(&run->viewer.state);
        if (err)
            *err = view.failure;
        return view.failure.code;
    }
    return TV_OK;
}

enum tv_code tv_viewer_run(const struct tv_viewer_opts *opts, struct tv_error *err)
{
    char settings_path[TV_PATH_CAP];
    char recent_path[TV_PATH_CAP];
    sigset_t ends;
    sigset_t old;
    struct run run = {
        .opts = opts,
        .viewer = {.alloc = opts->alloc, .pool = opts->pool},
        .loader = {
            .viewer = &run.viewer, .load = opts->load, .save = opts->save, .ctx = opts->ctx}};
    if (tv_path_config(settings_path, "settings.json", NULL) == TV_OK)
        run.viewer.settings_path = settings_path;
    if (tv_path_state(recent_path, "recent", NULL) == TV_OK)
        run.viewer.recent_path = recent_path;
    TV_TRY(tv_token_make(run.viewer.token, err));
    block_signals(&ends, &old);
    tv_state_init(&run.viewer.state, opts->alloc);
    enum tv_code code = serve(&run, &ends, err);
    tv_httpd_stop(run.httpd);
    tv_state_release(&run.viewer.state);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}
