/*
 * Builds side by side; see fleet/build_change.h.
 *
 * Rows are read run after run, and the numbers of a method on all kinds of threads are one, as in a
 * comparison of traces. The comparison itself has no index of any run: contexts and threads are not
 * compared, methods are by the same functions as elsewhere.
 */
#include "fleet/build_change.h"

#include <string.h>

#include "base/memory/pool.h"

void tv_build_change_init(struct tv_build_change *change, const struct tv_alloc *alloc)
{
    *change = (struct tv_build_change){.slowest = NULL};
    tv_comparison_init(&change->comparison, alloc);
    tv_map_init(&change->place_of, alloc);
}

void tv_build_change_release(struct tv_build_change *change)
{
    tv_alloc_release(change->comparison.alloc, &change->slowest, change->slowest_cap,
                     sizeof(*change->slowest));
    tv_alloc_release(change->comparison.alloc, &change->read_as, change->place_count,
                     sizeof(*change->read_as));
    change->slowest = NULL;
    change->slowest_cap = change->place_count = 0;
    change->read_as = NULL;
    tv_map_release(&change->place_of);
    tv_comparison_release(&change->comparison);
}

/* --- reading rows --- */

struct reading {
    struct tv_build_change *change;
    struct tv_fleet_reader *reader;
    struct tv_arena arena; /* of names */
};

/* Adds a method that no run before had: its names come from the database once. */
static enum tv_code add_method(struct reading *reading, size_t run, int64_t method, uint32_t *place,
                               struct tv_error *err)
{
    const struct tv_join *join = &reading->change->comparison.join;
    struct tv_build_change *change = reading->change;
    struct tv_fleet_method names;
    const size_t cell_len = sizeof(*join->numbers) + sizeof(*change->slowest);
    if (join->count >= TV_FLEET_NUMBERS_MOST / cell_len / join->run_count)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the traces of these builds have too many different methods");
    TV_TRY(tv_fleet_read_method(reading->reader, method, &reading->arena, &names, err));
    const struct tv_row_names row = {names.class_name, names.name, names.signature};
    TV_TRY(tv_join_add_named(&change->comparison.join, run, &row, 1, place, err));
    const size_t before = change->slowest_cap;
    TV_TRY(tv_alloc_grow(change->comparison.alloc, &change->slowest, &change->slowest_cap,
                         join->count * join->run_count, sizeof(*change->slowest), err));
    if (change->slowest_cap > before)
        memset(change->slowest + before, 0,
               (change->slowest_cap - before) * sizeof(*change->slowest));
    return TV_OK;
}

static enum tv_code take_row(void *ctx, const struct tv_fleet_read_row *read, struct tv_error *err)
{
    struct reading *reading = ctx;
    struct tv_join *join = &reading->change->comparison.join;
    uint32_t *place;
    TV_TRY(
        tv_map_slot(&reading->change->place_of, (uint64_t)read->method, TV_NONE - 1, &place, err));
    if (*place == TV_NONE - 1) {
        uint32_t added;
        TV_TRY(add_method(reading, read->run, read->method, &added, err));
        *place = added;
    }
    struct tv_method_row *to = &join->numbers[*place * join->run_count + read->run];
    const bool is_first = !to->numbers.calls && !to->recursive_calls;
    tv_numbers_add(&to->numbers, &read->row.numbers.numbers);
    to->recursive_calls += read->row.numbers.recursive_calls;
    struct tv_fleet_slowest *slowest =
        &reading->change->slowest[*place * join->run_count + read->run];
    /* Rows come in any order, so of two calls of one length it is the earlier one. */
    if (is_first || read->row.slowest_ns > slowest->ns ||
        (read->row.slowest_ns == slowest->ns && read->row.slowest_at_ns < slowest->at_ns))
        *slowest = (struct tv_fleet_slowest){read->row.slowest_ns, read->row.slowest_at_ns};
    return TV_OK;
}

/* Adds what is known of a run as a whole to what is known of all. */
static enum tv_code note_run(struct tv_build_change *change, size_t run,
                             const struct tv_fleet_counted *counted, struct tv_error *err)
{
    struct tv_comparison *comparison = &change->comparison;
    const enum tv_side side =
        run < comparison->opts.run_counts[TV_SIDE_OLD] ? TV_SIDE_OLD : TV_SIDE_NEW;
    const struct tv_fleet_run *of = counted->run;
    comparison->runs[run] = (struct tv_compared_run){.file = counted->name, .calls = of->calls};
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        comparison->runs[run].total_ns[clock] = of->total_ns[clock];
    tv_run_clocks_add(&comparison->clocks, &of->clocks, counted->name);
    if (side == TV_SIDE_NEW)
        tv_run_clocks_add(&comparison->new_clocks, &of->clocks, counted->name);
    comparison->lost.fell_back[side] = comparison->lost.fell_back[side] || of->fell_back;
    tv_lost_runs_note_build(&comparison->lost, &of->build, counted->name);
    tv_lost_runs_note_wall(&comparison->lost, of->odd_wall, side, counted->name);
    tv_lost_runs_note_text(&comparison->lost, of->no_counts, side, counted->name);
    if (of->no_counts.len && comparison->no_counts.code == TV_OK) {
        (void)tv_fail(&comparison->no_counts, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "%.*s",
                      tv_str_shown_len(of->no_counts), of->no_counts.at);
        comparison->no_counts_of = counted->name;
    }
    if (!of->cut_calls)
        return TV_OK;
    change->cut[side]++;
    return tv_join_note_cut(&comparison->join, run, of->cut_calls, err);
}

