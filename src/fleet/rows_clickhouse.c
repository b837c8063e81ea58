/*
 * Rows in ClickHouse, by its HTTP interface; see fleet/rows_db.h, and fleet/rows_remote.h for how
 * it is asked.
 *
 * They lie in a database whose name has the version, and whoever makes it drops those before. There
 * are no transactions and no keys: a run is sent last, so that its rows are there when it is seen,
 * and gets a greater id each time; all but the greatest go then. So where two processes send one
 * run at once, one of both stays. What is dropped is dropped by mutations, which rewrite parts of
 * tables, so that as much goes in one as a statement has room for. Methods are kept once for each
 * run that has them until ClickHouse merges them.
 *
 * Threads of this file make all connections, since those that answer requests may make none
 * (os/sandbox/landlock.h); they end with the database.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/text/out.h"
#include "base/text/percent.h"
#include "base/units.h"
#include "fleet/row_binary.h"
#include "fleet/rows_remote.h"
#include "fleet/rows_sql.h"
#include "os/clock.h"
#include "os/file/password_file.h"
#include "os/file/paths.h"
#include "os/network/web.h"
#include "os/process/threads.h"
#include "os/waits.h"

#define END_OF_NAME "_rows_" TV_ROWS_VERSION_NAME

#define URL_CAP 512u
#define NAME_CAP 64u
/* Requests at once, and how many of them may write: those of questions do not wait for them. */
#define THREADS 8u
#define WRITERS 4u
/* An answer about this many runs stays within some ten MiB. */
#define RUNS_AT_ONCE 64u
/* Ids that one statement drops, as text: ClickHouse refuses one of more than 256 KiB. */
#define IDS_MOST ((size_t)128 << 10)
#define ANSWER_MOST ((uint64_t)512 << 20)
/* How long it may take to say what tables there are, which all else begins with: a ClickHouse that
 * hangs is found by that; how long one statement may take for which a request waits, or a pass over
 * all traces; and what is written. */
#define LOOK_S 3u
#define REQUEST_S 4u
#define PASS_S 20u
#define WRITE_S 15u
/* After a statement without an answer none of its kind is sent for a while, which doubles up to
 * ASK_DOUBLINGS_MOST times: questions meanwhile fail at once. So a ClickHouse that hangs holds
 * neither answers nor workers, and one that is back is asked within seconds. What is written has a
 * pause of its own, since it may be all that hangs; it is shorter than that between two passes over
 * all traces, which make what is missing. */
#define ASK_PAUSE_NS ((uint64_t)TV_NS_PER_S)
#define ASK_DOUBLINGS_MOST 3u
#define WRITE_PAUSE_NS (30 * (uint64_t)TV_NS_PER_S)
#define MUTATION_NS (60 * (uint64_t)TV_NS_PER_S)

#define ENGINE(order) ") ENGINE = MergeTree ORDER BY (" order ") SETTINGS index_granularity = 2048"
#define SCHEMA                                                                                     \
    TV_ROWS_SQL_SCHEMA("Int64", "Int64", "String", "String", ENGINE("raw, trace, id"),             \
                       ") ENGINE = ReplacingMergeTree ORDER BY id", ENGINE("run, method, kind"),   \
                       ENGINE("run, path"))

#define KEY_CAP (TV_PASSWORD_CAP + 24)

/* A request on its way to a thread, and its answer. */
struct order {
    struct order *next;
    struct tv_web_request request;
    struct tv_web_answer answer;
    struct tv_buffer url, text; /* what it asks; `text` of a statement with rows */
    struct tv_buffer body;
    char key[KEY_CAP]; /* the header that it is sent with; "": none */
    struct tv_error err;
    enum tv_code code;
    bool writes;
    bool is_done;
};

/* A time in which nothing is sent. */
struct pause {
    uint64_t until_ns;
    unsigned count;       /* pauses since the last answer */
    struct tv_error away; /* why */
};

struct rows {
    const struct tv_alloc *alloc;
    char url[URL_CAP]; /* without a user and a path */
    char database[NAME_CAP];
    char user[NAME_CAP + 24]; /* a header; "": none */
    char password_file[TV_PATH_CAP],
        key[KEY_CAP]; /* the same, of the password; the lock guards it */
    pthread_t threads[THREADS];
    unsigned thread_count;
    pthread_mutex_t lock;
    pthread_cond_t came, done;
    struct order *first;   /* that no thread has taken */
    unsigned writing;      /* threads that write */
    struct pause pause[2]; /* of what asks, and of what writes */
    bool is_ending;
};

