/*
 * The thread that judges and sends; see site/webhook/webhook.h. It is outside of the Landlock
 * domain of those that answer, since it connects.
 */
#include "site/webhook/webhook.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/memory/fault.h"
#include "os/token.h"
#include "os/waits.h"
#include "site/webhook/build_judge.h"
#include "site/webhook/signed_hook.h"

/* How often deliveries that are due are looked for. */
#define LOOK_NS (2 * (uint64_t)TV_NS_PER_S)
/* Builds are judged this long after rows have come, so that the rows of many traces are judged
 * once. */
#define SETTLE_NS (5 * (uint64_t)TV_NS_PER_S)
/* All traces are looked at this often without new rows: another process may have ended before it
 * judged what it made, and labels may have changed. */
#define ANYWAY_NS (600 * (uint64_t)TV_NS_PER_S)
/* A judgement looks at all traces that count. So the next one waits REST times as long as the last
 * one took. */
#define REST 10u
/* A failed judgement is tried again after a time that doubles up to this many times, since it may
 * fail for ever: of two builds with too many methods, for example. */
#define DOUBLINGS_MOST 6u
/* Longer than a try takes, so that a delivery has one sender. */
#define LEASE_S 60

struct tv_webhook {
    struct tv_webhook_opts opts;
    char worker[TV_TOKEN_LEN + 1];
    struct tv_build_judge judge;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the next two */
    pthread_cond_t changed;
    bool has_rows;         /* have come since builds were judged */
    atomic_bool is_ending; /* it is set with the lock, and ends a judgement that is under way */
    uint64_t judged_ns, took_ns; /* when builds were judged last, and how long that took */
    uint64_t whole_ns;           /* when all traces were looked at */
    unsigned failed_count;       /* judgements since the last that did not fail */
};

static void report(const struct tv_webhook *webhook, const char *what,
                   const struct tv_error *failure)
{
    if (webhook->opts.failed && failure->code != TV_ERR_CANCELLED)
        webhook->opts.failed(webhook->opts.ctx, what, failure);
}

/* --- sending --- */

static uint64_t chance(void)
{
    uint64_t random;
    return getentropy(&random, sizeof(random)) == 0 ? random : tv_now_ns();
}

static int64_t delivery_now(const struct tv_webhook_opts *opts)
{
    return tv_store_now(opts->store, opts->now());
}

/* A receiver that says that it is gone (410) is not tried again. */
static struct tv_delivery_end end_of(const struct tv_webhook *webhook,
                                     const struct tv_delivery *delivery, enum tv_code code,
                                     unsigned status, struct tv_str reason)
{
    const int64_t now = delivery_now(&webhook->opts);
    struct tv_delivery_end end = {.state = TV_DELIVERY_DONE, .next = now, .status = status};
    if (code == TV_OK)
        return end;
    end.reason = reason;
    end.next = tv_hook_next(now, delivery->tries, chance());
    end.state = status == 410 || end.next >= delivery->created +
                                                 (int64_t)webhook->opts.config->webhook_patience_s
                    ? TV_DELIVERY_GIVEN_UP
                    : TV_DELIVERY_WAITING;
    return end;
}

/* Where the store cannot be told, the delivery is sent again when its time is over: from now on
 * this is another worker, since a worker may take what is its own at any moment. */
static enum tv_code send_one(struct tv_webhook *webhook, const struct tv_delivery *delivery)
{
    static const uint64_t failed_try[TV_TALLY_COUNT] = {[TV_TALLY_HOOK_TRIES] = 1};
    const struct tv_webhook_opts *opts = &webhook->opts;
    const struct tv_store_db *db = &opts->store->db;
    struct tv_error err = {.code = TV_OK}, why = {.code = TV_OK};
    unsigned status;
    const enum tv_code code =
        tv_hook_send(opts->alloc, opts->config, delivery, opts->now(), &status, &why);
    const struct tv_delivery_end end =
        end_of(webhook, delivery, code, status, code == TV_OK ? TV_STR("") : tv_str_from(why.text));
    if (code != TV_OK) {
        report(webhook, "telling the webhook", &why);
        if (db->add_tallies(db->ctx, failed_try, &err) != TV_OK)
            report(webhook, "counting a try of the webhook", &err);
    }
    if (db->end_delivery(db->ctx, &delivery->id, webhook->worker, delivery_now(opts), &end, &err) ==
        TV_OK)
        return TV_OK;
    report(webhook, "noting what the webhook was told", &err);
    return tv_token_make(webhook->worker, NULL);
}

static void send_due(struct tv_webhook *webhook)
{
    const struct tv_webhook_opts *opts = &webhook->opts;
    const struct tv_store_db *db = &opts->store->db;
    struct tv_arena arena;
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = TV_OK;
    tv_arena_init(&arena, opts->alloc);
    while (code == TV_OK && !atomic_load(&webhook->is_ending)) {
        struct tv_delivery delivery;
        code = db->take_delivery(db->ctx, webhook->worker, delivery_now(opts), LEASE_S, &arena,
                                 &delivery, &err);
        if (code == TV_OK)
            code = send_one(webhook, &delivery);
        tv_arena_release(&arena);
    }
    if (code != TV_OK && code != TV_ERR_NOT_FOUND)
        report(webhook, "looking for what the webhook is to be told", &err);
}

