/*
 * The main thread starts everything, waits for signals, and looks after connections at each tick;
 * see site/run/run.h. Signals are blocked before any thread starts, and threads inherit that, so
 * the main thread alone gets them.
 *
 * Order of the end: exports and the server first, since requests may still ask everything else;
 * then the workers, whose children get the rest of the patience; then what both used. A process
 * that is killed instead loses nothing that is kept: the store is whole at any moment.
 */
#include "site/run/run.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/text/out.h"
#include "base/units.h"
#include "http/httpd.h"
#include "index/saved/saved.h"
#include "os/clock.h"
#include "os/file/paths.h"
#include "os/file/spool.h"
#include "os/process/core_file.h"
#include "os/sandbox/landlock.h"
#include "site/config/projects.h"
#include "site/jobs/workers.h"
#include "site/log/access_log.h"
#include "site/log/metrics.h"
#include "site/request/rates.h"
#include "site/run/sample.h"
#include "site/site.h"
#include "site/stored/stored.h"
#include "site/webhook/webhook.h"

#define TICK_NS 200000000
/* How often the store is looked at: its clock, traces that no worker takes, copies of what is gone.
 */
#define LOOK_AT_STORE_NS (10 * TV_NS_PER_S)
/* Some seconds do no harm; far less than what the store's housekeeping relies on, five minutes. */
#define CLOCKS_APART_S 10
#define LISTEN_CAP (TV_ADDRESS_TEXT + 8)
#define URL_CAP 1024
/* Files that may be open besides connections and indexes: the database, workers, uploads,
 * downloads. */
#define OTHER_FILES 128u

struct run {
    const struct tv_site_run_opts *opts;
    struct tv_site site;
    struct tv_store store;
    struct tv_http_service service;
    struct tv_metrics metrics;
    struct tv_id sample;
    struct tv_row_keeper rows;
    struct tv_fleet_db rows_db;
    struct tv_webhook *webhook;
    char rows_path[TV_PATH_CAP];
    char machine[256];               /* its name */
    char build[TV_SITE_BUILD_CAP];   /* of the program, which answers have in their ETags */
    char indexes[TV_SAVED_NAME_CAP]; /* the version of its indexes */
    bool is_site_init;
    enum tv_code start_code; /* of the threads that answer */
    struct tv_error start_err;
    uint64_t looked_ns; /* when the store was looked at */
    unsigned copies;    /* where tv_store_gc_copies goes on */
    bool told_unserved; /* traces waited then that no worker takes */
    bool told_clock;    /* its clock was another than this machine's */
};

static void block_signals(sigset_t *signals, sigset_t *old)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGINT);
    (void)sigaddset(signals, SIGTERM);
    (void)sigaddset(signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, signals, old);
}

/* Raises the limit of descriptors to what connections and indexes may need. With the default
 * settings that is below 1024, which every system allows. */
static enum tv_code take_files(const struct tv_site_config *config, struct tv_error *err)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)(config->connections + 2 * config->open_indexes + OTHER_FILES);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need)
        return TV_OK;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < need)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "connections = %llu needs %llu open files, and the system allows %llu: "
                       "raise the limit (ulimit -n, LimitNOFILE) or lower connections",
                       (unsigned long long)config->connections, (unsigned long long)need,
                       (unsigned long long)limit.rlim_max);
    limit.rlim_cur = need;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return TV_OK;
}

static void job_ended(void *ctx, const struct tv_job *job, enum tv_job_end end)
{
    struct run *run = ctx;
    static const enum tv_counter counters[] = {[TV_JOB_END_DONE] = TV_COUNTER_JOBS_DONE,
                                               [TV_JOB_END_RETRY] = TV_COUNTER_JOBS_RETRIED,
                                               [TV_JOB_END_BAD] = TV_COUNTER_JOBS_BAD,
                                               [TV_JOB_END_UNKEPT] = TV_COUNTER_JOBS_RETRIED,
                                               [TV_JOB_END_PAUSED] = TV_COUNTER_JOBS_RETRIED};
    static const uint64_t tallies[][TV_TALLY_COUNT] = {
        [TV_JOB_END_DONE] = {[TV_TALLY_INDEXED] = 1},
        [TV_JOB_END_RETRY] = {[TV_TALLY_RETRIED] = 1},
        [TV_JOB_END_BAD] = {[TV_TALLY_BAD] = 1},
        [TV_JOB_END_UNKEPT] = {[TV_TALLY_RETRIED] = 1},
        [TV_JOB_END_PAUSED] = {[TV_TALLY_RETRIED] = 1}};
    const struct tv_store_db *db = &run->store.db;
    tv_metrics_add(&run->metrics, counters[end], 1);
    (void)db->add_tallies(db->ctx, tallies[end], NULL); /* where it is not told, it is lost */
    if (run->is_site_init)
        tv_site_job_changed(&run->site, &job->raw);
}

