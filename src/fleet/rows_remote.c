/*
 * Rows by texts of SQL; see fleet/rows_remote.h. Rows of a batch are copied out of the answer
 * before the names of their methods are asked for, since an answer goes with the next statement.
 */
#include "fleet/rows_remote.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "base/memory/pool.h"
#include "base/memory/text_map.h"
#include "fleet/rows_sql.h"
#include "os/clock.h"

/* Traces that one statement asks for the runs of, methods whose names one asks for, and rows that
 * one brings: the text of a statement stays below 256 KiB, and of rows below a few MiB. */
#define KEYS_AT_ONCE 1000u
#define NAMES_AT_ONCE 5000u
#define ROWS_AT_ONCE 5000u
#define RUNS_OF_METHOD_AT_ONCE 2000u

/* --- spelling --- */

static enum tv_code append(struct tv_buffer *text, const char *more, struct tv_error *err)
{
    return tv_buffer_append(text, more, strlen(more), err);
}

static enum tv_code spell_digits(struct tv_buffer *text, struct tv_str digits, struct tv_error *err)
{
    if (!tv_hex_is(digits))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the name of a file has other letters");
    TV_TRY(append(text, "'", err));
    TV_TRY(tv_buffer_append(text, digits.at, digits.len, err));
    return append(text, "'", err);
}

enum tv_code tv_rows_spell_value(const struct tv_rows_link *link, struct tv_buffer *text,
                                 const struct tv_sql_value *value, bool is_digits,
                                 struct tv_error *err)
{
    char number[24];
    uint8_t *at;
    if (value->kind == TV_SQL_INT) {
        (void)snprintf(number, sizeof(number), "%lld", (long long)value->number);
        return append(text, number, err);
    }
    if (is_digits)
        return spell_digits(text, value->text, err);
    TV_TRY(append(text, link->bytes_begin, err));
    TV_TRY(tv_buffer_extend(text, 2 * value->text.len, &at, err));
    tv_hex_put((char *)at, value->text.at, value->text.len);
    return append(text, link->bytes_end, err);
}

static enum tv_code spell_parameter(const struct tv_rows_link *link, struct tv_buffer *text,
                                    const struct tv_rows_parameter *parameter, struct tv_error *err)
{
    const bool is_digits = parameter->spelling != TV_ROWS_ANY;
    const bool is_pairs = parameter->spelling == TV_ROWS_PAIRS;
    for (size_t i = 0; i < parameter->count; i++) {
        if (i)
            TV_TRY(append(text, ",", err));
        if (is_pairs && i % 2 == 0)
            TV_TRY(append(text, "(", err));
        TV_TRY(tv_rows_spell_value(link, text, &parameter->of[i], is_digits, err));
        if (is_pairs && i % 2 == 1)
            TV_TRY(append(text, ")", err));
    }
    return TV_OK;
}

/* Parameters are $1 to $9. */
static enum tv_code spell(const struct tv_rows_link *link, struct tv_buffer *text,
                          const char *statement, const struct tv_rows_parameter *parameters,
                          size_t count, struct tv_error *err)
{
    const char *at = statement;
    for (const char *next; (next = strchr(at, '$')) != NULL; at = next + 2) {
        const size_t number = (size_t)(next[1] - '1');
        tv_assert(number < count);
        TV_TRY(tv_buffer_append(text, at, (size_t)(next - at), err));
        TV_TRY(spell_parameter(link, text, &parameters[number], err));
    }
    return append(text, at, err);
}

enum tv_code tv_rows_ask(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                         const char *statement, const struct tv_rows_parameter *parameters,
                         size_t count, const char *columns, struct tv_error *err)
{
    struct tv_buffer text;
    tv_buffer_init(&text, alloc);
    enum tv_code code = spell(link, &text, statement, parameters, count, err);
    if (code == TV_OK)
        code = link->ask(link->ctx, tv_buffer_view(&text), columns, err);
    tv_buffer_release(&text);
    return code;
}

/* --- ids --- */

/* A positive number: 0 and those below have meanings of their own. */
static int64_t id_of(const uint8_t digest[TV_SHA256_LEN])
{
    const int64_t id = (int64_t)(tv_load_le64(digest) >> 1);
    return id ? id : 1;
}