/* --- the threads --- */

static enum tv_code failed(const struct order *order, struct tv_error *err)
{
    const int status = order->answer.status;
    const char *reason = order->answer.reason;
    if (order->code == TV_ERR_UNSUPPORTED || order->code == TV_ERR_LIMIT)
        return tv_fail(err, order->code, TV_NO_OFFSET, "ClickHouse: %.150s", order->err.text);
    if (order->code == TV_ERR_AWAY) /* it was not sent */
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "%s", order->err.text);
    if (order->code != TV_OK)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "ClickHouse is away: %.120s",
                       order->err.text);
    if (order->answer.is_worth_another_try)
        return tv_fail(err, TV_ERR_AWAY, TV_NO_OFFSET, "ClickHouse is away: HTTP %d", status);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "ClickHouse cannot use the rows: HTTP %d: %.*s", status,
                   (int)strcspn(reason, "\n"), reason);
}

static bool is_fine(const struct order *order)
{
    return order->code == TV_OK && order->answer.status >= 200 && order->answer.status < 300;
}

/* The first order that a thread may take now, with the lock held; NULL: there is none. */
static struct order *take_first(struct rows *of)
{
    struct order **at = &of->first;
    while (*at && (*at)->writes && of->writing == WRITERS)
        at = &(*at)->next;
    struct order *order = *at;
    if (order)
        *at = order->next;
    return order;
}

/* Notes what the end of an order says of ClickHouse, with the lock held. Several that end together
 * without an answer are one pause. */
static void note_end(struct rows *of, const struct order *order)
{
    struct pause *pause = &of->pause[order->writes];
    const uint64_t now_ns = tv_now_ns();
    struct tv_error why = {.code = TV_OK};
    if (is_fine(order) || failed(order, &why) != TV_ERR_AWAY) {
        *pause = (struct pause){.until_ns = 0};
    } else if (now_ns >= pause->until_ns) {
        pause->away = why;
        pause->until_ns = now_ns + (order->writes ? WRITE_PAUSE_NS : ASK_PAUSE_NS << pause->count);
        pause->count += pause->count < ASK_DOUBLINGS_MOST;
    }
}

/* Reads the password; `key` is "" where there is none. */
static enum tv_code read_key(const struct rows *of, char key[KEY_CAP], struct tv_error *err)
{
    char password[TV_PASSWORD_CAP];
    const enum tv_code code =
        tv_password_read(password, of->password_file, "clickhouse-password-file", of->alloc, err);
    key[0] = '\0';
    if (code == TV_OK && password[0])
        (void)snprintf(key, KEY_CAP, "X-ClickHouse-Key: %s", password);
    tv_password_forget(password, sizeof(password));
    return code;
}

/* Whether the password was refused: by the status, or by ClickHouse's number, since earlier
 * versions have the status 500 for it. */
static bool is_refused(const struct order *order)
{
    const struct tv_str reason = tv_str_from(order->answer.reason);
    return order->code == TV_OK && (order->answer.status == 401 || order->answer.status == 403 ||
                                    tv_str_starts_with(reason, TV_STR("Code: 193")) ||
                                    tv_str_starts_with(reason, TV_STR("Code: 516")));
}

/* Whether the file has another password by now than the order was sent with, as after a change of
 * it. With the lock held but while the file is read. */
static bool take_new_key(struct rows *of, const struct order *order)
{
    char key[KEY_CAP];
    (void)pthread_mutex_unlock(&of->lock);
    const enum tv_code code = read_key(of, key, NULL);
    (void)pthread_mutex_lock(&of->lock);
    const bool is_new = code == TV_OK && strcmp(key, order->key) != 0;
    if (is_new)
        memcpy(of->key, key, KEY_CAP);
    tv_password_forget(key, sizeof(key));
    return is_new;
}

/* Sends the order. The lock is held, but not while the request is under way. */
static void send_once(struct rows *of, struct order *order)
{
    size_t headers = 0;
    memcpy(order->key, of->key, KEY_CAP);
    if (of->user[0])
        order->request.headers[headers++] = of->user;
    if (order->key[0])
        order->request.headers[headers++] = order->key;
    order->request.headers[headers] = NULL;
    (void)pthread_mutex_unlock(&of->lock);
    order->code = tv_web_ask(&order->request, &order->answer, &order->err);
    (void)pthread_mutex_lock(&of->lock);
}

