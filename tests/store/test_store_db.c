/* struct tv_store_db: what each implementation promises, asked of each in the list below. Times are
 * made up: T0 is "now" at the start. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#ifdef TV_HAS_POSTGRES
#include "base/units.h"
#include "os/clock.h"
#include "postgres/connection.h"
#include "store/postgres/postgres_db.h"
#endif
#include "store/list_query.h"
#include "store/sqlite/sqlite_db.h"
#include "store/store_db.h"
#include "support/postgres_cluster.h"

#define T0 ((int64_t)1700000000)
#define DAY ((int64_t)86400)

struct implementation {
    const char *name;
    enum tv_code (*open)(struct tv_store_db *db, const char *dir);
    /* Gives an upload, which has none, that many parts of one byte each: what as many calls of
     * add_part would leave, in one step. */
    void (*fill)(const char *dir, const struct tv_id *upload, const struct tv_hash *file,
                 unsigned count);
    /* Gives the store that many copies of a trace, with the first eight digits of its id, and its
     * labels, in one step. */
    void (*multiply)(const char *dir, const struct tv_id *trace, unsigned count);
};

/* The build whose figures a store that is opened tells. */
static const char *indexes = "build-1";

static enum tv_code open_sqlite(struct tv_store_db *db, const char *dir)
{
    char path[96];
    (void)snprintf(path, sizeof(path), "%s/store.sqlite", dir);
    return tv_sqlite_db_open(
        db, &(struct tv_sqlite_opening){.path = path, .may_make = true, .indexes = indexes},
        tv_alloc_libc(), NULL);
}

static void execute_sqlite(const char *dir, const char *statement)
{
    char path[96];
    sqlite3 *database;
    (void)snprintf(path, sizeof(path), "%s/store.sqlite", dir);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, statement, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(database));
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void fill_sqlite(const char *dir, const struct tv_id *upload, const struct tv_hash *file,
                        unsigned count)
{
    char statement[512];
    (void)snprintf(statement, sizeof(statement),
                   "WITH RECURSIVE place(at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM place"
                   " WHERE at + 1 < %u)"
                   " INSERT INTO parts(trace, at, bytes, file)"
                   " SELECT '%s', at, 1, '%s' FROM place",
                   count, upload->hex, file->hex);
    execute_sqlite(dir, statement);
}

/* The copies get their ids in a table of their own, since a statement that named all columns would
 * have to know them. */
static void multiply_sqlite(const char *dir, const struct tv_id *trace, unsigned count)
{
    char statement[1024];
    (void)snprintf(statement, sizeof(statement),
                   "BEGIN;"
                   "CREATE TABLE copies AS SELECT traces.* FROM traces, (WITH RECURSIVE place(at)"
                   " AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < %u)"
                   " SELECT at FROM place) WHERE id='%s';"
                   "UPDATE copies SET id=printf('%.8s%%024x', rowid + 4096);"
                   "INSERT INTO traces SELECT * FROM copies;"
                   "INSERT INTO labels SELECT copies.id, key, value FROM copies, labels"
                   " WHERE trace='%s';"
                   "DROP TABLE copies; COMMIT",
                   count, trace->hex, trace->hex, trace->hex);
    execute_sqlite(dir, statement);
}

#ifdef TV_HAS_POSTGRES
/* The folder of the cluster that this program has started; "": none. */
static char cluster[TV_CLUSTER_CAP];

/* Statements of any text in a database of the cluster. */
static enum tv_code execute(const char *database, const char *text)
{
    struct tv_libpq libpq;
    struct tv_pg pg = {.conn = NULL};
    char url[256];
    (void)snprintf(url, sizeof(url), "postgres://postgres@/%s?host=%s", database, cluster);
    const struct tv_pg_target target = {
        .url = url, .password = "", .settings = "SET search_path=traceview"};
    if (tv_libpq_load(&libpq, NULL) != TV_OK)
        return TV_ERR_UNSUPPORTED;
    enum tv_code code =
        tv_pg_open(&pg, &libpq, &target, tv_now_ns() + 30 * (uint64_t)TV_NS_PER_S, NULL);
    if (code == TV_OK)
        code = tv_pg_execute(&pg, text, NULL);
    tv_pg_close(&pg);
    return code;
}

/* A folder of a test has a database of its own. */
static void name_database(const char *dir, char name[96])
{
    (void)snprintf(name, 96, "%s", dir + 1);
    for (char *at = name; *at; at++)
        *at = *at == '/' ? '-' : *at;
}

static enum tv_code open_postgres(struct tv_store_db *db, const char *dir)
{
    char name[96];
    char text[128];
    char url[256];
    struct tv_error err;
    name_database(dir, name);
    (void)snprintf(text, sizeof(text), "CREATE DATABASE \"%s\"", name);
    (void)execute("postgres", text); /* it fails where it is there */
    (void)snprintf(url, sizeof(url), "postgres://postgres@/%s?host=%s", name, cluster);
    enum tv_code code = tv_postgres_db_open(
        db, &(struct tv_postgres_opening){.url = url, .may_make = true, .indexes = indexes},
        tv_alloc_libc(), &err);
    if (code != TV_OK)
        print_error("%s\n", err.text);
    return code;
}

static void fill_postgres(const char *dir, const struct tv_id *upload, const struct tv_hash *file,
                          unsigned count)
{
    char name[96];
    char text[512];
    name_database(dir, name);
    (void)snprintf(text, sizeof(text),
                   "INSERT INTO parts(trace, at, bytes, file)"
                   " SELECT '%s', at, 1, '%s' FROM generate_series(0, %u) AS place(at)",
                   upload->hex, file->hex, count - 1);
    assert_int_equal(execute(name, text), TV_OK);
}

static void multiply_postgres(const char *dir, const struct tv_id *trace, unsigned count)
{
    char name[96];
    char text[768];
    name_database(dir, name);
    (void)snprintf(text, sizeof(text),
                   "INSERT INTO traces SELECT (jsonb_populate_record(traces, jsonb_build_object("
                   " 'id', '%.8s' || lpad(to_hex(at + 4096), 24, '0')))).*"
                   " FROM traces, generate_series(1, %u) AS place(at) WHERE id='%s';"
                   "INSERT INTO labels SELECT traces.id, key, value FROM traces, labels"
                   " WHERE trace='%s' AND traces.id LIKE '%.8s%%' AND traces.id<>trace",
                   trace->hex, count, trace->hex, trace->hex, trace->hex);
    assert_int_equal(execute(name, text), TV_OK);
}
#endif

static const struct implementation implementations[] = {
    {"sqlite", open_sqlite, fill_sqlite, multiply_sqlite},
#ifdef TV_HAS_POSTGRES
    {"postgres", open_postgres, fill_postgres, multiply_postgres},
#endif
};

struct fixture {
    const struct implementation *implementation;
    char dir[64];
    struct tv_store_db db;
    struct tv_arena arena;
    struct tv_error err;
};

static int begin(void **state)
{
    struct fixture *fix = calloc(1, sizeof(*fix));
    assert_non_null(fix);
    fix->implementation = *state;
    (void)snprintf(fix->dir, sizeof(fix->dir), "/tmp/traceview-test-XXXXXX");
    assert_non_null(mkdtemp(fix->dir));
    assert_int_equal(fix->implementation->open(&fix->db, fix->dir), TV_OK);
    tv_arena_init(&fix->arena, tv_alloc_libc());
    *state = fix;
    return 0;
}

/* Every test leaves a database without damage. */
static int end(void **state)
{
    struct fixture *fix = *state;
    struct tv_buffer faults;
    char command[128];
    tv_buffer_init(&faults, tv_alloc_libc());
    assert_int_equal(fix->db.check(fix->db.ctx, &faults, NULL), TV_OK);
    assert_int_equal(faults.len, 0);
    tv_buffer_release(&faults);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", fix->dir);
    fix->db.close(fix->db.ctx);
    tv_arena_release(&fix->arena);
    free(fix);
    return system(command);
}

#define CALL(function, ...) fix->db.function(fix->db.ctx, __VA_ARGS__, &fix->err)

/* Names that tests can tell apart: the number, padded with a letter of its kind. */
static struct tv_hash hash(unsigned number)
{
    struct tv_hash hash;
    (void)snprintf(hash.hex, sizeof(hash.hex), "%08x%056x", number, 0xfu);
    return hash;
}

static struct tv_id id(unsigned number)
{
    struct tv_id id;
    (void)snprintf(id.hex, sizeof(id.hex), "%08x%024x", number, 0xau);
    return id;
}

static struct tv_trace_row row_of(unsigned number, unsigned raw)
{
    struct tv_trace_row row = {.id = id(number),
                               .raw = hash(raw),
                               .md5 = "0123456789ABCDEF0123456789ABCDEF",
                               .bytes = 100,
                               .file_name = TV_STR("app.trace"),
                               .title = TV_STR("Start of the app"),
                               .created = T0,
                               .owner = hash(1000),
                               .address = hash(2000)};
    return row;
}

static void add(struct fixture *fix, const struct tv_trace_row *row)
{
    assert_int_equal(CALL(claim_file, &row->raw, row->bytes, T0), TV_OK);
    assert_int_equal(CALL(add_trace, row, 0, NULL, NULL), TV_OK);
}

static void add_simple(struct fixture *fix, unsigned number, unsigned raw)
{
    struct tv_trace_row row = row_of(number, raw);
    add(fix, &row);
}

static enum tv_code get(struct fixture *fix, unsigned number, int64_t now, struct tv_trace_row *row)
{
    struct tv_id wanted = id(number);
    return CALL(get_trace, &wanted, now, &fix->arena, row);
}

static void assert_text(struct tv_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at ? text.at : "", expected, text.len);
}

/* ---- Traces ---- */

static void trace_comes_back_as_it_was_added(void **state)
{
    struct fixture *fix = *state;
    struct tv_label labels[] = {{TV_STR("device"), TV_STR("Pixel 6")},
                                {TV_STR("app"), TV_STR("Größe <b>")}};
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row back;
    row.note = TV_STR("a note\nof two lines");
    row.user = TV_STR("ana");
    row.labels = labels;
    row.label_count = 2;
    row.expires = T0 + DAY;
    row.is_raw_shared = true;
    row.is_listed = true;
    add(fix, &row);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_string_equal(back.id.hex, row.id.hex);
    assert_string_equal(back.raw.hex, row.raw.hex);
    assert_string_equal(back.md5, row.md5);
    assert_int_equal(back.bytes, 100);
    assert_text(back.file_name, "app.trace");
    assert_text(back.title, "Start of the app");
    assert_text(back.note, "a note\nof two lines");
    assert_text(back.user, "ana");
    assert_int_equal(back.created, T0);
    assert_int_equal(back.expires, T0 + DAY);
    assert_string_equal(back.owner.hex, row.owner.hex);
    assert_string_equal(back.address.hex, row.address.hex);
    assert_true(back.is_raw_shared && back.is_listed);
    assert_int_equal(back.label_count, 2);
    assert_text(back.labels[0].key, "app");
    assert_text(back.labels[0].value, "Größe <b>");
    assert_text(back.labels[1].key, "device");
}

static void adding_twice_is_adding_once(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1, 1);
    struct tv_store_sums sums;
    add(fix, &row);
    assert_int_equal(CALL(add_trace, &row, 0, NULL, NULL), TV_OK);
    row.raw = hash(2);
    assert_int_equal(CALL(claim_file, &row.raw, 1, T0), TV_OK);
    assert_int_equal(CALL(add_trace, &row, 0, NULL, NULL), TV_ERR_CONFLICT);
    assert_int_equal(CALL(sums, TV_QUOTA_STORE, NULL, &sums), TV_OK);
    assert_int_equal(sums.traces, 1);
}

static void trace_without_its_file_is_refused(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row back;
    assert_int_equal(CALL(add_trace, &row, 0, NULL, NULL), TV_ERR_CONFLICT);
    assert_int_equal(get(fix, 1, T0, &back), TV_ERR_NOT_FOUND);
}

static void what_is_too_long_or_no_text_is_refused(void **state)
{
    struct fixture *fix = *state;
    static char text[TV_STORE_NOTE_MOST + 2];
    struct tv_label twice[] = {{TV_STR("app"), TV_STR("a")}, {TV_STR("app"), TV_STR("b")}};
    struct tv_label many[TV_STORE_LABELS_MOST + 1];
    char keys[TV_STORE_LABELS_MOST + 1][8];
    memset(text, 'x', sizeof(text) - 1);
    for (size_t i = 0; i < TV_STORE_LABELS_MOST + 1; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
        many[i] = (struct tv_label){tv_str_from(keys[i]), TV_STR("")};
    }
    for (unsigned i = 0; i < 13; i++) {
        struct tv_trace_row row = row_of(1, 1);
        struct tv_label label = {TV_STR("k"), TV_STR("v")};
        row.labels = &label;
        row.label_count = 1;
        assert_int_equal(CALL(claim_file, &row.raw, 1, T0), TV_OK);
        switch (i) {
        case 0:
            row.title = (struct tv_str){text, TV_STORE_TITLE_MOST + 1};
            break;
        case 1:
            row.note = (struct tv_str){text, TV_STORE_NOTE_MOST + 1};
            break;
        case 2:
            row.file_name = (struct tv_str){text, TV_STORE_NAME_MOST + 1};
            break;
        case 3:
            row.user = (struct tv_str){text, TV_STORE_NAME_MOST + 1};
            break;
        case 4:
            row.title = TV_STR("\xff");
            break;
        case 5:
            row.title = TV_STR("a\0b");
            break;
        case 6:
            row.title = TV_STR("\xc0\x80");
            break;
        case 7:
            row.title = TV_STR("\xed\xa0\x80");
            break;
        case 8:
            row.title = TV_STR("cut \xe2\x82");
            break;
        case 9:
            label.key = TV_STR("");
            break;
        case 10:
            row.labels = twice;
            row.label_count = 2;
            break;
        case 11:
            row.labels = many;
            row.label_count = TV_STORE_LABELS_MOST + 1;
            break;
        default:
            (void)snprintf(row.id.hex, sizeof(row.id.hex), "..%030x", 1u);
            break;
        }
        assert_int_equal(CALL(add_trace, &row, 0, NULL, NULL), TV_ERR_ARGUMENT);
    }
    struct tv_trace_row row = row_of(1, 1);
    row.note = (struct tv_str){text, TV_STORE_NOTE_MOST};
    row.title = TV_STR("\xf0\x9f\x98\x80 \xe2\x82\xac \xc3\xa9");
    row.labels = many;
    row.label_count = TV_STORE_LABELS_MOST;
    assert_int_equal(CALL(add_trace, &row, 0, NULL, NULL), TV_OK);
}

static void expired_trace_is_not_found(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row back;
    struct tv_id found;
    row.expires = T0 + 10;
    add(fix, &row);
    assert_int_equal(get(fix, 1, T0 + 9, &back), TV_OK);
    assert_int_equal(get(fix, 1, T0 + 10, &back), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(find_md5, &(struct tv_trace_query){.now = T0 + 10}, row.md5, &found),
                     TV_ERR_NOT_FOUND);
}

static void md5_leads_to_the_oldest(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(2, 1);
    struct tv_id found;
    row.created = T0 + 5;
    add(fix, &row);
    add_simple(fix, 9, 1);
    assert_int_equal(CALL(find_md5, &(struct tv_trace_query){.now = T0},
                          "0123456789abcdef0123456789ABCDEF", &found),
                     TV_OK);
    assert_string_equal(found.hex, id(9).hex);
    struct tv_id oldest = id(9);
    assert_int_equal(CALL(drop_trace, &oldest), TV_OK);
    assert_int_equal(CALL(find_md5, &(struct tv_trace_query){.now = T0}, row.md5, &found), TV_OK);
    assert_string_equal(found.hex, id(2).hex);
    assert_int_equal(CALL(find_md5, &(struct tv_trace_query){.now = T0},
                          "0023456789ABCDEF0123456789ABCDEF", &found),
                     TV_ERR_NOT_FOUND);
}

