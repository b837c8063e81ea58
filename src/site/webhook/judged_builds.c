/*
 * Which builds need no judgement; see site/webhook/judged_builds.h. Traces are listed from the
 * newest back to the last look, and for a while behind it, since a trace has the time of the server
 * that took it, from when its upload began.
 */
#include "site/webhook/judged_builds.h"

#include <string.h>

#include "base/bytes/sha256.h"
#include "base/memory/arena.h"

/* How far the clocks of servers may be apart, and what an upload in pieces takes: its trace has the
 * time at which it began. */
#define LATE_S 600
/* Traces that are asked for at a time, and how often: where more have come, a judgement is due. */
#define SLICE 500u
#define SLICES_MOST 4u

void tv_judged_builds_init(struct tv_judged_builds *builds, const struct tv_alloc *alloc)
{
    *builds = (struct tv_judged_builds){.alloc = alloc};
    tv_map_init(&builds->settled, alloc);
}

void tv_judged_builds_release(struct tv_judged_builds *builds)
{
    tv_map_release(&builds->settled);
}

void tv_judged_builds_clear(struct tv_judged_builds *builds, int64_t now)
{
    tv_map_release(&builds->settled);
    tv_map_init(&builds->settled, builds->alloc);
    builds->looked = now;
    builds->is_waiting = false;
}

static uint64_t key_of(struct tv_str app, struct tv_str build)
{
    uint8_t text[2 * TV_SHA256_LEN];
    uint8_t digest[TV_SHA256_LEN];
    uint64_t key;
    tv_sha256(app, text);
    tv_sha256(build, text + TV_SHA256_LEN);
    tv_sha256((struct tv_str){(const char *)text, sizeof(text)}, digest);
    memcpy(&key, digest, sizeof(key));
    return key;
}

enum tv_code tv_judged_builds_settle(struct tv_judged_builds *builds, struct tv_str app,
                                     struct tv_str build, struct tv_error *err)
{
    return tv_map_put(&builds->settled, key_of(app, build), 1, err);
}

/* A trace without an app or a build is judged with no other. */
static bool may_matter(const struct tv_judged_builds *builds, const struct tv_trace_row *row)
{
    const struct tv_str app = tv_label_value(row->labels, row->label_count, "app");
    const struct tv_str build = tv_label_value(row->labels, row->label_count, "build");
    return app.len && build.len && tv_map_get(&builds->settled, key_of(app, build)) == TV_MAP_NONE;
}

/* Looks at one slice. *is_last: what is behind it came before the last look. */
static enum tv_code look(const struct tv_judged_builds *builds, const struct tv_store *store,
                         struct tv_trace_query *query, struct tv_arena *arena, bool *are_due,
                         bool *is_last, struct tv_error *err)
{
    struct tv_trace_row *rows;
    size_t count;
    TV_TRY(tv_arena_take(arena, SLICE * sizeof(*rows), &rows, err));
    TV_TRY(store->db.list_traces(store->db.ctx, query, arena, rows, &count, err));
    *is_last = count < SLICE;
    for (size_t i = 0; i < count && !*are_due; i++) {
        if (rows[i].created < builds->looked - LATE_S) {
            *is_last = true;
            break;
        }
        *are_due = may_matter(builds, &rows[i]);
        query->after_created = rows[i].created;
        query->after_id = rows[i].id;
    }
    return TV_OK;
}

enum tv_code tv_judged_builds_are_due(struct tv_judged_builds *builds, const struct tv_store *store,
                                      const struct tv_trace_query *query, int64_t now,
                                      bool *are_due, struct tv_error *err)
{
    struct tv_trace_query sliced = *query;
    struct tv_arena arena;
    enum tv_code code = TV_OK;
    bool is_last = false;
    *are_due = !builds->looked || builds->is_waiting;
    sliced.most = SLICE;
    tv_arena_init(&arena, builds->alloc);
    for (unsigned i = 0; code == TV_OK && !*are_due && !is_last; i++) {
        if (i == SLICES_MOST)
            *are_due = true;
        else
            code = look(builds, store, &sliced, &arena, are_due, &is_last, err);
        tv_arena_release(&arena);
    }
    if (code == TV_OK && !*are_due)
        builds->looked = now;
    return code;
}
