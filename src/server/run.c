/*
 * The main thread waits for a signal, and looks after everything else at each tick: it wakes event
 * streams, tends WebSockets, tells of traces that are shown now, watches the files of open traces,
 * and finds out that the last page was closed. Signals are blocked before any thread of the server
 * starts, and threads inherit that, so the main thread alone gets them.
 *
 * Threads: the main thread, the helper thread (helper_thread.c), the one of the HTTP library with
 * its workers (http/httpd.c), the loader's two (loader.c), the pool that builds indexes, and one
 * for each export that is under way (download.c). They share server/traces.h.
 */
#include "server/run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "http/httpd.h"
#include "os/clock.h"
#include "os/file/paths.h"
#include "os/file/spool.h"
#include "os/memory/mapping.h"
#include "os/sandbox/landlock.h"
#include "served/single_file.h"
#include "server/recording.h"
#include "server/viewer.h"
#include "server/watch.h"

#define TICK_NS 20000000       /* while a trace is loaded, whose progress the page shows */
#define IDLE_TICK_NS 200000000 /* otherwise */
/* When the file that the program began with cannot be read, the page has this long to ask why. */
#define LAST_QUESTIONS_NS 2000000000u
/* A load that is under way when the program ends has this long to stop. */
#define END_PATIENCE_NS 60000000u
#define URL_CAP 128
#define LISTEN_CAP 32

struct run {
    const struct tv_viewer_opts *opts;
    struct tv_viewer viewer;
    struct tv_loader loader;
    struct tv_http_service service;
    struct tv_httpd *httpd;
    enum tv_code start_code; /* how the threads of the server started */
    struct tv_error start_err;
    uint64_t failed_ns; /* when the load that the program began with failed; 0: it did not */
    struct tv_error failure;
};

/* The viewer goes on when whoever read its messages has gone (SIGPIPE), as when it was started from
 * a window that was closed since: the page is what the user looks at. */
static void block_signals(sigset_t *ends, sigset_t *old)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(ends);
    (void)sigaddset(ends, SIGINT);
    (void)sigaddset(ends, SIGTERM);
    (void)sigaddset(ends, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, ends, old);
}

/* Whether every page was closed a while ago, and none came back. */
static bool is_deserted(struct run *run)
{
    struct tv_event_clients_view event_clients = tv_event_clients_look(&run->viewer.event_clients);
    return run->opts->life == TV_VIEWER_UNTIL_CLOSED && event_clients.has_been_there &&
           !event_clients.count &&
           tv_passed_ns(event_clients.left_ns, tv_now_ns()) > TV_VIEWER_PATIENCE_NS;
}

/* A trace that is shown now. */
struct meeting {
    const struct tv_viewer_opts *opts;
    const struct tv_shown *shown;
};

static void tell_caller(void *ctx)
{
    const struct meeting *meeting = ctx;
    const struct tv_viewer_opts *opts = meeting->opts;
    opts->loaded(opts->ctx, tv_origin_name(&meeting->shown->origin), &meeting->shown->index);
}

/* Reads the trace again when its saved index was cut under the mapping: the loader finds the saved
 * index damaged and makes it anew. Once for each shown trace; if the trace cannot be read either,
 * its answers say so. */
static void replace_lost_index(struct tv_state *state, const struct tv_shown *shown)
{
    struct tv_origin origin;
    struct tv_error err;
    if (state->lost_shown_no == state->met_shown_no ||
        tv_mapping_check(shown->index.block, &err) == TV_OK)
        return;
    state->lost_shown_no = state->met_shown_no;
    tv_origin_init(&origin, shown->origin.kind, shown->origin.path,
                   tv_str_from(shown->origin.label));
    origin.mapping = shown->origin.mapping; /* the state has its bytes */
    origin.names = shown->origin.names;
    tv_state_want(state, &origin);
}

/* Tells the caller of a trace that is shown now, and begins to watch the file of this trace. */
static void meet_shown(const struct run *run, struct tv_state *state, uint64_t shown_no)
{
    struct tv_shown *shown = tv_state_hold(state);
    if (!shown)
        return;
    tv_watch_init(&state->watch, &shown->origin.stamp);
    struct meeting meeting = {.opts = run->opts, .shown = shown};
    /* A saved index that is gone already is replaced at the next tick. */
    if (shown->read_len == shown->len)
        (void)tv_mapping_run(tell_caller, &meeting, NULL);
    tv_state_let_go(shown);
    state->met_shown_no = shown_no;
}

/* Tells the pages that the shown file was recorded anew, and sees to its saved index. */
static void watch_file(struct tv_state *state, uint64_t now_ns)
{
    struct tv_shown *shown = tv_state_hold(state);
    if (!shown)
        return;
    bool is_anew = false;
    replace_lost_index(state, shown);
    if (shown->origin.kind == TV_ORIGIN_FILE) {
        struct tv_stamp now = tv_stamp_of(shown->origin.path);
        is_anew = tv_watch_look(&state->watch, &now, now_ns);
    }
    tv_state_let_go(shown);
    if (is_anew)
        tv_state_tell_anew(state);
}

