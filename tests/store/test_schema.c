/* The schema: from each version to the last, by whoever is first, or not at all. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "os/clock.h"
#include "store/sqlite/schema.h"

/* Three versions of a made-up schema; the third step moves what the second one added. */
static const char *const steps[] = {
    "CREATE TABLE a(x INTEGER) STRICT; INSERT INTO a VALUES(1)",
    "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y=x+1",
    "CREATE TABLE b(z INTEGER) STRICT; INSERT INTO b SELECT x+y FROM a; DROP TABLE a",
};
static const char *const broken[] = {
    "CREATE TABLE a(x INTEGER) STRICT; INSERT INTO a VALUES(1)",
    "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE nothing SET y=1",
};

static void open_new(struct tv_sql *sql)
{
    *sql = (struct tv_sql){.writes = true};
    assert_int_equal(tv_sql_open(sql, ":memory:", true, NULL), TV_OK);
}

static int64_t ask(struct tv_sql *sql, const char *text)
{
    int64_t number;
    assert_int_equal(tv_sql_ask(sql, text, &number, NULL), TV_OK);
    return number;
}

static enum tv_code migrate(struct tv_sql *sql, const char *const *of, size_t count,
                            struct tv_error *err)
{
    struct tv_schema schema = {of, count};
    return tv_schema_migrate(sql, &schema, err);
}

static void every_version_becomes_the_last(void **state)
{
    (void)state;
    for (size_t from = 0; from <= 3; from++) {
        struct tv_sql db;
        open_new(&db);
        if (from)
            assert_int_equal(migrate(&db, steps, from, NULL), TV_OK);
        assert_int_equal(migrate(&db, steps, 3, NULL), TV_OK);
        assert_int_equal(migrate(&db, steps, 3, NULL), TV_OK);
        assert_int_equal(ask(&db, "PRAGMA user_version"), 3);
        assert_int_equal(ask(&db, "SELECT z FROM b"), 3);
        tv_sql_close(&db);
    }
}

static void step_that_fails_changes_nothing(void **state)
{
    struct tv_error err;
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(migrate(&db, broken, 1, NULL), TV_OK);
    assert_int_equal(migrate(&db, broken, 2, &err), TV_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "nothing"));
    assert_int_equal(ask(&db, "PRAGMA user_version"), 1);
    assert_int_equal(ask(&db, "SELECT count(*) FROM pragma_table_info('a')"), 1);
    assert_int_equal(migrate(&db, steps, 3, NULL), TV_OK);
    assert_int_equal(ask(&db, "SELECT z FROM b"), 3);
    tv_sql_close(&db);
}

static void later_version_is_left_alone(void **state)
{
    struct tv_error err;
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(migrate(&db, steps, 3, NULL), TV_OK);
    assert_int_equal(migrate(&db, steps, 2, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "its schema is 3, and this program knows up to 2"));
    assert_int_equal(ask(&db, "SELECT z FROM b"), 3);
    tv_sql_close(&db);
}

static void other_databases_are_left_alone(void **state)
{
    static const char *const others[] = {"CREATE TABLE theirs(x)", "PRAGMA user_version=1",
                                         "PRAGMA application_id=252006674"};
    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        struct tv_sql db;
        open_new(&db);
        assert_int_equal(tv_sql_execute(&db, others[i], NULL), TV_OK);
        assert_int_equal(migrate(&db, steps, 3, NULL), TV_ERR_UNSUPPORTED);
        assert_int_equal(ask(&db, "SELECT count(*) FROM sqlite_master WHERE name='b'"), 0);
        tv_sql_close(&db);
    }
}

/* Whoever changes a step that stores out there were made with makes two kinds of that version. */
static void steps_make_tables_of_strict_types(void **state)
{
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(tv_schema_migrate(&db, &tv_schema, NULL), TV_OK);
    assert_int_equal(ask(&db, "PRAGMA user_version"), (int64_t)tv_schema.count);
    assert_int_equal(ask(&db, "SELECT count(*) FROM pragma_table_list WHERE schema='main'"
                              " AND name NOT LIKE 'sqlite_%' AND NOT strict"),
                     0);
    assert_true(ask(&db, "SELECT count(*) FROM pragma_table_list WHERE schema='main' AND strict") >=
                5);
    tv_sql_close(&db);
}