/* Sends an order, and sends it once more if the password has changed. */
static void carry_out(struct rows *of, struct order *order)
{
    const struct pause *pause = &of->pause[order->writes];
    if (tv_now_ns() < pause->until_ns) {
        order->code = TV_ERR_AWAY;
        order->err = pause->away;
        return;
    }
    of->writing += order->writes;
    send_once(of, order);
    if (is_refused(order) && take_new_key(of, order))
        send_once(of, order);
    of->writing -= order->writes;
    note_end(of, order);
}

static void *run(void *arg)
{
    struct rows *of = arg;
    (void)pthread_mutex_lock(&of->lock);
    while (!of->is_ending) {
        struct order *order = take_first(of);
        if (!order) {
            (void)pthread_cond_wait(&of->came, &of->lock);
            continue;
        }
        carry_out(of, order);
        order->is_done = true;
        (void)pthread_cond_broadcast(&of->done);
    }
    (void)pthread_mutex_unlock(&of->lock);
    return NULL;
}

/* Has a thread carry it out. */
static void give(struct rows *of, struct order *order)
{
    struct order **last;
    (void)pthread_mutex_lock(&of->lock);
    for (last = &of->first; *last; last = &(*last)->next)
        continue;
    *last = order;
    (void)pthread_cond_signal(&of->came);
    (void)pthread_mutex_unlock(&of->lock);
}

/* Waits for its end: the request itself has a time. */
static void wait_for(struct rows *of, const struct order *order)
{
    tv_wait_expect();
    (void)pthread_mutex_lock(&of->lock);
    while (!order->is_done)
        (void)pthread_cond_wait(&of->done, &of->lock);
    (void)pthread_mutex_unlock(&of->lock);
}

/* --- a statement --- */

struct statement {
    const char *query; /* in the address; "": the body is the statement */
    struct tv_str body;
    bool has_database; /* it may be without one: there is none yet */
    bool writes;
    unsigned seconds; /* of one that does not write: how long it may take */
};

static enum tv_code address(const struct rows *of, const struct statement *statement,
                            struct tv_buffer *url, struct tv_error *err)
{
    struct tv_out out;
    tv_out_init(&out, tv_buffer_sink(url));
    tv_out_text(&out, tv_str_from(of->url));
    tv_out_text(&out, TV_STR("/?wait_end_of_query=1"));
    if (statement->has_database) {
        tv_out_text(&out, TV_STR("&database="));
        tv_percent_put(&out, tv_str_from(of->database));
    }
    if (statement->query[0]) {
        tv_out_text(&out, TV_STR("&query="));
        tv_percent_put(&out, tv_str_from(statement->query));
    }
    tv_out_bytes(&out, "", 1);
    return tv_out_finish(&out, err);
}

/* Begins a statement, whose text stays until its end. */
static enum tv_code begin_order(struct rows *of, const struct statement *statement,
                                struct order *order, struct tv_error *err)
{
    order->request =
        (struct tv_web_request){.method = "POST",
                                .body = statement->body,
                                .answer = tv_buffer_sink(&order->body),
                                .most = ANSWER_MOST,
                                .whole_s = statement->writes ? WRITE_S : statement->seconds};
    order->writes = statement->writes;
    TV_TRY(address(of, statement, &order->url, err));
    order->request.url = tv_buffer_view(&order->url).at;
    give(of, order);
    return TV_OK;
}

static enum tv_code end_order(struct rows *of, const struct order *order, struct tv_error *err)
{
    wait_for(of, order);
    return is_fine(order) ? TV_OK : failed(order, err);
}

/* The order is released by the caller. */
static enum tv_code send(struct rows *of, const struct statement *statement, struct order *order,
                         struct tv_error *err)
{
    TV_TRY(begin_order(of, statement, order, err));
    return end_order(of, order, err);
}

static struct order *new_order(const struct rows *of, struct tv_error *err)
{
    struct order *order;
    if (tv_alloc_new(of->alloc, &order, 1, sizeof(*order), err) != TV_OK)
        return NULL;
    tv_buffer_init(&order->url, of->alloc);
    tv_buffer_init(&order->text, of->alloc);
    tv_buffer_init(&order->body, of->alloc);
    return order;
}

static void free_order(const struct rows *of, struct order *order)
{
    if (!order)
        return;
    tv_password_forget(order->key, sizeof(order->key));
    tv_buffer_release(&order->url);
    tv_buffer_release(&order->text);
    tv_buffer_release(&order->body);
    tv_alloc_release(of->alloc, &order, 1, sizeof(*order));
}

