/*
 * Statements and transactions of SQLite, in the words of this program.
 *
 * A connection is used by one thread at a time, for one short transaction. Statements are prepared
 * once for each connection, and found again by the address of their text, which therefore is
 * static. Commits wait until the disk has them (synchronous=FULL).
 */
#ifndef TV_SQLITE_SQL_H
#define TV_SQLITE_SQL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/sql_value.h"
#include "base/str.h"

#define TV_SQL_STATEMENTS 80u

struct tv_sql_statement {
    const char *text;
    struct sqlite3_stmt *prepared;
};

struct tv_sql {
    struct sqlite3 *db;
    pthread_mutex_t lock; /* held from tv_sql_begin to tv_sql_end */
    bool writes;
    bool is_read_only; /* the file is taken as it is, and nobody else writes it */
    bool was_opened;   /* tried to be, and has a lock */
    unsigned busy_ms;  /* how long tv_sql_begin waits for other processes; 0: half a minute */
    struct tv_sql_statement statements[TV_SQL_STATEMENTS];
    size_t statement_count;
};

/* Connects to the database at a path, of a struct that is zero but for `writes`, `is_read_only`
 * and `busy_ms`; tv_sql_close also follows a failure, and does nothing where nothing was opened.
 * `may_make`: a missing database is made. */
enum tv_code tv_sql_open(struct tv_sql *sql, const char *path, bool may_make,
                         struct tv_error *err) TV_MUST_CHECK;
void tv_sql_close(struct tv_sql *sql);
/* Lets reading go on while somebody writes (WAL mode), and waits for others who do the same. */
enum tv_code tv_sql_turn_wal_on(struct tv_sql *sql, struct tv_error *err) TV_MUST_CHECK;
/* Empties the file beside the database (WAL mode), which has what was deleted until others write
 * over it. Waits for nobody for long: where somebody reads or writes meanwhile, it stays as it is.
 */
enum tv_code tv_sql_empty_wal(struct tv_sql *sql, struct tv_error *err) TV_MUST_CHECK;
/* Copies a whole database in one step, as it is when the step begins. */
enum tv_code tv_sql_copy_database(struct tv_sql *from, struct tv_sql *to,
                                  struct tv_error *err) TV_MUST_CHECK;

/* Statements of any text, which are not prepared for another time: several without rows, or one
 * whose first row begins with a number. */
enum tv_code tv_sql_execute(struct tv_sql *sql, const char *text,
                            struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sql_ask(struct tv_sql *sql, const char *text, int64_t *number,
                        struct tv_error *err) TV_MUST_CHECK;
/* Takes all back since "BEGIN", unless a failure has done so already. */
void tv_sql_take_back(struct tv_sql *sql);

/* Begins a transaction. A writing one waits for others that write. */
enum tv_code tv_sql_begin(struct tv_sql *sql, struct tv_error *err) TV_MUST_CHECK;
/* Ends the transaction: commits where `code` is TV_OK, else takes all back. Returns the first
 * failure. */
enum tv_code tv_sql_end(struct tv_sql *sql, enum tv_code code, struct tv_error *err) TV_MUST_CHECK;

/* Begins a statement, whose rows tv_sql_next gives one by one. */
enum tv_code tv_sql_query(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                          size_t count, const struct tv_sql_statement **rows,
                          struct tv_error *err) TV_MUST_CHECK;
/* *has is false behind the last row, and then the statement is done. */
enum tv_code tv_sql_next(struct tv_sql *sql, const struct tv_sql_statement *rows, bool *has,
                         struct tv_error *err) TV_MUST_CHECK;
/* Leaves a statement before its last row. */
void tv_sql_leave(const struct tv_sql_statement *rows);
/* Runs a statement that gives no rows; *changed (may be NULL): how many it changed. */
enum tv_code tv_sql_run(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                        size_t count, uint64_t *changed, struct tv_error *err) TV_MUST_CHECK;
/* The numbers of the one row that a statement gives; 0 for each NULL, and where there is no row. */
enum tv_code tv_sql_numbers(struct tv_sql *sql, const char *text, const struct tv_sql_value *values,
                            size_t count, int64_t *numbers, size_t number_count, bool *has,
                            struct tv_error *err) TV_MUST_CHECK;

/* A column of the row at hand. Text of a NULL is empty, its number 0. */
int64_t tv_sql_number(const struct tv_sql_statement *rows, int column);
struct tv_str tv_sql_column(const struct tv_sql_statement *rows,
                            int column); /* until the next row */
enum tv_code tv_sql_keep(const struct tv_sql_statement *rows, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err) TV_MUST_CHECK;
/* Copies as much as there is room for, with a NUL. */
void tv_sql_copy(const struct tv_sql_statement *rows, int column, char *room, size_t cap);

#endif
