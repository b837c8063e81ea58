/*
 * One connection to PostgreSQL: statements with a deadline, and the rows of the last one.
 *
 * No call waits longer than the deadline, whatever the server or the network does: libpq is used
 * without blocking, and waiting is poll(2). A connection that was left in the middle of a statement
 * is broken, and of no further use. One thread at a time.
 */
#ifndef TV_POSTGRES_CONNECTION_H
#define TV_POSTGRES_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/sql_value.h"
#include "postgres/libpq.h"

#define TV_PG_STATEMENTS 128u
#define TV_PG_VALUES_MOST 32u

struct tv_pg {
    const struct tv_libpq *libpq;
    PGconn *conn;
    PGresult *result;   /* of the last statement; NULL: it failed, or there was none */
    uint64_t end_ns;    /* the deadline, of tv_now_ns() */
    bool is_broken;     /* it answers no more */
    bool may_be_tried;  /* what failed may succeed when the whole transaction is tried again */
    bool has_timed_out; /* nothing came until the deadline */
    bool is_hurried;    /* the deadline is earlier than that of a server which hangs */
    const char *prepared[TV_PG_STATEMENTS]; /* texts, by their address: they are static */
    size_t prepared_count;
};

struct tv_pg_target {
    const char *url;
    const char *password; /* "": none, or libpq's own files have it */
    const char *settings; /* statements that begin the session */
};
/* Connects; tv_pg_close follows a failure, too. TV_ERR_AWAY: there is no server now. */
enum tv_code tv_pg_open(struct tv_pg *pg, const struct tv_libpq *libpq,
                        const struct tv_pg_target *target, uint64_t end_ns,
                        struct tv_error *err) TV_MUST_CHECK;
void tv_pg_close(struct tv_pg *pg);

/* Statements of any text without values, which are not prepared for another time. */
enum tv_code tv_pg_execute(struct tv_pg *pg, const char *text, struct tv_error *err) TV_MUST_CHECK;
/* One statement with values for $1, $2, ...; its rows stay until the next one. The text is static:
 * it is prepared once for each connection, and found again by its address. */
enum tv_code tv_pg_query(struct tv_pg *pg, const char *text, const struct tv_sql_value *values,
                         size_t count, struct tv_error *err) TV_MUST_CHECK;
/* Runs one statement with values; *changed (may be NULL) is the number of rows that it changed. */
enum tv_code tv_pg_run(struct tv_pg *pg, const char *text, const struct tv_sql_value *values,
                       size_t count, uint64_t *changed, struct tv_error *err) TV_MUST_CHECK;
/* The numbers of the first row; 0 for each NULL, and where there is no row. */
enum tv_code tv_pg_numbers(struct tv_pg *pg, const char *text, const struct tv_sql_value *values,
                           size_t count, int64_t *numbers, size_t number_count, bool *has,
                           struct tv_error *err) TV_MUST_CHECK;

/* Of the last statement. Text of a NULL is empty, its number 0; true is 1. */
size_t tv_pg_row_count(const struct tv_pg *pg);
int64_t tv_pg_number(const struct tv_pg *pg, size_t row, int column);
struct tv_str tv_pg_text(const struct tv_pg *pg, size_t row, int column);
enum tv_code tv_pg_keep(const struct tv_pg *pg, size_t row, int column, struct tv_arena *arena,
                        struct tv_str *text, struct tv_error *err) TV_MUST_CHECK;
/* Copies as much as there is room for, with a NUL. */
void tv_pg_copy(const struct tv_pg *pg, size_t row, int column, char *room, size_t cap);

#endif
