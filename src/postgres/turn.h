/*
 * A short transaction that is tried again where the server was restarted, or another transaction
 * was in the way:
 *
 *     struct tv_pg_turn turn = tv_pg_turn(pool, TV_PG_TRANSACTION);
 *     while (tv_pg_turn_tries(&turn))
 *         turn.code = change(turn.pg, ..., &turn.err);
 *     return tv_pg_turn_end(&turn, err);
 *
 * So what stands in the loop may run several times, also after a try whose end was not heard of:
 * it may have changed what it was to change (`is_unsure`). All tries together take no longer than
 * the patience, and all transactions of one request share it (os/waits.h); TV_ERR_AWAY tells that
 * the server did not answer meanwhile. One thread.
 */
#ifndef TV_POSTGRES_TURN_H
#define TV_POSTGRES_TURN_H

#include "postgres/pool.h"

enum tv_pg_turn_kind {
    TV_PG_STATEMENT,   /* one statement, which is a transaction by itself; or some that only read */
    TV_PG_TRANSACTION, /* for as long as a request may wait */
    TV_PG_PATIENT,     /* a transaction of housekeeping, whose statements may take a minute */
    TV_PG_ENDLESS      /* that changes the schema: ten minutes */
};

struct tv_pg_turn {
    struct tv_pg_pool *pool;
    enum tv_pg_turn_kind kind;
    struct tv_pg *pg; /* the connection, inside the loop */
    enum tv_code code;
    struct tv_error err;
    bool is_unsure; /* an earlier try may have been committed */
    uint64_t begun_ns, end_ns;
    unsigned tries;
};

struct tv_pg_turn tv_pg_turn(struct tv_pg_pool *pool, enum tv_pg_turn_kind kind);
bool tv_pg_turn_tries(struct tv_pg_turn *turn);
/* Is called after the loop: returns its code, and sets the error where that is a failure. */
enum tv_code tv_pg_turn_end(const struct tv_pg_turn *turn, struct tv_error *err) TV_MUST_CHECK;

#endif