static void rowed(void *ctx, uint64_t count)
{
    struct run *run = ctx;
    tv_metrics_add(&run->metrics, TV_COUNTER_ROWED, count);
    tv_webhook_rows_came(run->webhook);
}

static void webhook_failed(void *ctx, const char *what, const struct tv_error *failure)
{
    struct run *run = ctx;
    if (run->site.log)
        tv_access_log_error(run->site.log, (uint64_t)tv_site_clock() * 1000, what, failure);
}

/* In the processes that make rows, before any are made. */
static enum tv_code start_webhook(struct run *run, struct tv_error *err)
{
    const struct tv_site_config *config = run->opts->config;
    const struct tv_webhook_opts opts = {.alloc = run->opts->alloc,
                                         .config = config,
                                         .store = &run->store,
                                         .rows = &run->rows_db,
                                         .now = tv_site_clock,
                                         .failed = webhook_failed,
                                         .ctx = run};
    if (config->role == TV_ROLE_SERVER || config->archive || !config->webhook[0])
        return TV_OK;
    return tv_webhook_start(&run->webhook, &opts, err);
}

static void tidied(void *ctx, const struct tv_error *failure)
{
    struct run *run = ctx;
    atomic_store(&run->site.is_untidy, failure != NULL);
    if (!failure)
        return;
    tv_metrics_add(&run->metrics, TV_COUNTER_TIDYING_FAILED, 1);
    if (run->site.log)
        tv_access_log_error(run->site.log, (uint64_t)tv_site_clock() * 1000, "tidying the store",
                            failure);
}

/* A site may be split over machines: servers answer and workers read. */
static enum tv_code start_workers(struct run *run, struct tv_error *err)
{
    const struct tv_site_config *config = run->opts->config;
    const struct tv_site_workers_opts opts = {.alloc = run->opts->alloc,
                                              .pool = run->opts->pool,
                                              .store = &run->store,
                                              .build = run->indexes,
                                              .count = (unsigned)config->workers,
                                              .memory = config->worker_memory,
                                              .seconds = (unsigned)config->worker_time_s,
                                              .user = config->worker_user,
                                              .now = tv_site_clock,
                                              .rows =
                                                  config->rows != TV_ROWS_NO ? &run->rows : NULL,
                                              .rowed = rowed,
                                              .quota = config->quota,
                                              .keep_free = config->keep_free,
                                              .ended = job_ended,
                                              .tidied = tidied,
                                              .ctx = run};
    struct tv_site_workers *workers;
    if (config->role == TV_ROLE_SERVER || config->archive)
        return TV_OK;
    TV_TRY(tv_site_workers_start(&workers, &opts, err));
    run->site.workers = workers;
    return TV_OK;
}

/* A trusted proxy has the connections of all its clients, so the limit by address does not hold for
 * it. */
static bool is_exempt(void *ctx, struct tv_str peer)
{
    const struct tv_site *site = ctx;
    struct tv_address address;
    return tv_address_parse(peer, &address) &&
           tv_networks_contain(&site->config->trusted_proxies, &address);
}

static void spell_listen(const struct tv_site_config *config, uint16_t port, char text[LISTEN_CAP])
{
    char address[TV_ADDRESS_TEXT];
    tv_address_text(&config->listen, address);
    (void)snprintf(text, LISTEN_CAP, tv_address_is_ipv4(&config->listen) ? "%s:%u" : "[%s]:%u",
                   address, (unsigned)port);
}

/* Last of all, since from then on requests come. */
static enum tv_code start_server(struct run *run, struct tv_error *err)
{
    const struct tv_site_config *config = run->opts->config;
    char listen[LISTEN_CAP];
    spell_listen(config, config->port, listen);
    run->service = tv_site_service(&run->site);
    const struct tv_httpd_settings settings = {
        .listen = listen,
        .threads = (unsigned)config->threads,
        .workers = (unsigned)config->answer_threads,
        .answer_s = (unsigned)config->answer_time_s,
        .connections = (unsigned)config->connections,
        .per_address = (unsigned)config->connections_per_address,
        .is_exempt = is_exempt,
        .header_s = (unsigned)config->header_time_s,
        .idle_s = (unsigned)config->idle_time_s,
        .least_rate = (unsigned)config->slowest_upload,
    };
    struct tv_httpd *httpd;
    TV_TRY(tv_httpd_start(&httpd, run->opts->alloc, &run->service, &settings, err));
    run->site.httpd = httpd;
    return TV_OK;
}