static void change_replaces_only_what_is_given(void **state)
{
    struct fixture *fix = *state;
    struct tv_label labels[] = {{TV_STR("app"), TV_STR("a")}, {TV_STR("build"), TV_STR("7")}};
    struct tv_label other = {TV_STR("device"), TV_STR("d")};
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row back;
    struct tv_str title = TV_STR("another");
    int64_t expires = T0 + DAY;
    bool yes = true;
    row.labels = labels;
    row.label_count = 2;
    add(fix, &row);
    struct tv_trace_change change = {.title = &title};
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_text(back.title, "another");
    assert_text(back.file_name, "app.trace");
    assert_int_equal(back.label_count, 2);
    change = (struct tv_trace_change){.labels = &other,
                                      .label_count = 1,
                                      .expires = &expires,
                                      .is_listed = &yes,
                                      .is_raw_shared = &yes};
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_int_equal(back.label_count, 1);
    assert_text(back.labels[0].key, "device");
    assert_int_equal(back.expires, T0 + DAY);
    assert_true(back.is_listed && back.is_raw_shared);
    assert_text(back.title, "another");
    expires = 0;
    change = (struct tv_trace_change){.expires = &expires, .labels = &other};
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_OK);
    assert_int_equal(get(fix, 1, T0 + 100 * DAY, &back), TV_OK);
    assert_int_equal(back.label_count, 0);
    assert_string_equal(back.owner.hex, row.owner.hex);
}

static void owner_is_another_or_none(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row back;
    struct tv_id which = id(1);
    struct tv_hash owner = hash(7);
    const struct tv_trace_change change = {.owner = &owner};
    add_simple(fix, 1, 1);
    assert_int_equal(CALL(change_trace, &which, T0, &change), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_string_equal(back.owner.hex, owner.hex);
    owner = (struct tv_hash){""};
    assert_int_equal(CALL(change_trace, &which, T0, &change), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_string_equal(back.owner.hex, "");
    owner = (struct tv_hash){"none"};
    assert_int_equal(CALL(change_trace, &which, T0, &change), TV_ERR_ARGUMENT);
}

static void dropped_trace_is_gone(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row back;
    struct tv_trace_change change = {.title = NULL};
    struct tv_id dropped = id(1);
    add_simple(fix, 1, 1);
    assert_int_equal(CALL(drop_trace, &dropped), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(drop_trace, &dropped), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(change_trace, &dropped, T0, &change), TV_ERR_NOT_FOUND);
}

/* ---- Lists ---- */

static size_t list(struct fixture *fix, const struct tv_trace_query *query, char *ids)
{
    struct tv_trace_row rows[16];
    size_t count;
    assert_int_equal(CALL(list_traces, query, &fix->arena, rows, &count), TV_OK);
    for (size_t i = 0; i < count; i++) {
        unsigned number;
        assert_int_equal(sscanf(rows[i].id.hex, "%8x", &number), 1);
        ids[i] = (char)('0' + number);
    }
    ids[count] = '\0';
    return count;
}

/* 1 to 6, each newer than the one before. */
static void add_six(struct fixture *fix)
{
    static const struct {
        const char *title, *file_name, *note, *app, *device;
        unsigned owner;
        const char *user;
        bool is_listed;
    } of[] = {{"Cold start", "a.trace", "", "shop", "Pixel 6", 1, "", true},
              {"Warm start", "b.trace", "slow 100%", "shop", "Pixel 4", 1, "", true},
              {"Scrolling", "c_d.trace", "", "mail", "Pixel 6", 2, "ana", true},
              {"hidden", "e.trace", "", "mail", "", 2, "", false},
              {"gone", "f.trace", "", "mail", "", 1, "", true},
              {"Start again", "cxd.trace", "", "", "", 3, "ana", true}};
    for (unsigned i = 0; i < 6; i++) {
        struct tv_trace_row row = row_of(i + 1, i + 1);
        struct tv_label labels[2] = {{TV_STR("app"), tv_str_from(of[i].app)},
                                     {TV_STR("device"), tv_str_from(of[i].device)}};
        row.title = tv_str_from(of[i].title);
        row.file_name = tv_str_from(of[i].file_name);
        row.note = tv_str_from(of[i].note);
        row.owner = hash(of[i].owner);
        row.user = tv_str_from(of[i].user);
        row.is_listed = of[i].is_listed;
        row.labels = labels;
        row.label_count = *of[i].app ? 2 : 0;
        row.created = T0 + i;
        row.expires = i == 4 ? T0 + 1 : 0;
        add(fix, &row);
    }
}

static void list_has_what_is_asked_for(void **state)
{
    struct fixture *fix = *state;
    struct tv_hash owners[] = {hash(1), hash(3), hash(2)};
    struct tv_label shop = {TV_STR("app"), TV_STR("shop")};
    struct tv_label any_app = {TV_STR("app"), TV_STR("")};
    struct tv_label both[] = {{TV_STR("app"), TV_STR("shop")},
                              {TV_STR("device"), TV_STR("Pixel 6")}};
    /* U+0000 and U+10401 as names of classes have them, and a byte that is no character. */
    struct tv_label no_utf8[] = {{TV_STR("app"), TV_STR("\xc0\x80")},
                                 {TV_STR("app"), TV_STR("\xed\xa0\x81\xed\xb0\x81")},
                                 {TV_STR("app"), TV_STR("\xff")}};
    struct {
        struct tv_trace_query query;
        const char *ids;
    } cases[] = {
        {{.owner_count = 0}, "6321"},
        {{.text = TV_STR("start")}, "621"},
        {{.text = TV_STR("START  again")}, "6"},
        {{.text = TV_STR("pixel 6")}, "31"},
        {{.text = TV_STR("100%")}, "2"},
        {{.text = TV_STR("c_d")}, "3"},
        {{.text = TV_STR("\\")}, ""},
        {{.text = TV_STR("' OR 1=1 --")}, ""},
        {{.labels = &shop, .label_count = 1}, "21"},
        {{.labels = &any_app, .label_count = 1}, "321"},
        {{.owners = owners + 2, .owner_count = 1}, "43"},
        {{.labels = both, .label_count = 2}, "1"},
        {{.labels = &no_utf8[0], .label_count = 1}, ""},
        {{.labels = &no_utf8[1], .label_count = 1}, ""},
        {{.labels = &no_utf8[2], .label_count = 1}, ""},
        {{.owners = owners, .owner_count = 1}, "21"},
        {{.owners = owners, .owner_count = 2}, "621"},
        {{.user = TV_STR("ana")}, "63"},
        {{.is_of_all = true}, "64321"},
        {{.is_of_all = true, .text = TV_STR("start")}, "621"},
        {{.owners = owners, .owner_count = 1, .user = TV_STR("ana"), .text = TV_STR("start")},
         "621"},
    };
    add_six(fix);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char ids[17];
        cases[i].query.now = T0 + 10;
        cases[i].query.most = 16;
        (void)list(fix, &cases[i].query, ids);
        assert_string_equal(ids, cases[i].ids);
    }
}

static void expect_found(struct fixture *fix, const char *words, const char *ids)
{
    const struct tv_trace_query query = {
        .is_of_all = true, .text = tv_str_from(words), .now = T0 + 10, .most = 16};
    char found[17];
    (void)list(fix, &query, found);
    assert_string_equal(found, ids);
}

static void list_finds_words_of_labels_as_they_are(void **state)
{
    struct fixture *fix = *state;
    struct tv_label labels[] = {{TV_STR("app"), TV_STR("shop")},
                                {TV_STR("device"), TV_STR("Pixel 6%")}};
    struct tv_label others[] = {{TV_STR("app"), TV_STR("mail\n\xc3\x89t\xc3\xa9")}};
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_change change = {.labels = others, .label_count = 1};
    row.title = TV_STR("Cold");
    row.labels = labels;
    row.label_count = 2;
    add(fix, &row);
    add_simple(fix, 2, 2);
    expect_found(fix, "SHOP", "1");
    expect_found(fix, "pixel cold 6% shop", "1");
    expect_found(fix, "pixel cold mail", "");
    expect_found(fix, "coldshop", "");
    expect_found(fix, "shoppixel", "");
    expect_found(fix, "device", "");
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_OK);
    expect_found(fix, "shop", "");
    expect_found(fix, "cold l\n\xc3\x89t\xc3\xa9", "1");
    expect_found(fix, "\xc3\xa9T", ""); /* letters of ASCII alone are in either case */
    change.label_count = 0;
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_OK);
    expect_found(fix, "mail", "");
    expect_found(fix, "cold", "1");
    assert_int_equal(CALL(drop_trace, &row.id), TV_OK);
    expect_found(fix, "cold", "");
}

/* More traces have the label than a list begins with (TV_LIST_RARE), so that all are gone through,
 * and each is asked for its label and for words. */
static void list_finds_words_among_a_label_that_many_have(void **state)
{
    struct fixture *fix = *state;
    struct tv_label shop[] = {{TV_STR("app"), TV_STR("shop")},
                              {TV_STR("device"), TV_STR("Pixel 6")}};
    static const struct {
        const char *words, *ids;
    } cases[] = {{"", "21"},           {"pixel", "21"},       {"COLD pixel", "1"},
                 {"pixel warm", "2"},  {"6 shop cold", "1"},  {"coldshop", ""},
                 {"shoppixel", ""},    {"other pixel", ""},   {"other", "77"},
                 {"other shop", "77"}, {"mail", ""},          {"device", ""},
                 {"pix%", ""},         {"app.trace o", "77"}, {"nobody", ""}};
    struct tv_store_sums sums;
    add_six(fix);
    struct tv_trace_row row = row_of(7, 7);
    row.title = TV_STR("Other");
    row.file_name = TV_STR("app.trace");
    row.labels = shop;
    row.label_count = 1;
    row.is_listed = true;
    row.created = T0 - 1;
    add(fix, &row);
    fix->implementation->multiply(fix->dir, &row.id, TV_LIST_RARE + 5);
    assert_int_equal(CALL(sums, TV_QUOTA_STORE, NULL, &sums), TV_OK);
    assert_int_equal(sums.traces, 7 + TV_LIST_RARE + 5);
    for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
        const struct tv_trace_query query = {.is_of_all = i % 2,
                                             .text = tv_str_from(cases[i / 2].words),
                                             .labels = shop,
                                             .label_count = 1,
                                             .now = T0 + 10,
                                             .most = 2};
        char ids[17];
        (void)list(fix, &query, ids);
        assert_string_equal(ids, cases[i / 2].ids);
    }
}

/* Slices are as long as ever: what is left out is not counted. */
static void list_leaves_projects_out(void **state)
{
    struct fixture *fix = *state;
    const struct tv_str seen[] = {TV_STR("lab"), TV_STR("none")};
    struct tv_trace_query query = {.is_of_all = true, .now = T0, .most = 2};
    char ids[17];
    for (unsigned i = 1; i <= 6; i++) {
        struct tv_label label = {i == 6 ? TV_STR("app") : TV_STR("project"),
                                 i % 2 && i < 6 ? TV_STR("lab") : TV_STR("shop")};
        struct tv_trace_row row = row_of(i, 1);
        row.labels = &label;
        row.label_count = 1;
        row.user = i == 2 ? TV_STR("ana") : TV_STR("");
        add(fix, &row);
    }
    (void)list(fix, &query, ids);
    assert_string_equal(ids, "65");
    query.projects = seen;
    query.project_count = 2;
    query.after_created = T0;
    query.after_id = id(5);
    (void)list(fix, &query, ids);
    assert_string_equal(ids, "31");
    query.reader = TV_STR("ana");
    (void)list(fix, &query, ids);
    assert_string_equal(ids, "32");
}

/* What no list shows is told to whoever starts the site, those first that most traces have. */
static void traces_of_other_projects_are_counted(void **state)
{
    struct fixture *fix = *state;
    const struct tv_str known[] = {TV_STR("shop"), TV_STR("empty")};
    static const char *const names[] = {"shop", "lab", "lab",    "f",    "e",
                                        "d",    "c",   "b\"'\\", "gone", "map"};
    static const char *const told[] = {"lab", "b\"'\\", "c", "d", "e"};
    struct tv_trace_query query = {.projects = known, .project_count = 2, .now = T0};
    struct tv_other_projects others;
    struct tv_trace_row without = row_of(30, 1);
    add(fix, &without);
    for (unsigned i = 0; i < TV_COUNT_OF(names); i++) {
        const struct tv_label label = {TV_STR("project"), tv_str_from(names[i])};
        struct tv_trace_row row = row_of(i + 1, 1);
        row.labels = &label;
        row.label_count = 1;
        row.expires = strcmp(names[i], "gone") == 0 ? T0 : 0;
        row.kind = strcmp(names[i], "map") == 0 ? TV_KEPT_MAPPING : TV_KEPT_TRACE;
        add(fix, &row);
    }
    assert_int_equal(CALL(find_other_projects, &query, &fix->arena, &others), TV_OK);
    assert_int_equal(others.traces, 7);
    assert_int_equal(others.projects, 6);
    assert_int_equal(others.named, TV_COUNT_OF(told));
    for (size_t i = 0; i < TV_COUNT_OF(told); i++)
        assert_true(tv_str_equal(others.names[i], tv_str_from(told[i])));
    query.project_count = 0;
    assert_int_equal(CALL(find_other_projects, &query, &fix->arena, &others), TV_OK);
    assert_int_equal(others.traces, 8);
}

/* The oldest that may be seen, of three with the same bytes. */
static void md5_leads_to_what_may_be_seen(void **state)
{
    struct fixture *fix = *state;
    const struct tv_str lab = TV_STR("lab");
    const struct tv_hash owner = hash(1001);
    static const char *const projects[] = {"shop", "gone", "lab", NULL};
    struct tv_trace_query query = {.projects = &lab, .project_count = 1, .now = T0};
    struct tv_trace_row rows[TV_COUNT_OF(projects)];
    struct tv_id found;
    for (unsigned i = 0; i < TV_COUNT_OF(projects); i++) {
        const struct tv_label label = {TV_STR("project"),
                                       tv_str_from(projects[i] ? projects[i] : "")};
        rows[i] = row_of(i + 1, 1);
        rows[i].created = T0 - 10 + i;
        rows[i].labels = projects[i] ? &label : NULL;
        rows[i].label_count = projects[i] != NULL;
        rows[i].user = i == 1 ? TV_STR("ana") : TV_STR("");
        rows[i].owner = i == 0 ? owner : hash(2000 + i);
        add(fix, &rows[i]);
    }
    assert_int_equal(CALL(find_md5, &query, rows[0].md5, &found), TV_OK);
    assert_string_equal(found.hex, rows[2].id.hex);
    query.reader = TV_STR("ana");
    assert_int_equal(CALL(find_md5, &query, rows[0].md5, &found), TV_OK);
    assert_string_equal(found.hex, rows[1].id.hex);
    query.owners = &owner;
    query.owner_count = 1;
    assert_int_equal(CALL(find_md5, &query, rows[0].md5, &found), TV_OK);
    assert_string_equal(found.hex, rows[0].id.hex);
    query = (struct tv_trace_query){.projects = &lab, .now = T0};
    assert_int_equal(CALL(find_md5, &query, rows[0].md5, &found), TV_OK);
    assert_string_equal(found.hex, rows[3].id.hex);
    assert_int_equal(CALL(drop_trace, &rows[3].id), TV_OK);
    assert_int_equal(CALL(find_md5, &query, rows[0].md5, &found), TV_ERR_NOT_FOUND);
    query.projects = NULL;
    assert_int_equal(CALL(find_md5, &query, rows[0].md5, &found), TV_OK);
    assert_string_equal(found.hex, rows[0].id.hex);
}