/* Of its names, each behind its length. Those of rows are no longer than TV_FLEET_NAME_MOST, and
 * what is longer is no method of any row. */
static int64_t id_of_method(const struct tv_fleet_method *method)
{
    const struct tv_str parts[] = {method->class_name, method->name, method->signature};
    uint8_t key[TV_FLEET_NAME_MOST + 4 * TV_COUNT_OF(parts)];
    uint8_t digest[TV_SHA256_LEN];
    size_t len = 0;
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (parts[i].len > sizeof(key) - 4 * TV_COUNT_OF(parts) - (len - 4 * i))
            return -1;
        tv_store_le32(key + len, (uint32_t)parts[i].len);
        if (parts[i].len)
            memcpy(key + len + 4, parts[i].at, parts[i].len);
        len += 4 + parts[i].len;
    }
    tv_sha256((struct tv_str){(const char *)key, len}, digest);
    return id_of(digest);
}

int64_t tv_rows_new_run(const struct tv_fleet_run_key *key, const char *index, int64_t greatest)
{
    char text[2 * TV_FLEET_HASH_LEN + TV_FLEET_ID_LEN + 48];
    uint8_t digest[TV_SHA256_LEN];
    const int len = snprintf(text, sizeof(text), "%s %s %s %llu", key->raw, key->trace, index,
                             (unsigned long long)tv_now_ns());
    tv_sha256((struct tv_str){text, (size_t)len}, digest);
    const int64_t id = id_of(digest);
    if (id > greatest)
        return id;
    /* A part of what is left above: runs that are sent at once get different ids. */
    const int64_t left = INT64_MAX - greatest;
    return left > 1 ? greatest + 1 + id % ((left + 1) / 2) : INT64_MAX;
}

/* --- writing --- */

struct sending {
    const struct tv_rows_link *link;
    const char *into, *behind;
    struct tv_buffer rows;
    size_t count;
};

static enum tv_code flush(struct sending *sending, struct tv_error *err)
{
    if (!sending->count)
        return TV_OK;
    const struct tv_rows_link *link = sending->link;
    TV_TRY(link->insert(link->ctx, sending->into, tv_buffer_view(&sending->rows), sending->behind,
                        err));
    sending->count = sending->rows.len = 0;
    return TV_OK;
}

static enum tv_code add(struct sending *sending, const struct tv_sql_value *values, size_t count,
                        struct tv_error *err)
{
    const struct tv_rows_link *link = sending->link;
    TV_TRY(link->add(link->ctx, &sending->rows, values, count, err));
    return ++sending->count == ROWS_AT_ONCE ? flush(sending, err) : TV_OK;
}

static void begin_table(struct sending *sending, const char *into, const char *behind)
{
    sending->into = into;
    sending->behind = behind;
}

/* Only methods that a row or a context names. */
static enum tv_code send_methods(struct sending *sending, const struct tv_trace_rows *rows,
                                 const int64_t *ids, const char *counted, struct tv_error *err)
{
    begin_table(sending, "methods", counted);
    for (size_t i = 0; i < rows->method_count; i++) {
        const struct tv_fleet_method *method = &rows->methods[i];
        const struct tv_sql_value values[] = {tv_sql_int(ids[i]), tv_sql_text(method->class_name),
                                              tv_sql_text(method->name),
                                              tv_sql_text(method->signature), tv_sql_int(1)};
        if (ids[i])
            TV_TRY(add(sending, values, TV_COUNT_OF(values), err));
    }
    return flush(sending, err);
}

static enum tv_code send_rows(struct sending *sending, const struct tv_trace_rows *rows,
                              const int64_t *ids, int64_t run, struct tv_error *err)
{
    struct tv_sql_value values[TV_ROWS_VALUES];
    begin_table(sending, "method_rows", "");
    for (size_t i = 0; i < rows->row_count; i++) {
        tv_rows_row_values(values, run, ids[rows->rows[i].method], &rows->rows[i]);
        TV_TRY(add(sending, values, TV_ROWS_VALUES, err));
    }
    TV_TRY(flush(sending, err));
    begin_table(sending, "context_rows", "");
    for (size_t i = 0; i < rows->context_count; i++) {
        tv_rows_context_values(values, run, ids[rows->contexts[i].method], &rows->contexts[i]);
        TV_TRY(add(sending, values, TV_ROWS_CONTEXT_VALUES, err));
    }
    return flush(sending, err);
}

