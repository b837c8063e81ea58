/*
 * Traces that count, in slices of a thousand rows of the store, and then their runs. A file that
 * was uploaded twice counts once in each app, as its newest upload; one that cannot be read has no
 * rows and gets none, and counts nowhere. The next slice begins behind
 * the last row of the one before, so that uploads meanwhile move nothing.
 */
#include "site/jobs/counted_traces.h"

#include <string.h>

#include "base/memory/pool.h"
#include "base/memory/text_map.h"

/* Rows of the store that are asked for at a time. */
#define SLICE 1000u

/* What is kept of a row of the store. */
static struct tv_fleet_trace trace_of(const struct tv_trace_row *row)
{
    return (struct tv_fleet_trace){
        .app = tv_label_value(row->labels, row->label_count, "app"),
        .build = tv_label_value(row->labels, row->label_count, "build"),
        .device = tv_label_value(row->labels, row->label_count, "device"),
        .android = tv_label_value(row->labels, row->label_count, "android"),
        .created = row->created,
        .duration_ns = row->figures.duration_ns,
        .worst_frame_ns = row->figures.worst_frame_ns,
        .startup_ns = row->figures.startup_ns,
    };
}

struct collecting {
    const struct tv_store *store;
    const atomic_bool *is_unwanted;
    struct tv_arena *arena;
    struct tv_counted_traces *found;
    struct tv_text_map taken; /* raw files, each with an app */
    size_t looked_at, most, cap;
    struct tv_trace_row *rows;
};

/* An app, and behind it the digits of a raw file, which end with a NUL. */
static enum tv_code name_run(struct tv_arena *arena, const struct tv_trace_row *row,
                             struct tv_str *name, const char **raw, struct tv_error *err)
{
    const struct tv_str app = tv_label_value(row->labels, row->label_count, "app");
    char *text;
    TV_TRY(tv_arena_take(arena, app.len + sizeof(row->raw.hex), &text, err));
    if (app.len)
        memcpy(text, app.at, app.len);
    memcpy(text + app.len, row->raw.hex, sizeof(row->raw.hex));
    *raw = text + app.len;
    *name = (struct tv_str){text, app.len + strlen(*raw)};
    return TV_OK;
}

/* Bytes that were uploaded twice are one run: its newest trace counts, and the others would be a
 * second time the same. In another app they are a run of that, so that an app has the same traces
 * whether all apps are asked about or this one. */
static enum tv_code add_trace(struct collecting *collecting, const struct tv_trace_row *row,
                              struct tv_error *err)
{
    struct tv_counted_traces *found = collecting->found;
    struct tv_str id, name;
    const char *raw;
    uint32_t *is_taken;
    if (row->figures.has_failed)
        return TV_OK;
    TV_TRY(name_run(collecting->arena, row, &name, &raw, err));
    TV_TRY(tv_text_map_slot(&collecting->taken, name, false, &is_taken, err));
    if (*is_taken)
        return TV_OK;
    *is_taken = true;
    TV_TRY(tv_arena_keep(collecting->arena, tv_str_from(row->id.hex), &id, err));
    struct tv_fleet_trace *trace = &found->traces[found->count++];
    *trace = trace_of(row);
    trace->id = id;
    trace->key = (struct tv_fleet_run_key){raw, row->keeps_names ? "" : id.at};
    return TV_OK;
}

static enum tv_code collect(struct collecting *collecting, struct tv_trace_query *query,
                            struct tv_error *err)
{
    const struct tv_store_db *db = &collecting->store->db;
    struct tv_counted_traces *found = collecting->found;
    struct tv_arena *arena = collecting->arena;
    size_t count = SLICE;
    TV_TRY(tv_arena_take(arena, SLICE * sizeof(*collecting->rows), &collecting->rows, err));
    while (count == SLICE) {
        TV_TRY(tv_check_wanted(collecting->is_unwanted, err));
        TV_TRY(db->list_traces(db->ctx, query, arena, collecting->rows, &count, err));
        collecting->looked_at += count;
        if (collecting->looked_at > collecting->most) {
            found->is_cut = true;
            return TV_OK;
        }
        TV_TRY(tv_alloc_grow(arena->alloc, &found->traces, &collecting->cap, found->count + count,
                             sizeof(*found->traces), err));
        for (size_t i = 0; i < count; i++)
            TV_TRY(add_trace(collecting, &collecting->rows[i], err));
        if (count) {
            query->after_created = collecting->rows[count - 1].created;
            query->after_id = collecting->rows[count - 1].id;
        }
    }
    return TV_OK;
}

enum tv_code tv_counted_traces_find(struct tv_counted_traces *found, const struct tv_store *store,
                                    const struct tv_trace_query *query,
                                    const atomic_bool *is_unwanted, size_t most,
                                    struct tv_arena *arena, struct tv_error *err)
{
    struct collecting collecting = {
        .store = store, .is_unwanted = is_unwanted, .arena = arena, .found = found, .most = most};
    struct tv_trace_query sliced = *query;
    struct tv_fleet_trace *kept = NULL;
    sliced.most = SLICE;
    *found = (struct tv_counted_traces){.count = 0};
    tv_text_map_init(&collecting.taken, arena->alloc);
    enum tv_code code = collect(&collecting, &sliced, err);
    tv_text_map_release(&collecting.taken);
    if (code == TV_OK && found->count)
        code = tv_arena_take(arena, found->count * sizeof(*kept), &kept, err);
    if (kept)
        memcpy(kept, found->traces, found->count * sizeof(*kept));
    tv_alloc_release(arena->alloc, &found->traces, collecting.cap, sizeof(*kept));
    found->traces = kept;
    return code;
}

enum tv_code tv_counted_traces_find_runs(struct tv_counted_traces *found,
                                         struct tv_fleet_reader *reader, struct tv_arena *arena,
                                         struct tv_error *err)
{
    struct tv_fleet_run_key *keys;
    struct tv_fleet_run **runs;
    if (!found->count)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, found->count * sizeof(*keys), &keys, err));
    TV_TRY(tv_arena_take(arena, found->count * sizeof(*runs), &runs, err));
    for (size_t i = 0; i < found->count; i++)
        keys[i] = found->traces[i].key;
    TV_TRY(tv_fleet_find_runs(reader, keys, found->count, arena, runs, err));
    for (size_t i = 0; i < found->count; i++) {
        found->traces[i].run = runs[i];
        found->without_rows += !runs[i];
    }
    return TV_OK;
}