/* The project of new labels must have room for the trace; else all stays as it was. */
static void change_into_a_full_project_is_refused(void **state)
{
    struct fixture *fix = *state;
    struct tv_label label = {TV_STR("project"), TV_STR("shop")};
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row back;
    struct tv_str title = TV_STR("another");
    enum tv_quota_of over = TV_QUOTA_STORE;
    struct tv_trace_change change = {.title = &title,
                                     .labels = &label,
                                     .label_count = 1,
                                     .project_quota = row.bytes - 1,
                                     .over = &over};
    add(fix, &row);
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_ERR_LIMIT);
    assert_int_equal(over, TV_QUOTA_PROJECT);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_int_equal(back.label_count, 0);
    assert_false(tv_str_equal(back.title, title));
    change.project_quota = row.bytes;
    assert_int_equal(CALL(change_trace, &row.id, T0, &change), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_int_equal(back.label_count, 1);
}

static void list_goes_page_by_page(void **state)
{
    struct fixture *fix = *state;
    struct tv_hash owner = hash(1000);
    struct tv_trace_query query = {.owners = &owner, .owner_count = 1, .now = T0, .most = 4};
    char ids[17];
    for (unsigned i = 1; i <= 9; i++) /* of the same second, so the id decides */
        add_simple(fix, i, 1);
    assert_int_equal(list(fix, &query, ids), 4);
    assert_string_equal(ids, "9876");
    query.after_created = T0;
    query.after_id = id(6);
    (void)list(fix, &query, ids);
    assert_string_equal(ids, "5432");
    query.after_id = id(2);
    (void)list(fix, &query, ids);
    assert_string_equal(ids, "1");
}

/* ---- Quotas ---- */

static void quota_is_held_for_each_kind(void **state)
{
    struct fixture *fix = *state;
    enum tv_quota_of over = TV_QUOTA_STORE;
    for (unsigned kind = 0; kind < TV_QUOTA_KINDS; kind++) {
        struct tv_quota quota = {.bytes = {0}};
        struct tv_trace_row row = row_of(100 + kind, 100 + kind);
        struct tv_trace_row next = row_of(200 + kind, 200 + kind);
        struct tv_trace_row back;
        quota.bytes[kind] = kind == TV_QUOTA_STORE ? 150 : 199;
        row.owner = next.owner = hash(3000 + kind);
        row.address = next.address = hash(4000 + kind);
        row.user = next.user = tv_str_from(&"vwxyz"[kind]);
        const struct tv_label project = {TV_STR("project"), row.user};
        row.labels = next.labels = &project;
        row.label_count = next.label_count = 1;
        assert_int_equal(CALL(claim_file, &row.raw, 100, T0), TV_OK);
        assert_int_equal(CALL(add_trace, &row, 0, &quota, &over), TV_OK);
        assert_int_equal(CALL(claim_file, &next.raw, 100, T0), TV_OK);
        assert_int_equal(CALL(add_trace, &next, 0, &quota, &over), TV_ERR_LIMIT);
        assert_int_equal(over, kind);
        assert_int_equal(get(fix, 200 + kind, T0, &back), TV_ERR_NOT_FOUND);
        quota.bytes[kind] = 0;
        quota.traces[kind] = 1;
        assert_int_equal(CALL(add_trace, &next, 0, &quota, &over), TV_ERR_LIMIT);
        assert_int_equal(over, kind);
        quota.traces[kind] = 2 + (kind == TV_QUOTA_STORE ? 0 : 2 * TV_QUOTA_KINDS);
        assert_int_equal(CALL(add_trace, &next, 0, &quota, &over), TV_OK);
    }
}

/* Nobody is held to what all those have who gave no token, address or name. */
static void quota_of_nobody_is_not_held(void **state)
{
    struct fixture *fix = *state;
    struct tv_quota quota = {.bytes = {0, 150, 150, 150, 150}};
    for (unsigned i = 0; i < 3; i++) {
        struct tv_trace_row row = row_of(i, i);
        row.owner = row.address = (struct tv_hash){""};
        assert_int_equal(CALL(claim_file, &row.raw, 100, T0), TV_OK);
        assert_int_equal(CALL(add_trace, &row, 0, &quota, NULL), TV_OK);
    }
}

static void sums_are_of_all_or_of_one(void **state)
{
    struct fixture *fix = *state;
    struct tv_store_sums sums;
    struct tv_trace_row who = row_of(0, 0);
    add_six(fix);
    assert_int_equal(CALL(sums, TV_QUOTA_STORE, NULL, &sums), TV_OK);
    assert_int_equal(sums.traces, 6);
    assert_int_equal(sums.trace_bytes, 600);
    assert_int_equal(sums.files, 6);
    assert_int_equal(sums.file_bytes, 600);
    who.owner = hash(1);
    assert_int_equal(CALL(sums, TV_QUOTA_OWNER, &who, &sums), TV_OK);
    assert_int_equal(sums.traces, 3);
    assert_int_equal(sums.trace_bytes, 300);
    who.user = TV_STR("ana");
    assert_int_equal(CALL(sums, TV_QUOTA_USER, &who, &sums), TV_OK);
    assert_int_equal(sums.traces, 2);
    who.address = hash(9999);
    assert_int_equal(CALL(sums, TV_QUOTA_ADDRESS, &who, &sums), TV_OK);
    assert_int_equal(sums.traces, 0);
}

static uint64_t dropped_bytes(struct fixture *fix, enum tv_quota_of of)
{
    struct tv_store_sums sums;
    struct tv_trace_row who = row_of(0, 0);
    who.user = TV_STR("ana");
    assert_int_equal(CALL(sums, of, &who, &sums), TV_OK);
    return sums.dropped_bytes;
}

static void drop(struct fixture *fix, unsigned number)
{
    struct tv_id gone = id(number);
    assert_int_equal(CALL(drop_trace, &gone), TV_OK);
}

static size_t take_dropped(struct fixture *fix, int64_t now, struct tv_file_row rows[8])
{
    size_t count;
    assert_int_equal(CALL(take_dropped, now, rows, 8, &count), TV_OK);
    return count;
}

/* Whoever uploads and deletes has no more room than who keeps what they uploaded. */
static void what_was_deleted_is_charged_until_it_is_gone(void **state)
{
    static const enum tv_quota_of kinds[] = {TV_QUOTA_ADDRESS, TV_QUOTA_OWNER, TV_QUOTA_USER};
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row next = row_of(2, 2);
    row.user = next.user = TV_STR("ana");
    add(fix, &row);
    drop(fix, 1);
    assert_int_equal(CALL(claim_file, &next.raw, 100, T0), TV_OK);
    for (unsigned i = 0; i < TV_COUNT_OF(kinds); i++) {
        struct tv_quota quota = {.bytes = {0}};
        enum tv_quota_of over = TV_QUOTA_STORE;
        quota.bytes[kinds[i]] = 150;
        assert_int_equal(dropped_bytes(fix, kinds[i]), 100);
        assert_int_equal(CALL(add_trace, &next, 0, &quota, &over), TV_ERR_LIMIT);
        assert_int_equal(over, kinds[i]);
    }
    assert_int_equal(take_dropped(fix, T0 + TV_STORE_DROPPED_S - 1, rows), 0);
    assert_int_equal(take_dropped(fix, T0 + TV_STORE_DROPPED_S, rows), 1);
    assert_string_equal(rows[0].name.hex, row.raw.hex);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 100); /* it is not removed yet */
    assert_int_equal(CALL(forget_file, &row.raw), TV_OK);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 0);
}

/* Of several traces with the same bytes the last one that goes is charged, until there is another
 * one again. */
static void nobody_is_charged_for_bytes_that_a_trace_has(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 1);
    drop(fix, 1);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 0);
    drop(fix, 2);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 100);
    add_simple(fix, 3, 1);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 0);
    assert_int_equal(take_dropped(fix, T0 + DAY, rows), 0);
}

static void refused_bytes_are_dropped_unless_a_trace_has_them(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_hash named = hash(1);
    struct tv_hash refused = hash(2);
    add_simple(fix, 1, 1);
    assert_int_equal(CALL(claim_file, &refused, 30, T0), TV_OK);
    assert_int_equal(CALL(drop_claim, &named), TV_OK);
    assert_int_equal(CALL(drop_claim, &refused), TV_OK);
    assert_int_equal(take_dropped(fix, T0 + TV_STORE_DROPPED_S, rows), 1);
    assert_string_equal(rows[0].name.hex, refused.hex);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 0);
}

static struct tv_file_sums sum_files(struct fixture *fix)
{
    struct tv_file_sums sums;
    assert_int_equal(fix->db.sum_files(fix->db.ctx, &sums, NULL), TV_OK);
    return sums;
}

/* The end of each test compares what is counted with what is there. */
static void files_are_counted_as_they_come_and_go(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 2);
    assert_int_equal(CALL(claim_file, &raw, 100, T0 + 1), TV_OK);
    assert_int_equal(CALL(want_job, &raw, "build-1", "", true, T0, &job), TV_OK);
    struct tv_file_sums sums = sum_files(fix);
    assert_int_equal(sums.files, 2);
    assert_int_equal(sums.bytes, 200);
    assert_int_equal(sums.waiting_bytes, 100);
    assert_false(sums.has_dropped);
    drop(fix, 1);
    assert_true(sum_files(fix).has_dropped);
    assert_int_equal(sum_files(fix).waiting_bytes, 0);
    assert_int_equal(take_dropped(fix, T0 + DAY, rows), 1);
    assert_int_equal(CALL(forget_file, &raw), TV_OK);
    assert_int_equal(sum_files(fix).bytes, 100);
    assert_false(sum_files(fix).has_dropped);
}

/* ---- Uploads ---- */

static struct tv_trace_row upload_of(unsigned number, uint64_t told)
{
    struct tv_trace_row row = row_of(number, 0);
    row.raw = (struct tv_hash){""};
    row.md5[0] = '\0';
    row.bytes = told;
    return row;
}

static void begin_upload(struct fixture *fix, unsigned number, uint64_t told)
{
    struct tv_trace_row row = upload_of(number, told);
    assert_int_equal(CALL(add_trace, &row, T0 + DAY, NULL, NULL), TV_OK);
    assert_int_equal(CALL(add_trace, &row, T0 + DAY, NULL, NULL), TV_OK);
}

static enum tv_code add_part(struct fixture *fix, unsigned upload, uint64_t offset, uint64_t len,
                             unsigned file)
{
    struct tv_id to = id(upload);
    struct tv_part part = {.offset = offset, .len = len, .file = hash(file)};
    assert_int_equal(CALL(claim_file, &part.file, len, T0), TV_OK);
    return CALL(add_part, &to, &part, T0, T0 + 2 * DAY, NULL, NULL);
}

static void upload_becomes_a_trace(void **state)
{
    struct fixture *fix = *state;
    struct tv_id upload_id = id(1);
    struct tv_upload upload;
    struct tv_trace_row back;
    struct tv_part parts[4];
    struct tv_hash raw = hash(77);
    size_t count;
    begin_upload(fix, 1, 30);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK);
    assert_int_equal(add_part(fix, 1, 10, 20, 12), TV_OK);
    assert_int_equal(CALL(get_upload, &upload_id, T0, &fix->arena, &upload), TV_OK);
    assert_int_equal(upload.arrived, 30);
    assert_int_equal(upload.part_count, 2);
    assert_int_equal(upload.trace.bytes, 30);
    assert_int_equal(upload.until, T0 + 2 * DAY);
    assert_text(upload.trace.title, "Start of the app");
    assert_int_equal(CALL(get_parts, &upload_id, 0, parts, 4, &count), TV_OK);
    assert_int_equal(count, 2);
    assert_int_equal(parts[1].offset, 10);
    assert_int_equal(parts[1].len, 20);
    assert_string_equal(parts[1].file.hex, hash(12).hex);
    assert_int_equal(CALL(get_parts, &upload_id, 10, parts, 4, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(get(fix, 1, T0, &back), TV_ERR_NOT_FOUND); /* not before all is there */
    assert_int_equal(CALL(finish_upload, &upload_id, &raw, 30, T0), TV_ERR_CONFLICT);
    assert_int_equal(CALL(claim_file, &raw, 30, T0), TV_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(CALL(finish_upload, &upload_id, &raw, 30, T0), TV_OK);
    assert_int_equal(CALL(note_md5, &raw, "AA"), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
    assert_string_equal(back.raw.hex, raw.hex);
    assert_int_equal(back.bytes, 30);
    assert_string_equal(back.md5, "AA");
    assert_int_equal(CALL(get_upload, &upload_id, T0, &fix->arena, &upload), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(get_parts, &upload_id, 0, parts, 4, &count), TV_OK);
    assert_int_equal(count, 0);
    raw = hash(78);
    assert_int_equal(CALL(finish_upload, &upload_id, &raw, 30, T0), TV_ERR_CONFLICT);
}

/* A program of before told none. */
static void an_upload_has_the_hash_so_far_of_its_last_part(void **state)
{
    struct fixture *fix = *state;
    const struct tv_id to = id(1);
    const char *const so_far[] = {"00ff", "", "abcd01"};
    struct tv_upload upload;
    struct tv_part parts[4];
    size_t count;
    begin_upload(fix, 1, 30);
    assert_int_equal(CALL(get_upload, &to, T0, &fix->arena, &upload), TV_OK);
    assert_string_equal(upload.so_far.hex, "");
    for (unsigned i = 0; i < 3; i++) {
        struct tv_part part = {10 * (uint64_t)i, 10, hash(11 + i), {""}};
        (void)snprintf(part.so_far.hex, sizeof(part.so_far.hex), "%s", so_far[i]);
        assert_int_equal(CALL(claim_file, &part.file, 10, T0), TV_OK);
        assert_int_equal(CALL(add_part, &to, &part, T0, T0 + DAY, NULL, NULL), TV_OK);
        assert_int_equal(CALL(get_upload, &to, T0, &fix->arena, &upload), TV_OK);
        assert_string_equal(upload.so_far.hex, so_far[i]);
    }
    assert_int_equal(CALL(get_parts, &to, 0, parts, 4, &count), TV_OK);
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(parts[i].so_far.hex, so_far[i]);
}

static void offset_that_is_not_the_end_is_refused(void **state)
{
    struct fixture *fix = *state;
    begin_upload(fix, 1, 30);
    assert_int_equal(add_part(fix, 1, 5, 5, 11), TV_ERR_CONFLICT);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK); /* the answer was lost: the same again */
    assert_int_equal(add_part(fix, 1, 0, 10, 12), TV_ERR_CONFLICT);
    assert_int_equal(add_part(fix, 1, 0, 9, 11), TV_ERR_CONFLICT);
    assert_int_equal(add_part(fix, 1, 9, 10, 13), TV_ERR_CONFLICT);
    assert_int_equal(add_part(fix, 1, 11, 10, 13), TV_ERR_CONFLICT);
    assert_int_equal(add_part(fix, 1, 10, 21, 13), TV_ERR_ARGUMENT);
    assert_int_equal(add_part(fix, 1, 10, 0, 13), TV_ERR_ARGUMENT);
    assert_int_equal(add_part(fix, 1, 10, UINT64_MAX, 13), TV_ERR_ARGUMENT);
    assert_int_equal(add_part(fix, 2, 0, 10, 13), TV_ERR_NOT_FOUND);
}

/* The sum of the parts is a signed number of the database, also where no length was told. */
static void a_part_that_no_sum_can_hold_is_refused(void **state)
{
    struct fixture *fix = *state;
    struct tv_id upload = id(1);
    struct tv_part part = {.offset = 10, .len = (uint64_t)INT64_MAX - 9, .file = hash(12)};
    begin_upload(fix, 1, 0);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK);
    assert_int_equal(CALL(claim_file, &part.file, 1, T0), TV_OK);
    assert_int_equal(CALL(add_part, &upload, &part, T0, T0 + DAY, NULL, NULL), TV_ERR_ARGUMENT);
    part.len--;
    assert_int_equal(CALL(add_part, &upload, &part, T0, T0 + DAY, NULL, NULL), TV_OK);
}

/* A client that sends byte by byte must not fill the database with rows. */
static void an_upload_has_ten_thousand_parts_at_most(void **state)
{
    struct fixture *fix = *state;
    const struct tv_id upload = id(1);
    const struct tv_hash file = hash(11);
    begin_upload(fix, 1, 0);
    assert_int_equal(CALL(claim_file, &file, 1, T0), TV_OK);
    fix->implementation->fill(fix->dir, &upload, &file, 9999);
    assert_int_equal(add_part(fix, 1, 9999, 1, 11), TV_OK);
    assert_int_equal(add_part(fix, 1, 10000, 1, 11), TV_ERR_LIMIT);
    assert_string_equal(fix->err.text, "an upload may have 10000 parts");
    assert_int_equal(add_part(fix, 1, 9999, 1, 11), TV_OK); /* the last one, sent again */
}

static void upload_that_is_not_whole_does_not_end(void **state)
{
    struct fixture *fix = *state;
    struct tv_id upload = id(1);
    struct tv_id untold = id(2);
    struct tv_hash raw = hash(77);
    assert_int_equal(CALL(claim_file, &raw, 30, T0), TV_OK);
    begin_upload(fix, 1, 30);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK);
    assert_int_equal(CALL(finish_upload, &upload, &raw, 10, T0), TV_ERR_CONFLICT);
    assert_int_equal(CALL(finish_upload, &upload, &raw, 30, T0), TV_ERR_CONFLICT);
    begin_upload(fix, 2, 0); /* the length was not told: what has arrived is all */
    assert_int_equal(add_part(fix, 2, 0, 10, 11), TV_OK);
    assert_int_equal(CALL(finish_upload, &untold, &raw, 9, T0), TV_ERR_CONFLICT);
    assert_int_equal(CALL(finish_upload, &untold, &raw, 10, T0), TV_OK);
}

