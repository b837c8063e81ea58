/*
 * Traces of a store, for its administrator; see cli/site/stored_traces.h.
 *
 * A list is read a thousand rows at a time, each time behind the last row, so that memory stays
 * small and traces that come or go meanwhile shift nothing.
 */
#include "cli/site/stored_traces.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/wording.h"
#include "index/saved/saved.h"
#include "os/token.h"
#include "site/jobs/trace_figures.h"
#include "site/request/tokens.h"
#include "store/trace_id.h"

#define ROWS 1000u

static void tell_time(struct tv_text *text, const char *what, uint64_t time_ns)
{
    if (!time_ns)
        return;
    tv_text_add(text, ", %s", what);
    tv_text_add_time(text, time_ns);
}

/* "12 threads, 804.057 ms, worst frame 31.2 ms". */
static void tell_figures(struct tv_text *text, const struct tv_trace_figures *figures)
{
    if (!figures->is_known)
        return;
    tv_text_add(text, "  ");
    tv_text_add_count(text, figures->threads);
    tv_text_add(text, figures->threads == 1 ? " thread" : " threads");
    tell_time(text, "", figures->duration_ns);
    tell_time(text, "worst frame ", figures->worst_frame_ns);
    tell_time(text, "start-up ", figures->startup_ns);
}

static void tell_row(const struct tv_stored_traces *traces, const struct tv_trace_row *row)
{
    char day[32] = "";
    struct tm moment;
    time_t created = (time_t)row->created;
    if (gmtime_r(&created, &moment))
        (void)strftime(day, sizeof(day), "%Y-%m-%d %H:%M", &moment);
    tv_text_add(traces->text, "%s  %s  ", row->id.hex, day);
    tv_text_add_size(traces->text, row->bytes);
    tv_text_add(traces->text, "  ");
    tv_text_add_name(traces->text, row->user.len ? row->user : TV_STR("-"));
    tv_text_add(traces->text, "  ");
    tv_text_add_name(traces->text, row->title.len ? row->title : row->file_name);
    tell_figures(traces->text, &row->figures);
    tv_text_add(traces->text, "\n");
}

static void write_row(struct tv_json *json, const struct tv_trace_row *row)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "id", row->id.hex);
    tv_json_key_str(json, "file", row->file_name);
    tv_json_key_str(json, "title", row->title);
    tv_json_key_str(json, "user", row->user);
    tv_json_key_u64(json, "bytes", row->bytes);
    tv_json_key_i64(json, "created_s", row->created);
    tv_json_key(json, "expires_s");
    if (row->expires)
        tv_json_i64(json, row->expires);
    else
        tv_json_null(json);
    tv_trace_figures_write(&row->figures, json);
    tv_json_key_truth(json, "listed", row->is_listed);
    tv_json_key(json, "labels");
    tv_json_open_object(json);
    for (size_t i = 0; i < row->label_count; i++) {
        char key[TV_STORE_LABEL_KEY_MOST + 1];
        (void)snprintf(key, sizeof(key), "%.*s", (int)row->labels[i].key.len,
                       row->labels[i].key.at);
        tv_json_key_str(json, key, row->labels[i].value);
    }
    tv_json_close_object(json);
    tv_json_close_object(json);
}

static enum tv_code list_rows(const struct tv_stored_traces *traces, const char *search,
                              struct tv_trace_row *rows, struct tv_error *err)
{
    const struct tv_store_db *db = &traces->store->db;
    struct tv_trace_query query = {.text = search ? tv_str_from(search) : TV_STR(""),
                                   .is_of_all = true,
                                   .now = traces->now,
                                   .most = ROWS};
    size_t count = ROWS;
    while (count == ROWS) {
        struct tv_arena arena;
        tv_arena_init(&arena, traces->alloc);
        enum tv_code code = db->list_traces(db->ctx, &query, &arena, rows, &count, err);
        for (size_t i = 0; code == TV_OK && i < count; i++) {
            tell_row(traces, &rows[i]);
            write_row(traces->json, &rows[i]);
        }
        if (code == TV_OK && count) {
            query.after_created = rows[count - 1].created;
            query.after_id = rows[count - 1].id;
        }
        tv_arena_release(&arena);
        if (code != TV_OK)
            return code;
    }
    return TV_OK;
}