static enum tv_code send_run(struct sending *sending, const struct tv_fleet_run_key *key,
                             const char *index, const struct tv_trace_rows *rows, int64_t run,
                             struct tv_error *err)
{
    struct tv_sql_value values[TV_ROWS_RUN_VALUES + 1] = {tv_sql_int(run)};
    tv_rows_run_values(values + 1, key, index, rows);
    begin_table(sending, "runs", "");
    TV_TRY(add(sending, values, TV_ROWS_RUN_VALUES + 1, err));
    return flush(sending, err);
}

static enum tv_code send_all(struct sending *sending, const struct tv_fleet_run_key *key,
                             const char *index, const struct tv_trace_rows *rows, int64_t *ids,
                             int64_t run, const char *counted, struct tv_error *err)
{
    for (size_t i = 0; i < rows->row_count; i++)
        ids[rows->rows[i].method] = id_of_method(&rows->methods[rows->rows[i].method]);
    for (size_t i = 0; i < rows->context_count; i++)
        ids[rows->contexts[i].method] = id_of_method(&rows->methods[rows->contexts[i].method]);
    TV_TRY(send_rows(sending, rows, ids, run, err));
    TV_TRY(send_methods(sending, rows, ids, counted, err));
    return send_run(sending, key, index, rows, run, err);
}

enum tv_code tv_rows_send(const struct tv_rows_link *link, const struct tv_fleet_run_key *key,
                          const char *index, const struct tv_trace_rows *rows, int64_t run,
                          const char *counted, struct tv_error *err)
{
    struct sending sending = {.link = link};
    int64_t *ids;
    TV_TRY(tv_alloc_new(rows->alloc, &ids, rows->method_count, sizeof(*ids), err));
    tv_buffer_init(&sending.rows, rows->alloc);
    const enum tv_code code = send_all(&sending, key, index, rows, ids, run, counted, err);
    tv_buffer_release(&sending.rows);
    tv_alloc_release(rows->alloc, &ids, rows->method_count, sizeof(*ids));
    return code;
}

static struct tv_sql_value text_of(const char *text)
{
    return tv_sql_text(tv_str_from(text));
}

/* A key of all runs of its raw file is asked for alone. */
size_t tv_rows_keys_at_once(const struct tv_fleet_run_key *keys, size_t count)
{
    size_t some = 0;
    while (some < count && some < KEYS_AT_ONCE && keys[some].trace)
        some++;
    return some ? some : 1;
}

static enum tv_code ask_ids(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                            const struct tv_fleet_run_key *keys, size_t count, struct tv_error *err)
{
    const struct tv_sql_value raw = text_of(keys->raw);
    struct tv_sql_value *values;
    if (!keys->trace)
        return tv_rows_ask(link, alloc, tv_rows_sql_any_run,
                           &(struct tv_rows_parameter){&raw, 1, TV_ROWS_DIGITS}, 1, "n", err);
    TV_TRY(tv_alloc_new(alloc, &values, 2 * count, sizeof(*values), err));
    for (size_t i = 0; i < count; i++) {
        values[2 * i] = text_of(keys[i].raw);
        values[2 * i + 1] = text_of(keys[i].trace);
    }
    const struct tv_rows_parameter parameter = {values, 2 * count, TV_ROWS_PAIRS};
    const enum tv_code code =
        tv_rows_ask(link, alloc, tv_rows_sql_find_runs, &parameter, 1, "n", err);
    tv_alloc_release(alloc, &values, 2 * count, sizeof(*values));
    return code;
}

enum tv_code tv_rows_find_ids(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                              const struct tv_fleet_run_key *keys, size_t key_count, int64_t **ids,
                              size_t *count, struct tv_error *err)
{
    *ids = NULL;
    *count = 0;
    TV_TRY(ask_ids(link, alloc, keys, key_count, err));
    const size_t found = link->count(link->ctx);
    if (!found)
        return TV_OK;
    TV_TRY(tv_alloc_new(alloc, ids, found, sizeof(**ids), err));
    for (; *count < found; (*count)++)
        (*ids)[*count] = link->number(link->ctx, *count, 0);
    return TV_OK;
}

