/*
 * Rows as Parquet; see site/jobs/row_files.h. The writer of export/tables wants the texts of a
 * column before its rows, so rows are read twice: first for the names of their methods.
 */
#include "site/jobs/row_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "base/memory/map.h"
#include "base/memory/sort.h"
#include "base/text/out.h"
#include "base/text/percent.h"
#include "export/tables/parquet_file.h"
#include "export/tables/text_set.h"
#include "os/file/compress.h"
#include "os/file/draft.h"
#include "site/jobs/counted_traces.h"

/* The longest name of a file that is a label; a longer one is cut, and has a hash behind it. */
#define NAME_MOST 200u

/* Columns in the order of the file: texts first. */
enum {
    TRACE,
    APP,
    BUILD,
    DEVICE,
    ANDROID,
    CLASS,
    METHOD,
    SIGNATURE,
    THREAD_KIND,
    CREATED,
    CALLS,
    RECURSIVE_CALLS,
    INCLUSIVE_WALL,
    EXCLUSIVE_WALL,
    INCLUSIVE_CPU,
    EXCLUSIVE_CPU,
    SLOWEST,
    SLOWEST_AT,
    CUT_CALLS,
    INCLUSIVE_UNRECORDED,
    EXCLUSIVE_UNRECORDED,
    FELL_BACK,
    ODD_WALL,
    COLUMNS
};
#define TEXTS (THREAD_KIND + 1)

static const char *const names[COLUMNS] = {"trace",
                                           "app",
                                           "build",
                                           "device",
                                           "android",
                                           "class",
                                           "method",
                                           "signature",
                                           "thread_kind",
                                           "created",
                                           "calls",
                                           "recursive_calls",
                                           "inclusive_wall_ns",
                                           "exclusive_wall_ns",
                                           "inclusive_cpu_ns",
                                           "exclusive_cpu_ns",
                                           "slowest_ns",
                                           "slowest_at_ns",
                                           "cut_calls",
                                           "inclusive_unrecorded_ns",
                                           "exclusive_unrecorded_ns",
                                           "fell_back",
                                           "odd_wall"};

struct writing {
    const struct tv_row_keeper *keeper;
    const char *folder;
    struct tv_row_files *files;
    struct tv_fleet_reader reader;
    struct tv_arena arena; /* of all traces */
    /* Of the file at hand. */
    struct tv_fleet_trace **traces; /* that have rows */
    const struct tv_fleet_run **runs;
    size_t count;
    struct tv_arena method_names; /* of the method at hand */
    struct tv_text_set texts[TEXTS];
    uint32_t (*of_trace)[ANDROID + 1]; /* texts of each trace */
    struct tv_map place_of;            /* id of a method -> place in of_method */
    uint32_t (*of_method)[3];
    size_t method_count, method_cap;
    uint32_t of_kind[TV_THREAD_KIND_COUNT];
    const struct tv_table_form *form;
    void *state;
    struct tv_table table;
    int64_t cells[COLUMNS][TV_ROWS_LIMIT];
    size_t waiting;
};

/* --- texts --- */

static enum tv_code learn_method(void *ctx, const struct tv_fleet_read_row *row,
                                 struct tv_error *err)
{
    struct writing *writing = ctx;
    struct tv_fleet_method method;
    if (tv_map_get(&writing->place_of, (uint64_t)row->method) != TV_MAP_NONE)
        return TV_OK;
    tv_arena_release(&writing->method_names);
    TV_TRY(
        tv_fleet_read_method(&writing->reader, row->method, &writing->method_names, &method, err));
    TV_TRY(tv_alloc_grow(writing->keeper->alloc, &writing->of_method, &writing->method_cap,
                         writing->method_count + 1, sizeof(*writing->of_method), err));
    uint32_t *of = writing->of_method[writing->method_count];
    TV_TRY(tv_text_set_add(&writing->texts[CLASS], method.class_name, &of[0], err));
    TV_TRY(tv_text_set_add(&writing->texts[METHOD], method.name, &of[1], err));
    TV_TRY(tv_text_set_add(&writing->texts[SIGNATURE], method.signature, &of[2], err));
    return tv_map_put(&writing->place_of, (uint64_t)row->method, (uint32_t)writing->method_count++,
                      err);
}

static enum tv_code learn_trace(struct writing *writing, size_t i, struct tv_error *err)
{
    const struct tv_fleet_trace *trace = writing->traces[i];
    const struct tv_str of[] = {trace->id, trace->app, trace->build, trace->device, trace->android};
    for (size_t column = 0; column < TV_COUNT_OF(of); column++)
        TV_TRY(tv_text_set_add(&writing->texts[column], of[column], &writing->of_trace[i][column],
                               err));
    return TV_OK;
}

