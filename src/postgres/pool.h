/*
 * Connections to one database of PostgreSQL, as many as are needed at once and no more than a
 * bound.
 *
 * A thread of the pool makes all connections, and no other one does: the threads that answer
 * requests run where no connection may be made (os/sandbox/landlock.h), and a server that does not
 * answer keeps them no longer than the patience. While the server is away the thread tries again
 * and again, and whoever asks for a connection is told so at once. It also listens: the server says
 * when somebody has notified a channel (LISTEN). Any thread.
 *
 * A server that lets nobody in may want another password than before, so after each try that failed
 * the password is read anew.
 */
#ifndef TV_POSTGRES_POOL_H
#define TV_POSTGRES_POOL_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "postgres/address.h"
#include "postgres/connection.h"

struct tv_pg_pool_opts {
    const struct tv_alloc *alloc;
    struct tv_pg_address *address; /* the pool's until it is closed */
    const char *settings;          /* statements that begin each session; outlives the pool */
    unsigned connections;          /* at most, besides the one that listens */
};
struct tv_pg_pool;

/* Whether the URL may be used: TV_ERR_ARGUMENT where it has a password, which whoever lists
 * processes would see, or is none. TV_ERR_UNSUPPORTED: libpq is not installed. */
enum tv_code tv_pg_check_url(const char *url, struct tv_error *err) TV_MUST_CHECK;

enum tv_code tv_pg_pool_open(struct tv_pg_pool **pool, const struct tv_pg_pool_opts *opts,
                             struct tv_error *err) TV_MUST_CHECK;
/* Nobody has a connection of it any more; may be NULL. */
void tv_pg_pool_close(struct tv_pg_pool *pool);

#define TV_PG_CHANNELS 2u
/* Has `notified` called on the pool's thread with the payload whenever somebody notifies the
 * channel; and with NULL after each time that listening begins, since nothing was heard before.
 * `which` is less than TV_PG_CHANNELS, and its `channel` static and always the same; `notified`
 * NULL: nothing is called any more. */
void tv_pg_pool_listen(struct tv_pg_pool *pool, unsigned which, const char *channel,
                       void (*notified)(void *ctx, const char *payload), void *ctx);

/* A connection for the caller alone until it is given back. TV_ERR_AWAY: there is none until
 * `end_ns`, or the server has been away for longer than a restart takes. */
enum tv_code tv_pg_pool_take(struct tv_pg_pool *pool, uint64_t end_ns, struct tv_pg **pg,
                             struct tv_error *err) TV_MUST_CHECK;
/* A connection that is broken is closed, and with it those that wait: what broke it broke them. */
void tv_pg_pool_give(struct tv_pg_pool *pool, struct tv_pg *pg);

#endif