/* --- reading --- */

void tv_rows_reading_init(struct tv_rows_reading *reading, struct tv_fleet_reader *reader)
{
    *reading = (struct tv_rows_reading){.reader = reader};
    tv_arena_init(&reading->names, reader->alloc);
    tv_map_init(&reading->place_of, reader->alloc);
}

void tv_rows_reading_release(struct tv_rows_reading *reading)
{
    const struct tv_alloc *alloc = reading->reader->alloc;
    tv_alloc_release(alloc, &reading->rows, reading->row_cap, sizeof(*reading->rows));
    tv_alloc_release(alloc, &reading->methods, reading->method_cap, sizeof(*reading->methods));
    tv_map_release(&reading->place_of);
    tv_arena_release(&reading->names);
}

static struct tv_rows_cells cells_of(const struct tv_rows_reading *reading, size_t row)
{
    const struct tv_rows_link *link = &reading->link;
    return (struct tv_rows_cells){link->ctx, row, link->number, link->keep};
}

#define RUN_COLUMNS "nttnnnnnntttnnttn"
_Static_assert(sizeof(RUN_COLUMNS) - 1 == TV_ROWS_RUN_VALUES + 1, "the columns of TV_ROWS_SQL_RUN");

static enum tv_code take_runs(struct tv_rows_reading *reading, struct tv_arena *arena,
                              struct tv_fleet_run **runs, size_t *count, struct tv_error *err)
{
    const size_t found = reading->link.count(reading->link.ctx);
    *count = 0;
    if (!found)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, found * sizeof(**runs), runs, err));
    for (; *count < found; (*count)++) {
        const struct tv_rows_cells cells = cells_of(reading, *count);
        TV_TRY(tv_rows_read_run(&cells, arena, &(*runs)[*count], err));
    }
    return TV_OK;
}

enum tv_code tv_rows_remote_read_runs(struct tv_fleet_reader *reader, struct tv_arena *arena,
                                      struct tv_fleet_run **runs, size_t *count,
                                      struct tv_error *err)
{
    struct tv_rows_reading *reading = reader->ctx;
    TV_TRY(tv_rows_ask(&reading->link, reading->reader->alloc, tv_rows_sql_runs, NULL, 0,
                       RUN_COLUMNS, err));
    return take_runs(reading, arena, runs, count, err);
}

static enum tv_code match_runs(const struct tv_fleet_run_key *keys, size_t count,
                               struct tv_fleet_run *found, size_t found_count,
                               struct tv_text_map *place_of, struct tv_arena *arena,
                               struct tv_fleet_run **runs, struct tv_error *err)
{
    for (size_t i = 0; i < found_count; i++) {
        const struct tv_fleet_run_name key = tv_fleet_run_name(found[i].raw, found[i].trace);
        struct tv_str kept;
        uint32_t *place;
        TV_TRY(tv_arena_keep(arena, tv_str_from(key.text), &kept, err));
        TV_TRY(tv_text_map_slot(place_of, kept, (uint32_t)i, &place, err));
        if (found[*place].id < found[i].id) /* of two runs of one key the greater one stays */
            *place = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) {
        const struct tv_fleet_run_name key = tv_fleet_run_name(keys[i].raw, keys[i].trace);
        uint32_t place = tv_text_map_get(place_of, tv_str_from(key.text));
        if (place == TV_MAP_NONE)
            place = tv_text_map_get(place_of, tv_str_from(keys[i].raw));
        runs[i] = place == TV_MAP_NONE ? NULL : &found[place];
    }
    return TV_OK;
}

static enum tv_code find_some(struct tv_rows_reading *reading, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_sql_value *values, struct tv_arena *arena,
                              struct tv_fleet_run **runs, struct tv_error *err)
{
    const struct tv_rows_parameter parameters[] = {{values, count, TV_ROWS_DIGITS},
                                                   {values + count, count, TV_ROWS_DIGITS}};
    struct tv_fleet_run *found = NULL;
    struct tv_text_map place_of;
    size_t found_count;
    for (size_t i = 0; i < count; i++) {
        values[i] = text_of(keys[i].raw);
        values[count + i] = text_of(keys[i].trace);
    }
    TV_TRY(tv_rows_ask(&reading->link, reading->reader->alloc, tv_rows_sql_runs_of_traces,
                       parameters, TV_COUNT_OF(parameters), RUN_COLUMNS, err));
    TV_TRY(take_runs(reading, arena, &found, &found_count, err));
    tv_text_map_init(&place_of, reading->reader->alloc);
    const enum tv_code code =
        match_runs(keys, count, found, found_count, &place_of, arena, runs, err);
    tv_text_map_release(&place_of);
    return code;
}