static void lapsed_upload_is_not_found(void **state)
{
    struct fixture *fix = *state;
    struct tv_id upload_id = id(1);
    struct tv_upload upload;
    struct tv_part part = {.len = 5, .file = hash(11)};
    begin_upload(fix, 1, 30);
    assert_int_equal(CALL(claim_file, &part.file, 5, T0), TV_OK);
    assert_int_equal(CALL(get_upload, &upload_id, T0 + DAY, &fix->arena, &upload),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(add_part, &upload_id, &part, T0 + DAY, T0 + 2 * DAY, NULL, NULL),
                     TV_ERR_NOT_FOUND);
}

static void parts_count_in_quotas(void **state)
{
    struct fixture *fix = *state;
    struct tv_quota quota = {.bytes = {0, 0, 25, 0}};
    struct tv_id upload = id(1);
    struct tv_part parts[] = {{.len = 20, .file = hash(11)},
                              {.offset = 20, .len = 10, .file = hash(12)}};
    struct tv_upload back;
    enum tv_quota_of over = TV_QUOTA_STORE;
    struct tv_trace_row told = upload_of(2, 26);
    begin_upload(fix, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(CALL(claim_file, &parts[i].file, parts[i].len, T0), TV_OK);
        assert_int_equal(CALL(add_part, &upload, &parts[i], T0, T0 + DAY, &quota, &over),
                         i == 0 ? TV_OK : TV_ERR_LIMIT);
    }
    assert_int_equal(over, TV_QUOTA_OWNER);
    assert_int_equal(CALL(get_upload, &upload, T0, &fix->arena, &back), TV_OK);
    assert_int_equal(back.arrived, 20);
    told.owner = hash(55);
    assert_int_equal(CALL(add_trace, &told, T0 + DAY, &quota, &over), TV_ERR_LIMIT);
}

/* The parts of a trace that is whole are there twice for some seconds, and charged once. */
static void parts_go_when_the_trace_is_whole(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_id uploads[] = {id(1), id(2)};
    struct tv_hash raw = hash(77);
    struct tv_hash only = hash(11);
    begin_upload(fix, 1, 0);
    begin_upload(fix, 2, 0);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK);
    assert_int_equal(add_part(fix, 1, 10, 10, 12), TV_OK);
    assert_int_equal(add_part(fix, 2, 0, 10, 11), TV_OK); /* its only part is the whole */
    assert_int_equal(CALL(finish_upload, &uploads[1], &only, 10, T0), TV_OK);
    assert_int_equal(CALL(claim_file, &raw, 20, T0), TV_OK);
    assert_int_equal(CALL(finish_upload, &uploads[0], &raw, 20, T0), TV_OK);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 0);
    assert_int_equal(take_dropped(fix, T0 + TV_STORE_DROPPED_S, rows), 1);
    assert_string_equal(rows[0].name.hex, hash(12).hex);
}

static void parts_of_a_dropped_upload_are_charged(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    begin_upload(fix, 1, 0);
    begin_upload(fix, 2, 0);
    assert_int_equal(add_part(fix, 1, 0, 10, 11), TV_OK);
    assert_int_equal(add_part(fix, 1, 10, 7, 12), TV_OK);
    assert_int_equal(add_part(fix, 2, 0, 10, 11), TV_OK);
    drop(fix, 1);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_ADDRESS), 7);
    assert_int_equal(take_dropped(fix, T0 + TV_STORE_DROPPED_S, rows), 1);
    assert_string_equal(rows[0].name.hex, hash(12).hex);
}

/* ---- Jobs ---- */

#define LEASE 60

static enum tv_code take(struct fixture *fix, const char *worker, int64_t now, struct tv_job *job)
{
    return CALL(take_job, "build-1", worker, now, LEASE, 2, job);
}

static enum tv_code want(struct fixture *fix, unsigned raw, struct tv_job *job)
{
    struct tv_hash wanted = hash(raw);
    return CALL(want_job, &wanted, "build-1", "", true, T0, job);
}

static void same_raw_file_has_one_job_of_each_build(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    assert_int_equal(want(fix, 1, &job), TV_ERR_NOT_FOUND);
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 1);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(want(fix, 1, &job), TV_OK);
        assert_int_equal(job.state, TV_JOB_QUEUED);
    }
    assert_int_equal(CALL(want_job, &raw, "build-2", "", true, T0, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_string_equal(job.raw.hex, raw.hex);
    assert_string_equal(job.worker, "w1");
    assert_int_equal(job.state, TV_JOB_TAKEN);
    assert_int_equal(job.deadline, T0 + LEASE);
    assert_int_equal(take(fix, "w2", T0, &job), TV_ERR_NOT_FOUND);
}

#ifdef TV_HAS_POSTGRES
/* The server ends the connection at the commit of the first try: a trigger of this test does it,
 * and a sequence, which no transaction takes back, counts the tries. */
static void end_first_commit(const char *dir)
{
    char name[96];
    name_database(dir, name);
    assert_int_equal(
        execute(name, "CREATE SEQUENCE tries;"
                      "CREATE FUNCTION end_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                      "  IF nextval('traceview.tries')=1 THEN"
                      "    PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1);"
                      "  END IF; RETURN NULL; END $$;"
                      "CREATE CONSTRAINT TRIGGER first_try AFTER UPDATE ON jobs"
                      "  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_first()"),
        TV_OK);
}

static void try_that_was_taken_back_takes_no_job(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_job later;
    if (fix->implementation->open != open_postgres)
        return;
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    end_first_commit(fix->dir);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(want(fix, 1, &later), TV_OK);
    assert_int_equal(later.state, TV_JOB_TAKEN);
    assert_string_equal(later.worker, "w1");
    assert_int_equal(job.tries, 1);
    assert_int_equal(take(fix, "w2", T0, &later), TV_ERR_NOT_FOUND);
}
#endif

static void done_job_tells_the_index(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    struct tv_hash index = hash(50);
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_DONE, 2, &index, ""),
                     TV_ERR_CONFLICT); /* the file is not claimed */
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_DONE, 2, &index, ""), TV_OK);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_DONE);
    assert_string_equal(job.index.hex, index.hex);
    assert_int_equal(take(fix, "w2", T0 + 2 * LEASE, &job), TV_ERR_NOT_FOUND);
}

static void lapsed_lease_goes_to_another(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    struct tv_hash index = hash(50);
    add_simple(fix, 1, 1);
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(CALL(renew_job, &raw, "build-1", "", "w1", T0 + 50, LEASE), TV_OK);
    assert_int_equal(take(fix, "w2", T0 + LEASE, &job), TV_ERR_NOT_FOUND);
    assert_int_equal(take(fix, "w2", T0 + 50 + LEASE, &job), TV_OK);
    assert_int_equal(job.tries, 2);
    assert_int_equal(CALL(renew_job, &raw, "build-1", "", "w1", T0 + 120, LEASE), TV_ERR_CONFLICT);
    assert_int_equal(
        CALL(end_job, &raw, "build-1", "", "w1", T0 + 120, TV_JOB_END_DONE, 2, &index, ""),
        TV_ERR_CONFLICT);
    assert_int_equal(
        CALL(end_job, &raw, "build-1", "", "w2", T0 + 120, TV_JOB_END_DONE, 2, &index, ""), TV_OK);
}

/* The server of the tests is on this machine. */
static void clock_is_the_servers(void **state)
{
    struct fixture *fix = *state;
    int64_t now = 0;
    if (!fix->db.clock)
        return;
    assert_int_equal(CALL(clock, &now), TV_OK);
    assert_in_range(now, time(NULL) - 60, time(NULL) + 60);
}

static void second_lapse_is_bad(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(take(fix, "w2", T0 + LEASE, &job), TV_OK);
    assert_int_equal(take(fix, "w3", T0 + 2 * LEASE, &job), TV_ERR_NOT_FOUND);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_BAD);
    assert_string_equal(job.reason, "the worker ended without a word");
}

/* A store that was away is no fault of the trace, however often it was: the lapse that follows is
 * its first one. */
static void tries_that_the_trace_did_not_fail_are_none(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
        assert_int_equal(job.tries, 1);
        assert_int_equal(CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_RETRY,
                              TV_JOB_ANY_TRIES, NULL, "the store was full or did not answer"),
                         TV_OK);
    }
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(take(fix, "w2", T0 + LEASE, &job), TV_OK);
    assert_int_equal(job.tries, 2);
    assert_int_equal(take(fix, "w3", T0 + 2 * LEASE, &job), TV_ERR_NOT_FOUND);
}

static void give_up(struct fixture *fix, unsigned raw, struct tv_job *job)
{
    assert_int_equal(want(fix, raw, job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, job), TV_OK);
    assert_int_equal(
        CALL(end_job, &job->raw, "build-1", "", "w1", T0, TV_JOB_END_BAD, 2, NULL, "lost"), TV_OK);
}

/* As new jobs, behind those that waited meanwhile. */
static void bad_jobs_are_tried_again_on_demand(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash first = hash(1), third = hash(3);
    uint64_t count = 9;
    for (unsigned i = 1; i < 4; i++) {
        add_simple(fix, i, i);
        give_up(fix, i, &job);
    }
    assert_int_equal(CALL(retry_jobs, &third, "build-1", T0 + DAY, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(want(fix, 3, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_QUEUED);
    assert_int_equal(job.created, T0 + DAY);
    assert_int_equal(job.tries, 0);
    assert_string_equal(job.reason, "");
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_BAD);
    assert_int_equal(take(fix, "w1", T0 + DAY, &job), TV_OK);
    assert_string_equal(job.raw.hex, third.hex);
    assert_int_equal(CALL(retry_jobs, NULL, "build-1", T0 + DAY, &count), TV_OK);
    assert_int_equal(count, 2);
    assert_int_equal(take(fix, "w2", T0 + DAY, &job), TV_OK);
    assert_string_equal(job.raw.hex, first.hex);
    assert_int_equal(CALL(retry_jobs, NULL, "build-1", T0 + DAY, &count), TV_OK);
    assert_int_equal(count, 0);
}

/* As after an upgrade: what an earlier program could not read is tried by this one. */
static void jobs_that_failed_in_another_build_are_tried_again(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    const struct tv_hash first = hash(1), second = hash(2), index = hash(3000);
    const struct tv_id gone = id(3);
    uint64_t count = 9;
    for (unsigned i = 1; i < 4; i++) {
        add_simple(fix, i, i);
        give_up(fix, i, &job);
    }
    assert_int_equal(CALL(drop_trace, &gone), TV_OK);
    assert_int_equal(CALL(retry_jobs, &second, "build-2", T0 + 5, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(CALL(retry_jobs, NULL, "build-2", T0 + 6, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(CALL(retry_jobs, NULL, "build-2", T0 + 7, &count), TV_OK);
    assert_int_equal(count, 0);
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(CALL(take_job, "build-2", "w2", T0 + 9, LEASE, 2, &job), TV_OK);
        assert_string_equal(job.raw.hex, i ? first.hex : second.hex);
        assert_int_equal(
            CALL(end_job, &job.raw, "build-2", "", "w2", T0 + 9, TV_JOB_END_DONE, 2, &index, ""),
            TV_OK);
    }
    assert_int_equal(CALL(retry_jobs, NULL, "build-3", T0 + 10, &count), TV_OK);
    assert_int_equal(count, 0); /* the second one could read them */
}

/* A database is the same one however often it is opened, and no other one is. */
static void a_database_knows_which_it_is(void **state)
{
    struct fixture *fix = *state;
    struct implementation implementation = *fix->implementation;
    void *other_state = &implementation;
    char own[TV_STORE_OWNER_CAP], again[TV_STORE_OWNER_CAP];
    assert_int_equal(CALL(identify, own), TV_OK);
    assert_int_equal(CALL(identify, again), TV_OK);
    assert_string_equal(own, again);
    assert_int_equal(begin(&other_state), 0);
    fix = other_state;
    assert_int_equal(CALL(identify, again), TV_OK);
    assert_string_not_equal(own, again);
    assert_int_equal(end(&other_state), 0);
}

/* Meanwhile others are taken. */
static void a_paused_job_is_nobodys_for_a_while(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1), other = hash(2);
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 2);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_PAUSED,
                          TV_JOB_ANY_TRIES, NULL, "no room"),
                     TV_OK);
    assert_int_equal(CALL(renew_job, &raw, "build-1", "", "w1", T0, LEASE), TV_ERR_CONFLICT);
    assert_int_equal(want(fix, 2, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_string_equal(job.raw.hex, other.hex);
    assert_int_equal(
        CALL(end_job, &other, "build-1", "", "w1", T0, TV_JOB_END_BAD, 2, NULL, "no trace"), TV_OK);
    for (unsigned i = 0; i < 2; i++) {
        const int64_t now = T0 + i * TV_JOB_PAUSE_S;
        assert_int_equal(take(fix, "w2", now + TV_JOB_PAUSE_S - 1, &job), TV_ERR_NOT_FOUND);
        assert_int_equal(take(fix, "w2", now + TV_JOB_PAUSE_S, &job), TV_OK);
        assert_int_equal(job.tries, 1 + i);
        assert_string_equal(job.reason, "no room");
        assert_int_equal(CALL(end_job, &raw, "build-1", "", "w2", now + TV_JOB_PAUSE_S,
                              TV_JOB_END_PAUSED, 2, NULL, "no room"),
                         TV_OK);
    }
    assert_int_equal(take(fix, "w2", T0 + DAY, &job), TV_ERR_NOT_FOUND);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_BAD);
    assert_string_equal(job.reason, "no room");
}

/* A trace of which an index was made has had none of its workers end, however many did before. */
static void an_index_that_is_not_kept_clears_its_trace(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(take(fix, "w1", T0 + 2 * i * LEASE, &job), TV_OK);
        assert_int_equal(job.tries, 1);
        /* That worker was ended. */
        assert_int_equal(take(fix, "w2", T0 + (2 * i + 1) * LEASE, &job), TV_OK);
        assert_int_equal(job.tries, 2);
        for (unsigned repeated = 0; repeated < 2; repeated++)
            assert_int_equal(CALL(end_job, &raw, "build-1", "", "w2", T0 + (2 * i + 1) * LEASE,
                                  TV_JOB_END_UNKEPT, 0, NULL, "the store was full"),
                             TV_OK);
        assert_int_equal(want(fix, 1, &job), TV_OK);
        assert_int_equal(job.state, TV_JOB_QUEUED);
        assert_string_equal(job.reason, "the store was full");
    }
}

static void failed_try_is_repeated_once_then_bad(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(take(fix, i ? "w2" : "w1", T0, &job), TV_OK);
        assert_int_equal(CALL(end_job, &raw, "build-1", "", i ? "w2" : "w1", T0, TV_JOB_END_RETRY,
                              2, NULL, "out of memory"),
                         TV_OK);
    }
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_BAD);
    assert_string_equal(job.reason, "out of memory");
    assert_int_equal(take(fix, "w3", T0 + DAY, &job), TV_ERR_NOT_FOUND);
}

