/*
 * A realistic program: SQLite's own C source, compiled with -finstrument-functions, filling and
 * asking a database in memory. Prints one JSON object: its wall nanoseconds, and a sum that tells
 * that all runs did the same.
 *
 * sqlite_load ROWS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sqlite3.h"

__attribute__((no_instrument_function)) static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(int code, sqlite3 *database)
{
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
        fprintf(stderr, "sqlite_load: %s\n", sqlite3_errmsg(database));
        exit(1);
    }
}

static void fill(sqlite3 *database, int rows)
{
    sqlite3_stmt *insert;
    must(sqlite3_exec(database,
                      "create table t(id integer primary key, word text, n integer);"
                      "create index by_word on t(word); begin",
                      NULL, NULL, NULL),
         database);
    must(sqlite3_prepare_v2(database,
                            "insert into t(word, n) values('w' || (?1 * 7919 % 1000), ?1)", -1,
                            &insert, NULL),
         database);
    for (int i = 0; i < rows; i++) {
        must(sqlite3_bind_int(insert, 1, i), database);
        must(sqlite3_step(insert), database);
        must(sqlite3_reset(insert), database);
    }
    sqlite3_finalize(insert);
    must(sqlite3_exec(database, "commit", NULL, NULL, NULL), database);
}

static int64_t ask(sqlite3 *database)
{
    sqlite3_stmt *query;
    int64_t sum = 0;
    must(sqlite3_prepare_v2(database,
                            "select word, count(*), sum(n) from t where word like 'w1%' group by "
                            "word order by 3 desc",
                            -1, &query, NULL),
         database);
    while (sqlite3_step(query) == SQLITE_ROW)
        sum += sqlite3_column_int64(query, 2);
    sqlite3_finalize(query);
    return sum;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 2000;
    sqlite3 *database;
    uint64_t begin = now_ns();
    if (sqlite3_open(":memory:", &database) != SQLITE_OK)
        return 1;
    fill(database, rows);
    int64_t sum = ask(database);
    sqlite3_close(database);
    printf("{\"ns\": %llu, \"sum\": %lld}\n", (unsigned long long)(now_ns() - begin),
           (long long)sum);
    return 0;
}
