/*
 * Rows of traces that count; see site/jobs/row_keeper.h. An index is not copied out of the store:
 * its file is mapped and read in place. tv_mapping_run guards the reading, since the file may be
 * cut short meanwhile.
 */
#include "site/jobs/row_keeper.h"

#include <string.h>
#include <unistd.h>

#include "base/memory/text_map.h"
#include "index/saved/saved.h"
#include "os/memory/mapping.h"
#include "site/jobs/index_job.h"
#include "store/folder.h"

enum tv_code tv_row_keeper_open(struct tv_fleet_db *db, char path[TV_PATH_CAP],
                                const struct tv_row_place *place, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    const bool is_clickhouse = place->clickhouse && place->clickhouse[0];
    const bool is_url = is_clickhouse || tv_store_is_url(place->store->rows);
    const struct tv_fleet_place rows = {
        .path = path,
        .url = is_clickhouse ? place->clickhouse
               : is_url      ? place->store->rows
                             : "",
        .password_file = is_clickhouse ? place->password_file : place->store->password_file,
        .is_read_only = place->is_read_only};
    *db = (struct tv_fleet_db){.alloc = NULL};
    path[0] = '\0';
    if (!is_url)
        TV_TRY(tv_store_path(path, place->store->rows, TV_FLEET_DATABASE, err));
    return tv_fleet_db_open(db, &rows, alloc, err);
}

/* --- the rows of one index --- */

struct reading {
    const struct tv_row_keeper *keeper;
    struct tv_saved_source source;
    struct tv_mapping file;
    struct tv_trace_rows rows;
    struct tv_error *err;
    enum tv_code code;
};

static void read_mapped(void *ctx)
{
    struct reading *reading = ctx;
    const struct tv_row_keeper *keeper = reading->keeper;
    struct tv_index index;
    reading->code =
        tv_saved_open(&index, (struct tv_saved_bytes){reading->file.bytes, reading->file.len},
                      &reading->source, keeper->alloc, keeper->pool, reading->err);
    if (reading->code == TV_OK)
        reading->code = tv_trace_rows_make(&reading->rows, &index, reading->err);
}

static enum tv_code read_index(struct reading *reading, const struct tv_hash *name,
                               struct tv_error *err)
{
    const struct tv_store_files *files = &reading->keeper->store->files;
    uint64_t len;
    int fd;
    TV_TRY(files->open(files->ctx, name, &fd, &len, err));
    enum tv_code code = tv_mapping_open(&reading->file, fd, (size_t)len, err);
    (void)close(fd);
    TV_TRY(code);
    tv_mapping_stop_readers(reading->file.bytes);
    code = tv_mapping_run(read_mapped, reading, err);
    if (code == TV_OK)
        code = reading->code;
    tv_mapping_release(&reading->file);
    return code;
}

static enum tv_code put(const struct reading *reading, const struct tv_job *job, const char *trace,
                        struct tv_error *err)
{
    const struct tv_fleet_run_key key = {job->raw.hex, trace};
    return tv_fleet_db_put(reading->keeper->db, &key, job->index.hex, &reading->rows, err);
}

/* Counts for all processes. Where the store does not answer, that is lost: the rows are there. */
static void count_rows(const struct tv_row_keeper *keeper, const struct tv_trace_rows *rows,
                       enum tv_code code)
{
    static const uint64_t failed[TV_TALLY_COUNT] = {[TV_TALLY_ROWS_FAILED] = 1};
    const uint64_t made[TV_TALLY_COUNT] = {
        [TV_TALLY_ROWED] = 1, [TV_TALLY_ROWS] = rows->row_count + rows->context_count};
    const struct tv_store_db *db = &keeper->store->db;
    if (code == TV_OK)
        (void)db->add_tallies(db->ctx, made, NULL);
    else if (code == TV_ERR_FORMAT || code == TV_ERR_NOT_FOUND)
        (void)db->add_tallies(db->ctx, failed, NULL);
}

/* Makes and keeps the rows of a job that is done; `trace` as in struct tv_fleet_run. */
static enum tv_code make(const struct tv_row_keeper *keeper, const struct tv_job *job,
                         const char *trace, struct tv_error *err)
{
    struct reading reading = {
        .keeper = keeper, .source = tv_index_job_source(job->raw.hex, job->mappings), .err = err};
    tv_trace_rows_init(&reading.rows, keeper->alloc);
    enum tv_code code = read_index(&reading, &job->index, err);
    if (code == TV_OK)
        code = put(&reading, job, trace, err);
    count_rows(keeper, &reading.rows, code);
    tv_trace_rows_release(&reading.rows);
    return code;
}