/* A statement whose answer nobody needs. */
static enum tv_code execute(struct rows *of, const struct statement *statement,
                            struct tv_error *err)
{
    struct order *order = new_order(of, err);
    if (!order)
        return TV_ERR_MEMORY;
    const enum tv_code code = send(of, statement, order, err);
    free_order(of, order);
    return code;
}

static enum tv_code execute_text(struct rows *of, const char *text, bool has_database,
                                 struct tv_error *err)
{
    const struct statement statement = {
        .query = "", .body = tv_str_from(text), .has_database = has_database, .writes = true};
    return execute(of, &statement, err);
}

/* --- a link --- */

struct link {
    struct rows *of;
    const struct tv_fleet_reader *reader; /* NULL: what is asked is a part of writing */
    struct order *order;                  /* the last answer; NULL: there is none */
    struct order *spare;                  /* the one before, for its memory; NULL: there is none */
    struct tv_row_binary rows;
};

static void forget_answer(struct link *link)
{
    tv_row_binary_release(&link->rows);
    if (link->order) {
        free_order(link->of, link->spare);
        link->spare = link->order;
    }
    link->order = NULL;
}

static void end_link(struct link *link)
{
    forget_answer(link);
    free_order(link->of, link->spare);
    link->spare = NULL;
}

/* Returns an order that reuses the memory of an earlier answer, if one is free: an answer has ten
 * MiB, and the kernel would have to clear fresh pages for each. */
static struct order *next_order(struct link *link, struct tv_error *err)
{
    struct order *order = link->spare;
    if (!order)
        return new_order(link->of, err);
    link->spare = NULL;
    *order = (struct order){.url = order->url, .text = order->text, .body = order->body};
    order->url.len = order->text.len = order->body.len = 0;
    return order;
}

static void *begin(void *ctx, struct tv_str text, struct tv_error *err)
{
    static const char form[] = "\nFORMAT RowBinary";
    struct link *link = ctx;
    struct order *order = next_order(link, err);
    if (!order)
        return NULL;
    enum tv_code code = tv_buffer_append(&order->text, text.at, text.len, err);
    if (code == TV_OK)
        code = tv_buffer_append(&order->text, form, sizeof(form) - 1, err);
    const bool is_patient = !link->reader || link->reader->is_patient;
    const struct statement statement = {.query = "",
                                        .body = tv_buffer_view(&order->text),
                                        .has_database = true,
                                        .seconds = is_patient ? PASS_S : REQUEST_S};
    if (code == TV_OK)
        code = begin_order(link->of, &statement, order, err);
    if (code == TV_OK)
        return order;
    free_order(link->of, order);
    return NULL;
}

static enum tv_code take(void *ctx, void *begun, const char *columns, struct tv_error *err)
{
    struct link *link = ctx;
    forget_answer(link);
    link->order = begun;
    TV_TRY(end_order(link->of, link->order, err));
    return tv_row_binary_read(&link->rows, tv_buffer_view(&link->order->body), columns,
                              link->of->alloc, err);
}

/* The thread that carries it out cannot be stopped, so its end is waited for. */
static void drop(void *ctx, void *begun)
{
    const struct link *link = ctx;
    wait_for(link->of, begun);
    free_order(link->of, begun);
}

static enum tv_code ask(void *ctx, struct tv_str text, const char *columns, struct tv_error *err)
{
    void *begun = begin(ctx, text, err);
    return begun ? take(ctx, begun, columns, err) : TV_ERR_MEMORY;
}

static size_t count_rows(const void *ctx)
{
    const struct link *link = ctx;
    return link->rows.count;
}

static int64_t number_of(const void *ctx, size_t row, int column)
{
    const struct link *link = ctx;
    return tv_row_binary_number(&link->rows, row, (size_t)column);
}

static enum tv_code keep(const void *ctx, size_t row, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err)
{
    const struct link *link = ctx;
    return tv_arena_keep(arena, tv_row_binary_text(&link->rows, row, (size_t)column), text, err);
}

static enum tv_code add(void *ctx, struct tv_buffer *rows, const struct tv_sql_value *values,
                        size_t count, struct tv_error *err)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        TV_TRY(tv_row_binary_add(rows, &values[i], err));
    return TV_OK;
}