static enum tv_code learn_texts(struct writing *writing, struct tv_error *err)
{
    for (size_t i = 0; i < writing->count; i++)
        TV_TRY(learn_trace(writing, i, err));
    for (unsigned kind = 0; kind < TV_THREAD_KIND_COUNT; kind++)
        TV_TRY(tv_text_set_add(&writing->texts[THREAD_KIND],
                               tv_str_from(tv_thread_kind_word((enum tv_thread_kind)kind)),
                               &writing->of_kind[kind], err));
    const struct tv_fleet_wanted wanted = {
        .runs = writing->runs, .count = writing->count, .one_clock = true};
    return tv_fleet_read_rows(&writing->reader, &wanted, learn_method, writing, err);
}

/* --- rows --- */

static enum tv_code flush(struct writing *writing, struct tv_error *err)
{
    struct tv_rows rows = {.len = writing->waiting};
    for (size_t column = 0; column < COLUMNS; column++)
        rows.cells[column] = writing->cells[column];
    writing->files->rows += writing->waiting;
    writing->waiting = 0;
    return rows.len ? writing->form->take(writing->state, &rows, err) : TV_OK;
}

/* Numbers that a database had room for are none of the sentinels of tables. */
static int64_t cell_of(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

/* The times of a clock that the trace lacks are absent, and not 0. */
static void fill_times(struct writing *writing, const struct tv_fleet_run *run,
                       const struct tv_numbers *numbers)
{
    static const int columns[TV_CLOCK_COUNT][2] = {
        [TV_CLOCK_WALL] = {INCLUSIVE_WALL, EXCLUSIVE_WALL},
        [TV_CLOCK_CPU] = {INCLUSIVE_CPU, EXCLUSIVE_CPU}};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        const bool lacks = run->clocks.lacks[clock];
        writing->cells[columns[clock][0]][writing->waiting] =
            lacks ? TV_ABSENT : cell_of(numbers->inclusive_ns[clock]);
        writing->cells[columns[clock][1]][writing->waiting] =
            lacks ? TV_ABSENT : cell_of(numbers->exclusive_ns[clock]);
    }
}

static enum tv_code write_row(void *ctx, const struct tv_fleet_read_row *read, struct tv_error *err)
{
    struct writing *writing = ctx;
    const struct tv_fleet_trace *trace = writing->traces[read->run];
    const struct tv_fleet_row *row = &read->row;
    const uint32_t place = tv_map_get(&writing->place_of, (uint64_t)read->method);
    const size_t at = writing->waiting;
    if (place == TV_MAP_NONE) /* rows came meanwhile */
        return TV_OK;
    for (size_t column = 0; column <= ANDROID; column++)
        writing->cells[column][at] = writing->of_trace[read->run][column];
    for (size_t part = 0; part < 3; part++)
        writing->cells[CLASS + part][at] = writing->of_method[place][part];
    writing->cells[THREAD_KIND][at] =
        writing->of_kind[row->kind < TV_THREAD_KIND_COUNT ? row->kind : TV_THREAD_OTHER];
    writing->cells[CREATED][at] = trace->created;
    writing->cells[CALLS][at] = cell_of(row->numbers.numbers.calls);
    writing->cells[RECURSIVE_CALLS][at] = cell_of(row->numbers.recursive_calls);
    fill_times(writing, trace->run, &row->numbers.numbers);
    writing->cells[SLOWEST][at] = cell_of(row->slowest_ns);
    writing->cells[SLOWEST_AT][at] = cell_of(row->slowest_at_ns);
    writing->cells[CUT_CALLS][at] = cell_of(trace->run->cut_calls);
    writing->cells[INCLUSIVE_UNRECORDED][at] = cell_of(row->numbers.numbers.unrecorded_ns[0]);
    writing->cells[EXCLUSIVE_UNRECORDED][at] = cell_of(row->numbers.numbers.unrecorded_ns[1]);
    writing->cells[FELL_BACK][at] = trace->run->fell_back;
    writing->cells[ODD_WALL][at] = trace->run->odd_wall.len > 0;
    return ++writing->waiting == TV_ROWS_LIMIT ? flush(writing, err) : TV_OK;
}

static void describe(struct writing *writing)
{
    writing->table = (struct tv_table){.name = "rows", .column_count = COLUMNS};
    for (size_t i = 0; i < COLUMNS; i++) {
        struct tv_column *column = &writing->table.columns[i];
        column->name = names[i];
        column->type = i < TEXTS ? TV_COLUMN_TEXT : TV_COLUMN_I64;
        column->may_be_absent = i >= INCLUSIVE_WALL && i <= EXCLUSIVE_CPU;
        if (i < TEXTS)
            column->dictionary = tv_text_set_view(&writing->texts[i]);
    }
}