enum tv_code tv_row_keeper_take(const struct tv_row_keeper *keeper, const struct tv_job *job,
                                int64_t now, bool *made, struct tv_error *err)
{
    const struct tv_store_db *db = &keeper->store->db;
    struct tv_job done;
    *made = false;
    /* A job does not know whose trace its mappings name: the next pass does. */
    if (!keeper->db || job->mappings[0])
        return TV_OK;
    bool counts;
    TV_TRY(db->counts_raw(db->ctx, &job->raw, keeper->rule, now, &counts, err));
    if (!counts)
        return TV_OK;
    TV_TRY(db->want_job(db->ctx, &job->raw, job->build, job->mappings, false, now, &done, err));
    if (done.state != TV_JOB_DONE)
        return TV_OK;
    TV_TRY(make(keeper, &done, "", err));
    *made = true;
    return TV_OK;
}

/* --- a pass over all --- */

struct passing {
    const struct tv_row_keeper *keeper;
    int64_t now;
    uint64_t most;
    struct tv_row_pass *pass;
    struct tv_arena arena;      /* of the rows of a slice */
    struct tv_arena kept;       /* of what the maps have */
    struct tv_text_map runs;    /* what has rows: raw files, each with the trace whose run it is */
    struct tv_text_map counted; /* what is to have rows, named in the same way */
    struct tv_trace_row slice[64];
};

static bool has_run(const struct tv_text_map *map, const struct tv_fleet_run_name *name)
{
    return tv_text_map_get(map, tv_str_from(name->text)) != TV_MAP_NONE;
}

static enum tv_code add_name(struct passing *passing, struct tv_text_map *to,
                             const struct tv_fleet_run_name *name, bool *is_new,
                             struct tv_error *err)
{
    struct tv_str kept;
    uint32_t *value;
    const size_t count = to->count;
    TV_TRY(tv_arena_keep(&passing->kept, tv_str_from(name->text), &kept, err));
    TV_TRY(tv_text_map_slot(to, kept, 0, &value, err));
    *is_new = to->count > count;
    return TV_OK;
}

static enum tv_code look_at_runs(struct passing *passing, struct tv_error *err)
{
    struct tv_fleet_reader reader;
    struct tv_fleet_run *runs;
    size_t count;
    bool is_new;
    TV_TRY(tv_fleet_reader_open(&reader, passing->keeper->db, err));
    reader.is_patient = true;
    enum tv_code code = tv_fleet_read_runs(&reader, &passing->kept, &runs, &count, err);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        const struct tv_fleet_run_name name = tv_fleet_run_name(runs[i].raw, runs[i].trace);
        code = add_name(passing, &passing->runs, &name, &is_new, err);
    }
    tv_fleet_reader_close(&reader);
    return code;
}

/* A run whose index is being made gets its rows when that is done. One whose file is damaged, or
 * was removed by hand, keeps none of the others from theirs. */