static enum tv_code insert(void *ctx, const char *into, struct tv_str rows, const char *behind,
                           struct tv_error *err)
{
    const struct link *link = ctx;
    char query[96];
    (void)behind;
    (void)snprintf(query, sizeof(query), "INSERT INTO %s FORMAT RowBinary", into);
    const struct statement statement = {
        .query = query, .body = rows, .has_database = true, .writes = true};
    return execute(link->of, &statement, err);
}

static const char *const rows_in_order[] =
    TV_ROWS_SQL_EACH(TV_ROWS_SQL_OF_RUNS("PREWHERE") TV_ROWS_SQL_IN_ORDER);
static const char *const rows_in_any_order[] = TV_ROWS_SQL_EACH(TV_ROWS_SQL_OF_RUNS("PREWHERE"));
static const char *const rows_of_method[] =
    TV_ROWS_SQL_EACH(TV_ROWS_SQL_OF_RUNS("PREWHERE") TV_ROWS_SQL_OF_METHOD TV_ROWS_SQL_IN_ORDER);

static struct tv_rows_link link_of(struct link *link)
{
    return (struct tv_rows_link){.ctx = link,
                                 .bytes_begin = "unhex('",
                                 .bytes_end = "')",
                                 .rows = rows_in_order,
                                 .rows_in_any_order = rows_in_any_order,
                                 .rows_of_method = rows_of_method,
                                 .ask = ask,
                                 .begin = begin,
                                 .take = take,
                                 .drop = drop,
                                 .count = count_rows,
                                 .number = number_of,
                                 .keep = keep,
                                 .add = add,
                                 .insert = insert};
}

/* --- tables --- */

/* Asks of the whole server. The rows are in the order, and both are released by the caller. */
static enum tv_code ask_server(struct rows *of, const char *text, const char *columns,
                               struct order *order, struct tv_row_binary *rows,
                               struct tv_error *err)
{
    const struct statement statement = {
        .query = "", .body = tv_str_from(text), .has_database = false, .seconds = LOOK_S};
    TV_TRY(send(of, &statement, order, err));
    return tv_row_binary_read(rows, tv_buffer_view(&order->body), columns, of->alloc, err);
}

static enum tv_code ask_number(struct rows *of, const char *text, int64_t *number,
                               struct tv_error *err)
{
    struct tv_row_binary rows = {.count = 0};
    struct order *order = new_order(of, err);
    if (!order)
        return TV_ERR_MEMORY;
    const enum tv_code code = ask_server(of, text, "n", order, &rows, err);
    *number = rows.count ? tv_row_binary_number(&rows, 0, 0) : 0;
    tv_row_binary_release(&rows);
    free_order(of, order);
    return code;
}

/* The last table that is made is there. */
static enum tv_code has_tables(struct rows *of, bool *has, struct tv_error *err)
{
    char text[256];
    int64_t count = 0;
    (void)snprintf(text, sizeof(text),
                   "SELECT toInt64(count()) FROM system.tables WHERE database='%s' AND"
                   " name='context_rows' FORMAT RowBinary",
                   of->database);
    TV_TRY(ask_number(of, text, &count, err));
    *has = count > 0;
    return TV_OK;
}

/* The statements of the schema one by one: ClickHouse takes one at a time. Several processes may
 * make the same tables at once. */
static enum tv_code make_tables(struct rows *of, struct tv_error *err)
{
    struct tv_str rest = tv_str_from(SCHEMA);
    struct tv_str one;
    char text[2048];
    (void)snprintf(text, sizeof(text), "CREATE DATABASE IF NOT EXISTS %s", of->database);
    TV_TRY(execute_text(of, text, false, err));
    while (tv_str_split(&rest, ';', &one)) {
        static const char begin[] = "CREATE TABLE";
        if (!tv_str_starts_with(one, tv_str_from(begin)))
            continue;
        (void)snprintf(text, sizeof(text), "CREATE TABLE IF NOT EXISTS%.*s",
                       (int)(one.len - (sizeof(begin) - 1)), one.at + sizeof(begin) - 1);
        TV_TRY(execute_text(of, text, true, err));
    }
    return TV_OK;
}

/* Whether that is "5_6" or the like, of before this version, or "5", as it was named before indexes
 * had a part in it. Other databases may have names that begin as ours do. */
static bool is_earlier(struct tv_str name)
{
    struct tv_str tables;
    uint64_t of_tables;
    uint64_t of_indexes = 0;
    const bool has_indexes = tv_str_split(&name, '_', &tables) && name.len;
    if (!tv_str_to_u64(tables, 10, &of_tables) ||
        (has_indexes && !tv_str_to_u64(name, 10, &of_indexes)))
        return false;
    return of_tables < TV_ROWS_VERSION ||
           (of_tables == TV_ROWS_VERSION && of_indexes < TV_INDEX_VERSION);
}