enum tv_code tv_rows_remote_find_runs(struct tv_fleet_reader *reader,
                                      const struct tv_fleet_run_key *keys, size_t count,
                                      struct tv_arena *arena, struct tv_fleet_run **runs,
                                      struct tv_error *err)
{
    struct tv_rows_reading *reading = reader->ctx;
    const struct tv_alloc *alloc = reading->reader->alloc;
    struct tv_sql_value *values;
    enum tv_code code = TV_OK;
    TV_TRY(tv_alloc_new(alloc, &values, 2 * KEYS_AT_ONCE, sizeof(*values), err));
    for (size_t i = 0; code == TV_OK && i < count; i += KEYS_AT_ONCE) {
        const size_t some = count - i < KEYS_AT_ONCE ? count - i : KEYS_AT_ONCE;
        code = tv_check_wanted(reading->reader->is_unwanted, err);
        if (code == TV_OK)
            code = find_some(reading, keys + i, some, values, arena, runs + i, err);
    }
    tv_alloc_release(alloc, &values, 2 * KEYS_AT_ONCE, sizeof(*values));
    return code;
}

/* --- names --- */

static enum tv_code keep_names(struct tv_rows_reading *reading, struct tv_error *err)
{
    const struct tv_rows_link *link = &reading->link;
    for (size_t i = 0; i < link->count(link->ctx); i++) {
        const struct tv_rows_cells cells = cells_of(reading, i);
        const uint64_t id = (uint64_t)link->number(link->ctx, i, 3);
        if (tv_map_get(&reading->place_of, id) != TV_MAP_NONE)
            continue;
        TV_TRY(tv_alloc_grow(reading->reader->alloc, &reading->methods, &reading->method_cap,
                             reading->method_count + 1, sizeof(*reading->methods), err));
        TV_TRY(tv_rows_read_names(&cells, &reading->names, &reading->methods[reading->method_count],
                                  err));
        TV_TRY(tv_map_put(&reading->place_of, id, (uint32_t)reading->method_count++, err));
    }
    return TV_OK;
}

static enum tv_code ask_names(struct tv_rows_reading *reading, const struct tv_sql_value *ids,
                              size_t count, struct tv_error *err)
{
    const struct tv_rows_parameter parameter = {ids, count, TV_ROWS_ANY};
    if (!count)
        return TV_OK;
    TV_TRY(tv_rows_ask(&reading->link, reading->reader->alloc, tv_rows_sql_methods, &parameter, 1,
                       "tttn", err));
    return keep_names(reading, err);
}

/* Asks for the names of the methods of rows that were not met before. */
static enum tv_code learn_names(struct tv_rows_reading *reading, size_t count, struct tv_map *asked,
                                struct tv_sql_value *ids, struct tv_error *err)
{
    size_t some = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t id = (uint64_t)reading->rows[i].method;
        const size_t before = asked->count;
        uint32_t *slot;
        if (tv_map_get(&reading->place_of, id) != TV_MAP_NONE)
            continue;
        TV_TRY(tv_map_slot(asked, id, 0, &slot, err));
        if (asked->count == before)
            continue;
        ids[some++] = tv_sql_int(reading->rows[i].method);
        if (some < NAMES_AT_ONCE)
            continue;
        TV_TRY(ask_names(reading, ids, some, err));
        some = 0;
    }
    return ask_names(reading, ids, some, err);
}

static enum tv_code learn_all_names(struct tv_rows_reading *reading, size_t count,
                                    struct tv_error *err)
{
    const struct tv_alloc *alloc = reading->reader->alloc;
    struct tv_sql_value *ids;
    struct tv_map asked;
    TV_TRY(tv_alloc_new(alloc, &ids, NAMES_AT_ONCE, sizeof(*ids), err));
    tv_map_init(&asked, alloc);
    const enum tv_code code = learn_names(reading, count, &asked, ids, err);
    tv_map_release(&asked);
    tv_alloc_release(alloc, &ids, NAMES_AT_ONCE, sizeof(*ids));
    return code;
}