static enum tv_code make_missing(struct passing *passing, const struct tv_trace_row *row,
                                 const struct tv_fleet_run_name *name, struct tv_error *err)
{
    const struct tv_row_keeper *keeper = passing->keeper;
    enum tv_named_by by;
    struct tv_job job;
    if (passing->pass->made >= passing->most) {
        passing->pass->waiting++;
        return TV_OK;
    }
    enum tv_code code =
        tv_store_want_index(keeper->store, row, keeper->build, false, passing->now, &by, &job, err);
    if (code == TV_ERR_NOT_FOUND) /* it was deleted meanwhile */
        return TV_OK;
    TV_TRY(code);
    const char *trace = job.mappings[0] ? row->id.hex : "";
    const struct tv_fleet_run_name chosen = tv_fleet_run_name(row->raw.hex, trace);
    /* Where a mapping came or went just now, the next pass looks again. */
    if (job.state != TV_JOB_DONE || strcmp(chosen.text, name->text) != 0) {
        *(job.state == TV_JOB_BAD ? &passing->pass->bad : &passing->pass->waiting) += 1;
        return TV_OK;
    }
    code = make(keeper, &job, trace, err);
    passing->pass->made += code == TV_OK;
    passing->pass->bad += code == TV_ERR_FORMAT || code == TV_ERR_NOT_FOUND;
    return code == TV_ERR_FORMAT || code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* Mappings are chosen for each trace at each pass, so that rows follow names that came or went. */
static enum tv_code look_at_trace(struct passing *passing, const struct tv_trace_row *row,
                                  struct tv_error *err)
{
    const struct tv_store_db *db = &passing->keeper->store->db;
    struct tv_mapping_list list;
    bool is_new;
    TV_TRY(db->choose_mappings(db->ctx, row, passing->now, &list, err));
    const struct tv_fleet_run_name name =
        tv_fleet_run_name(row->raw.hex, list.files[0] ? row->id.hex : "");
    TV_TRY(add_name(passing, &passing->counted, &name, &is_new, err));
    if (!is_new)
        return TV_OK;
    passing->pass->runs++;
    if (!passing->keeper->is_new && has_run(&passing->runs, &name))
        return TV_OK;
    return make_missing(passing, row, &name, err);
}

static enum tv_code look_at_traces(struct passing *passing, struct tv_error *err)
{
    const struct tv_store_db *db = &passing->keeper->store->db;
    struct tv_trace_query query = {.counted = &passing->keeper->rule,
                                   .is_of_all = true,
                                   .now = passing->now,
                                   .most = TV_COUNT_OF(passing->slice)};
    size_t count = TV_COUNT_OF(passing->slice);
    while (count == TV_COUNT_OF(passing->slice)) {
        tv_arena_release(&passing->arena);
        TV_TRY(db->list_traces(db->ctx, &query, &passing->arena, passing->slice, &count, err));
        for (size_t i = 0; i < count; i++)
            TV_TRY(look_at_trace(passing, &passing->slice[i], err));
        if (count) {
            query.after_created = passing->slice[count - 1].created;
            query.after_id = passing->slice[count - 1].id;
        }
    }
    return TV_OK;
}

/* What has rows, and is no file of a trace that counts; the keys are those of `runs`. */
static enum tv_code list_others(struct passing *passing, struct tv_fleet_run_key *keys,
                                size_t *count, struct tv_error *err)
{
    *count = 0;
    for (size_t i = 0; i < passing->runs.count; i++) {
        const struct tv_str name = passing->runs.entries[i].text;
        struct tv_str raw;
        if (tv_text_map_get(&passing->counted, name) != TV_MAP_NONE)
            continue;
        TV_TRY(
            tv_arena_keep(&passing->kept, (struct tv_str){name.at, TV_FLEET_HASH_LEN}, &raw, err));
        keys[(*count)++] = (struct tv_fleet_run_key){raw.at, name.at + TV_FLEET_HASH_LEN};
    }
    return TV_OK;
}

static enum tv_code drop_others(struct passing *passing, struct tv_error *err)
{
    const struct tv_row_keeper *keeper = passing->keeper;
    struct tv_fleet_run_key *keys;
    size_t count;
    TV_TRY(tv_alloc_new(keeper->alloc, &keys, passing->runs.count, sizeof(*keys), err));
    enum tv_code code = list_others(passing, keys, &count, err);
    if (code == TV_OK)
        code = tv_fleet_db_drop(keeper->db, keys, count, err);
    if (code == TV_OK)
        passing->pass->dropped += count;
    tv_alloc_release(keeper->alloc, &keys, passing->runs.count, sizeof(*keys));
    return code;
}

/* Makes what is missing and drops what is not wanted, in three steps: which rows are there, which
 * traces count, which rows belong to none of these. The number of traces that wait is kept as a
 * tally, so that the site's metrics tell it without counting. */
enum tv_code tv_row_keeper_pass(const struct tv_row_keeper *keeper, int64_t now, uint64_t most,
                                struct tv_row_pass *pass, struct tv_error *err)
{
    struct passing *passing;
    memset(pass, 0, sizeof(*pass));
    TV_TRY(tv_alloc_new(keeper->alloc, &passing, 1, sizeof(*passing), err));
    passing->keeper = keeper;
    passing->now = now;
    passing->most = most;
    passing->pass = pass;
    tv_arena_init(&passing->arena, keeper->alloc);
    tv_arena_init(&passing->kept, keeper->alloc);
    tv_text_map_init(&passing->runs, keeper->alloc);
    tv_text_map_init(&passing->counted, keeper->alloc);
    enum tv_code code = look_at_runs(passing, err);
    if (code == TV_OK)
        code = look_at_traces(passing, err);
    if (code == TV_OK)
        code = drop_others(passing, err);
    if (code == TV_OK)
        code = keeper->store->db.set_tally(keeper->store->db.ctx, TV_TALLY_ROWS_BEHIND,
                                           pass->waiting, err);
    tv_fleet_db_remove_others(keeper->db, now);
    tv_text_map_release(&passing->counted);
    tv_text_map_release(&passing->runs);
    tv_arena_release(&passing->kept);
    tv_arena_release(&passing->arena);
    tv_alloc_release(keeper->alloc, &passing, 1, sizeof(*passing));
    return code;
}