/* What the answers need, in the order in which each needs the other. */
static enum tv_code start_site(struct run *run, struct tv_error *err)
{
    const struct tv_site_config *config = run->opts->config;
    const struct tv_stored_opts stored = {.alloc = run->opts->alloc,
                                          .pool = run->opts->pool,
                                          .files = &run->store.files,
                                          .build = run->build,
                                          .open_most = (unsigned)config->open_indexes,
                                          .slowest_when_full = config->slowest_when_full,
                                          .waiting_most = (unsigned)config->answer_threads / 2};
    TV_TRY(tv_rates_new(&run->site.rates, run->opts->alloc, err));
    TV_TRY(tv_stored_new(&run->site.stored, &stored, err));
    TV_TRY(tv_site_init(&run->site, err));
    run->is_site_init = true;
    return start_server(run, err);
}

static void start_site_threads(void *ctx)
{
    struct run *run = ctx;
    run->start_code = start_site(run, &run->start_err);
}

/* Starts the threads that answer, in a Landlock domain. They may read any file, since the metrics
 * ask /proc, and write only in the store and in the folder of temporary files. Workers are outside
 * of the domain, since they start programs; their children are in a sandbox of their own
 * (site/jobs/index_job.h). A thread that keeps connections to PostgreSQL is outside, too: it was
 * started with the store, and gives them to those inside, who may make none. So are those that ask
 * a bucket, and write into its cache. */
static enum tv_code start_site_in_landlock(struct run *run, struct tv_error *err)
{
    const struct tv_landlock domain = {
        .may_read = true, .folders = {run->store.folder, tv_spool_folder()}, .folder_count = 2};
    (void)tv_landlock_run(&domain, start_site_threads, run);
    if (run->start_code != TV_OK && err)
        *err = run->start_err;
    return run->start_code;
}

/* Makes the folder of the store, where it has one. */
static enum tv_code make_folder(const struct tv_site_config *config, struct tv_error *err)
{
    char below[TV_PATH_CAP];
    const char *folder = !tv_store_is_url(config->store)     ? config->store
                         : tv_store_is_bucket(config->files) ? NULL
                                                             : config->files;
    if (config->archive || !folder)
        return TV_OK;
    (void)snprintf(below, sizeof(below), "%s/", folder);
    return tv_path_make_folders(below, err);
}

static enum tv_code open_rows(struct run *run, const struct tv_store_place *place,
                              struct tv_error *err)
{
    const struct tv_site_config *config = run->opts->config;
    const struct tv_row_place rows = {.store = place,
                                      .clickhouse = config->clickhouse,
                                      .password_file = config->clickhouse_password_file,
                                      .is_read_only = config->archive};
    TV_TRY(tv_row_keeper_open(&run->rows_db, run->rows_path, &rows, run->opts->alloc, err));
    run->rows.db = run->site.rows = &run->rows_db;
    return TV_OK;
}

static struct tv_store_place place_of(const struct tv_site_config *config)
{
    return (struct tv_store_place){.rows = config->store,
                                   .files = config->files,
                                   .password_file = config->store_password_file,
                                   .cache = config->files_cache,
                                   .cache_most = config->files_cache_size};
}

/* A project that is misspelt in the file, or was taken out of it, keeps its traces from its
 * members; nobody else would say why. */
static enum tv_code note_others(const struct tv_site_run_opts *opts,
                                const struct tv_other_projects *others, struct tv_error *err)
{
    struct tv_buffer text;
    struct tv_out out;
    tv_buffer_init(&text, opts->alloc);
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_out_decimal(&out, others->traces);
    tv_out_text(&out,
                others->traces == 1
                    ? TV_STR(" trace is of a project that is not in the file of projects, and "
                             "for its owner and administrators alone: ")
                    : TV_STR(" traces are of projects that are not in the file of projects, "
                             "and for their owners and administrators alone: "));
    for (size_t i = 0; i < others->named; i++) {
        tv_out_text(&out, i ? TV_STR(", ") : TV_STR(""));
        tv_out_shown(&out, others->names[i], TV_PROJECT_NAME_MOST);
    }
    if (others->projects > others->named)
        tv_out_text(&out, TV_STR(", ..."));
    tv_out_bytes(&out, "", 1);
    enum tv_code code = tv_out_finish(&out, err);
    if (code == TV_OK)
        opts->noted(opts->ctx, (const char *)text.bytes);
    tv_buffer_release(&text);
    return code;
}