/* --- rows --- */

struct batch {
    struct tv_rows_reading *reading;
    struct tv_map place_of; /* id of a run -> its place in the list */
    struct tv_sql_value *ids;
    const struct tv_fleet_wanted *wanted;
    void *begun; /* a statement whose answer is made; NULL: none */
    tv_fleet_each *each;
    void *ctx;
};

static enum tv_code copy_rows(const struct batch *batch, size_t *count, struct tv_error *err)
{
    struct tv_rows_reading *reading = batch->reading;
    const struct tv_rows_link *link = &reading->link;
    const enum tv_rows_columns columns = tv_rows_columns(batch->wanted);
    const size_t found = link->count(link->ctx);
    uint32_t place = TV_MAP_NONE;
    int64_t last = 0; /* ids are positive */
    *count = 0;
    TV_TRY(tv_alloc_grow(reading->reader->alloc, &reading->rows, &reading->row_cap, found,
                         sizeof(*reading->rows), err));
    for (size_t i = 0; i < found; i++) {
        const struct tv_rows_cells cells = cells_of(reading, i);
        const int64_t id = link->number(link->ctx, i, TV_ROWS_RUN_CELL);
        if (id != last) /* rows of a run stand together for long, in any order, too */
            place = tv_map_get(&batch->place_of, (uint64_t)id);
        last = id;
        if (place != TV_MAP_NONE)
            reading->rows[(*count)++] = tv_rows_read_row(&cells, columns, place);
    }
    return TV_OK;
}

/* Gives the rows of the last answer to whoever reads. */
static enum tv_code give_rows(const struct batch *batch, struct tv_error *err)
{
    struct tv_rows_reading *reading = batch->reading;
    size_t count;
    TV_TRY(copy_rows(batch, &count, err));
    if (!batch->wanted->method)
        TV_TRY(learn_all_names(reading, count, err));
    for (size_t i = 0; i < count; i++) {
        TV_TRY(tv_check_wanted(reading->reader->is_unwanted, err));
        TV_TRY(batch->each(batch->ctx, &reading->rows[i], err));
    }
    return TV_OK;
}

static const char *letters_of(const struct batch *batch)
{
    static const char letters[] = "nnnnnnnnnnnnn";
    return letters + (sizeof(letters) - 1) -
           (size_t)tv_rows_column_count(tv_rows_columns(batch->wanted));
}

/* The statement that asks for the rows of some runs. */
static enum tv_code spell_batch(const struct batch *batch, size_t runs, struct tv_buffer *text,
                                struct tv_error *err)
{
    const struct tv_rows_link *link = &batch->reading->link;
    const struct tv_sql_value method = tv_sql_int(batch->wanted->method);
    const struct tv_rows_parameter parameters[] = {{batch->ids, runs, TV_ROWS_ANY},
                                                   {&method, 1, TV_ROWS_ANY}};
    const char *const *statements = batch->wanted->method         ? link->rows_of_method
                                    : batch->wanted->in_any_order ? link->rows_in_any_order
                                                                  : link->rows;
    return spell(link, text, statements[tv_rows_columns(batch->wanted)], parameters,
                 TV_COUNT_OF(parameters), err);
}

/* Takes the answer that was begun before, if there is one, while the next one is made. */
static enum tv_code take_begun(struct batch *batch, void *next, struct tv_error *err)
{
    const struct tv_rows_link *link = &batch->reading->link;
    void *begun = batch->begun;
    batch->begun = next;
    if (!begun)
        return TV_OK;
    TV_TRY(link->take(link->ctx, begun, letters_of(batch), err));
    return give_rows(batch, err);
}