/* Those of before there was a build are those of the index that was made last, if it is there. */
static void figures_get_the_build_of_their_index(void **state)
{
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(migrate(&db, tv_schema.steps, 8, NULL), TV_OK);
    assert_int_equal(
        tv_sql_execute(&db,
                       "INSERT INTO files(name, bytes, claimed) VALUES('a', 1, 0), ('b', 1, 0);"
                       "INSERT INTO jobs VALUES('a', '1.2-x', '', 2, '', 0, 0, NULL, '', 0, 5),"
                       " ('a', '7.2-x', '', 2, '', 0, 0, NULL, '', 0, 9),"
                       " ('a', '8.2-x', '', 0, '', 0, 0, NULL, '', 0, 99),"
                       " ('b', '7.2-x', '', 3, '', 0, 0, NULL, '', 0, 9);"
                       "INSERT INTO figures VALUES('a', 10, 2, 3, 4), ('b', 20, 2, 3, 4)",
                       NULL),
        TV_OK);
    assert_int_equal(tv_schema_migrate(&db, &tv_schema, NULL), TV_OK);
    assert_int_equal(ask(&db, "SELECT count(*) FROM build_figures"), 1);
    assert_int_equal(ask(&db, "SELECT duration_ns FROM build_figures WHERE build='7.2-x'"), 10);
    tv_sql_close(&db);
}

/* A store of the first version, with files in it. */
static void files_of_an_old_store_are_counted(void **state)
{
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(migrate(&db, tv_schema.steps, 1, NULL), TV_OK);
    assert_int_equal(tv_sql_execute(&db,
                                    "INSERT INTO files(name, bytes, claimed) VALUES('a', 5, 0),"
                                    " ('b', 7, 0)",
                                    NULL),
                     TV_OK);
    assert_int_equal(tv_schema_migrate(&db, &tv_schema, NULL), TV_OK);
    assert_int_equal(ask(&db, "SELECT files FROM totals"), 2);
    assert_int_equal(ask(&db, "SELECT bytes FROM totals"), 12);
    tv_sql_close(&db);
}

/* A store of the second version, with an index. */
static void indexes_of_an_old_store_stay(void **state)
{
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(migrate(&db, tv_schema.steps, 2, NULL), TV_OK);
    assert_int_equal(tv_sql_execute(&db,
                                    "INSERT INTO files(name, bytes, claimed) VALUES('a', 5, 0),"
                                    " ('b', 7, 0);"
                                    "INSERT INTO jobs VALUES('a', 'build', 2, 'w', 3, 1, 'b', '',"
                                    " 4, 5)",
                                    NULL),
                     TV_OK);
    assert_int_equal(tv_schema_migrate(&db, &tv_schema, NULL), TV_OK);
    assert_int_equal(ask(&db, "SELECT count(*) FROM jobs WHERE raw='a' AND build='build' AND"
                              " mappings='' AND state=2 AND result='b' AND created=4 AND"
                              " changed=5"),
                     1);
    assert_int_equal(ask(&db, "SELECT count(*) FROM sqlite_master WHERE tbl_name='jobs'"
                              " AND type='index' AND sql IS NOT NULL"),
                     6);
    tv_sql_close(&db);
}

/* Jobs of before they had an uploader and a length of their own. */
static void jobs_of_an_old_store_get_their_uploader(void **state)
{
    (void)state;
    struct tv_sql db;
    open_new(&db);
    assert_int_equal(migrate(&db, tv_schema.steps, 9, NULL), TV_OK);
    assert_int_equal(
        tv_sql_execute(&db,
                       "INSERT INTO files(name, bytes, claimed) VALUES('a', 5, 0), ('b', 7, 0);"
                       "INSERT INTO traces(id, raw, bytes, file_name, title, note, created, user,"
                       " address, is_raw_shared, is_listed) VALUES('2', 'a', 5, '', '', '', 2,"
                       " 'later', 'x', 0, 0), ('1', 'a', 5, '', '', '', 1, 'ana', 'x', 0, 0),"
                       " ('3', 'b', 7, '', '', '', 1, '', 'y', 0, 0);"
                       "INSERT INTO jobs VALUES('a', 'build', '', 0, '', 3, 0, NULL, '', 3, 3),"
                       " ('b', 'build', '', 3, '', 3, 0, NULL, '', 3, 3)",
                       NULL),
        TV_OK);
    assert_int_equal(tv_schema_migrate(&db, &tv_schema, NULL), TV_OK);
    assert_int_equal(ask(&db, "SELECT bytes FROM jobs WHERE who='ana'"), 5);
    assert_int_equal(ask(&db, "SELECT bytes FROM jobs WHERE who='y'"), 7);
    tv_sql_close(&db);
}

