/*
 * Statements on one connection; see postgres/connection.h.
 *
 * Each failure of PostgreSQL becomes one error of ours in one place (failed), by its SQLSTATE: a
 * full disk, a server that is away, a transaction that another one was in the way of. Of what the
 * server says only the first line is taken: its details may have what stands in the rows.
 */
#include "postgres/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "os/clock.h"

/* PostgreSQL 15; earlier ones were not tried. */
#define LEAST_VERSION 150000

/* --- what goes wrong --- */

static bool is_state(const char *state, const char *beginning)
{
    return strncmp(state, beginning, strlen(beginning)) == 0;
}

/* The server ends, or is not up yet: the connection is of no more use, and another one may be. */
static bool is_shutdown(const char *state)
{
    return is_state(state, "57P") || is_state(state, "08");
}

/* Another transaction was in the way, so the same may succeed a moment later. */
static bool is_conflict(const char *state)
{
    return is_state(state, "40") || is_state(state, "55P03");
}

/* What passes by itself: time-outs, a lack of connections or memory, a standby that is no server
 * yet. */
static bool is_passing(const char *state)
{
    return is_state(state, "57014") || is_state(state, "53") || is_state(state, "25006") ||
           is_state(state, "25P03");
}

static enum tv_code away(struct tv_error *err, const char *what)
{
    int len = (int)strcspn(what, "\n");
    return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "the database of the store is away: %.*s", len,
                   what);
}

static enum tv_code lost(struct tv_pg *pg, struct tv_error *err)
{
    pg->is_broken = pg->may_be_tried = true;
    return away(err, pg->libpq->at_PQerrorMessage(pg->conn));
}

static enum tv_code timed_out(struct tv_pg *pg, struct tv_error *err)
{
    pg->is_broken = pg->has_timed_out = true;
    return away(err, "it does not answer");
}

/* The result is that of a statement that failed. */
static enum tv_code failed(struct tv_pg *pg, const PGresult *result, struct tv_error *err)
{
    const char *state = pg->libpq->at_PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *what = pg->libpq->at_PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (!state || !what)
        return lost(pg, err);
    if (is_state(state, "53100"))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the store has no room: the disk is full");
    pg->is_broken = pg->is_broken || is_shutdown(state);
    pg->may_be_tried = is_shutdown(state) || is_conflict(state);
    if (pg->may_be_tried || is_passing(state))
        return away(err, what);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "PostgreSQL cannot use the database of the store: %.150s", what);
}

/* --- waiting --- */

/* Waits until the socket is ready; false: the deadline came before. */
static bool wait_for(const struct tv_pg *pg, short events)
{
    for (;;) {
        uint64_t now_ns = tv_now_ns();
        if (now_ns >= pg->end_ns)
            return false;
        struct pollfd socket = {.fd = pg->libpq->at_PQsocket(pg->conn), .events = events};
        uint64_t left_ms = (pg->end_ns - now_ns) / TV_NS_PER_MS + 1;
        int ready = poll(&socket, 1, left_ms < 60000 ? (int)left_ms : 60000);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return true; /* what is wrong with the socket libpq tells */
    }
}

/* Brings what was sent to the socket. A server that sends meanwhile is read, or both ends would
 * wait for each other. */
static enum tv_code flush(struct tv_pg *pg, struct tv_error *err)
{
    int left;
    while ((left = pg->libpq->at_PQflush(pg->conn)) > 0) {
        if (!wait_for(pg, POLLIN | POLLOUT))
            return timed_out(pg, err);
        if (!pg->libpq->at_PQconsumeInput(pg->conn))
            return lost(pg, err);
    }
    return left < 0 ? lost(pg, err) : TV_OK;
}

static enum tv_code next_result(struct tv_pg *pg, PGresult **result, struct tv_error *err)
{
    while (pg->libpq->at_PQisBusy(pg->conn)) {
        if (!wait_for(pg, POLLIN))
            return timed_out(pg, err);
        if (!pg->libpq->at_PQconsumeInput(pg->conn))
            return lost(pg, err);
    }
    *result = pg->libpq->at_PQgetResult(pg->conn);
    return TV_OK;
}

static void forget_result(struct tv_pg *pg)
{
    if (pg->result)
        pg->libpq->at_PQclear(pg->result);
    pg->result = NULL;
}