/* --- the thread --- */

uint64_t tv_webhook_pause_ns(uint64_t took_ns, unsigned failed_count)
{
    const uint64_t rest_ns = REST * took_ns > SETTLE_NS ? REST * took_ns : SETTLE_NS;
    return rest_ns << (failed_count < DOUBLINGS_MOST ? failed_count : DOUBLINGS_MOST);
}

static bool takes_rows(struct tv_webhook *webhook)
{
    const uint64_t pause_ns = tv_webhook_pause_ns(webhook->took_ns, webhook->failed_count);
    const uint64_t passed_ns = tv_passed_ns(webhook->judged_ns, tv_now_ns());
    (void)pthread_mutex_lock(&webhook->lock);
    const bool is_due = passed_ns >= (webhook->has_rows ? pause_ns : ANYWAY_NS);
    webhook->has_rows = webhook->has_rows && !is_due;
    (void)pthread_mutex_unlock(&webhook->lock);
    return is_due;
}

static void judge(struct tv_webhook *webhook)
{
    struct tv_error err = {.code = TV_OK};
    if (!takes_rows(webhook))
        return;
    const uint64_t begun_ns = tv_now_ns();
    const bool is_whole = tv_passed_ns(webhook->whole_ns, begun_ns) >= ANYWAY_NS;
    if (tv_build_judge_pass(&webhook->judge, is_whole, delivery_now(&webhook->opts), &err) !=
        TV_OK) {
        report(webhook, "judging builds", &err);
        tv_webhook_rows_came(webhook); /* they are judged again, after a while */
        webhook->failed_count++;
    } else {
        webhook->failed_count = 0;
        if (is_whole)
            webhook->whole_ns = begun_ns;
    }
    webhook->judged_ns = tv_now_ns();
    webhook->took_ns = tv_passed_ns(begun_ns, webhook->judged_ns);
}

static bool wait_a_while(struct tv_webhook *webhook)
{
    const struct timespec until = tv_wait_until(LOOK_NS);
    int failure = 0;
    (void)pthread_mutex_lock(&webhook->lock);
    while (!atomic_load(&webhook->is_ending) && !failure)
        failure = pthread_cond_timedwait(&webhook->changed, &webhook->lock, &until);
    (void)pthread_mutex_unlock(&webhook->lock);
    return !atomic_load(&webhook->is_ending);
}

static void *run(void *arg)
{
    struct tv_webhook *webhook = arg;
    do {
        judge(webhook);
        send_due(webhook);
    } while (wait_a_while(webhook));
    return NULL;
}

static void release(struct tv_webhook *webhook)
{
    const struct tv_alloc *alloc = webhook->opts.alloc;
    tv_build_judge_release(&webhook->judge);
    (void)pthread_cond_destroy(&webhook->changed);
    (void)pthread_mutex_destroy(&webhook->lock);
    tv_alloc_release(alloc, &webhook, 1, sizeof(*webhook));
}

enum tv_code tv_webhook_start(struct tv_webhook **to, const struct tv_webhook_opts *opts,
                              struct tv_error *err)
{
    struct tv_webhook *webhook;
    sigset_t old;
    *to = NULL;
    TV_TRY(tv_alloc_new(opts->alloc, &webhook, 1, sizeof(*webhook), err));
    webhook->opts = *opts;
    webhook->has_rows = true; /* some may have come before this process began */
    (void)pthread_mutex_init(&webhook->lock, NULL);
    (void)tv_wait_init(&webhook->changed);
    tv_build_judge_init(&webhook->judge, opts->alloc);
    webhook->judge.config = opts->config;
    webhook->judge.store = opts->store;
    webhook->judge.rows = opts->rows;
    webhook->judge.is_unwanted = &webhook->is_ending;
    enum tv_code code = tv_token_make(webhook->worker, err);
    if (code == TV_OK) {
        tv_fault_hold_signals(&old);
        const int failure = pthread_create(&webhook->thread, NULL, run, webhook);
        (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (failure)
            code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread for the webhook: %s",
                           strerror(failure));
    }
    if (code != TV_OK)
        release(webhook);
    else
        *to = webhook;
    return code;
}

void tv_webhook_rows_came(struct tv_webhook *webhook)
{
    if (!webhook)
        return;
    (void)pthread_mutex_lock(&webhook->lock);
    webhook->has_rows = true;
    (void)pthread_mutex_unlock(&webhook->lock);
}

void tv_webhook_stop(struct tv_webhook *webhook)
{
    if (!webhook)
        return;
    (void)pthread_mutex_lock(&webhook->lock);
    atomic_store(&webhook->is_ending, true);
    (void)pthread_cond_broadcast(&webhook->changed);
    (void)pthread_mutex_unlock(&webhook->lock);
    (void)pthread_join(webhook->thread, NULL);
    release(webhook);
}