static void bad_file_is_not_tried_again(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(
        CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_BAD, 2, NULL, "no trace"), TV_OK);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_BAD);
    assert_string_equal(job.reason, "no trace");
}

/* --- mappings of names --- */

static const struct tv_label build_7[] = {{{"build", 5}, {"7", 1}}};
static const struct tv_label build_8[] = {{{"build", 5}, {"8", 1}}};

static struct tv_trace_row mapping_of(unsigned number, unsigned raw)
{
    struct tv_trace_row row = row_of(number, raw);
    row.kind = TV_KEPT_MAPPING;
    row.created = T0 + number;
    return row;
}

/* What is tried on a trace of that raw file, and why. */
static void expect_tried(struct fixture *fix, const struct tv_trace_row *trace, enum tv_named_by by,
                         const char *files)
{
    struct tv_mapping_list list;
    assert_int_equal(CALL(choose_mappings, trace, T0 + DAY, &list), TV_OK);
    assert_string_equal(list.files, files);
    assert_int_equal(list.by, by);
}

static void mapping_is_no_trace(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row mapping = mapping_of(10, 10);
    struct tv_trace_row rows[4];
    struct tv_store_sums sums;
    struct tv_job job;
    struct tv_id found;
    size_t count;
    struct tv_trace_query query = {
        .owners = &mapping.owner, .owner_count = 1, .now = T0, .most = 4};
    mapping.map_id = TV_STR("7d4b2c1");
    mapping.map_hash = TV_STR("7d4b2c1fff");
    mapping.is_for_all = true;
    add(fix, &mapping);
    assert_int_equal(CALL(list_traces, &query, &fix->arena, rows, &count), TV_OK);
    assert_int_equal(count, 0);
    query.kind = TV_KEPT_MAPPING;
    assert_int_equal(CALL(list_traces, &query, &fix->arena, rows, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].kind, TV_KEPT_MAPPING);
    assert_true(rows[0].is_for_all);
    assert_true(tv_str_equal(rows[0].map_id, mapping.map_id));
    assert_true(tv_str_equal(rows[0].map_hash, mapping.map_hash));
    assert_int_equal(CALL(want_job, &mapping.raw, "build-1", "", true, T0, &job), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(find_md5, &(struct tv_trace_query){.now = T0}, mapping.md5, &found),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(sums, TV_QUOTA_OWNER, &mapping, &sums), TV_OK);
    assert_int_equal(sums.traces, 0);
    assert_int_equal(sums.trace_bytes, 100); /* they count in the quota of who brought them */
}

static void mapping_is_tried_on_traces_of_its_owner(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row trace = row_of(1, 1), mapping = mapping_of(10, 10);
    add(fix, &trace);
    add(fix, &mapping);
    expect_tried(fix, &trace, TV_NAMED_BY_NAMES, hash(10).hex);
    trace.keeps_names = true;
    expect_tried(fix, &trace, TV_NAMED_BY_NOTHING, "");
    trace.keeps_names = false;
    trace.owner = hash(1001);
    expect_tried(fix, &trace, TV_NAMED_BY_NOTHING, "");
    trace.user = TV_STR("ana");
    mapping = mapping_of(11, 11);
    mapping.user = TV_STR("ana");
    add(fix, &mapping);
    expect_tried(fix, &trace, TV_NAMED_BY_NAMES, hash(11).hex);
    mapping.expires = T0 + DAY;
    assert_int_equal(
        CALL(change_trace, &mapping.id, T0, &(struct tv_trace_change){.expires = &mapping.expires}),
        TV_OK);
    expect_tried(fix, &trace, TV_NAMED_BY_NOTHING, "");
}

static void mapping_of_the_build_goes_before_others(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row trace = row_of(1, 1), mapping = mapping_of(10, 10);
    mapping.labels = build_7;
    mapping.label_count = 1;
    add(fix, &mapping);
    mapping = mapping_of(11, 11);
    add(fix, &mapping);
    trace.labels = build_8;
    trace.label_count = 1;
    expect_tried(fix, &trace, TV_NAMED_BY_NAMES, hash(11).hex); /* not that of build 7 */
    trace.labels = build_7;
    expect_tried(fix, &trace, TV_NAMED_BY_BUILD, hash(10).hex);
    /* One for all names traces of others by its build, and never by names alone. */
    mapping = mapping_of(12, 12);
    mapping.labels = build_7;
    mapping.label_count = 1;
    mapping.is_for_all = true;
    mapping.owner = hash(1001);
    add(fix, &mapping);
    expect_tried(fix, &trace, TV_NAMED_BY_BUILD, hash(10).hex); /* the owner's own first */
    trace.owner = hash(1002);
    expect_tried(fix, &trace, TV_NAMED_BY_BUILD, hash(12).hex);
    trace.label_count = 0;
    expect_tried(fix, &trace, TV_NAMED_BY_NOTHING, "");
}

static void id_of_the_trace_decides(void **state)
{
    struct fixture *fix = *state;
    static const char *const ids[] = {"7d4b2c1", "7d4b2c1fff", "7d4b2c1ffffff", "7d4"};
    struct tv_trace_row trace = row_of(1, 1), mapping = mapping_of(10, 10);
    add(fix, &trace);
    add(fix, &mapping); /* without an id */
    mapping = mapping_of(11, 11);
    mapping.map_id = TV_STR("7d4b2c1");
    add(fix, &mapping);
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        assert_int_equal(CALL(note_map_id, &trace.raw, tv_str_from(ids[i])), TV_OK);
        expect_tried(fix, &trace, TV_NAMED_BY_ID, hash(11).hex);
    }
    assert_int_equal(CALL(note_map_id, &trace.raw, TV_STR("0000001")), TV_OK);
    expect_tried(fix, &trace, TV_NAMED_BY_NOTHING, "");
    mapping = mapping_of(12, 12);
    add(fix, &mapping);
    assert_int_equal(CALL(note_mapping, &mapping.id, TV_STR(""), TV_STR("0000001abc")), TV_OK);
    expect_tried(fix, &trace, TV_NAMED_BY_ID, hash(12).hex);
    assert_int_equal(CALL(note_mapping, &trace.id, TV_STR("x"), TV_STR("")), TV_ERR_NOT_FOUND);
    struct tv_hash gone = hash(99);
    assert_int_equal(CALL(note_map_id, &gone, TV_STR("x")), TV_OK);
}

/* An upload that came without is given it later, all at once, and later ones of the same bytes have
 * it from the start. */
static void an_md5_is_noted_for_all_of_the_same_bytes(void **state)
{
    static const char md5[33] = "900150983CD24FB0D6963F7D28E17F72";
    struct fixture *fix = *state;
    struct tv_trace_row rows[3] = {row_of(1, 1), row_of(2, 1), row_of(3, 1)};
    struct tv_trace_row other = row_of(4, 4), got;
    struct tv_id found;
    bool lacks;
    add(fix, &other); /* with one */
    for (int i = 0; i < 3; i++)
        rows[i].md5[0] = '\0';
    add(fix, &rows[0]);
    add(fix, &rows[1]);
    assert_int_equal(CALL(lacks_md5, &rows[0].raw, &lacks), TV_OK);
    assert_true(lacks);
    assert_int_equal(CALL(lacks_md5, &other.raw, &lacks), TV_OK);
    assert_false(lacks);
    assert_int_equal(CALL(find_md5, &(struct tv_trace_query){.now = T0}, md5, &found),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(note_md5, &rows[0].raw, md5), TV_OK);
    assert_int_equal(CALL(note_md5, &other.raw, md5), TV_OK);
    add(fix, &rows[2]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(CALL(get_trace, &rows[i].id, T0, &fix->arena, &got), TV_OK);
        assert_string_equal(got.md5, md5);
    }
    assert_int_equal(CALL(get_trace, &other.id, T0, &fix->arena, &got), TV_OK);
    assert_string_equal(got.md5, other.md5);
    assert_int_equal(CALL(lacks_md5, &rows[0].raw, &lacks), TV_OK);
    assert_false(lacks);
}

/* Figures are those of the bytes, whichever trace has them, and go with them. */
static void figures_are_kept_for_the_raw_file(void **state)
{
    struct fixture *fix = *state;
    const struct tv_trace_figures figures = {
        .duration_ns = 81420000, .threads = 3, .worst_frame_ns = 30800000, .startup_ns = 0};
    struct tv_trace_row one = row_of(1, 1), same = row_of(2, 1), other = row_of(3, 3), got;
    struct tv_hash gone = hash(99);
    add(fix, &one);
    add(fix, &other);
    assert_int_equal(CALL(get_trace, &one.id, T0, &fix->arena, &got), TV_OK);
    assert_false(got.figures.is_known);
    for (int i = 0; i < 2; i++) /* may be told again */
        assert_int_equal(CALL(note_figures, &one.raw, &figures), TV_OK);
    add(fix, &same);
    assert_int_equal(CALL(get_trace, &same.id, T0, &fix->arena, &got), TV_OK);
    assert_true(got.figures.is_known);
    assert_int_equal(got.figures.duration_ns, figures.duration_ns);
    assert_int_equal(got.figures.threads, 3);
    assert_int_equal(got.figures.worst_frame_ns, figures.worst_frame_ns);
    assert_int_equal(got.figures.startup_ns, 0);
    assert_int_equal(CALL(get_trace, &other.id, T0, &fix->arena, &got), TV_OK);
    assert_false(got.figures.is_known);
    assert_int_equal(CALL(note_figures, &gone, &figures), TV_OK);
}

/* And each build of indexes has its own: what another one found is not known. They go when that one
 * has no index of the file any more. */
static void figures_are_those_of_a_build(void **state)
{
    struct fixture *fix = *state;
    const struct tv_trace_figures one = {.threads = 1}, two = {.threads = 2};
    struct tv_trace_row row = row_of(1, 1), got, rows[8];
    const struct tv_trace_query query = {.is_of_all = true, .now = T0, .most = 8};
    struct tv_store_db other;
    struct tv_job job;
    size_t count;
    add(fix, &row);
    assert_int_equal(CALL(note_figures, &row.raw, &one), TV_OK);
    indexes = "build-2";
    assert_int_equal(fix->implementation->open(&other, fix->dir), TV_OK);
    indexes = "build-1";
    assert_int_equal(other.get_trace(other.ctx, &row.id, T0, &fix->arena, &got, NULL), TV_OK);
    assert_false(got.figures.is_known);
    count = TV_COUNT_OF(rows);
    assert_int_equal(other.list_traces(other.ctx, &query, &fix->arena, rows, &count, NULL), TV_OK);
    assert_true(count == 1 && !rows[0].figures.is_known);
    assert_int_equal(CALL(want_job, &row.raw, "build-1", "", true, T0, &job), TV_OK);
    assert_int_equal(other.note_figures(other.ctx, &row.raw, &two, NULL), TV_OK);
    assert_int_equal(other.list_traces(other.ctx, &query, &fix->arena, rows, &count, NULL), TV_OK);
    assert_true(count == 1 && rows[0].figures.is_known && rows[0].figures.threads == 2);
    assert_int_equal(CALL(get_trace, &row.id, T0, &fix->arena, &got), TV_OK);
    assert_true(got.figures.is_known && got.figures.threads == 1);
    /* The other one has no job. */
    assert_int_equal(CALL(note_figures, &row.raw, &one), TV_OK);
    assert_int_equal(other.get_trace(other.ctx, &row.id, T0, &fix->arena, &got, NULL), TV_OK);
    assert_false(got.figures.is_known);
    other.close(other.ctx);
}

static size_t count_counted(struct fixture *fix, enum tv_count_rule rule,
                            const struct tv_str *projects)
{
    struct tv_trace_row rows[8];
    size_t count;
    const struct tv_trace_query query = {.counted = &rule,
                                         .is_of_all = true,
                                         .projects = projects,
                                         .project_count = projects != NULL,
                                         .now = T0,
                                         .most = 8};
    assert_int_equal(CALL(list_traces, &query, &fix->arena, rows, &count), TV_OK);
    return count;
}

static bool has_failed(struct fixture *fix, unsigned trace)
{
    struct tv_trace_row got, rows[8];
    const struct tv_id wanted = id(trace);
    const struct tv_trace_query query = {.is_of_all = true, .now = T0, .most = 8};
    size_t count;
    assert_int_equal(CALL(get_trace, &wanted, T0, &fix->arena, &got), TV_OK);
    assert_int_equal(CALL(list_traces, &query, &fix->arena, rows, &count), TV_OK);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].id.hex, wanted.hex) == 0)
            assert_int_equal(rows[i].figures.has_failed, got.figures.has_failed);
    }
    return got.figures.has_failed;
}

/* A trace has failed when all its jobs have; one without a job has not. */
static void a_row_tells_whether_its_trace_has_failed(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 2);
    assert_false(has_failed(fix, 1));
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_false(has_failed(fix, 1));
    assert_int_equal(
        CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_BAD, 2, NULL, "no trace"), TV_OK);
    assert_true(has_failed(fix, 1));
    assert_false(has_failed(fix, 2));
    assert_int_equal(CALL(want_job, &raw, "build-2", "", true, T0, &job), TV_OK);
    assert_false(has_failed(fix, 1));
}

static void traces_count_as_their_owners_say(void **state)
{
    struct fixture *fix = *state;
    static const struct tv_label labels[] = {{{"project", 7}, {"shop", 4}}};
    const struct tv_str shop = TV_STR("shop");
    const struct tv_str lab = TV_STR("lab");
    const enum tv_counting no = TV_COUNTING_NO;
    struct tv_trace_row rows[4] = {row_of(1, 1), row_of(2, 2), row_of(3, 3), row_of(4, 4)};
    struct tv_trace_row got;
    bool counts;
    rows[1].counting = TV_COUNTING_YES;
    rows[1].is_listed = false;
    rows[2].counting = TV_COUNTING_NO;
    rows[0].is_listed = rows[2].is_listed = true;
    rows[3].is_listed = false;
    rows[1].labels = labels;
    rows[1].label_count = 1;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++)
        add(fix, &rows[i]);
    assert_int_equal(CALL(get_trace, &rows[1].id, T0, &fix->arena, &got), TV_OK);
    assert_int_equal(got.counting, TV_COUNTING_YES);
    assert_int_equal(count_counted(fix, TV_COUNT_ASKED, NULL), 1);
    assert_int_equal(count_counted(fix, TV_COUNT_LISTED, NULL), 2);
    assert_int_equal(count_counted(fix, TV_COUNT_LISTED, &shop), 2);
    assert_int_equal(count_counted(fix, TV_COUNT_LISTED, &lab), 1);
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        assert_int_equal(CALL(counts_raw, &rows[i].raw, TV_COUNT_ASKED, T0, &counts), TV_OK);
        assert_int_equal(counts, i == 1);
        assert_int_equal(CALL(counts_raw, &rows[i].raw, TV_COUNT_LISTED, T0, &counts), TV_OK);
        assert_int_equal(counts, i < 2);
    }
    assert_int_equal(
        CALL(change_trace, &rows[1].id, T0, &(struct tv_trace_change){.counting = &no}), TV_OK);
    assert_int_equal(CALL(counts_raw, &rows[1].raw, TV_COUNT_LISTED, T0, &counts), TV_OK);
    assert_false(counts);
}