/* Looks after one address. A file that was given to the program and cannot be read ends the
 * program, as it ends any verb; before that the page has time to hear why. */
static void tend_trace(struct run *run, struct tv_state *state, uint64_t now_ns)
{
    struct tv_state_view view = tv_state_look(state);
    if (view.shown_no != state->met_shown_no)
        meet_shown(run, state, view.shown_no);
    else if (!tv_phase_is_loading(view.phase))
        watch_file(state, now_ns);
    if (!view.has_failed_at_first || run->failed_ns)
        return;
    run->failed_ns = now_ns;
    run->failure = view.failure;
}

static void tend_traces(struct run *run, uint64_t now_ns)
{
    struct tv_traces *traces = &run->viewer.traces;
    struct tv_state *state;
    for (uint64_t number = 0; (state = tv_traces_next(traces, number)); tv_traces_leave(state)) {
        number = state->number;
        tend_trace(run, state, now_ns);
    }
}

/* One tick; false when it is time to end. */
static bool tend(struct run *run)
{
    uint64_t now_ns = tv_now_ns();
    tv_httpd_tick(run->httpd);
    tv_event_clients_tick(&run->viewer.event_clients);
    tend_traces(run, now_ns);
    if (run->failed_ns)
        return tv_event_clients_look(&run->viewer.event_clients).count &&
               now_ns - run->failed_ns < LAST_QUESTIONS_NS;
    return !is_deserted(run);
}

static void wait_for_end(struct run *run, const sigset_t *ends)
{
    while (tend(run)) {
        bool is_loading = tv_traces_are_loading(&run->viewer.traces);
        struct timespec pause = {.tv_nsec = is_loading ? TICK_NS : IDLE_TICK_NS};
        if (sigtimedwait(ends, NULL, &pause) >= 0)
            return;
    }
}

static void init_named(struct tv_origin *origin, enum tv_origin_kind kind, const char *name)
{
    const char *slash = strrchr(name, '/');
    tv_origin_init(origin, kind, name, tv_str_from(slash && slash[1] ? slash + 1 : name));
}

/* Fills in the origin of what the program was given: a spool that the caller has filled, standard
 * input, or a file. */
static void init_first(const struct tv_viewer_opts *opts, struct tv_origin *origin)
{
    const char *name = opts->name;
    if (opts->spool) {
        char path[TV_SPOOL_PATH_CAP];
        tv_spool_path(opts->spool, path);
        tv_origin_init(origin, TV_ORIGIN_DROPPED, path, tv_str_from(name));
        origin->spool = *opts->spool;
        tv_spool_init(opts->spool);
    } else {
        init_named(origin, strcmp(name, "-") == 0 ? TV_ORIGIN_INPUT : TV_ORIGIN_FILE, name);
    }
    origin->is_first = true;
}

/* Asks for the program's own trace, at the first address. */
static void want_first(struct run *run)
{
    struct tv_origin origin;
    if (!run->opts->name)
        return;
    init_first(run->opts, &origin);
    struct tv_state *first = tv_traces_take(&run->viewer.traces, 1);
    tv_state_want(first, &origin);
    tv_traces_leave(first);
}

/* Opens the traces beside the first one, at the next addresses, behind the first one, which people
 * look at meanwhile. That one cannot be read is told where it is asked about. */
static enum tv_code want_others(struct run *run, struct tv_error *err)
{
    for (size_t i = 0; i < run->opts->other_count; i++) {
        struct tv_origin origin;
        uint64_t number;
        init_named(&origin, TV_ORIGIN_FILE, run->opts->others[i]);
        origin.is_behind_first = true;
        TV_TRY(tv_traces_open(&run->viewer.traces, &origin, &number, err));
        tv_assert(number == TV_VIEWER_OTHERS + i);
    }
    return TV_OK;
}

static void start_threads(void *ctx)
{
    struct run *run = ctx;
    char listen[LISTEN_CAP];
    (void)snprintf(listen, sizeof(listen), "127.0.0.1:%u", run->opts->port);
    const struct tv_httpd_settings settings = {.listen = listen, .has_web_sockets = true};
    run->service = tv_viewer_service(&run->viewer);
    run->start_code =
        tv_httpd_start(&run->httpd, run->viewer.alloc, &run->service, &settings, &run->start_err);
    if (run->start_code == TV_OK)
        run->start_code = tv_loader_start(&run->loader, &run->start_err);
}

/* Allows writing in the folder of a file. The folder is made first: a Landlock domain can only name
 * folders that exist. */
static void allow_folder_of(struct tv_landlock *domain, char path[TV_PATH_CAP])
{
    char *slash = strrchr(path, '/');
    if (tv_path_make_folders(path, NULL) != TV_OK || !slash)
        return;
    *slash = '\0';
    domain->folders[domain->folder_count++] = path;
}

