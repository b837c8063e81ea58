/*
 * A bounded pool of connections, and the thread that makes them; see postgres/pool.h.
 *
 * The thread sleeps in poll(2) on a pipe, by which others wake it, and on the socket of the
 * connection that listens. All that threads share is under `lock`; connecting is not. A connection
 * belongs to whoever took it, or lies in `idle`.
 */
#include "postgres/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/process/threads.h"
#include "os/waits.h"

#define CONNECTIONS_MOST 64u
/* How long making a connection may take, TLS and all. */
#define CONNECT_NS (2500 * (uint64_t)TV_NS_PER_MS)
/* The pause between two tries while the server is away. */
#define RETRY_NS (300 * (uint64_t)TV_NS_PER_MS)
/* How long who asks waits for a server that has gone: a restart takes that long. */
#define RESTART_NS (3 * (uint64_t)TV_NS_PER_S)
/* The connection that listens is checked after this long without a sign of life. */
#define LISTEN_CHECK_NS (30 * (uint64_t)TV_NS_PER_S)
#define SLEEP_MS 1000

struct tv_pg_pool {
    struct tv_pg_pool_opts opts;
    struct tv_libpq libpq;
    pthread_t thread;
    int wake[2]; /* a pipe: whoever writes to it wakes the thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_ending;
    struct tv_pg *idle[CONNECTIONS_MOST];
    unsigned idle_count, open_count;
    unsigned waiting;          /* threads that wait for a connection */
    uint64_t away_ns;          /* since when the server is away; 0: it is not */
    struct tv_error away;      /* why */
    pthread_mutex_t notifying; /* guards the next one, and is held while a function is called */
    struct listening {
        const char *channel;
        void (*notified)(void *ctx, const char *payload); /* NULL: nobody listens to it */
        void *ctx;
    } listening[TV_PG_CHANNELS];
    unsigned wanted; /* changes when somebody listens to another channel; under `lock` */
    /* The thread's own. */
    struct tv_pg listener;
    bool is_listening;
    unsigned listens; /* `wanted` when listening began */
    uint64_t heard_ns;
    uint64_t retry_ns; /* when it connects again after a failure */
};

/* Whether an option has a value that libpq itself would hide while it is typed: the password, that
 * of a key of TLS, the secret of a client of OAuth. */
static bool is_secret(const PQconninfoOption *option)
{
    return option->val && option->val[0] && option->dispchar && option->dispchar[0] == '*';
}

enum tv_code tv_pg_check_url(const char *url, struct tv_error *err)
{
    struct tv_libpq libpq;
    char *reason = NULL;
    bool has_password = false;
    TV_TRY(tv_libpq_load(&libpq, err));
    PQconninfoOption *options = libpq.at_PQconninfoParse(url, &reason);
    for (const PQconninfoOption *option = options; option && option->keyword; option++)
        has_password = has_password || is_secret(option);
    bool is_url = options != NULL;
    libpq.at_PQconninfoFree(options);
    libpq.at_PQfreemem(reason); /* it may show the URL, and a password in it */
    if (!is_url)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this is no address of a database: postgres://USER@HOST/DATABASE");
    if (has_password)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a password has no place in an address, which logs and lists of processes "
                       "show: put it into a file (store-password-file, or ~/.pgpass)");
    return TV_OK;
}

static void wake(const struct tv_pg_pool *pool)
{
    /* A pipe that is full wakes as well. */
    ssize_t written = write(pool->wake[1], "", 1);
    (void)written;
}

static void close_one(struct tv_pg_pool *pool, struct tv_pg *pg)
{
    tv_pg_close(pg);
    tv_alloc_release(pool->opts.alloc, &pg, 1, sizeof(*pg));
}

/* Takes those that wait out of the pool, with the lock held; the caller closes them without. */
static unsigned take_idle(struct tv_pg_pool *pool, struct tv_pg *idle[CONNECTIONS_MOST])
{
    unsigned count = pool->idle_count;
    memcpy(idle, pool->idle, count * sizeof(idle[0]));
    pool->idle_count = 0;
    pool->open_count -= count;
    return count;
}

/* --- the thread --- */