/* A process that was stopped in the middle of a change: whoever asks is to come again. */
static void a_database_that_stays_locked_is_away(void **state)
{
    char path[] = "/tmp/traceview-test-XXXXXX";
    struct tv_error err;
    struct tv_sql stopped = {.writes = true};
    struct tv_sql other = {.writes = true};
    (void)state;
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(tv_sql_open(&stopped, path, true, NULL), TV_OK);
    assert_int_equal(tv_sql_open(&other, path, true, NULL), TV_OK);
    assert_int_equal(tv_sql_execute(&other, "PRAGMA busy_timeout=10", NULL), TV_OK);
    assert_int_equal(tv_sql_execute(&stopped, "BEGIN IMMEDIATE", NULL), TV_OK);
    assert_int_equal(tv_sql_execute(&other, "BEGIN IMMEDIATE", &err), TV_ERR_AWAY);
    assert_non_null(strstr(err.text, "is locked by a process that does not go on"));
    tv_sql_take_back(&stopped);
    assert_int_equal(tv_sql_execute(&other, "BEGIN IMMEDIATE", &err), TV_OK);
    tv_sql_close(&other);
    tv_sql_close(&stopped);
    assert_int_equal(unlink(path), 0);
}

#define WAITING 6u
#define PATIENCE_MS 300u

static void *wait_for_lock(void *ctx)
{
    enum tv_code code = tv_sql_begin(ctx, NULL);
    if (code == TV_OK)
        code = tv_sql_end(ctx, TV_OK, NULL);
    return code == TV_ERR_AWAY ? ctx : NULL;
}

/* Threads that share a connection give up beside each other, not one after the other. */
static void a_lock_is_waited_for_once(void **state)
{
    char path[] = "/tmp/traceview-test-XXXXXX";
    struct tv_sql stopped = {.writes = true};
    struct tv_sql shared = {.writes = true, .busy_ms = PATIENCE_MS};
    pthread_t threads[WAITING];
    (void)state;
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(tv_sql_open(&stopped, path, true, NULL), TV_OK);
    assert_int_equal(tv_sql_open(&shared, path, true, NULL), TV_OK);
    assert_int_equal(tv_sql_execute(&stopped, "BEGIN IMMEDIATE", NULL), TV_OK);
    const uint64_t begun = tv_now_ns();
    for (size_t i = 0; i < WAITING; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_lock, &shared), 0);
    for (size_t i = 0; i < WAITING; i++) {
        void *was_away;
        assert_int_equal(pthread_join(threads[i], &was_away), 0);
        assert_non_null(was_away);
    }
    const uint64_t took_ms = tv_passed_ns(begun, tv_now_ns()) / TV_NS_PER_MS;
    assert_in_range(took_ms, PATIENCE_MS / 2, (uint64_t)PATIENCE_MS * (WAITING - 1));
    tv_sql_take_back(&stopped);
    assert_int_equal(tv_sql_begin(&shared, NULL), TV_OK);
    assert_int_equal(tv_sql_end(&shared, TV_OK, NULL), TV_OK);
    tv_sql_close(&shared);
    tv_sql_close(&stopped);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_becomes_the_last),
        cmocka_unit_test(step_that_fails_changes_nothing),
        cmocka_unit_test(later_version_is_left_alone),
        cmocka_unit_test(other_databases_are_left_alone),
        cmocka_unit_test(steps_make_tables_of_strict_types),
        cmocka_unit_test(files_of_an_old_store_are_counted),
        cmocka_unit_test(a_database_that_stays_locked_is_away),
        cmocka_unit_test(a_lock_is_waited_for_once),
        cmocka_unit_test(indexes_of_an_old_store_stay),
        cmocka_unit_test(figures_get_the_build_of_their_index),
        cmocka_unit_test(jobs_of_an_old_store_get_their_uploader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