/* Starts the threads that answer and load, inside a Landlock domain that they inherit. They may
 * read any file, since the user may choose any, and write only in the viewer's own folders. The
 * main thread stays outside: it starts the browser. */
static enum tv_code start_in_landlock(struct run *run, struct tv_error *err)
{
    static enum tv_code (*const kept[])(char path[TV_PATH_CAP], const char *name,
                                        struct tv_error *err) = {tv_path_config, tv_path_state,
                                                                 tv_path_cache};
    char paths[TV_COUNT_OF(kept)][TV_PATH_CAP];
    struct tv_landlock domain = {
        .may_read = true, .folders = {tv_spool_folder()}, .folder_count = 1};
    for (size_t i = 0; i < TV_COUNT_OF(kept); i++) {
        if (kept[i](paths[i], "x", NULL) == TV_OK)
            allow_folder_of(&domain, paths[i]);
    }
    run->viewer.is_in_landlock = tv_landlock_run(&domain, start_threads, run);
    if (run->start_code != TV_OK && err)
        *err = run->start_err;
    return run->start_code;
}

static void show_recorded(void *ctx, const char *path)
{
    tv_recording_open(ctx, path);
}

/* The helper thread starts before the domain, since it must be able to start programs. */
static enum tv_code serve(struct run *run, const sigset_t *ends, struct tv_error *err)
{
    char url[URL_CAP];
    char entry_url[URL_CAP];
    const struct tv_helper_thread_reader reader = {show_recorded, &run->viewer};
    want_first(run);
    TV_TRY(want_others(run, err));
    TV_TRY(tv_helper_thread_new(&run->viewer.helpers, run->viewer.alloc, &reader, err));
    TV_TRY(start_in_landlock(run, err));
    uint16_t port = tv_httpd_port(run->httpd);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/%s/", port, run->viewer.token);
    (void)snprintf(entry_url, sizeof(entry_url), "http://127.0.0.1:%u/%s", port, run->viewer.entry);
    run->opts->listening(run->opts->ctx, url, entry_url, port);
    wait_for_end(run, ends);
    tv_traces_end(&run->viewer.traces);
    if (!tv_loader_stop(&run->loader, END_PATIENCE_NS)) {
        /* The loader is deep in a large file. Everything it touches is memory of this process, so
         * nothing is lost when the process ends under it. */
        (void)fflush(NULL);
        _exit(0);
    }
    if (run->failed_ns) {
        if (err)
            *err = run->failure;
        return run->failure.code;
    }
    return TV_OK;
}

/* Counts as a page: a user who waits for a download is there, even when the page was closed. */
static void count_download(void *event_clients)
{
    tv_event_clients_come(event_clients);
}

static void forget_download(void *event_clients)
{
    tv_event_clients_leave(event_clients);
}

/* Signals are blocked before the first thread is made, so that all threads inherit that and only
 * the waiting one takes them. What the server's threads use is released after tv_httpd_stop(),
 * which waits for them. */
enum tv_code tv_viewer_run(const struct tv_viewer_opts *opts, struct tv_error *err)
{
    char settings_path[TV_PATH_CAP];
    char recent_path[TV_PATH_CAP];
    sigset_t ends;
    sigset_t old;
    struct run run = {.opts = opts,
                      .viewer = {.alloc = opts->alloc,
                                 .pool = opts->pool,
                                 .entry_used = ATOMIC_FLAG_INIT,
                                 .is_saving = ATOMIC_FLAG_INIT,
                                 .makes_pages = tv_viewer_file_can()},
                      .loader = {.viewer = &run.viewer, .load = opts->load, .save = opts->save}};
    for (size_t i = 0; i < TV_TRACES_LOADERS; i++)
        run.loader.threads[i].ctx = opts->load_ctx[i];
    if (tv_path_config(settings_path, "settings.json", NULL) == TV_OK)
        run.viewer.settings_path = settings_path;
    if (tv_path_state(recent_path, "recent", NULL) == TV_OK)
        run.viewer.recent_path = recent_path;
    TV_TRY(tv_token_make(run.viewer.token, err));
    TV_TRY(tv_token_make(run.viewer.entry, err));
    TV_TRY(tv_traces_init(&run.viewer.traces, opts->alloc, err));
    block_signals(&ends, &old);
    tv_downloads_init(&run.viewer.downloads, opts->alloc, opts->pool);
    tv_event_clients_init(&run.viewer.event_clients, opts->alloc);
    run.viewer.downloads.counter =
        (struct tv_download_counter){count_download, forget_download, &run.viewer.event_clients};
    enum tv_code code = serve(&run, &ends, err);
    tv_httpd_stop(run.httpd, 0);
    tv_helper_thread_free(run.viewer.helpers);
    tv_downloads_end(&run.viewer.downloads);
    tv_downloads_release(&run.viewer.downloads);
    tv_event_clients_release(&run.viewer.event_clients);
    tv_traces_release(&run.viewer.traces);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}
