/* See tests/export/probe.h. */
#include "export/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

struct probe_opts probe_random(const struct world *w, uint32_t seed)
{
    static const char *const hidden[] = {NULL, "com.lib.", "com.app.", "java.,x"};
    static const char *const matches[] = {NULL, "List", "Map", "run"};
    struct probe_opts opts = {.measure = seed % 3 == 0 ? TV_MEASURE_CPU : TV_MEASURE_WALL};
    uint32_t state = seed * 2654435761u + 1;
    if (world_dice(&state, 2)) {
        opts.from_ns = world_dice(&state, (uint32_t)(w->latest / 1000)) * UINT64_C(1000);
        opts.to_ns = opts.from_ns + 1 + world_dice(&state, (uint32_t)(w->latest - opts.from_ns));
    }
    if (world_dice(&state, 3) == 0)
        opts.levels = 1 + world_dice(&state, 4);
    opts.hidden = hidden[world_dice(&state, 4)];
    opts.match = matches[world_dice(&state, 4)];
    return opts;
}

void probe_hostile(struct world *w)
{
    static char threads[PROBE_HOSTILE_THREADS * 16];
    static char methods[PROBE_HOSTILE_NAME + 64];
    size_t len = 0;
    for (unsigned i = 1; i <= PROBE_HOSTILE_THREADS; i++)
        len += (size_t)snprintf(threads + len, sizeof(threads) - len, "%u\tT%u\n", i, i);
    memcpy(methods, "0x4\t", 4);
    memset(methods + 4, 'n', PROBE_HOSTILE_NAME);
    (void)snprintf(methods + 4 + PROBE_HOSTILE_NAME, 60, "\tm\t()V\n0x8\tA\tb\xff%s\t()V\n", "c");
    world_begin(w);
    build_release(&w->t);
    build_text(&w->t, (struct build_opts){
                          .version = 3, .clock = "dual", .threads = threads, .methods = methods});
    for (unsigned i = 1; i <= PROBE_HOSTILE_THREADS; i++) {
        enter(&w->t, i, i == 1 ? FOO : BAR, i);
        leave(&w->t, i, i == 1 ? FOO : BAR, i + 1);
    }
    world_read(w);
}

static enum tv_code swallow(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    (void)ctx, (void)bytes, (void)len, (void)err;
    return TV_OK;
}

/* What the database has so far; static, since one test runs at a time. */
static struct tv_buffer written_sql;

static enum tv_code add_sql(void *ctx, const char *sql, struct tv_error *err)
{
    (void)ctx;
    TV_TRY(tv_buffer_append(&written_sql, sql, strlen(sql), err));
    return tv_buffer_append(&written_sql, "\n", 1, err);
}

static enum tv_code add_cell(const struct tv_column *column, int64_t cell, struct tv_error *err)
{
    char number[32];
    struct tv_str text = {number, 0};
    if (column->type == TV_COLUMN_TEXT)
        text = column->dictionary.texts[cell];
    else
        text.len = (size_t)snprintf(number, sizeof(number), "%lld", (long long)cell);
    TV_TRY(tv_buffer_append(&written_sql, text.at, text.len, err));
    return tv_buffer_append(&written_sql, "|", 1, err);
}

static enum tv_code add_rows(void *ctx, const struct tv_table *table, const struct tv_rows *rows,
                             struct tv_error *err)
{
    (void)ctx;
    for (size_t row = 0; row < rows->len; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            if (!table->columns[c].is_repeated)
                TV_TRY(add_cell(&table->columns[c], rows->cells[c][row], err));
        }
        TV_TRY(tv_buffer_append(&written_sql, "\n", 1, err));
    }
    return TV_OK;
}

static enum tv_code end_rows(void *ctx, struct tv_error *err)
{
    (void)ctx, (void)err;
    return TV_OK;
}

static enum tv_code write_sql(void *ctx, struct tv_sink sink, struct tv_error *err)
{
    (void)ctx;
    return sink.write(sink.ctx, written_sql.bytes, written_sql.len, err);
}

const struct tv_database *probe_database(void)
{
    static const struct tv_database database = {.run = add_sql,
                                                .begin_rows = add_sql,
                                                .add_rows = add_rows,
                                                .end_rows = end_rows,
                                                .write = write_sql};
    if (written_sql.alloc)
        tv_buffer_release(&written_sql);
    tv_buffer_init(&written_sql, tv_alloc_libc());
    return &database;
}

/* A world need not have calls of each of its methods: then all are chosen. */
static void choose(struct tv_scope *scope, const struct world *w, unsigned chosen,
                   struct tv_arena *arena)
{
    const uint32_t method_ix = chosen ? world_method_ix(w, chosen - 1) : TV_NONE;
    const struct tv_call_step step = {.kind = TV_STEP_METHODS, .of = &method_ix, .len = 1};
    const struct tv_call_limits limits = {.least_ns = 0};
    if (method_ix == TV_NONE)
        return;
    enum tv_code code =
        tv_scope_take_step(scope, &w->index, &step, (struct tv_str){NULL, 0}, &limits, arena, NULL);
    assert_true(code == TV_OK || code == TV_ERR_NOT_FOUND);
}

struct tv_export_result probe_run(const struct world *w, const struct tv_export *format,
                                  const struct probe_opts *opts, struct tv_buffer *written)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_export_result result;
    struct tv_str match = tv_str_from(opts->match ? opts->match : "");
    struct tv_export_opts export_opts = {.levels = opts->levels,
                                         .table = opts->table,
                                         .file = TV_STR("probe.trace"),
                                         .database = probe_database()};
    struct tv_scope *scope = &export_opts.scope;
    uint64_t to_ns = opts->to_ns ? opts->to_ns : tv_axis_len_ns(&w->index);
    struct tv_arena arena;
    tv_arena_init(&arena, tv_alloc_libc());
    tv_scope_init(scope, &w->index);
    choose(scope, w, opts->chosen, &arena);
    assert_int_equal(tv_scope_take_range(scope, &w->index, opts->from_ns, to_ns, &err), TV_OK);
    scope->measure = opts->measure;
    scope->methods.hidden = tv_str_from(opts->hidden ? opts->hidden : "");
    scope->methods.patterns = &match;
    scope->methods.pattern_count = opts->match ? 1 : 0;
    struct tv_sink sink =
        written ? tv_buffer_sink(written) : (struct tv_sink){.write = swallow, .ctx = NULL};
    enum tv_code code =
        tv_export_run(format, &w->index, &export_opts, tv_alloc_libc(), NULL, sink, &result, &err);
    if (code != TV_OK)
        fail_msg("%s", err.text);
    tv_arena_release(&arena);
    return result;
}