static enum tv_code write_stream(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    if (fwrite(bytes, 1, len, ctx) == len)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "it cannot be written: %s", strerror(errno));
}

static enum tv_code write_table(struct writing *writing, FILE *stream, struct tv_error *err)
{
    struct tv_block_pack pack;
    tv_block_pack_init(&pack);
    const struct tv_block_packer packer = tv_block_pack_packer(&pack);
    const struct tv_table_target target = {
        .alloc = writing->keeper->alloc, .sink = {write_stream, stream}, .packer = &packer};
    describe(writing);
    writing->form = &tv_parquet_file;
    const struct tv_fleet_wanted wanted = {.runs = writing->runs, .count = writing->count};
    enum tv_code code = writing->form->begin(&writing->table, &target, &writing->state, err);
    if (code == TV_OK)
        code = tv_fleet_read_rows(&writing->reader, &wanted, write_row, writing, err);
    if (code == TV_OK)
        code = flush(writing, err);
    if (code == TV_OK)
        code = writing->form->finish(writing->state, err);
    writing->form->release(writing->state);
    tv_block_pack_release(&pack);
    return code;
}

/* --- files --- */

static enum tv_code write_stream_of(struct writing *writing, const struct tv_draft *draft,
                                    struct tv_error *err)
{
    FILE *stream = tv_draft_stream(draft);
    if (!stream)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "it cannot be written: %s",
                       strerror(errno));
    enum tv_code code = write_table(writing, stream, err);
    if (fclose(stream) != 0 && code == TV_OK)
        code =
            tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "it cannot be written: %s", strerror(errno));
    return code;
}

/* A label as the name of a file: no byte of it can leave the folder, and no two labels have one
 * name. */
static enum tv_code name_label(struct tv_str label, struct tv_buffer *name, struct tv_error *err)
{
    struct tv_out out;
    const size_t first = name->len;
    if (!label.len)
        return tv_buffer_append(name, "%none", 5, err);
    tv_out_init(&out, tv_buffer_sink(name));
    if (label.at[0] == '.') {
        tv_out_text(&out, TV_STR("%2E"));
        label = (struct tv_str){label.at + 1, label.len - 1};
    }
    tv_percent_put(&out, label);
    TV_TRY(tv_out_finish(&out, err));
    if (name->len - first <= NAME_MOST)
        return TV_OK;
    uint8_t digest[TV_SHA256_LEN];
    char digits[2 + 2 * 16] = "%-";
    const struct tv_str whole = tv_buffer_view(name);
    tv_sha256((struct tv_str){whole.at + first, whole.len - first}, digest);
    tv_hex_put(digits + 2, digest, 16);
    name->len = first + NAME_MOST - sizeof(digits);
    return tv_buffer_append(name, digits, sizeof(digits), err);
}

static enum tv_code name_file(const struct writing *writing, const struct tv_fleet_trace *trace,
                              struct tv_buffer *name, struct tv_error *err)
{
    TV_TRY(tv_buffer_append(name, writing->folder, strlen(writing->folder), err));
    TV_TRY(tv_buffer_append(name, "/", 1, err));
    TV_TRY(name_label(trace->app, name, err));
    TV_TRY(tv_buffer_append(name, "/", 1, err));
    TV_TRY(name_label(trace->build, name, err));
    return tv_buffer_append(name, ".parquet", sizeof(".parquet"), err);
}

static enum tv_code write_named(struct writing *writing, const char *path, struct tv_error *err)
{
    struct tv_draft draft;
    TV_TRY(tv_path_make_folders(path, err));
    TV_TRY(tv_draft_open(&draft, path, 0666, err));
    return tv_draft_end(&draft, write_stream_of(writing, &draft, err), err);
}

static void begin_file(struct writing *writing)
{
    const struct tv_alloc *alloc = writing->keeper->alloc;
    for (size_t i = 0; i < TEXTS; i++)
        tv_text_set_init(&writing->texts[i], alloc);
    tv_arena_init(&writing->method_names, alloc);
    tv_map_init(&writing->place_of, alloc);
    writing->of_method = NULL;
    writing->method_count = writing->method_cap = 0;
    writing->state = NULL;
}