static void so_many_mappings_are_tried_and_no_more(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row trace = row_of(1, 1);
    char wanted[TV_STORE_MAPPINGS_MOST * sizeof(struct tv_hash)] = "";
    for (unsigned i = 0; i < TV_STORE_MAPPINGS_MOST + 4; i++) {
        struct tv_trace_row mapping = mapping_of(10 + i, 10 + i);
        add(fix, &mapping);
        mapping.id = id(100 + i); /* the same bytes once more count once */
        add(fix, &mapping);
    }
    for (unsigned i = 0; i < TV_STORE_MAPPINGS_MOST; i++)
        (void)snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted), "%s%s",
                       i ? " " : "", hash(10 + TV_STORE_MAPPINGS_MOST + 3 - i).hex);
    expect_tried(fix, &trace, TV_NAMED_BY_NAMES, wanted);
}

static void large_mappings_are_tried_alone(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row trace = row_of(1, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct tv_trace_row mapping = mapping_of(10 + i, 10 + i);
        mapping.bytes = i == 1 ? UINT64_C(1) << 40 : TV_STORE_MAPPINGS_BYTES;
        add(fix, &mapping);
    }
    expect_tried(fix, &trace, TV_NAMED_BY_NAMES, hash(12).hex);
}

/* An index with the names of a mapping goes with it, and that with the file's names stays. */
static void indexes_go_with_their_mapping(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row trace = row_of(1, 1), mapping = mapping_of(10, 10);
    struct tv_hash plain = hash(50), named = hash(51);
    struct tv_file_row files[4];
    struct tv_job job;
    size_t count;
    add(fix, &trace);
    add(fix, &mapping);
    for (unsigned i = 0; i < 2; i++) {
        const char *mappings = i ? mapping.raw.hex : "";
        const struct tv_hash *index = i ? &named : &plain;
        assert_int_equal(CALL(claim_file, index, 10, T0), TV_OK);
        assert_int_equal(CALL(want_job, &trace.raw, "build-1", mappings, true, T0, &job), TV_OK);
        assert_int_equal(take(fix, "w", T0, &job), TV_OK);
        assert_string_equal(job.mappings, mappings);
        assert_int_equal(CALL(renew_job, &job.raw, "build-1", mappings, "w", T0, LEASE), TV_OK);
        assert_int_equal(CALL(end_job, &job.raw, "build-1", mappings, "w", T0, TV_JOB_END_DONE, 2,
                              index, "names"),
                         TV_OK);
    }
    assert_int_equal(CALL(want_job, &trace.raw, "build-1", mapping.raw.hex, true, T0, &job), TV_OK);
    assert_string_equal(job.index.hex, named.hex);
    assert_string_equal(job.reason, "names");
    assert_int_equal(CALL(drop_trace, &mapping.id), TV_OK);
    assert_int_equal(CALL(take_dropped, T0 + DAY, files, 4, &count), TV_OK);
    assert_int_equal(count, 2); /* the mapping and its index */
    for (size_t i = 0; i < count; i++)
        assert_true(strcmp(files[i].name.hex, plain.hex) != 0);
    assert_int_equal(CALL(want_job, &trace.raw, "build-1", "", true, T0, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_DONE);
    assert_string_equal(job.index.hex, plain.hex);
}

static void jobs_are_taken_oldest_first(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    for (unsigned i = 1; i <= 3; i++) {
        struct tv_hash raw = hash(i);
        add_simple(fix, i, i);
        assert_int_equal(CALL(want_job, &raw, "build-1", "", true, T0 - i, &job), TV_OK);
    }
    for (unsigned i = 3; i >= 1; i--) {
        assert_int_equal(take(fix, "w", T0, &job), TV_OK);
        assert_string_equal(job.raw.hex, hash(i).hex);
    }
}

/* By age, but a large one counts as younger, and so do the later ones of an uploader with many. */
static void small_jobs_of_who_has_few_go_first(void **state)
{
    static const struct {
        uint64_t mib;
        unsigned address; /* whose it is */
        int64_t made;     /* seconds after T0 */
    } jobs[] = {
        {500, 1, 0},                             /* as if made at 500 */
        {0, 2, 0},         {0, 2, 0}, {0, 2, 0}, /* 0, 10, 20 */
        {0, 3, 5},                               /* 5 */
        {100000, 4, -700},                       /* -100: ten minutes are the most */
    };
    static const unsigned order[] = {5, 1, 4, 2, 3, 0};
    struct fixture *fix = *state;
    struct tv_job job;
    for (unsigned i = 0; i < TV_COUNT_OF(jobs); i++) {
        struct tv_trace_row row = row_of(i + 1, i + 1);
        row.bytes = jobs[i].mib << 20;
        row.address = hash(2000 + jobs[i].address);
        add(fix, &row);
        assert_int_equal(CALL(want_job, &row.raw, "build-1", "", true, T0 + jobs[i].made, &job),
                         TV_OK);
    }
    for (unsigned i = 0; i < TV_COUNT_OF(order); i++) {
        assert_int_equal(take(fix, "w", T0 + 10, &job), TV_OK);
        assert_string_equal(job.raw.hex, hash(order[i] + 1).hex);
    }
}

/* Whoever brings hundreds pays for each of them, also for those that are done before. */
static void jobs_of_who_brings_many_let_others_in(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    unsigned before = 0;
    for (unsigned i = 1; i <= 100; i++) {
        struct tv_trace_row row = row_of(i, i);
        row.address = hash(i < 100 ? 2001 : 2002);
        add(fix, &row);
        assert_int_equal(
            CALL(want_job, &row.raw, "build-1", "", true, i < 100 ? T0 : T0 + 25, &job), TV_OK);
    }
    const struct tv_hash index = hash(3000);
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    for (;; before++) {
        assert_int_equal(take(fix, "w", T0 + 30, &job), TV_OK);
        if (strcmp(job.raw.hex, hash(100).hex) == 0)
            break;
        assert_int_equal(
            CALL(end_job, &job.raw, "build-1", "", "w", T0 + 30, TV_JOB_END_DONE, 2, &index, ""),
            TV_OK);
    }
    assert_int_equal(before, 3); /* as if made at 0, 10 and 20 */
}

static void jobs_for_which_nobody_waits_are_the_last(void **state)
{
    static const unsigned order[] = {2, 4, 1, 3};
    struct fixture *fix = *state;
    struct tv_job job;
    for (unsigned i = 1; i <= 4; i++) {
        struct tv_hash raw = hash(i);
        add_simple(fix, i, i);
        assert_int_equal(CALL(want_job, &raw, "build-1", "", i == 4, T0 + i, &job), TV_OK);
        assert_int_equal(job.state, TV_JOB_QUEUED);
    }
    const struct tv_hash opened = hash(2);
    for (unsigned i = 0; i < 2; i++) /* somebody opens it, and others look for it */
        assert_int_equal(CALL(want_job, &opened, "build-1", "", i == 0, T0 + 3, &job), TV_OK);
    for (unsigned i = 0; i < TV_COUNT_OF(order); i++) {
        assert_int_equal(take(fix, "w", T0 + 10, &job), TV_OK);
        assert_string_equal(job.raw.hex, hash(order[i]).hex);
    }
}

static void only_an_upload_without_bytes_is_dropped_as_empty(void **state)
{
    struct fixture *fix = *state;
    struct tv_id trace = id(1);
    struct tv_id begun = id(2);
    struct tv_id empty = id(3);
    struct tv_trace_row row;
    struct tv_upload upload;
    add_simple(fix, 1, 1);
    begin_upload(fix, 2, 0);
    begin_upload(fix, 3, 0);
    assert_int_equal(add_part(fix, 2, 0, 5, 40), TV_OK);
    assert_int_equal(CALL(drop_empty_upload, &trace), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(drop_empty_upload, &begun), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(drop_empty_upload, &empty), TV_OK);
    assert_int_equal(CALL(drop_empty_upload, &empty), TV_ERR_NOT_FOUND);
    assert_int_equal(get(fix, 1, T0, &row), TV_OK);
    assert_int_equal(CALL(get_upload, &begun, T0, &fix->arena, &upload), TV_OK);
    assert_int_equal(upload.arrived, 5);
    assert_int_equal(CALL(get_upload, &empty, T0, &fix->arena, &upload), TV_ERR_NOT_FOUND);
}

static void jobs_go_with_the_last_trace(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    struct tv_id first = id(1);
    struct tv_id second = id(2);
    struct tv_store_sums sums;
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(CALL(drop_trace, &first), TV_OK);
    assert_int_equal(CALL(renew_job, &raw, "build-1", "", "w1", T0, LEASE), TV_OK);
    assert_int_equal(CALL(drop_trace, &second), TV_OK);
    assert_int_equal(CALL(renew_job, &raw, "build-1", "", "w1", T0, LEASE), TV_ERR_CONFLICT);
    assert_int_equal(CALL(sums, TV_QUOTA_STORE, NULL, &sums), TV_OK);
    assert_int_equal(sums.jobs[TV_JOB_TAKEN], 0);
}

/* Jobs of a build that has no worker, as after an upgrade of a part. */
static struct tv_program_token program_token(unsigned number)
{
    struct tv_program_token token = {.id = id(number),
                                     .hash = hash(number),
                                     .user = TV_STR("ana"),
                                     .name = TV_STR("CI"),
                                     .scopes = TV_SCOPE_UPLOAD,
                                     .created = T0,
                                     .expires = T0 + DAY};
    return token;
}

static void token_of_a_program_is_found_until_it_expires(void **state)
{
    struct fixture *fix = *state;
    struct tv_program_token token = program_token(1);
    struct tv_program_token found[2];
    size_t count;
    assert_int_equal(CALL(add_program_token, &token), TV_OK);
    assert_int_equal(CALL(add_program_token, &token), TV_OK); /* as after a lost answer */
    assert_int_equal(CALL(find_program_token, &token.hash, T0 + DAY - 1, &fix->arena, found),
                     TV_OK);
    assert_string_equal(found->id.hex, token.id.hex);
    assert_true(tv_str_equal(found->user, token.user) && found->scopes == TV_SCOPE_UPLOAD);
    assert_int_equal(CALL(find_program_token, &token.hash, T0 + DAY, &fix->arena, found),
                     TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(list_program_tokens, token.user, &fix->arena, found, 2, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(CALL(list_program_tokens, TV_STR("bob"), &fix->arena, found, 2, &count),
                     TV_OK);
    assert_int_equal(count, 0);
    assert_int_equal(CALL(drop_program_token, &token.id, TV_STR("bob")), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(drop_program_token, &token.id, token.user), TV_OK);
    assert_int_equal(CALL(find_program_token, &token.hash, T0, &fix->arena, found),
                     TV_ERR_NOT_FOUND);
}

static void tokens_of_all_are_listed_page_by_page(void **state)
{
    struct fixture *fix = *state;
    struct tv_program_token found[2];
    struct tv_id after = {""};
    size_t count = 2;
    unsigned seen = 0;
    for (unsigned i = 5; i > 0; i--) {
        struct tv_program_token token = program_token(i);
        token.user = i % 2 ? TV_STR("bob") : TV_STR("ana");
        token.expires = T0 - 1;
        assert_int_equal(CALL(add_program_token, &token), TV_OK);
    }
    while (count == 2) {
        assert_int_equal(CALL(list_all_program_tokens, after.hex[0] ? &after : NULL, &fix->arena,
                              found, 2, &count),
                         TV_OK);
        for (size_t i = 0; i < count; i++) {
            struct tv_program_token token = program_token(++seen);
            assert_string_equal(found[i].id.hex, token.id.hex);
            assert_string_equal(found[i].hash.hex, token.hash.hex);
            assert_text(found[i].user, seen % 2 ? "bob" : "ana");
            after = found[i].id;
        }
    }
    assert_int_equal(seen, 5);
}

static void a_user_has_a_hundred_tokens_at_most(void **state)
{
    struct fixture *fix = *state;
    struct tv_program_token token;
    for (unsigned i = 0; i < TV_STORE_PROGRAM_TOKENS_MOST; i++) {
        token = program_token(i + 1);
        assert_int_equal(CALL(add_program_token, &token), TV_OK);
    }
    assert_int_equal(CALL(add_program_token, &token), TV_OK);
    token = program_token(TV_STORE_PROGRAM_TOKENS_MOST + 1);
    assert_int_equal(CALL(add_program_token, &token), TV_ERR_LIMIT);
    token.user = TV_STR("bob");
    assert_int_equal(CALL(add_program_token, &token), TV_OK);
    token = program_token(500);
    token.scopes = 0;
    assert_int_equal(CALL(add_program_token, &token), TV_ERR_ARGUMENT);
    token.scopes = TV_SCOPE_ALL + 1;
    assert_int_equal(CALL(add_program_token, &token), TV_ERR_ARGUMENT);
}

static struct tv_delivery delivery(unsigned number)
{
    return (struct tv_delivery){.id = id(number),
                                .app = TV_STR("shop"),
                                .build = TV_STR("418"),
                                .body = TV_STR("{\"text\": \"\u00e4\"}")};
}

static void a_delivery_is_one_workers_until_its_time_is_over(void **state)
{
    struct fixture *fix = *state;
    struct tv_delivery added = delivery(1);
    struct tv_delivery got;
    const struct tv_delivery_end done = {.state = TV_DELIVERY_DONE, .status = 204};
    assert_int_equal(CALL(take_delivery, "w1", T0, 30, &fix->arena, &got), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(add_delivery, &added, T0), TV_OK);
    assert_int_equal(CALL(add_delivery, &added, T0 + 9), TV_OK); /* by another server */
    assert_int_equal(CALL(take_delivery, "w1", T0, 30, &fix->arena, &got), TV_OK);
    assert_string_equal(got.id.hex, added.id.hex);
    assert_true(tv_str_equal(got.body, added.body) && tv_str_equal(got.app, added.app));
    assert_int_equal(got.tries, 1);
    assert_int_equal(got.created, T0);
    assert_int_equal(CALL(take_delivery, "w2", T0 + 29, 30, &fix->arena, &got), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(take_delivery, "w2", T0 + 30, 30, &fix->arena, &got), TV_OK);
    assert_int_equal(got.tries, 2);
    assert_int_equal(CALL(end_delivery, &added.id, "w1", T0 + 31, &done), TV_ERR_CONFLICT);
    assert_int_equal(CALL(end_delivery, &added.id, "w2", T0 + 31, &done), TV_OK);
    assert_int_equal(CALL(take_delivery, "w2", T0 + DAY, 30, &fix->arena, &got), TV_ERR_NOT_FOUND);
}

/* A deadline of a clock that was ahead holds nobody up. */
static void a_delivery_is_tried_again_when_it_is_due(void **state)
{
    struct fixture *fix = *state;
    struct tv_delivery added = delivery(1);
    struct tv_delivery got;
    const struct tv_delivery_end again = {
        .state = TV_DELIVERY_WAITING, .next = T0 + 100, .reason = TV_STR("no answer")};
    assert_int_equal(CALL(add_delivery, &added, T0), TV_OK);
    assert_int_equal(CALL(take_delivery, "w1", T0, 30, &fix->arena, &got), TV_OK);
    assert_int_equal(CALL(end_delivery, &added.id, "w1", T0, &again), TV_OK);
    assert_int_equal(CALL(take_delivery, "w1", T0 + 99, 30, &fix->arena, &got), TV_ERR_NOT_FOUND);
    assert_int_equal(CALL(take_delivery, "w1", T0 + 400 * DAY, 30, &fix->arena, &got), TV_OK);
    assert_text(got.reason, "no answer");
    assert_int_equal(CALL(take_delivery, "w2", T0 + 100, 30, &fix->arena, &got), TV_OK);
}

static void deliveries_are_listed_counted_and_forgotten(void **state)
{
    struct fixture *fix = *state;
    struct tv_delivery got[3];
    struct tv_delivery_end end = {.state = TV_DELIVERY_GIVEN_UP, .status = 500};
    uint64_t counts[TV_DELIVERY_STATES];
    size_t count;
    char reason[TV_STORE_REASON_MOST + 2];
    memset(reason, 'r', sizeof(reason));
    memcpy(reason + TV_STORE_REASON_MOST - 1, "\xc3\xa4", 2); /* cut in its middle */
    end.reason = (struct tv_str){reason, sizeof(reason)};
    for (unsigned i = 1; i <= 2; i++) {
        struct tv_delivery added = delivery(i);
        assert_int_equal(CALL(add_delivery, &added, T0 + i), TV_OK);
    }
    assert_int_equal(CALL(take_delivery, "w1", T0 + 5, 30, &fix->arena, got), TV_OK);
    assert_int_equal(CALL(end_delivery, &got->id, "w1", T0 + 6, &end), TV_OK);
    assert_int_equal(CALL(list_deliveries, &fix->arena, got, 3, &count), TV_OK);
    assert_int_equal(count, 2);
    assert_string_equal(got[0].id.hex, id(2).hex);
    assert_int_equal(got[1].state, TV_DELIVERY_GIVEN_UP);
    assert_int_equal(got[1].status, 500);
    assert_int_equal(got[1].ended, T0 + 6);
    assert_int_equal(got[1].reason.len, TV_STORE_REASON_MOST - 1);
    assert_int_equal(CALL(count_deliveries, counts), TV_OK);
    assert_int_equal(counts[TV_DELIVERY_WAITING], 1);
    assert_int_equal(counts[TV_DELIVERY_GIVEN_UP], 1);
    struct tv_delivery later = delivery(3);
    assert_int_equal(CALL(add_delivery, &later, T0 + 6 + TV_STORE_DELIVERED_S), TV_OK);
    assert_int_equal(CALL(list_deliveries, &fix->arena, got, 3, &count), TV_OK);
    assert_int_equal(count, 2); /* what waits is not forgotten */
    later.body = TV_STR("\xff");
    assert_int_equal(CALL(add_delivery, &later, T0), TV_ERR_ARGUMENT);
}

static void tallies_are_of_all_processes(void **state)
{
    static const uint64_t some[TV_TALLY_COUNT] = {
        [TV_TALLY_ROWED] = 2, [TV_TALLY_HOOK_TRIES] = 4, [TV_TALLY_INDEXED] = 1};
    static const uint64_t more[TV_TALLY_COUNT] = {[TV_TALLY_ROWED] = 3};
    struct fixture *fix = *state;
    uint64_t values[TV_TALLY_COUNT];
    assert_int_equal(CALL(read_tallies, values), TV_OK);
    assert_int_equal(values[TV_TALLY_ROWED], 0);
    assert_int_equal(CALL(add_tallies, some), TV_OK);
    assert_int_equal(CALL(add_tallies, more), TV_OK);
    assert_int_equal(CALL(set_tally, TV_TALLY_ROWS_BEHIND, 7), TV_OK);
    assert_int_equal(CALL(set_tally, TV_TALLY_ROWS_BEHIND, 1), TV_OK);
    assert_int_equal(CALL(read_tallies, values), TV_OK);
    assert_int_equal(values[TV_TALLY_ROWED], 5);
    assert_int_equal(values[TV_TALLY_HOOK_TRIES], 4);
    assert_int_equal(values[TV_TALLY_INDEXED], 1);
    assert_int_equal(values[TV_TALLY_ROWS_BEHIND], 1);
    assert_int_equal(values[TV_TALLY_ROWS], 0);
}

static void jobs_that_nobody_does_are_found(void **state)
{
    struct fixture *fix = *state;
    struct tv_unserved unserved;
    struct tv_job job;
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(CALL(want_job, &raw, "build-2", "", true, T0 + 5, &job), TV_OK);
    assert_int_equal(CALL(find_unserved, T0 + 59, 60, &unserved), TV_OK);
    assert_int_equal(unserved.jobs, 0);
    assert_int_equal(CALL(find_unserved, T0 + 60, 60, &unserved), TV_OK);
    assert_string_equal(unserved.build, "build-1");
    assert_int_equal(unserved.jobs, 1);
    assert_int_equal(unserved.oldest, T0);
    assert_int_equal(take(fix, "w1", T0 + 60, &job), TV_OK);
    assert_int_equal(CALL(find_unserved, T0 + 70, 60, &unserved), TV_OK);
    assert_string_equal(unserved.build, "build-2");
    assert_int_equal(CALL(find_unserved, T0 + 60 + LEASE, 60, &unserved), TV_OK);
    assert_string_equal(unserved.build, "build-1"); /* whoever had it is gone */
}

/* As after an upgrade: what waited then is found by the new program, and is nothing that waits once
 * that has made it. */
static void jobs_that_another_version_left_are_found(void **state)
{
    struct fixture *fix = *state;
    struct tv_unserved unserved;
    struct tv_job job;
    struct tv_job left;
    const struct tv_hash index = hash(3000);
    fix->db.close(fix->db.ctx);
    indexes = "build-2";
    assert_int_equal(fix->implementation->open(&fix->db, fix->dir), TV_OK);
    indexes = "build-1";
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 2);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(want(fix, 2, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK); /* and is killed */
    assert_int_equal(CALL(find_left_job, "build-2", T0 + LEASE - 1, 0, &left), TV_OK);
    assert_string_equal(left.raw.hex, ""); /* its workers live */
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    for (unsigned i = 1; i <= 2; i++) {
        assert_int_equal(CALL(find_left_job, "build-2", T0 + LEASE, LEASE, &left), TV_OK);
        assert_string_equal(left.raw.hex, hash(i).hex);
        assert_int_equal(sum_files(fix).waiting_bytes, 300 - 100 * i);
        assert_int_equal(CALL(want_job, &left.raw, "build-2", "", true, T0 + LEASE, &job), TV_OK);
        assert_int_equal(CALL(take_job, "build-2", "w2", T0 + LEASE, LEASE, 2, &job), TV_OK);
        assert_int_equal(CALL(end_job, &job.raw, "build-2", "", "w2", T0 + LEASE, TV_JOB_END_DONE,
                              2, &index, ""),
                         TV_OK);
    }
    assert_int_equal(CALL(find_left_job, "build-2", T0 + LEASE, LEASE, &left), TV_OK);
    assert_string_equal(left.raw.hex, "");
    assert_int_equal(CALL(find_left_job, "build-1", T0 + DAY, LEASE, &left), TV_OK);
    assert_string_equal(left.raw.hex, "");
    assert_int_equal(CALL(find_unserved, T0 + 2 * LEASE, 60, &unserved), TV_OK);
    assert_int_equal(unserved.jobs, 0);
    assert_int_equal(sum_files(fix).waiting_bytes, 0);
}

/* The clock was years ahead when the lease was taken: nobody waits for years. */
static void lease_from_the_future_lapses(void **state)
{
    struct fixture *fix = *state;
    struct tv_job job;
    add_simple(fix, 1, 1);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0 + 1000 * DAY, &job), TV_OK);
    assert_int_equal(take(fix, "w2", T0, &job), TV_OK);
    assert_int_equal(take(fix, "w3", T0 - 30, &job), TV_ERR_NOT_FOUND); /* a little is no jump */
}

/* ---- Files ---- */

static size_t take_files(struct fixture *fix, int64_t now, struct tv_file_row *rows)
{
    size_t count;
    assert_int_equal(CALL(take_unneeded, now, DAY, rows, 8, &count), TV_OK);
    return count;
}

static void only_unneeded_old_files_are_taken(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_job job;
    struct tv_id trace = id(1);
    struct tv_hash index = hash(50);
    struct tv_hash raw = hash(1);
    struct tv_hash young = hash(60);
    add_simple(fix, 1, 1);
    begin_upload(fix, 2, 0);
    assert_int_equal(add_part(fix, 2, 0, 5, 40), TV_OK);
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_DONE, 2, &index, ""),
                     TV_OK);
    assert_int_equal(CALL(claim_file, &young, 10, T0 + DAY), TV_OK);
    assert_int_equal(take_files(fix, T0 + DAY + 1, rows), 0);
    assert_int_equal(CALL(drop_trace, &trace), TV_OK);
    assert_int_equal(take_files(fix, T0 + DAY - 1, rows), 0);
    assert_int_equal(take_files(fix, T0 + DAY + 1, rows), 2); /* raw file and index */
    assert_int_equal(rows[0].bytes + rows[1].bytes, 110);
}