static enum tv_code read_batch(struct batch *batch, size_t runs, struct tv_error *err)
{
    const struct tv_rows_link *link = &batch->reading->link;
    struct tv_buffer text;
    void *next = NULL;
    TV_TRY(tv_check_wanted(batch->reading->reader->is_unwanted, err));
    tv_buffer_init(&text, batch->reading->reader->alloc);
    enum tv_code code = spell_batch(batch, runs, &text, err);
    if (code == TV_OK && link->begin) {
        next = link->begin(link->ctx, tv_buffer_view(&text), err);
        code = next ? TV_OK : TV_ERR_MEMORY;
    } else if (code == TV_OK) {
        code = link->ask(link->ctx, tv_buffer_view(&text), letters_of(batch), err);
    }
    tv_buffer_release(&text);
    TV_TRY(code);
    return link->begin ? take_begun(batch, next, err) : give_rows(batch, err);
}

static enum tv_code read_batches(struct batch *batch, size_t at_once, struct tv_error *err)
{
    const struct tv_fleet_wanted *wanted = batch->wanted;
    size_t some = 0;
    for (size_t i = 0; i < wanted->count; i++)
        TV_TRY(tv_map_put(&batch->place_of, (uint64_t)wanted->runs[i]->id, (uint32_t)i, err));
    for (size_t i = 0; i < wanted->count; i++) {
        batch->ids[some++] = tv_sql_int(wanted->runs[i]->id);
        if (some < at_once && i + 1 < wanted->count)
            continue;
        TV_TRY(read_batch(batch, some, err));
        some = 0;
    }
    return take_begun(batch, NULL, err);
}

enum tv_code tv_rows_remote_read_rows(struct tv_fleet_reader *reader,
                                      const struct tv_fleet_wanted *wanted, tv_fleet_each *each,
                                      void *ctx, struct tv_error *err)
{
    struct tv_rows_reading *reading = reader->ctx;
    struct batch batch = {.reading = reading, .wanted = wanted, .each = each, .ctx = ctx};
    const struct tv_alloc *alloc = reading->reader->alloc;
    const size_t at_once = wanted->method ? RUNS_OF_METHOD_AT_ONCE : reading->runs_at_once;
    TV_TRY(tv_alloc_new(alloc, &batch.ids, at_once, sizeof(*batch.ids), err));
    tv_map_init(&batch.place_of, alloc);
    const enum tv_code code = read_batches(&batch, at_once, err);
    if (batch.begun)
        reading->link.drop(reading->link.ctx, batch.begun);
    tv_map_release(&batch.place_of);
    tv_alloc_release(alloc, &batch.ids, at_once, sizeof(*batch.ids));
    return code;
}

static enum tv_code keep_method(const struct tv_fleet_method *from, struct tv_arena *arena,
                                struct tv_fleet_method *names, struct tv_error *err)
{
    TV_TRY(tv_arena_keep(arena, from->class_name, &names->class_name, err));
    TV_TRY(tv_arena_keep(arena, from->name, &names->name, err));
    return tv_arena_keep(arena, from->signature, &names->signature, err);
}

enum tv_code tv_rows_remote_read_method(struct tv_fleet_reader *reader, int64_t method,
                                        struct tv_arena *arena, struct tv_fleet_method *names,
                                        bool *has, struct tv_error *err)
{
    struct tv_rows_reading *reading = reader->ctx;
    const struct tv_sql_value id = tv_sql_int(method);
    uint32_t place = tv_map_get(&reading->place_of, (uint64_t)method);
    if (place == TV_MAP_NONE)
        TV_TRY(ask_names(reading, &id, 1, err));
    place = tv_map_get(&reading->place_of, (uint64_t)method);
    *has = place != TV_MAP_NONE;
    return *has ? keep_method(&reading->methods[place], arena, names, err) : TV_OK;
}

/* The id of a method follows from its names, so only whether a row with the id exists is asked. */
enum tv_code tv_rows_remote_find_method(struct tv_fleet_reader *reader,
                                        const struct tv_fleet_method *names, int64_t *method,
                                        bool *has, struct tv_error *err)
{
    struct tv_rows_reading *reading = reader->ctx;
    *method = id_of_method(names);
    const struct tv_sql_value id = tv_sql_int(*method);
    if (tv_map_get(&reading->place_of, (uint64_t)*method) == TV_MAP_NONE)
        TV_TRY(ask_names(reading, &id, 1, err));
    *has = tv_map_get(&reading->place_of, (uint64_t)*method) != TV_MAP_NONE;
    return TV_OK;
}