/* What cannot be dropped stays, as where the user may not: nothing reads it. */
static void drop_earlier(struct rows *of)
{
    const size_t begin_len = strlen(of->database) - strlen(TV_ROWS_VERSION_NAME);
    char text[256];
    struct tv_row_binary rows = {.count = 0};
    struct order *order = new_order(of, NULL);
    if (!order)
        return;
    (void)snprintf(text, sizeof(text),
                   "SELECT name FROM system.databases WHERE startsWith(name, '%.*s')"
                   " FORMAT RowBinary",
                   (int)begin_len, of->database);
    enum tv_code code = ask_server(of, text, "t", order, &rows, NULL);
    for (size_t i = 0; code == TV_OK && i < rows.count; i++) {
        const struct tv_str name = tv_row_binary_text(&rows, i, 0);
        if (!is_earlier((struct tv_str){name.at + begin_len, name.len - begin_len}))
            continue;
        (void)snprintf(text, sizeof(text), "DROP DATABASE IF EXISTS %.*s", (int)name.len, name.at);
        code = execute_text(of, text, false, NULL);
    }
    tv_row_binary_release(&rows);
    free_order(of, order);
}

static enum tv_code begin_writing(struct rows *of, struct tv_error *err)
{
    bool has;
    TV_TRY(has_tables(of, &has, err));
    if (has)
        return TV_OK;
    TV_TRY(make_tables(of, err));
    drop_earlier(of);
    return TV_OK;
}

/* --- dropping --- */

/* Mutations that were begun are waited for a while, so that who asks next does not see what is
 * about to go; they go on by themselves. */
static enum tv_code wait_for_mutations(struct rows *of, struct tv_error *err)
{
    const uint64_t end_ns = tv_now_ns() + MUTATION_NS;
    char text[256];
    (void)snprintf(text, sizeof(text),
                   "SELECT toInt64(count()) FROM system.mutations WHERE database='%s' AND is_done=0"
                   " FORMAT RowBinary",
                   of->database);
    for (;;) {
        const struct timespec pause = {.tv_nsec = 50 * TV_NS_PER_MS};
        int64_t count;
        TV_TRY(ask_number(of, text, &count, err));
        if (!count || tv_now_ns() > end_ns)
            return TV_OK;
        (void)nanosleep(&pause, NULL);
    }
}

static enum tv_code drop_from(struct rows *of, const char *table, const char *column,
                              const struct tv_buffer *ids, struct tv_error *err)
{
    struct tv_buffer text;
    char head[96];
    tv_buffer_init(&text, of->alloc);
    (void)snprintf(head, sizeof(head), "ALTER TABLE %s DELETE WHERE %s IN (", table, column);
    enum tv_code code = tv_buffer_append(&text, head, strlen(head), err);
    if (code == TV_OK)
        code = tv_buffer_append(&text, ids->bytes, ids->len, err);
    if (code == TV_OK)
        code = tv_buffer_append(&text, ")", 2, err);
    if (code == TV_OK)
        code = execute_text(of, tv_buffer_view(&text).at, true, err);
    tv_buffer_release(&text);
    return code;
}

/* Runs first: a run that is seen has its rows. Names go last, by what is left; those of a run that
 * is being sent come behind its rows, so that they are not among the parts that this looks at
 * unless the rows are, too. The list is empty then. */
static enum tv_code drop_ids(struct rows *of, struct tv_buffer *ids, struct tv_error *err)
{
    if (!ids->len)
        return TV_OK;
    TV_TRY(drop_from(of, "runs", "id", ids, err));
    TV_TRY(drop_from(of, "method_rows", "run", ids, err));
    TV_TRY(drop_from(of, "context_rows", "run", ids, err));
    ids->len = 0;
    TV_TRY(wait_for_mutations(of, err));
    TV_TRY(
        execute_text(of,
                     "ALTER TABLE methods DELETE WHERE id NOT IN (SELECT method FROM method_rows)"
                     " AND id NOT IN (SELECT method FROM context_rows)",
                     true, err));
    return wait_for_mutations(of, err);
}

static int64_t greatest_of(const int64_t *ids, size_t count)
{
    int64_t greatest = 0;
    for (size_t i = 0; i < count; i++)
        greatest = ids[i] > greatest ? ids[i] : greatest;
    return greatest;
}