enum tv_code tv_stored_traces_list(const struct tv_stored_traces *traces, const char *search,
                                   struct tv_error *err)
{
    struct tv_trace_row *rows = NULL;
    TV_TRY(tv_alloc_new(traces->alloc, &rows, ROWS, sizeof(*rows), err));
    tv_json_key(traces->json, "traces");
    tv_json_open_array(traces->json);
    enum tv_code code = list_rows(traces, search, rows, err);
    tv_json_close_array(traces->json);
    tv_alloc_release(traces->alloc, &rows, ROWS, sizeof(*rows));
    return code;
}

static enum tv_code read_id(const char *name, struct tv_id *id, struct tv_error *err)
{
    return tv_trace_id_of_link(tv_str_from(name), id)
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                         "'%s' is neither the id of a trace nor its link", name);
}

enum tv_code tv_stored_traces_delete(const struct tv_stored_traces *traces, const char *name,
                                     struct tv_error *err)
{
    const struct tv_store_db *db = &traces->store->db;
    struct tv_id id;
    TV_TRY(read_id(name, &id, err));
    TV_TRY(db->drop_trace(db->ctx, &id, err));
    tv_json_key_text(traces->json, "deleted", id.hex);
    tv_text_add(traces->text, "deleted: %s\n", id.hex);
    return TV_OK;
}

enum tv_code tv_stored_traces_own(const struct tv_stored_traces *traces, const char *name,
                                  const char *user, struct tv_error *err)
{
    const struct tv_store_db *db = &traces->store->db;
    struct tv_str of = tv_str_from(user ? user : "");
    char token[TV_TOKEN_LEN + 1];
    struct tv_hash hash = {""};
    const struct tv_trace_change change = {.user = user ? &of : NULL, .owner = &hash};
    struct tv_id id;
    TV_TRY(read_id(name, &id, err));
    if (!user) {
        TV_TRY(tv_token_make(token, err));
        tv_token_hash(tv_str_from(token), &hash);
    }
    TV_TRY(db->change_trace(db->ctx, &id, traces->now, &change, err));
    tv_json_key_text(traces->json, "id", id.hex);
    tv_json_key_text(traces->json, user ? "user" : "owner_token", user ? user : token);
    tv_text_add(traces->text, user ? "its user: " : "its owner token: ");
    tv_text_add_name(traces->text, tv_str_from(user ? user : token));
    tv_text_add(traces->text, "\n");
    return TV_OK;
}

/* The raw file of a trace. */
static enum tv_code find_raw(const struct tv_stored_traces *traces, const char *name,
                             struct tv_hash *raw, struct tv_error *err)
{
    const struct tv_store_db *db = &traces->store->db;
    struct tv_trace_row row;
    struct tv_arena arena;
    struct tv_id id;
    TV_TRY(read_id(name, &id, err));
    tv_arena_init(&arena, traces->alloc);
    enum tv_code code = db->get_trace(db->ctx, &id, traces->now, &arena, &row, err);
    if (code == TV_OK)
        *raw = row.raw;
    tv_arena_release(&arena);
    return code;
}

enum tv_code tv_stored_traces_retry(const struct tv_stored_traces *traces, const char *name,
                                    struct tv_error *err)
{
    const struct tv_store_db *db = &traces->store->db;
    char build[TV_SAVED_NAME_CAP];
    struct tv_hash raw;
    uint64_t count = 0;
    if (name)
        TV_TRY(find_raw(traces, name, &raw, err));
    tv_saved_name(build);
    TV_TRY(db->retry_jobs(db->ctx, name ? &raw : NULL, build, traces->now, &count, err));
    tv_json_key_u64(traces->json, "retried", count);
    tv_text_add(traces->text, "indexes that failed, and are made again: ");
    tv_text_add_count(traces->text, count);
    tv_text_add(traces->text, "\n");
    return TV_OK;
}