/* The index goes with the raw file, and not a day later. */
static void index_of_a_deleted_trace_is_dropped(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_job job;
    struct tv_hash index = hash(50);
    struct tv_hash raw = hash(1);
    add_simple(fix, 1, 1);
    assert_int_equal(CALL(claim_file, &index, 10, T0), TV_OK);
    assert_int_equal(want(fix, 1, &job), TV_OK);
    assert_int_equal(take(fix, "w1", T0, &job), TV_OK);
    assert_int_equal(CALL(end_job, &raw, "build-1", "", "w1", T0, TV_JOB_END_DONE, 2, &index, ""),
                     TV_OK);
    drop(fix, 1);
    assert_int_equal(take_dropped(fix, T0 + TV_STORE_DROPPED_S, rows), 2);
    assert_int_equal(rows[0].bytes + rows[1].bytes, 110);
    assert_int_equal(dropped_bytes(fix, TV_QUOTA_OWNER), 100);
}

static void taken_file_cannot_be_claimed_or_named(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row other = row_of(2, 1);
    size_t count;
    add(fix, &row);
    assert_int_equal(CALL(drop_trace, &row.id), TV_OK);
    assert_int_equal(take_files(fix, T0 + DAY, rows), 1);
    assert_int_equal(CALL(claim_file, &row.raw, 100, T0 + DAY), TV_ERR_CONFLICT);
    assert_int_equal(CALL(add_trace, &other, 0, NULL, NULL), TV_ERR_CONFLICT);
    assert_int_equal(CALL(list_files, NULL, rows, 8, &count), TV_OK);
    assert_true(count == 1 && rows[0].is_going && !rows[0].is_needed);
    assert_int_equal(CALL(forget_file, &row.raw), TV_OK);
    assert_int_equal(CALL(forget_file, &row.raw), TV_OK);
    assert_int_equal(CALL(add_trace, &other, 0, NULL, NULL), TV_ERR_CONFLICT);
    assert_int_equal(CALL(claim_file, &row.raw, 100, T0 + DAY), TV_OK);
    assert_int_equal(CALL(add_trace, &other, 0, NULL, NULL), TV_OK);
    assert_int_equal(CALL(forget_file, &row.raw), TV_OK); /* a late one forgets nothing */
    assert_int_equal(CALL(list_files, NULL, rows, 8, &count), TV_OK);
    assert_true(count == 1 && !rows[0].is_going && rows[0].is_needed);
}

static void taken_file_of_a_dead_gc_is_taken_again(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_hash file = hash(1);
    assert_int_equal(CALL(claim_file, &file, 100, T0), TV_OK);
    assert_int_equal(take_files(fix, T0 + DAY, rows), 1);
    assert_int_equal(take_files(fix, T0 + DAY + 1, rows), 0);
    assert_int_equal(take_files(fix, T0 + DAY + 3600, rows), 1);
}