/* The greatest id of the runs of a key; 0: it has none. */
static enum tv_code find_greatest(struct rows *of, const struct tv_fleet_run_key *key,
                                  int64_t *greatest, struct tv_error *err)
{
    struct link link = {.of = of};
    const struct tv_rows_link as_link = link_of(&link);
    int64_t *ids;
    size_t count;
    const enum tv_code code = tv_rows_find_ids(&as_link, of->alloc, key, 1, &ids, &count, err);
    *greatest = greatest_of(ids, count);
    if (count)
        tv_alloc_release(of->alloc, &ids, count, sizeof(*ids));
    end_link(&link);
    return code;
}

/* Drops the runs of keys, or `but_greatest`, of one key; those that are not dropped yet are left in
 * `list`. */
static enum tv_code drop_keys(struct rows *of, const struct tv_fleet_run_key *keys,
                              size_t key_count, bool but_greatest, struct tv_buffer *list,
                              struct tv_error *err)
{
    struct link link = {.of = of};
    const struct tv_rows_link as_link = link_of(&link);
    int64_t *ids;
    size_t count;
    enum tv_code code = tv_rows_find_ids(&as_link, of->alloc, keys, key_count, &ids, &count, err);
    const int64_t kept = but_greatest ? greatest_of(ids, count) : 0;
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        char text[24];
        if (ids[i] == kept)
            continue;
        (void)snprintf(text, sizeof(text), "%s%lld", list->len ? "," : "", (long long)ids[i]);
        code = tv_buffer_append(list, text, strlen(text), err);
        if (code == TV_OK && list->len >= IDS_MOST)
            code = drop_ids(of, list, err);
    }
    if (count)
        tv_alloc_release(of->alloc, &ids, count, sizeof(*ids));
    end_link(&link);
    return code;
}

/* --- the engine --- */

static enum tv_code put_run(const struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                            const char *index, const struct tv_trace_rows *rows,
                            struct tv_error *err)
{
    struct rows *of = db->ctx;
    struct link link = {.of = of};
    const struct tv_rows_link as_link = link_of(&link);
    struct tv_buffer former;
    int64_t greatest;
    TV_TRY(begin_writing(of, err));
    TV_TRY(find_greatest(of, key, &greatest, err));
    const int64_t id = tv_rows_new_run(key, index, greatest);
    TV_TRY(tv_rows_send(&as_link, key, index, rows, id, "", err));
    /* Of several processes that send this run at once, the last one finds what all of them sent. */
    tv_buffer_init(&former, of->alloc);
    enum tv_code code = drop_keys(of, key, 1, true, &former, err);
    if (code == TV_OK)
        code = drop_ids(of, &former, err);
    tv_buffer_release(&former);
    return code;
}

static enum tv_code drop_runs(const struct tv_fleet_db *db, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_error *err)
{
    struct rows *of = db->ctx;
    struct tv_buffer ids;
    tv_buffer_init(&ids, of->alloc);
    enum tv_code code = begin_writing(of, err);
    for (size_t i = 0, some; code == TV_OK && i < count; i += some) {
        some = tv_rows_keys_at_once(keys + i, count - i);
        code = drop_keys(of, keys + i, some, false, &ids, err);
    }
    if (code == TV_OK)
        code = drop_ids(of, &ids, err);
    tv_buffer_release(&ids);
    return code;
}

struct reading {
    struct tv_rows_reading remote; /* the first: what the shared functions know */
    struct link link;
};

static void close_reader(struct tv_fleet_reader *reader)
{
    struct reading *reading = reader->ctx;
    if (!reading)
        return;
    end_link(&reading->link);
    tv_rows_reading_release(&reading->remote);
    tv_alloc_release(reader->alloc, &reading, 1, sizeof(*reading));
    reader->ctx = NULL;
}

static enum tv_code open_reader(struct tv_fleet_reader *reader, struct tv_error *err)
{
    struct rows *of = reader->db->ctx;
    struct reading *reading;
    bool has;
    TV_TRY(has_tables(of, &has, err));
    if (!has)
        return TV_OK;
    TV_TRY(tv_alloc_new(reader->alloc, &reading, 1, sizeof(*reading), err));
    reader->ctx = reading;
    tv_rows_reading_init(&reading->remote, reader);
    reading->link.of = of;
    reading->link.reader = reader;
    reading->remote.link = link_of(&reading->link);
    reading->remote.runs_at_once = RUNS_AT_ONCE;
    return TV_OK;
}

