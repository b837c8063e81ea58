/*
 * Rows in an engine that is asked by whole texts of SQL: the statements of rows_sql.h with their
 * values spelled into them, many runs at a time, since each question is a way to a server and back.
 *
 * Ids are parts of hashes, so that nobody has to ask the engine for one: that of a method is made
 * of its names, that of a run of its key and of the moment. Names are spelled as digits of their
 * bytes: whatever is in one, it cannot end a text.
 */
#ifndef TV_FLEET_ROWS_REMOTE_H
#define TV_FLEET_ROWS_REMOTE_H

#include "base/memory/buffer.h"
#include "base/memory/map.h"
#include "fleet/rows_engine.h"
#include "fleet/rows_values.h"

struct tv_rows_link {
    void *ctx;
    /* What stands before and behind the digits of a text of any bytes. */
    const char *bytes_begin, *bytes_end;
    /* The statements of rows of runs (fleet/rows_sql.h), without an order, and of one method, each
     * by enum tv_rows_columns. */
    const char *const *rows, *const *rows_in_any_order, *const *rows_of_method;
    /* A statement without an answer, or one with rows. `columns` has a letter for each column of
     * the answer: n a number, t a text; "": there is none. */
    enum tv_code (*ask)(void *ctx, struct tv_str text, const char *columns, struct tv_error *err);
    /* Asking in two steps, so that the engine works while its last answer is read; NULL: the engine
     * is asked in one step. What was begun is taken, or dropped. */
    void *(*begin)(void *ctx, struct tv_str text, struct tv_error *err); /* NULL: a failure */
    enum tv_code (*take)(void *ctx, void *begun, const char *columns, struct tv_error *err);
    void (*drop)(void *ctx, void *begun);
    /* Of the last answer, until the next statement. */
    size_t (*count)(const void *ctx);
    int64_t (*number)(const void *ctx, size_t row, int column);
    enum tv_code (*keep)(const void *ctx, size_t row, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err);
    /* Adds a row of an INSERT to `rows`, and sends the rows that were added. */
    enum tv_code (*add)(void *ctx, struct tv_buffer *rows, const struct tv_sql_value *values,
                        size_t count, struct tv_error *err);
    enum tv_code (*insert)(void *ctx, const char *into, struct tv_str rows, const char *behind,
                           struct tv_error *err);
};

enum tv_rows_spelling {
    TV_ROWS_ANY,    /* numbers, and texts of any bytes */
    TV_ROWS_DIGITS, /* texts of digits and letters, which are compared as such */
    TV_ROWS_PAIRS   /* the same two by two: values 0 and 1 are one of the list, 2 and 3 the next */
};
/* A parameter of a statement: one value, or several for IN($1). */
struct tv_rows_parameter {
    const struct tv_sql_value *of;
    size_t count;
    enum tv_rows_spelling spelling;
};
/* Asks a statement of rows_sql.h. */
enum tv_code tv_rows_ask(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                         const char *statement, const struct tv_rows_parameter *parameters,
                         size_t count, const char *columns, struct tv_error *err) TV_MUST_CHECK;
/* Appends a value as it is spelled in SQL. */
enum tv_code tv_rows_spell_value(const struct tv_rows_link *link, struct tv_buffer *text,
                                 const struct tv_sql_value *value, bool is_digits,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Sends the rows of a run, its contexts, its methods, and at last the run itself, so that an engine
 * without transactions has all of it when the run is seen. `counted`: what an engine that
 * counts the runs of methods has behind the INSERT of methods. */
enum tv_code tv_rows_send(const struct tv_rows_link *link, const struct tv_fleet_run_key *key,
                          const char *index, const struct tv_trace_rows *rows, int64_t run,
                          const char *counted, struct tv_error *err) TV_MUST_CHECK;
/* How many of the first keys one statement asks for the runs of, 1 at least: the text of one stays
 * below 256 KiB. */
size_t tv_rows_keys_at_once(const struct tv_fleet_run_key *keys, size_t count);
/* Finds the ids of the runs of `key_count` keys. The caller releases *ids, which has *count
 * elements. */
enum tv_code tv_rows_find_ids(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                              const struct tv_fleet_run_key *keys, size_t key_count, int64_t **ids,
                              size_t *count, struct tv_error *err) TV_MUST_CHECK;
/* An id for a run that is about to be sent: as if by chance, and greater than `greatest`, which is
 * that of the runs that the key has, or 0. */
int64_t tv_rows_new_run(const struct tv_fleet_run_key *key, const char *index, int64_t greatest);

/* A reader of rows in a remote engine. */
struct tv_rows_reading {
    struct tv_rows_link link;
    struct tv_fleet_reader *reader;
    size_t runs_at_once;   /* whose rows one statement asks for */
    struct tv_arena names; /* of the methods that were met */
    struct tv_map place_of;
    struct tv_fleet_method *methods;
    size_t method_count, method_cap;
    struct tv_fleet_read_row *rows; /* of a batch */
    size_t row_cap;
};
void tv_rows_reading_init(struct tv_rows_reading *reading, struct tv_fleet_reader *reader);
void tv_rows_reading_release(struct tv_rows_reading *reading);
/* As in struct tv_rows_engine. reader->ctx begins with a struct tv_rows_reading. */
enum tv_code tv_rows_remote_find_runs(struct tv_fleet_reader *reader,
                                      const struct tv_fleet_run_key *keys, size_t count,
                                      struct tv_arena *arena, struct tv_fleet_run **runs,
                                      struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_rows_remote_read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                                      struct tv_fleet_run **runs, size_t *count,
                                      struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_rows_remote_read_rows(struct tv_fleet_reader *reader,
                                      const struct tv_fleet_wanted *wanted, tv_fleet_each *each,
                                      void *ctx, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_rows_remote_read_method(struct tv_fleet_reader *reader, int64_t method,
                                        struct tv_arena *arena, struct tv_fleet_method *names,
                                        bool *has, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_rows_remote_find_method(struct tv_fleet_reader *reader,
                                        const struct tv_fleet_method *names, int64_t *method,
                                        bool *has, struct tv_error *err) TV_MUST_CHECK;

#endif