/* Takes all results of what was sent: the last one stays, and the first failure is told. */
static enum tv_code take_results(struct tv_pg *pg, struct tv_error *err)
{
    enum tv_code code = flush(pg, err);
    while (code == TV_OK || !pg->is_broken) {
        PGresult *result = NULL;
        enum tv_code read = next_result(pg, &result, code == TV_OK ? err : NULL);
        if (read != TV_OK && code == TV_OK)
            code = read;
        if (!result)
            break;
        ExecStatusType status = pg->libpq->at_PQresultStatus(result);
        bool is_fine = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        if (code == TV_OK && !is_fine)
            code = failed(pg, result, err);
        forget_result(pg);
        pg->result = result;
    }
    if (code != TV_OK)
        forget_result(pg);
    return code;
}

/* --- connecting --- */

static void say_nothing(void *ctx, const char *notice)
{
    (void)ctx;
    (void)notice;
}

static enum tv_code connect_in_time(struct tv_pg *pg, struct tv_error *err)
{
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        if (next == PGRES_POLLING_FAILED)
            return lost(pg, err);
        if (!wait_for(pg, next == PGRES_POLLING_READING ? POLLIN : POLLOUT))
            return timed_out(pg, err);
        next = pg->libpq->at_PQconnectPoll(pg->conn);
    }
    return TV_OK;
}

/* What the URL says of these is overruled, but for the password: that stands in no URL. */
static PGconn *start(const struct tv_libpq *libpq, const struct tv_pg_target *target)
{
    const char *const names[] = {"dbname",           "application_name", "client_encoding",
                                 "tcp_user_timeout", "password",         NULL};
    const char *const values[] = {target->url, "traceview", "UTF8", "5000", target->password, NULL};
    return libpq->at_PQconnectStartParams(names, values, 1);
}

enum tv_code tv_pg_open(struct tv_pg *pg, const struct tv_libpq *libpq,
                        const struct tv_pg_target *target, uint64_t end_ns, struct tv_error *err)
{
    *pg = (struct tv_pg){.libpq = libpq, .end_ns = end_ns};
    pg->conn = start(libpq, target);
    if (!pg->conn)
        return tv_fail_memory(err, sizeof(*pg));
    if (libpq->at_PQstatus(pg->conn) == CONNECTION_BAD)
        return lost(pg, err);
    TV_TRY(connect_in_time(pg, err));
    (void)libpq->at_PQsetNoticeProcessor(pg->conn, say_nothing, NULL);
    if (libpq->at_PQsetnonblocking(pg->conn, 1) != 0)
        return lost(pg, err);
    int version = libpq->at_PQserverVersion(pg->conn);
    if (version < LEAST_VERSION)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "the database of the store is PostgreSQL %d, and 15 or later is needed",
                       version / 10000);
    return tv_pg_execute(pg, target->settings, err);
}

void tv_pg_close(struct tv_pg *pg)
{
    forget_result(pg);
    if (pg->conn)
        pg->libpq->at_PQfinish(pg->conn);
    pg->conn = NULL;
}

/* --- statements --- */

enum tv_code tv_pg_execute(struct tv_pg *pg, const char *text, struct tv_error *err)
{
    forget_result(pg);
    if (!pg->libpq->at_PQsendQuery(pg->conn, text))
        return lost(pg, err);
    return take_results(pg, err);
}

/* Statements are named by their place in the table. */
static void name_statement(char name[16], size_t i)
{
    (void)snprintf(name, 16, "s%zu", i);
}

static enum tv_code prepare(struct tv_pg *pg, const char *text, char name[16], struct tv_error *err)
{
    size_t i = 0;
    while (i < pg->prepared_count && pg->prepared[i] != text)
        i++;
    name_statement(name, i);
    if (i < pg->prepared_count)
        return TV_OK;
    if (i == TV_PG_STATEMENTS)
        return tv_fail(
            err, TV_ERR_SYSTEM, TV_NO_OFFSET,
            "a fault of this program: one connection has more than %u different statements",
            TV_PG_STATEMENTS);
    if (!pg->libpq->at_PQsendPrepare(pg->conn, name, text, 0, NULL))
        return lost(pg, err);
    TV_TRY(take_results(pg, err));
    pg->prepared[pg->prepared_count++] = text;
    return TV_OK;
}