static enum tv_code look_for_others(const struct tv_site_run_opts *opts,
                                    const struct tv_store *store, struct tv_error *err)
{
    const struct tv_site_config *config = opts->config;
    struct tv_str names[TV_PROJECTS_MOST];
    struct tv_trace_query query = {.projects = names, .now = tv_site_clock()};
    struct tv_other_projects others;
    struct tv_arena arena;
    if (!config->projects)
        return TV_OK;
    for (size_t i = 0; i < config->project_count; i++)
        names[query.project_count++] = tv_str_from(config->projects[i].name);
    tv_arena_init(&arena, opts->alloc);
    enum tv_code code = store->db.find_other_projects(store->db.ctx, &query, &arena, &others, err);
    if (code == TV_OK && others.traces)
        code = note_others(opts, &others, err);
    tv_arena_release(&arena);
    return code;
}

void tv_site_check(const struct tv_site_run_opts *opts)
{
    const struct tv_store_place place = place_of(opts->config);
    struct tv_store store = {.alloc = NULL};
    struct tv_error err = {.code = TV_OK};
    char text[sizeof(err.text) + 64];
    if (!opts->config->projects)
        return;
    enum tv_code code = tv_store_open_place(
        &store, &place, opts->config->archive ? TV_STORE_READ : TV_STORE_LOOK, opts->alloc, &err);
    if (code == TV_OK)
        code = look_for_others(opts, &store, &err);
    tv_store_close(&store);
    if (code == TV_OK || code == TV_ERR_NOT_FOUND)
        return;
    (void)snprintf(text, sizeof(text), "the store was not looked at: %s", err.text);
    opts->noted(opts->ctx, text);
}

/* The example is kept before anybody can ask for it. Workers start last: a job of the example may
 * already wait. */
static enum tv_code start(struct run *run, struct tv_error *err)
{
    const struct tv_site_config *config = run->opts->config;
    struct tv_store_place place = place_of(config);
    /* The memory has the keys of the bucket, the password of the database, the secret of uploads.
     */
    tv_core_file_forbid();
    TV_TRY(make_folder(config, err));
    TV_TRY(tv_site_build(run->build, err));
    tv_saved_name(run->indexes);
    place.indexes = run->indexes;
    TV_TRY(tv_store_open_place(&run->store, &place, config->archive ? TV_STORE_READ : TV_STORE_MAKE,
                               run->opts->alloc, err));
    if (config->role != TV_ROLE_WORKER)
        TV_TRY(look_for_others(run->opts, &run->store, err));
    run->rows = (struct tv_row_keeper){.alloc = run->opts->alloc,
                                       .pool = run->opts->pool,
                                       .store = &run->store,
                                       .build = run->indexes,
                                       .rule = tv_site_config_rule(config)};
    if (config->rows != TV_ROWS_NO)
        TV_TRY(open_rows(run, &place, err));
    if (config->sample)
        TV_TRY(tv_sample_keep(&run->site, &run->sample, err));
    TV_TRY(take_files(config, err));
    TV_TRY(tv_access_log_open(&run->site.log, run->opts->alloc, config->log, &run->metrics, err));
    if (config->role != TV_ROLE_WORKER)
        TV_TRY(start_site_in_landlock(run, err));
    TV_TRY(start_webhook(run, err));
    return start_workers(run, err);
}

/* The port may have been chosen by the system, so it is asked for. */
static void tell_listening(const struct run *run)
{
    const struct tv_site_run_opts *opts = run->opts;
    char listen[LISTEN_CAP];
    char url[URL_CAP];
    if (!run->site.httpd) {
        opts->listening(opts->ctx, NULL);
        return;
    }
    spell_listen(opts->config, tv_httpd_port(run->site.httpd), listen);
    (void)snprintf(url, sizeof(url), "http://%s%s/", listen, opts->config->base_path);
    opts->listening(opts->ctx, url);
}

/* Tells once when the clock of this machine is not that of the database: leases are by the latter,
 * but what was claimed, was made or expires is by the former. */
static void compare_clocks(struct run *run)
{
    const int64_t ahead = tv_store_compare_clocks(&run->store, tv_site_clock).database_s;
    const bool differs = ahead > CLOCKS_APART_S || ahead < -CLOCKS_APART_S;
    struct tv_error found;
    if (differs && !run->told_clock && run->site.log) {
        (void)tv_fail(&found, TV_ERR_SYSTEM, TV_NO_OFFSET,
                      "the clock of this machine is %lld s %s that of the database's: set it right",
                      (long long)(ahead > 0 ? ahead : -ahead), ahead > 0 ? "ahead of" : "behind");
        tv_access_log_error(run->site.log, (uint64_t)tv_site_clock() * 1000, "comparing clocks",
                            &found);
    }
    run->told_clock = differs;
}

