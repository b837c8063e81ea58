/*
 * The main thread waits for signals, and between them looks after the streams. Signals are blocked
 * before any thread starts, so that it is this one that gets them.
 */
#include "server/run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "base/error.h"
#include "os/clock.h"
#include "os/paths.h"
#include "server/httpd.h"
#include "server/page.h"
#include "server/viewer.h"

#define TICK_NS 20000000 /* while loading */
#define IDLE_TICK_NS 200000000
/* The page gets this long to ask why loading failed. */
#define FAREWELL_NS 2000000000u
#define URL_CAP 128

/* One run. */
struct run {
    const struct tv_viewer_opts *opts;
    struct tv_viewer viewer;
    struct tv_httpd *httpd;
    uint64_t failed_ns; /* 0: loading has not failed */
    bool is_loaded;
};

static void *load(void *arg)
{
    struct run *run = arg;
    struct tv_error err = {.code = TV_OK};
    struct tv_state *state = &run->viewer.state;
    enum tv_code code = run->opts->load(run->opts->ctx, &state->index, tv_state_tell, state, &err);
    tv_state_finish(state, code, &err);
    return NULL;
}

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

/* Looks after the streams and what loading came to; false when it is time to end. */
static bool tend(struct run *run)
{
    uint64_t now_ns = tv_now_ns();
    struct tv_state_view view = tv_state_look(&run->viewer.state);
    tv_httpd_tick(run->httpd);
    if (view.phase == TV_PHASE_READY && !run->is_loaded) {
        run->is_loaded = true;
        run->opts->loaded(run->opts->ctx, &run->viewer.state.index);
    }
    if (view.phase == TV_PHASE_FAILED && !run->failed_ns)
        run->failed_ns = now_ns;
    if (run->failed_ns)
        return tv_httpd_audience(run->httpd).stream_count && now_ns - run->failed_ns < FAREWELL_NS;
    return !is_deserted(run);
}

static void wait_for_end(struct run *run, const sigset_t *ends)
{
    while (tend(run)) {
        struct timespec pause = {.tv_nsec = run->is_loaded ? IDLE_TICK_NS : TICK_NS};
        if (sigtimedwait(ends, NULL, &pause) >= 0)
            return;
    }
}

static enum tv_code serve(struct run *run, const sigset_t *ends, struct tv_error *err)
{
    pthread_t loader;
    char url[URL_CAP];
    TV_TRY(tv_httpd_start(&run->httpd, &run->viewer, run->opts->port, err));
    if (pthread_create(&loader, NULL, load, run) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
    uint16_t port = tv_httpd_port(run->httpd);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/%s/", port, run->viewer.token);
    run->opts->listening(run->opts->ctx, url, port);
    wait_for_end(run, ends);
    tv_state_end(&run->viewer.state);
    (void)pthread_join(loader, NULL);
    struct tv_state_view view = tv_state_look(&run->viewer.state);
    if (view.phase == TV_PHASE_FAILED && view.error.code != TV_ERR_CANCELLED) {
        if (err)
            *err = view.error;
        return view.error.code;
    }
    return TV_OK;
}

enum tv_code tv_viewer_run(const struct tv_viewer_opts *opts, struct tv_error *err)
{
    char settings_path[TV_PATH_CAP];
    sigset_t ends;
    sigset_t old;
    struct run run = {.opts = opts,
                      .viewer = {.alloc = opts->alloc, .pool = opts->pool, .file = opts->file}};
    if (tv_path_config(settings_path, "settings.json", NULL) == TV_OK)
        run.viewer.settings_path = settings_path;
    TV_TRY(tv_token_make(run.viewer.token, err));
    block_signals(&ends, &old);
    tv_state_init(&run.viewer.state);
    enum tv_code code = serve(&run, &ends, err);
    tv_httpd_stop(run.httpd);
    tv_state_release(&run.viewer.state);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}