static void end_file(struct writing *writing)
{
    const struct tv_alloc *alloc = writing->keeper->alloc;
    for (size_t i = 0; i < TEXTS; i++)
        tv_text_set_release(&writing->texts[i]);
    tv_arena_release(&writing->method_names);
    tv_map_release(&writing->place_of);
    tv_alloc_release(alloc, &writing->of_method, writing->method_cap, sizeof(*writing->of_method));
}

static enum tv_code write_build(struct writing *writing, struct tv_error *err)
{
    struct tv_buffer name;
    tv_buffer_init(&name, writing->keeper->alloc);
    begin_file(writing);
    enum tv_code code = learn_texts(writing, err);
    if (code == TV_OK)
        code = name_file(writing, writing->traces[0], &name, err);
    if (code == TV_OK)
        code = write_named(writing, tv_buffer_view(&name).at, err);
    end_file(writing);
    tv_buffer_release(&name);
    writing->files->files += code == TV_OK;
    writing->files->runs += writing->count;
    return code;
}

/* --- all traces --- */

static int compare_builds(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_fleet_trace *of = ctx;
    int order = tv_str_compare(of[a].app, of[b].app);
    if (!order)
        order = tv_str_compare(of[a].build, of[b].build);
    return order ? order : (a > b) - (a < b);
}

static bool is_same_build(const struct tv_fleet_trace *a, const struct tv_fleet_trace *b)
{
    return tv_str_equal(a->app, b->app) && tv_str_equal(a->build, b->build);
}

static enum tv_code write_builds(struct writing *writing, struct tv_fleet_trace *traces,
                                 size_t count, struct tv_error *err)
{
    for (size_t first = 0, end = 0; first < count; first = end) {
        writing->count = 0;
        for (; end < count && is_same_build(&traces[first], &traces[end]); end++) {
            if (!traces[end].run)
                continue;
            writing->traces[writing->count] = &traces[end];
            writing->runs[writing->count++] = traces[end].run;
        }
        if (writing->count)
            TV_TRY(write_build(writing, err));
    }
    return TV_OK;
}

static enum tv_code write_all(struct writing *writing, int64_t now, struct tv_error *err)
{
    const struct tv_trace_query query = {
        .counted = &writing->keeper->rule, .is_of_all = true, .now = now};
    struct tv_counted_traces found;
    struct tv_arena *arena = &writing->arena;
    TV_TRY(tv_counted_traces_find(&found, writing->keeper->store, &query,
                                  writing->reader.is_unwanted, SIZE_MAX, arena, err));
    TV_TRY(tv_counted_traces_find_runs(&found, &writing->reader, arena, err));
    writing->files->without_rows = found.without_rows;
    if (!found.count)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, found.count * sizeof(*writing->traces), &writing->traces, err));
    TV_TRY(tv_arena_take(arena, found.count * sizeof(*writing->runs), &writing->runs, err));
    TV_TRY(tv_arena_take(arena, found.count * sizeof(*writing->of_trace), &writing->of_trace, err));
    TV_TRY(tv_sort_rows(arena->alloc, found.traces, found.count, sizeof(*found.traces),
                        compare_builds, found.traces, err));
    return write_builds(writing, found.traces, found.count, err);
}

/* Files of an earlier time would stand beside the new ones, of traces that are gone. */
static enum tv_code refuse_full(const char *folder, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    DIR *entries = opendir(folder);
    if (!entries && errno == ENOENT)
        return TV_OK;
    if (!entries)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.150s cannot be opened: %s", folder,
                       strerror(errno));
    for (struct dirent *entry = readdir(entries); entry && code == TV_OK; entry = readdir(entries))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            code = tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                           "%.150s is not empty: %.50s lies in it", folder, entry->d_name);
    (void)closedir(entries);
    return code;
}

enum tv_code tv_row_files_write(const struct tv_row_keeper *keeper, const char *folder, int64_t now,
                                struct tv_row_files *files, struct tv_error *err)
{
    struct writing *writing;
    *files = (struct tv_row_files){.files = 0};
    TV_TRY(refuse_full(folder, err));
    TV_TRY(tv_alloc_new(keeper->alloc, &writing, 1, sizeof(*writing), err));
    writing->keeper = keeper;
    writing->folder = folder;
    writing->files = files;
    tv_arena_init(&writing->arena, keeper->alloc);
    enum tv_code code = tv_fleet_reader_open(&writing->reader, keeper->db, err);
    writing->reader.is_patient = true;
    if (code == TV_OK)
        code = write_all(writing, now, err);
    tv_fleet_reader_close(&writing->reader);
    tv_arena_release(&writing->arena);
    tv_alloc_release(keeper->alloc, &writing, 1, sizeof(*writing));
    return code;
}