/* Tells once when traces wait that no worker takes: the workers were not started, or are of another
 * build, which makes other indexes, than those who asked for one. */
static void look_for_unserved(struct run *run)
{
    const struct tv_store_db *db = &run->store.db;
    struct tv_unserved unserved;
    struct tv_error found;
    const int64_t now = tv_store_now(&run->store, tv_site_clock());
    if (db->find_unserved(db->ctx, now, TV_SITE_UNSERVED_S, &unserved, NULL) != TV_OK)
        return;
    if (unserved.jobs && !run->told_unserved && run->site.log) {
        (void)tv_fail(
            &found, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
            "%llu traces wait, and no worker that makes indexes of version %s has taken one for "
            "%d s: start workers of a build that does, or servers of the workers' build",
            (unsigned long long)unserved.jobs, unserved.build, TV_SITE_UNSERVED_S);
        tv_access_log_error(run->site.log, (uint64_t)tv_site_clock() * 1000, "waiting for a worker",
                            &found);
    }
    run->told_unserved = unserved.jobs > 0;
}

static void look_at_store(struct run *run)
{
    const uint64_t now_ns = tv_now_ns();
    if (tv_passed_ns(run->looked_ns, now_ns) < LOOK_AT_STORE_NS)
        return;
    run->looked_ns = now_ns;
    compare_clocks(run);
    look_for_unserved(run);
    tv_store_gc_copies(&run->store, &run->copies, tv_site_clock());
}

/* Looks at how fast clients are. */
static void tick(struct run *run)
{
    tv_httpd_tick(run->site.httpd);
    tv_site_tick(&run->site);
}

/* SIGHUP opens the log anew, after it was moved away. */
static void wait_for_end(struct run *run, const sigset_t *signals)
{
    const struct timespec pause = {.tv_nsec = TICK_NS};
    struct tv_error err;
    for (;;) {
        int number = sigtimedwait(signals, NULL, &pause);
        if (number == SIGINT || number == SIGTERM)
            return;
        if (number == SIGHUP && run->site.log && tv_access_log_reopen(run->site.log, &err) != TV_OK)
            tv_access_log_error(run->site.log, (uint64_t)tv_site_clock() * 1000,
                                "opening the log anew", &err);
        if (run->site.httpd)
            tick(run);
        look_at_store(run);
    }
}

/* Ends what was started, the server first: requests may still ask everything else. */
static void end(struct run *run, uint64_t patience_ns)
{
    uint64_t begun_ns = tv_now_ns();
    if (run->site.stored)
        tv_stored_end(run->site.stored);
    tv_httpd_stop(run->site.httpd, patience_ns);
    uint64_t spent_ns = tv_now_ns() - begun_ns;
    tv_site_workers_stop(run->site.workers, spent_ns < patience_ns ? patience_ns - spent_ns : 0);
    tv_webhook_stop(run->webhook);
    if (run->is_site_init)
        tv_site_release(&run->site);
    tv_stored_free(run->site.stored);
    tv_access_log_close(run->site.log);
    tv_rates_free(run->site.rates);
    tv_fleet_db_close(&run->rows_db);
    tv_store_close(&run->store);
}

/* Signals are blocked before any thread starts, so that all of them inherit that and this thread
 * alone waits for signals. */
enum tv_code tv_site_run(const struct tv_site_run_opts *opts, struct tv_error *err)
{
    sigset_t signals;
    sigset_t old;
    struct run run = {.opts = opts};
    run.site.alloc = opts->alloc;
    run.site.config = opts->config;
    run.site.store = &run.store;
    run.site.metrics = &run.metrics;
    run.site.build = run.indexes;
    run.site.sample = run.sample.hex;
    run.site.version = opts->version;
    if (gethostname(run.machine, sizeof(run.machine) - 1) == 0)
        run.site.machine = run.machine;
    run.site.now = tv_site_clock;
    block_signals(&signals, &old);
    enum tv_code code = start(&run, err);
    if (code == TV_OK) {
        tell_listening(&run);
        wait_for_end(&run, &signals);
        /* From now on a second signal ends the process at once: nothing in the store is half done
         * at any moment, so nothing is lost. */
        (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    end(&run, code == TV_OK ? opts->config->stop_patience_s * TV_NS_PER_S : 0);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}