static void end_threads(struct rows *of)
{
    (void)pthread_mutex_lock(&of->lock);
    of->is_ending = true;
    (void)pthread_cond_broadcast(&of->came);
    (void)pthread_mutex_unlock(&of->lock);
    tv_threads_join(of->threads, of->thread_count);
    (void)pthread_cond_destroy(&of->came);
    (void)pthread_cond_destroy(&of->done);
    (void)pthread_mutex_destroy(&of->lock);
}

static void release(struct rows *of)
{
    tv_password_forget(of->key, sizeof(of->key));
    tv_alloc_release(of->alloc, &of, 1, sizeof(*of));
}

static void close_db(struct tv_fleet_db *db)
{
    struct rows *of = db->ctx;
    end_threads(of);
    release(of);
}

static const struct tv_rows_engine engine = {
    .close = close_db,
    .put = put_run,
    .drop = drop_runs,
    .open_reader = open_reader,
    .close_reader = close_reader,
    .find_runs = tv_rows_remote_find_runs,
    .read_runs = tv_rows_remote_read_runs,
    .read_rows = tv_rows_remote_read_rows,
    .read_method = tv_rows_remote_read_method,
    .find_method = tv_rows_remote_find_method,
};

/* --- opening --- */

static bool is_name(struct tv_str text)
{
    if (!text.len || text.len > NAME_CAP - sizeof(END_OF_NAME))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char letter = text.at[i];
        if (!(letter >= 'a' && letter <= 'z') && !(letter >= 'A' && letter <= 'Z') &&
            !(letter >= '0' && letter <= '9') && letter != '_')
            return false;
    }
    return true;
}

static enum tv_code no_address(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "this is no address of ClickHouse: http://USER@HOST:8123/DATABASE, without a "
                   "password");
}

/* http://[USER@]HOST[:PORT][/DATABASE] */
static enum tv_code take_url(struct rows *of, const char *url, struct tv_error *err)
{
    const struct tv_str scheme = tv_str_starts_with(tv_str_from(url), TV_STR("https://"))
                                     ? TV_STR("https://")
                                     : TV_STR("http://");
    const char *at = url + scheme.len;
    const struct tv_str before_path = {at, strcspn(at, "/?#")};
    const char *path = at + before_path.len;
    const char *user_end = memchr(before_path.at, '@', before_path.len);
    const struct tv_str user = {at, user_end ? (size_t)(user_end - at) : 0};
    const struct tv_str host =
        user_end ? (struct tv_str){user_end + 1, before_path.len - user.len - 1} : before_path;
    const struct tv_str name =
        path[0] == '/' && path[1] ? tv_str_from(path + 1) : TV_STR("traceview");
    if (!tv_str_starts_with(tv_str_from(url), scheme) || !host.len ||
        host.len + scheme.len >= URL_CAP || memchr(host.at, '@', host.len) || !is_name(name) ||
        (user_end && !is_name(user)))
        return no_address(err);
    (void)snprintf(of->url, sizeof(of->url), "%s%.*s", scheme.at, (int)host.len, host.at);
    (void)snprintf(of->database, sizeof(of->database), "%.*s" END_OF_NAME, (int)name.len, name.at);
    if (user_end)
        (void)snprintf(of->user, sizeof(of->user), "X-ClickHouse-User: %.*s", (int)user.len,
                       user.at);
    return TV_OK;
}

static enum tv_code start(struct rows *of, const struct tv_fleet_place *place, struct tv_error *err)
{
    TV_TRY(take_url(of, place->url, err));
    if (place->password_file &&
        snprintf(of->password_file, TV_PATH_CAP, "%s", place->password_file) >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long",
                       place->password_file);
    TV_TRY(read_key(of, of->key, err));
    (void)pthread_mutex_init(&of->lock, NULL);
    (void)pthread_cond_init(&of->came, NULL);
    (void)pthread_cond_init(&of->done, NULL);
    of->thread_count = tv_threads_start(of->threads, THREADS, run, of);
    if (of->thread_count)
        return TV_OK;
    end_threads(of);
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

enum tv_code tv_rows_in_clickhouse(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                                   struct tv_error *err)
{
    struct rows *of;
    TV_TRY(tv_alloc_new(db->alloc, &of, 1, sizeof(*of), err));
    of->alloc = db->alloc;
    const enum tv_code code = start(of, place, err);
    if (code != TV_OK) {
        release(of);
        return code;
    }
    db->ctx = of;
    db->engine = &engine;
    return TV_OK;
}