static enum tv_code open_one(struct tv_pg_pool *pool, struct tv_pg *pg, uint64_t end_ns,
                             struct tv_error *err)
{
    struct tv_pg_address *address = pool->opts.address;
    const struct tv_pg_target target = {
        .url = address->url, .password = address->password, .settings = pool->opts.settings};
    const enum tv_code code = tv_pg_open(pg, &pool->libpq, &target, end_ns, err);
    if (code != TV_OK)
        tv_pg_address_reread(address);
    return code;
}

static enum tv_code connect_one(struct tv_pg_pool *pool, struct tv_pg **pg, struct tv_error *err)
{
    TV_TRY(tv_alloc_new(pool->opts.alloc, pg, 1, sizeof(**pg), err));
    enum tv_code code = open_one(pool, *pg, tv_now_ns() + CONNECT_NS, err);
    if (code != TV_OK) {
        close_one(pool, *pg);
        *pg = NULL;
    }
    return code;
}

/* With the lock held. */
static void note_away(struct tv_pg_pool *pool, const struct tv_error *why, uint64_t since_ns)
{
    if (!pool->away_ns || since_ns < pool->away_ns)
        pool->away_ns = since_ns;
    pool->away = *why;
    (void)pthread_cond_broadcast(&pool->changed);
}

/* Makes one more connection, with the lock held but not while it connects. */
static void add_connection(struct tv_pg_pool *pool)
{
    struct tv_pg *pg = NULL;
    struct tv_error err = {.code = TV_OK};
    pool->open_count++;
    (void)pthread_mutex_unlock(&pool->lock);
    enum tv_code code = connect_one(pool, &pg, &err);
    (void)pthread_mutex_lock(&pool->lock);
    if (code == TV_OK) {
        pool->idle[pool->idle_count++] = pg;
        pool->away_ns = 0;
        (void)pthread_cond_broadcast(&pool->changed);
        return;
    }
    pool->open_count--;
    pool->retry_ns = tv_now_ns() + RETRY_NS;
    note_away(pool, &err, tv_now_ns());
}

/* A server that is away is asked even where nobody waits, so that who comes next is not told so
 * when it is back. */
static bool wants_connection(const struct tv_pg_pool *pool)
{
    return (pool->waiting > pool->idle_count || pool->away_ns) &&
           pool->open_count < pool->opts.connections && tv_now_ns() >= pool->retry_ns;
}

static void stop_listening(struct tv_pg_pool *pool)
{
    if (pool->is_listening)
        tv_pg_close(&pool->listener);
    pool->is_listening = false;
}

/* Of one channel; NULL: of all. */
static void notify(struct tv_pg_pool *pool, const char *channel, const char *payload)
{
    (void)pthread_mutex_lock(&pool->notifying);
    for (unsigned i = 0; i < TV_PG_CHANNELS; i++) {
        const struct listening *to = &pool->listening[i];
        if (to->notified && (!channel || strcmp(channel, to->channel) == 0))
            to->notified(to->ctx, payload);
    }
    (void)pthread_mutex_unlock(&pool->notifying);
}

/* The statements that listen to all channels somebody wants to hear of. */
static void write_listens(struct tv_pg_pool *pool, char text[TV_PG_CHANNELS * 64])
{
    size_t len = 0;
    text[0] = '\0';
    (void)pthread_mutex_lock(&pool->notifying);
    for (unsigned i = 0; i < TV_PG_CHANNELS; i++) {
        if (pool->listening[i].notified)
            len += (size_t)snprintf(text + len, 64, "LISTEN %.50s;", pool->listening[i].channel);
    }
    (void)pthread_mutex_unlock(&pool->notifying);
}

static void begin_listening(struct tv_pg_pool *pool, unsigned wanted)
{
    char text[TV_PG_CHANNELS * 64];
    uint64_t end_ns = tv_now_ns() + CONNECT_NS;
    write_listens(pool, text);
    pool->listens = wanted;
    if (!text[0])
        return;
    enum tv_code code = open_one(pool, &pool->listener, end_ns, NULL);
    pool->is_listening = true;
    if (code == TV_OK)
        code = tv_pg_execute(&pool->listener, text, NULL);
    pool->heard_ns = tv_now_ns();
    if (code == TV_OK) {
        notify(pool, NULL, NULL);
    } else {
        stop_listening(pool);
        pool->retry_ns = tv_now_ns() + RETRY_NS;
    }
}

