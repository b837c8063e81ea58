/*
 * Transactions that are tried again; see postgres/turn.h.
 *
 * The server itself ends a statement that takes too long, a little before the client gives the
 * connection up, so that the connection can be used again. A connection that the client gives up is
 * lost: the server hangs.
 */
#include "postgres/turn.h"

#include <time.h>

#include "base/units.h"
#include "os/clock.h"
#include "os/waits.h"

/* How long all tries together may take. A request has to be answered within five seconds, and its
 * answer needs a moment. So all transactions of a request share REQUEST_NS; one that begins after
 * that still gets LATE_NS. */
#define REQUEST_NS (3500 * (uint64_t)TV_NS_PER_MS)
#define LATE_NS (300 * (uint64_t)TV_NS_PER_MS)
#define PATIENT_NS (75 * (uint64_t)TV_NS_PER_S)
#define ENDLESS_NS (600 * (uint64_t)TV_NS_PER_S)
/* How long one try may go without an answer; above the session's statement_timeout. */
#define TRY_NS (3000 * (uint64_t)TV_NS_PER_MS)
#define TRIES_MOST 40u
#define PAUSE_NS 20000000u /* before the second try; each later pause is longer by this */
#define PAUSES_MOST 10u

/* What is left for a transaction of a request, or of nobody's. The wait for a thread counts, too.
 */
static uint64_t left_of_request(void)
{
    const uint64_t waited_ns = tv_waits_of(TV_WAIT_THREAD) + tv_waits_of(TV_WAIT_DATABASE);
    return waited_ns + LATE_NS < REQUEST_NS ? REQUEST_NS - waited_ns : LATE_NS;
}

struct tv_pg_turn tv_pg_turn(struct tv_pg_pool *pool, enum tv_pg_turn_kind kind)
{
    static const uint64_t patience_ns[] = {
        [TV_PG_PATIENT] = PATIENT_NS, [TV_PG_ENDLESS] = ENDLESS_NS};
    const uint64_t now_ns = tv_now_ns();
    return (struct tv_pg_turn){
        .pool = pool,
        .kind = kind,
        .begun_ns = now_ns,
        .end_ns = now_ns + (kind < TV_PG_PATIENT ? left_of_request() : patience_ns[kind])};
}

static enum tv_code begin(struct tv_pg_turn *turn)
{
    static const char *const texts[] = {
        [TV_PG_TRANSACTION] = "BEGIN",
        [TV_PG_PATIENT] = "BEGIN; SET LOCAL statement_timeout='60s'; SET LOCAL lock_timeout='10s'",
        [TV_PG_ENDLESS] = "BEGIN; SET LOCAL statement_timeout=0; SET LOCAL lock_timeout=0"};
    return texts[turn->kind] ? tv_pg_execute(turn->pg, texts[turn->kind], &turn->err) : TV_OK;
}

/* Takes a connection for a try. A server that is away is waited for in there. */
static bool begin_try(struct tv_pg_turn *turn)
{
    while (turn->tries++ < TRIES_MOST) {
        uint64_t now_ns = tv_now_ns();
        turn->code = tv_pg_pool_take(turn->pool, now_ns < turn->end_ns ? turn->end_ns : now_ns,
                                     &turn->pg, &turn->err);
        if (turn->code != TV_OK)
            return false;
        now_ns = tv_now_ns();
        turn->pg->may_be_tried = false;
        turn->pg->end_ns = turn->end_ns;
        if (turn->kind < TV_PG_PATIENT && now_ns + TRY_NS < turn->end_ns)
            turn->pg->end_ns = now_ns + TRY_NS;
        /* A try that is given up before TRY_NS does not show that the server hangs. */
        turn->pg->is_hurried = turn->pg->end_ns < now_ns + TRY_NS;
        turn->code = begin(turn);
        if (turn->code == TV_OK)
            return true;
        /* The connection was dead before anything was asked. */
        bool goes_on = turn->pg->is_broken && turn->pg->may_be_tried;
        turn->pg->is_broken = true;
        tv_pg_pool_give(turn->pool, turn->pg);
        turn->pg = NULL;
        if (!goes_on)
            return false;
    }
    return false;
}

/* Ends a transaction, and gives its connection back. */
static void end_try(struct tv_pg_turn *turn)
{
    struct tv_pg *pg = turn->pg;
    bool is_commit = turn->code == TV_OK;
    if (turn->kind != TV_PG_STATEMENT && is_commit)
        turn->code = tv_pg_execute(pg, "COMMIT", &turn->err);
    else if (turn->kind != TV_PG_STATEMENT && !pg->is_broken &&
             tv_pg_execute(pg, "ROLLBACK", NULL) != TV_OK)
        pg->is_broken = true;
    /* Of a statement alone, too, it is not known whether it was the last thing that the server
     * did. */
    if (turn->code != TV_OK && pg->is_broken && (is_commit || turn->kind == TV_PG_STATEMENT))
        turn->is_unsure = true;
}

static void pause_before(unsigned tries)
{
    const struct timespec pause = {.tv_nsec =
                                       PAUSE_NS * (tries < PAUSES_MOST ? tries : PAUSES_MOST)};
    (void)nanosleep(&pause, NULL);
}

bool tv_pg_turn_tries(struct tv_pg_turn *turn)
{
    if (!turn->pg)
        return begin_try(turn);
    end_try(turn);
    bool goes_on =
        turn->code == TV_ERR_AWAY && turn->pg->may_be_tried && tv_now_ns() < turn->end_ns;
    tv_pg_pool_give(turn->pool, turn->pg);
    turn->pg = NULL;
    if (!goes_on)
        return false;
    pause_before(turn->tries);
    return begin_try(turn);
}

enum tv_code tv_pg_turn_end(const struct tv_pg_turn *turn, struct tv_error *err)
{
    tv_waits_note(TV_WAIT_DATABASE, turn->begun_ns);
    if (turn->code != TV_OK && err)
        *err = turn->err;
    return turn->code;
}