/* The values as texts with a zero behind each, in one block. */
struct spelled {
    char *room;
    size_t len;
    const char *texts[TV_PG_VALUES_MOST];
};

/* Room for any number, with its sign and its zero. */
#define NUMBER_CAP 24u

static size_t room_of(const struct tv_sql_value *value)
{
    return value->kind == TV_SQL_TEXT ? value->text.len + 1 : NUMBER_CAP;
}

static enum tv_code spell(struct spelled *spelled, const struct tv_sql_value *values, size_t count,
                          struct tv_error *err)
{
    size_t at = 0;
    *spelled = (struct spelled){.len = 1};
    tv_assert(count <= TV_PG_VALUES_MOST);
    for (size_t i = 0; i < count; i++)
        spelled->len += room_of(&values[i]);
    TV_TRY(tv_alloc_new(tv_alloc_libc(), &spelled->room, spelled->len, 1, err));
    for (size_t i = 0; i < count; i++) {
        const struct tv_sql_value *value = &values[i];
        if (value->kind == TV_SQL_NULL)
            continue;
        spelled->texts[i] = spelled->room + at;
        if (value->kind == TV_SQL_INT)
            (void)snprintf(spelled->room + at, NUMBER_CAP, "%lld", (long long)value->number);
        else if (value->text.len)
            memcpy(spelled->room + at, value->text.at, value->text.len);
        at += room_of(value);
    }
    return TV_OK;
}

enum tv_code tv_pg_query(struct tv_pg *pg, const char *text, const struct tv_sql_value *values,
                         size_t count, struct tv_error *err)
{
    struct spelled spelled;
    char name[16];
    forget_result(pg);
    TV_TRY(prepare(pg, text, name, err));
    TV_TRY(spell(&spelled, values, count, err));
    int sent =
        pg->libpq->at_PQsendQueryPrepared(pg->conn, name, (int)count, spelled.texts, NULL, NULL, 0);
    tv_alloc_release(tv_alloc_libc(), &spelled.room, spelled.len, 1);
    return sent ? take_results(pg, err) : lost(pg, err);
}

enum tv_code tv_pg_run(struct tv_pg *pg, const char *text, const struct tv_sql_value *values,
                       size_t count, uint64_t *changed, struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg, text, values, count, err));
    if (changed)
        *changed = strtoull(pg->libpq->at_PQcmdTuples(pg->result), NULL, 10);
    return TV_OK;
}

enum tv_code tv_pg_numbers(struct tv_pg *pg, const char *text, const struct tv_sql_value *values,
                           size_t count, int64_t *numbers, size_t number_count, bool *has,
                           struct tv_error *err)
{
    memset(numbers, 0, number_count * sizeof(*numbers));
    TV_TRY(tv_pg_query(pg, text, values, count, err));
    *has = tv_pg_row_count(pg) > 0;
    for (size_t i = 0; *has && i < number_count; i++)
        numbers[i] = tv_pg_number(pg, 0, (int)i);
    return TV_OK;
}

size_t tv_pg_row_count(const struct tv_pg *pg)
{
    return pg->result ? (size_t)pg->libpq->at_PQntuples(pg->result) : 0;
}

struct tv_str tv_pg_text(const struct tv_pg *pg, size_t row, int column)
{
    return (struct tv_str){pg->libpq->at_PQgetvalue(pg->result, (int)row, column),
                           (size_t)pg->libpq->at_PQgetlength(pg->result, (int)row, column)};
}

int64_t tv_pg_number(const struct tv_pg *pg, size_t row, int column)
{
    const char *text = pg->libpq->at_PQgetvalue(pg->result, (int)row, column);
    return strcmp(text, "t") == 0 ? 1 : strtoll(text, NULL, 10);
}

enum tv_code tv_pg_keep(const struct tv_pg *pg, size_t row, int column, struct tv_arena *arena,
                        struct tv_str *text, struct tv_error *err)
{
    return tv_arena_keep(arena, tv_pg_text(pg, row, column), text, err);
}

void tv_pg_copy(const struct tv_pg *pg, size_t row, int column, char *room, size_t cap)
{
    struct tv_str text = tv_pg_text(pg, row, column);
    size_t len = text.len < cap ? text.len : cap - 1;
    if (len)
        memcpy(room, text.at, len);
    room[len] = '\0';
}