/* Whether something was notified. A connection that says nothing for long may be dead without a
 * sign, so it is asked. */
static void hear(struct tv_pg_pool *pool)
{
    struct tv_pg *pg = &pool->listener;
    bool is_alive = pool->libpq.at_PQconsumeInput(pg->conn) != 0;
    bool has_heard = false;
    for (PGnotify *heard; is_alive && (heard = pool->libpq.at_PQnotifies(pg->conn)) != NULL;) {
        notify(pool, heard->relname, heard->extra);
        pool->libpq.at_PQfreemem(heard);
        has_heard = true;
    }
    if (is_alive && !has_heard && tv_now_ns() - pool->heard_ns > LISTEN_CHECK_NS) {
        pg->end_ns = tv_now_ns() + CONNECT_NS;
        is_alive = tv_pg_execute(pg, "SELECT 1", NULL) == TV_OK;
        pool->heard_ns = tv_now_ns();
    }
    if (!is_alive)
        stop_listening(pool);
}

/* Sleeps until somebody wakes the thread, the server says something, or it is time to look. */
static void sleep_a_while(struct tv_pg_pool *pool, bool is_away)
{
    char bytes[64];
    struct pollfd of[2] = {{.fd = pool->wake[0], .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    if (pool->is_listening)
        of[1].fd = pool->libpq.at_PQsocket(pool->listener.conn);
    if (poll(of, 2, is_away ? (int)(RETRY_NS / TV_NS_PER_MS) : SLEEP_MS) > 0 && of[0].revents)
        while (read(pool->wake[0], bytes, sizeof(bytes)) > 0)
            continue;
}

static void *run(void *arg)
{
    struct tv_pg_pool *pool = arg;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->is_ending) {
        if (wants_connection(pool)) {
            add_connection(pool);
            continue;
        }
        bool is_away = pool->away_ns != 0;
        unsigned wanted = pool->wanted;
        bool waits = is_away || pool->waiting > pool->idle_count;
        (void)pthread_mutex_unlock(&pool->lock);
        if (wanted != pool->listens)
            stop_listening(pool);
        if (wanted && !pool->is_listening && !is_away && tv_now_ns() >= pool->retry_ns)
            begin_listening(pool, wanted);
        sleep_a_while(pool, waits);
        if (pool->is_listening)
            hear(pool);
        (void)pthread_mutex_lock(&pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    stop_listening(pool);
    return NULL;
}

/* --- for others --- */

static enum tv_code start(struct tv_pg_pool *pool, struct tv_error *err)
{
    if (pipe(pool->wake) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no pipe can be made: %s",
                       strerror(errno));
    for (size_t i = 0; i < 2; i++) {
        (void)fcntl(pool->wake[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(pool->wake[i], F_SETFL, O_NONBLOCK);
    }
    if (tv_threads_start(&pool->thread, 1, run, pool))
        return TV_OK;
    (void)close(pool->wake[0]);
    (void)close(pool->wake[1]);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

enum tv_code tv_pg_pool_open(struct tv_pg_pool **pool, const struct tv_pg_pool_opts *opts,
                             struct tv_error *err)
{
    struct tv_pg_pool *made = NULL;
    *pool = NULL;
    TV_TRY(tv_alloc_new(opts->alloc, &made, 1, sizeof(*made), err));
    made->opts = *opts;
    if (made->opts.connections > CONNECTIONS_MOST)
        made->opts.connections = CONNECTIONS_MOST;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_mutex_init(&made->notifying, NULL);
    (void)tv_wait_init(&made->changed);
    enum tv_code code = tv_libpq_load(&made->libpq, err);
    if (code == TV_OK)
        code = start(made, err);
    if (code == TV_OK) {
        *pool = made;
        return TV_OK;
    }
    (void)pthread_cond_destroy(&made->changed);
    (void)pthread_mutex_destroy(&made->notifying);
    (void)pthread_mutex_destroy(&made->lock);
    tv_alloc_release(opts->alloc, &made, 1, sizeof(*made));
    return code;
}

void tv_pg_pool_close(struct tv_pg_pool *pool)
{
    if (!pool)
        return;
    const struct tv_alloc *alloc = pool->opts.alloc;
    (void)pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    (void)pthread_mutex_unlock(&pool->lock);
    wake(pool);
    tv_threads_join(&pool->thread, 1);
    for (unsigned i = 0; i < pool->idle_count; i++)
        close_one(pool, pool->idle[i]);
    (void)close(pool->wake[0]);
    (void)close(pool->wake[1]);
    (void)pthread_cond_destroy(&pool->changed);
    (void)pthread_mutex_destroy(&pool->notifying);
    (void)pthread_mutex_destroy(&pool->lock);
    tv_alloc_release(alloc, &pool, 1, sizeof(*pool));
}

/* The calls of `notified` are under a lock of their own, which this takes: afterwards the one that
 * was there before is not called any more. */
void tv_pg_pool_listen(struct tv_pg_pool *pool, unsigned which, const char *channel,
                       void (*notified)(void *ctx, const char *payload), void *ctx)
{
    (void)pthread_mutex_lock(&pool->notifying);
    pool->listening[which] = (struct listening){channel, notified, ctx};
    (void)pthread_mutex_unlock(&pool->notifying);
    (void)pthread_mutex_lock(&pool->lock);
    pool->wanted++;
    (void)pthread_mutex_unlock(&pool->lock);
    wake(pool);
}

/* Waits for a connection. The caller holds the lock. */
static enum tv_code wait_for_idle(struct tv_pg_pool *pool, uint64_t end_ns, struct tv_error *err)
{
    pool->waiting++;
    wake(pool);
    while (!pool->idle_count) {
        uint64_t now_ns = tv_now_ns();
        uint64_t until_ns = end_ns;
        if (pool->away_ns && pool->away_ns + RESTART_NS < until_ns)
            until_ns = pool->away_ns + RESTART_NS;
        if (now_ns >= until_ns)
            break;
        const struct timespec until = tv_wait_until(until_ns - now_ns);
        (void)pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
    }
    pool->waiting--;
    if (pool->idle_count)
        return TV_OK;
    if (pool->away_ns && err)
        *err = pool->away;
    return pool->away_ns ? pool->away.code
                         : tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET,
                                   "the database of the store has too much to do");
}

enum tv_code tv_pg_pool_take(struct tv_pg_pool *pool, uint64_t end_ns, struct tv_pg **pg,
                             struct tv_error *err)
{
    tv_wait_expect();
    (void)pthread_mutex_lock(&pool->lock);
    enum tv_code code = pool->idle_count ? TV_OK : wait_for_idle(pool, end_ns, err);
    if (code == TV_OK)
        *pg = pool->idle[--pool->idle_count];
    (void)pthread_mutex_unlock(&pool->lock);
    return code;
}

void tv_pg_pool_give(struct tv_pg_pool *pool, struct tv_pg *pg)
{
    struct tv_pg *idle[CONNECTIONS_MOST];
    unsigned count = 0;
    bool is_broken = pg->is_broken;
    (void)pthread_mutex_lock(&pool->lock);
    if (is_broken) {
        struct tv_error why;
        uint64_t now_ns = tv_now_ns();
        (void)tv_fail(&why, TV_ERR_AWAY, TV_NO_OFFSET,
                      "the database of the store is away: it does not answer");
        /* One that hangs is no restart, and nobody waits for it any more. */
        if (pg->has_timed_out && !pg->is_hurried)
            note_away(pool, &why, now_ns > RESTART_NS ? now_ns - RESTART_NS : 1);
        if (!pg->has_timed_out || !pg->is_hurried)
            count = take_idle(pool, idle);
        pool->open_count--;
    } else {
        pool->idle[pool->idle_count++] = pg;
    }
    (void)pthread_cond_broadcast(&pool->changed);
    (void)pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < count; i++)
        close_one(pool, idle[i]);
    if (is_broken) {
        close_one(pool, pg);
        wake(pool);
    }
}