/* Also by whoever looks at dropped files alone, which a site does within seconds. */
static void dropped_file_of_a_dead_gc_is_taken_again(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_trace_row row = row_of(1, 1);
    size_t count;
    add(fix, &row);
    assert_int_equal(CALL(drop_trace, &row.id), TV_OK);
    assert_int_equal(CALL(take_dropped, T0 + 60, rows, 8, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(CALL(take_dropped, T0 + 60 + TV_STORE_GOING_S - 1, rows, 8, &count), TV_OK);
    assert_int_equal(count, 0);
    assert_int_equal(CALL(take_dropped, T0 + 60 + TV_STORE_GOING_S, rows, 8, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(CALL(take_dropped, T0 + 61 + TV_STORE_GOING_S, rows, 8, &count), TV_OK);
    assert_int_equal(count, 0);
    assert_int_equal(CALL(forget_file, &row.raw), TV_OK);
    assert_int_equal(CALL(claim_file, &row.raw, 100, T0 + 62 + TV_STORE_GOING_S), TV_OK);
}

static void claim_begins_the_grace_period_anew(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_hash file = hash(1);
    assert_int_equal(CALL(claim_file, &file, 100, T0), TV_OK);
    assert_int_equal(CALL(claim_file, &file, 100, T0 + DAY / 2), TV_OK);
    assert_int_equal(take_files(fix, T0 + DAY, rows), 0);
    assert_int_equal(take_files(fix, T0 + DAY + DAY / 2, rows), 1);
}

/* A claim of a clock that was ahead: its file goes a grace period after the clock is right. */
static void claim_from_the_future_does_not_stay(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_hash file = hash(1);
    assert_int_equal(CALL(claim_file, &file, 100, T0 + 5000 * DAY), TV_OK);
    assert_int_equal(take_files(fix, T0, rows), 0);
    assert_int_equal(take_files(fix, T0 + DAY, rows), 1);
}

/* A clock that is behind the one of the claim, as that of a second machine may be by a second. */
static void gc_whose_clock_is_behind_takes_no_file_that_is_needed(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[8];
    struct tv_trace_row row = row_of(1, 1);
    size_t count;
    add(fix, &row);
    assert_int_equal(CALL(claim_file, &row.raw, 100, T0 + 1), TV_OK);
    assert_int_equal(take_files(fix, T0, rows), 0);
    assert_int_equal(CALL(list_files, NULL, rows, 8, &count), TV_OK);
    assert_true(count == 1 && !rows[0].is_going && rows[0].is_needed);
    assert_int_equal(take_files(fix, T0 + TV_STORE_GOING_S, rows), 0);
    assert_int_equal(CALL(claim_file, &row.raw, 100, T0 + TV_STORE_GOING_S), TV_OK);
}

static void files_are_listed_page_by_page(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row rows[4];
    struct tv_hash last;
    size_t count;
    for (unsigned i = 0; i < 6; i++) {
        struct tv_hash file = hash(i);
        assert_int_equal(CALL(claim_file, &file, i, T0 + i), TV_OK);
    }
    assert_int_equal(CALL(list_files, NULL, rows, 4, &count), TV_OK);
    assert_int_equal(count, 4);
    assert_int_equal(rows[3].bytes, 3);
    last = rows[3].name;
    assert_int_equal(CALL(list_files, &last, rows, 4, &count), TV_OK);
    assert_int_equal(count, 2);
    assert_string_equal(rows[1].name.hex, hash(5).hex);
}

/* ---- Housekeeping ---- */

static struct tv_expired expire(struct fixture *fix, int64_t now)
{
    struct tv_expired expired;
    assert_int_equal(CALL(expire, now, DAY, 100, &expired), TV_OK);
    return expired;
}

static void expired_rows_go_after_a_second_look(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1, 1);
    row.expires = T0 + 10;
    add(fix, &row);
    add_simple(fix, 2, 1);
    begin_upload(fix, 3, 0); /* until T0 + DAY */
    assert_int_equal(expire(fix, T0 + 5).traces, 0);
    assert_int_equal(expire(fix, T0 + 3 * DAY).traces, 0); /* first seen */
    assert_int_equal(expire(fix, T0 + 4 * DAY - 1).traces, 0);
    struct tv_expired expired = expire(fix, T0 + 4 * DAY);
    assert_int_equal(expired.traces, 1);
    assert_int_equal(expired.uploads, 1);
    struct tv_trace_row back;
    assert_int_equal(get(fix, 2, T0 + 4 * DAY, &back), TV_OK);
}

static void make_job(struct fixture *fix, const char *build, unsigned index, int64_t now)
{
    struct tv_job job;
    const struct tv_hash raw = hash(1);
    const struct tv_hash made = hash(index);
    assert_int_equal(CALL(claim_file, &made, 10, now), TV_OK);
    assert_int_equal(CALL(want_job, &raw, build, "", true, now, &job), TV_OK);
    assert_int_equal(CALL(take_job, build, "w", now, LEASE, 2, &job), TV_OK);
    assert_int_equal(CALL(end_job, &raw, build, "", "w", now, TV_JOB_END_DONE, 2, &made, ""),
                     TV_OK);
}

/* As after an upgrade, where the indexes of both versions do not fit. */
static void replaced_indexes_can_go_at_once(void **state)
{
    struct fixture *fix = *state;
    struct tv_file_row files[8];
    uint64_t count;
    add_simple(fix, 1, 1);
    make_job(fix, "build-1", 3001, T0);
    assert_int_equal(CALL(drop_replaced, "build-2", T0 + 10, &count), TV_OK);
    assert_int_equal(count, 0); /* there is no other one */
    make_job(fix, "build-2", 3002, T0 + 10);
    assert_int_equal(CALL(drop_replaced, "build-2", T0 - 1, &count), TV_OK);
    assert_int_equal(count, 0); /* workers of the other build are there */
    assert_int_equal(CALL(drop_replaced, "build-2", T0 + 5, &count), TV_OK);
    assert_int_equal(count, 1);
    assert_int_equal(take_files(fix, T0 + 2 * DAY, files), 1);
    assert_string_equal(files[0].name.hex, hash(3001).hex);
}

static void clock_that_jumps_ahead_drops_nothing(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1, 1);
    struct tv_trace_row back;
    row.expires = T0 + 10 * DAY;
    add(fix, &row);
    assert_int_equal(expire(fix, T0 + 4000 * DAY).traces, 0);
    assert_int_equal(get(fix, 1, T0 + 4000 * DAY, &back), TV_ERR_NOT_FOUND);
    assert_int_equal(expire(fix, T0 + 1).traces, 0); /* the clock is right again */
    assert_int_equal(get(fix, 1, T0 + 1, &back), TV_OK);
    assert_int_equal(expire(fix, T0 + 11 * DAY).traces, 0); /* seen anew */
    assert_int_equal(expire(fix, T0 + 12 * DAY).traces, 1);
}

static void more_time_saves_what_was_seen_expired(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row row = row_of(1, 1);
    struct tv_part part = {.len = 5, .file = hash(11)};
    struct tv_id upload = id(2);
    struct tv_upload back;
    add(fix, &row);
    begin_upload(fix, 2, 0);
    assert_int_equal(CALL(claim_file, &part.file, 5, T0), TV_OK);
    (void)expire(fix, T0 + 2 * DAY); /* the clock is wrong */
    assert_int_equal(CALL(add_part, &upload, &part, T0, T0 + 5 * DAY, NULL, NULL), TV_OK);
    assert_int_equal(expire(fix, T0 + 4 * DAY).uploads, 0);
    assert_int_equal(CALL(get_upload, &upload, T0 + 4 * DAY, &fix->arena, &back), TV_OK);
}

static void make_index(struct fixture *fix, unsigned number, const char *build, int64_t now)
{
    const struct tv_hash raw = hash(number), index = hash(50);
    struct tv_job job;
    assert_int_equal(CALL(claim_file, &index, 10, now), TV_OK);
    assert_int_equal(CALL(want_job, &raw, build, "", true, now, &job), TV_OK);
    assert_int_equal(CALL(take_job, build, "w", now, LEASE, 2, &job), TV_OK);
    assert_int_equal(CALL(end_job, &raw, build, "", "w", now, TV_JOB_END_DONE, 2, &index, ""),
                     TV_OK);
}

/* As while machines are replaced one by one: each version's workers go on with its own. */
static void index_of_a_build_that_is_worked_for_stays(void **state)
{
    struct fixture *fix = *state;
    add_simple(fix, 1, 1);
    add_simple(fix, 2, 2);
    make_index(fix, 1, "build-1", T0);
    make_index(fix, 1, "build-2", T0 + 1);
    make_index(fix, 2, "build-1", T0 + DAY);
    assert_int_equal(expire(fix, T0 + DAY + 2).jobs, 0);
    assert_int_equal(expire(fix, T0 + 2 * DAY).jobs, 1);
}

static void index_of_an_earlier_build_goes(void **state)
{
    struct fixture *fix = *state;
    const struct tv_hash raw = hash(1);
    struct tv_job job;
    add_simple(fix, 1, 1);
    make_index(fix, 1, "build-1", T0);
    make_index(fix, 1, "build-2", T0 + 1);
    assert_int_equal(expire(fix, T0 + DAY).jobs, 0);
    assert_int_equal(expire(fix, T0 + DAY + 1).jobs, 1);
    assert_int_equal(CALL(want_job, &raw, "build-2", "", true, T0, &job), TV_OK);
    assert_int_equal(job.state, TV_JOB_DONE);
}

static void rows_are_there_when_opened_again(void **state)
{
    struct fixture *fix = *state;
    struct tv_trace_row back;
    add_simple(fix, 1, 1);
    fix->db.close(fix->db.ctx);
    assert_int_equal(fix->implementation->open(&fix->db, fix->dir), TV_OK);
    assert_int_equal(get(fix, 1, T0, &back), TV_OK);
}

/* ---- At once ---- */

#define THREADS 4u
#define ROUNDS 25u

struct worker {
    struct fixture *fix;
    struct tv_store_db own; /* a connection of its own, as another process has */
    unsigned number;
    unsigned taken;
    bool is_good;
};

static bool work_once(struct worker *worker, unsigned round)
{
    const struct tv_store_db *db = &worker->own;
    struct tv_trace_row row = row_of(worker->number * 1000 + round, 1 + round % 5);
    struct tv_job job;
    char name[16];
    (void)snprintf(name, sizeof(name), "w%u", worker->number);
    if (db->claim_file(db->ctx, &row.raw, 1, T0, NULL) != TV_OK ||
        db->add_trace(db->ctx, &row, 0, NULL, NULL, NULL) != TV_OK ||
        db->want_job(db->ctx, &row.raw, "build-1", "", true, T0, &job, NULL) != TV_OK)
        return false;
    enum tv_code code = db->take_job(db->ctx, "build-1", name, T0, LEASE, 2, &job, NULL);
    worker->taken += code == TV_OK;
    return code == TV_OK || code == TV_ERR_NOT_FOUND;
}

static void *work(void *ctx)
{
    struct worker *worker = ctx;
    worker->is_good = true;
    for (unsigned i = 0; i < ROUNDS && worker->is_good; i++)
        worker->is_good = work_once(worker, i);
    return NULL;
}

/* Half of the threads share a connection, the others have one each. */
static void threads_and_connections_work_at_once(void **state)
{
    struct fixture *fix = *state;
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    struct tv_store_sums sums;
    unsigned taken = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.fix = fix, .own = fix->db, .number = i + 1};
        if (i % 2)
            assert_int_equal(fix->implementation->open(&workers[i].own, fix->dir), TV_OK);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(workers[i].is_good);
        taken += workers[i].taken;
        if (i % 2)
            workers[i].own.close(workers[i].own.ctx);
    }
    assert_int_equal(CALL(sums, TV_QUOTA_STORE, NULL, &sums), TV_OK);
    assert_int_equal(sums.traces, THREADS * ROUNDS);
    assert_int_equal(sums.jobs[TV_JOB_TAKEN], 5);
    assert_int_equal(taken, 5); /* each once, whoever was first */
}

static void *open_it(void *ctx)
{
    struct worker *worker = ctx;
    worker->is_good = worker->fix->implementation->open(&worker->own, worker->fix->dir) == TV_OK;
    if (worker->is_good)
        worker->own.close(worker->own.ctx);
    return NULL;
}

static void several_make_a_new_database_at_once(void **state)
{
    struct fixture *fix = *state;
    for (unsigned round = 0; round < 5; round++) {
        struct fixture fresh = {.implementation = fix->implementation};
        pthread_t threads[THREADS];
        struct worker workers[THREADS];
        (void)snprintf(fresh.dir, sizeof(fresh.dir), "%.40s/XXXXXX", fix->dir);
        assert_non_null(mkdtemp(fresh.dir));
        for (unsigned i = 0; i < THREADS; i++) {
            workers[i] = (struct worker){.fix = &fresh};
            assert_int_equal(pthread_create(&threads[i], NULL, open_it, &workers[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (unsigned i = 0; i < THREADS; i++)
            assert_true(workers[i].is_good);
    }
}

#define TEST(function)                                                                             \
    {                                                                                              \
#function, function, begin, end, NULL                                                      \
    }

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof(implementations) / sizeof(*implementations); i++) {
        struct CMUnitTest tests[] = {
            TEST(trace_comes_back_as_it_was_added),
            TEST(adding_twice_is_adding_once),
            TEST(trace_without_its_file_is_refused),
            TEST(what_is_too_long_or_no_text_is_refused),
            TEST(expired_trace_is_not_found),
            TEST(md5_leads_to_the_oldest),
            TEST(change_replaces_only_what_is_given),
            TEST(owner_is_another_or_none),
            TEST(dropped_trace_is_gone),
            TEST(list_has_what_is_asked_for),
            TEST(list_goes_page_by_page),
            TEST(list_finds_words_of_labels_as_they_are),
            TEST(list_finds_words_among_a_label_that_many_have),
            TEST(list_leaves_projects_out),
            TEST(traces_of_other_projects_are_counted),
            TEST(md5_leads_to_what_may_be_seen),
            TEST(change_into_a_full_project_is_refused),
            TEST(quota_is_held_for_each_kind),
            TEST(quota_of_nobody_is_not_held),
            TEST(what_was_deleted_is_charged_until_it_is_gone),
            TEST(nobody_is_charged_for_bytes_that_a_trace_has),
            TEST(refused_bytes_are_dropped_unless_a_trace_has_them),
            TEST(files_are_counted_as_they_come_and_go),
            TEST(sums_are_of_all_or_of_one),
            TEST(upload_becomes_a_trace),
            TEST(an_upload_has_the_hash_so_far_of_its_last_part),
            TEST(offset_that_is_not_the_end_is_refused),
            TEST(a_part_that_no_sum_can_hold_is_refused),
            TEST(an_upload_has_ten_thousand_parts_at_most),
            TEST(upload_that_is_not_whole_does_not_end),
            TEST(lapsed_upload_is_not_found),
            TEST(parts_count_in_quotas),
            TEST(parts_go_when_the_trace_is_whole),
            TEST(parts_of_a_dropped_upload_are_charged),
            TEST(same_raw_file_has_one_job_of_each_build),
#ifdef TV_HAS_POSTGRES
            TEST(try_that_was_taken_back_takes_no_job),
#endif
            TEST(done_job_tells_the_index),
            TEST(lapsed_lease_goes_to_another),
            TEST(clock_is_the_servers),
            TEST(second_lapse_is_bad),
            TEST(tries_that_the_trace_did_not_fail_are_none),
            TEST(bad_jobs_are_tried_again_on_demand),
            TEST(jobs_that_failed_in_another_build_are_tried_again),
            TEST(a_database_knows_which_it_is),
            TEST(a_paused_job_is_nobodys_for_a_while),
            TEST(an_index_that_is_not_kept_clears_its_trace),
            TEST(failed_try_is_repeated_once_then_bad),
            TEST(bad_file_is_not_tried_again),
            TEST(mapping_is_no_trace),
            TEST(mapping_is_tried_on_traces_of_its_owner),
            TEST(mapping_of_the_build_goes_before_others),
            TEST(id_of_the_trace_decides),
            TEST(an_md5_is_noted_for_all_of_the_same_bytes),
            TEST(figures_are_kept_for_the_raw_file),
            TEST(figures_are_those_of_a_build),
            TEST(a_row_tells_whether_its_trace_has_failed),
            TEST(traces_count_as_their_owners_say),
            TEST(so_many_mappings_are_tried_and_no_more),
            TEST(large_mappings_are_tried_alone),
            TEST(indexes_go_with_their_mapping),
            TEST(jobs_are_taken_oldest_first),
            TEST(small_jobs_of_who_has_few_go_first),
            TEST(jobs_of_who_brings_many_let_others_in),
            TEST(jobs_for_which_nobody_waits_are_the_last),
            TEST(only_an_upload_without_bytes_is_dropped_as_empty),
            TEST(jobs_go_with_the_last_trace),
            TEST(lease_from_the_future_lapses),
            TEST(token_of_a_program_is_found_until_it_expires),
            TEST(tokens_of_all_are_listed_page_by_page),
            TEST(tokens_of_all_are_listed_page_by_page),
            TEST(a_user_has_a_hundred_tokens_at_most),
            TEST(a_delivery_is_one_workers_until_its_time_is_over),
            TEST(a_delivery_is_tried_again_when_it_is_due),
            TEST(deliveries_are_listed_counted_and_forgotten),
            TEST(tallies_are_of_all_processes),
            TEST(jobs_that_nobody_does_are_found),
            TEST(jobs_that_another_version_left_are_found),
            TEST(only_unneeded_old_files_are_taken),
            TEST(index_of_a_deleted_trace_is_dropped),
            TEST(taken_file_cannot_be_claimed_or_named),
            TEST(taken_file_of_a_dead_gc_is_taken_again),
            TEST(dropped_file_of_a_dead_gc_is_taken_again),
            TEST(claim_begins_the_grace_period_anew),
            TEST(claim_from_the_future_does_not_stay),
            TEST(gc_whose_clock_is_behind_takes_no_file_that_is_needed),
            TEST(files_are_listed_page_by_page),
            TEST(expired_rows_go_after_a_second_look),
            TEST(replaced_indexes_can_go_at_once),
            TEST(clock_that_jumps_ahead_drops_nothing),
            TEST(more_time_saves_what_was_seen_expired),
            TEST(index_of_an_earlier_build_goes),
            TEST(index_of_a_build_that_is_worked_for_stays),
            TEST(rows_are_there_when_opened_again),
            TEST(threads_and_connections_work_at_once),
            TEST(several_make_a_new_database_at_once),
        };
        struct implementation implementation = implementations[i];
#ifdef TV_HAS_POSTGRES
        if (implementation.open == open_postgres && !tv_start_postgres(cluster)) {
            print_message(
                "skipped: rows in PostgreSQL: PostgreSQL is not installed (postgresql-15)\n");
            continue;
        }
#endif
        for (size_t t = 0; t < sizeof(tests) / sizeof(*tests); t++)
            tests[t].initial_state = &implementation;
        failed += _cmocka_run_group_tests(implementation.name, tests,
                                          sizeof(tests) / sizeof(*tests), NULL, NULL);
    }
#ifdef TV_HAS_POSTGRES
    if (cluster[0])
        tv_stop_postgres(cluster);
#endif
    return failed;
}