static enum tv_code read_runs(struct reading *reading, const struct tv_build_change_opts *opts,
                              struct tv_error *err)
{
    struct tv_comparison *comparison = &reading->change->comparison;
    const size_t count = tv_comparison_run_count(comparison);
    const struct tv_fleet_run **runs;
    TV_TRY(tv_alloc_new(comparison->alloc, &runs, count, sizeof(*runs), err));
    enum tv_code code = TV_OK;
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        code = note_run(reading->change, i, &opts->runs[i], err);
        runs[i] = opts->runs[i].run;
    }
    struct tv_fleet_wanted wanted = {
        .runs = runs, .count = count, .in_any_order = true, .one_clock = true};
    if (code == TV_OK)
        code = tv_run_clocks_choose(&comparison->clocks, opts->has_clock ? &opts->clock : NULL,
                                    &wanted.clock, err);
    if (code == TV_OK)
        code = tv_fleet_read_rows(reading->reader, &wanted, take_row, reading, err);
    tv_alloc_release(comparison->alloc, &runs, count, sizeof(*runs));
    return code;
}

/* The comparison has its methods in another order than that of reading. */
static enum tv_code note_order(struct tv_build_change *change, struct tv_error *err)
{
    const struct tv_join *join = &change->comparison.join;
    TV_TRY(tv_alloc_new(change->comparison.alloc, &change->read_as, join->count,
                        sizeof(*change->read_as), err));
    change->place_count = join->count;
    for (uint32_t i = 0; i < join->count; i++)
        change->read_as[join->sorted[i]] = i;
    return TV_OK;
}

enum tv_code tv_build_change_make(struct tv_build_change *change, struct tv_fleet_reader *reader,
                                  const struct tv_build_change_opts *opts, struct tv_error *err)
{
    struct reading reading = {.change = change, .reader = reader};
    const struct tv_comparison_opts compared = {
        .run_counts = {opts->run_counts[TV_SIDE_OLD], opts->run_counts[TV_SIDE_NEW]},
        .has_clock = opts->has_clock,
        .clock = opts->clock,
        .kind = opts->kind,
        .least = opts->least,
        .most_rows = opts->most_rows};
    TV_TRY(tv_comparison_begin(&change->comparison, &compared, err));
    change->comparison.has_contexts = change->comparison.has_threads = false;
    tv_arena_init(&reading.arena, change->comparison.alloc);
    enum tv_code code = read_runs(&reading, opts, err);
    tv_arena_release(&reading.arena);
    tv_map_release(&change->place_of);
    change->comparison.clocks.has_other_processor =
        change->comparison.clocks.has_other_processor || opts->other_devices;
    if (code == TV_OK)
        code = tv_check_wanted(reader->is_unwanted, err);
    if (code == TV_OK)
        code = tv_comparison_finish(&change->comparison, err);
    return code == TV_OK ? note_order(change, err) : code;
}

/* --- runs that show a method --- */

static uint64_t time_of(const struct tv_comparison *comparison, const struct tv_method_row *row)
{
    const uint64_t *times = comparison->opts.kind == TV_TIME_INCLUSIVE ? row->numbers.inclusive_ns
                                                                       : row->numbers.exclusive_ns;
    return times[comparison->clock];
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

size_t tv_build_change_example(const struct tv_build_change *change, uint32_t place,
                               enum tv_side side)
{
    const struct tv_comparison *comparison = &change->comparison;
    const struct tv_calls_and_time median = comparison->changes.of[place].sides[side].median;
    const size_t first = tv_comparison_first_run(comparison, side);
    size_t best = SIZE_MAX;
    uint64_t least = UINT64_MAX;
    for (size_t run = first; run < first + comparison->opts.run_counts[side]; run++) {
        const struct tv_method_row *row = tv_join_row(&comparison->join, place, run);
        if (!tv_join_calls(&comparison->join, place, run))
            continue;
        const uint64_t far = distance(time_of(comparison, row), median.time_ns);
        if (far < least || best == SIZE_MAX) {
            least = far;
            best = run;
        }
    }
    return best;
}

struct tv_fleet_slowest tv_build_change_slowest(const struct tv_build_change *change,
                                                uint32_t place, size_t run)
{
    return change->slowest[change->read_as[place] * change->comparison.join.run_count + run];
}

size_t tv_build_change_runs(const struct tv_build_change *change, uint32_t place, enum tv_side side)
{
    const struct tv_comparison *comparison = &change->comparison;
    const size_t first = tv_comparison_first_run(comparison, side);
    size_t count = 0;
    for (size_t run = first; run < first + comparison->opts.run_counts[side]; run++)
        count += tv_join_calls(&comparison->join, place, run) > 0;
    return count;
}
