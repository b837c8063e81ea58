/*
 * Comparing runs, from their profiles to lists of methods; see compare/comparison.h.
 *
 * A run is counted even where its counts are not those of the program, because its times may be
 * compared all the same; the first such run is remembered with the reason.
 */
#include "compare/comparison.h"

#include <stdio.h>
#include <string.h>

#include "analysis/health.h"
#include "analysis/selection/names.h"
#include "base/finding.h"
#include "base/memory/sort.h"
#include "base/names/source_names.h"
#include "base/numbers/median.h"
#include "base/units.h"

/* At most one of OTHER_BUILDS_MOST methods may have the id of another build than the run's. */
#define OTHER_BUILDS_MOST 4u
/* Of an id, as a precision. */
#define TOLD_OF_ID 23

void tv_comparison_init(struct tv_comparison *comparison, const struct tv_alloc *alloc)
{
    *comparison = (struct tv_comparison){
        .alloc = alloc, .no_counts = {.code = TV_OK}, .lost = {.why = {.code = TV_OK}}};
    tv_join_init(&comparison->join, alloc);
    tv_inlined_methods_init(&comparison->inlined, alloc);
    tv_changes_init(&comparison->changes, alloc);
    tv_context_join_init(&comparison->contexts, alloc);
    tv_context_changes_init(&comparison->moves, alloc);
    tv_thread_join_init(&comparison->threads, alloc);
}

void tv_comparison_release(struct tv_comparison *comparison)
{
    const struct tv_alloc *alloc = comparison->alloc;
    struct tv_compared_list *lists[] = {&comparison->calls, &comparison->times, &comparison->open,
                                        &comparison->mapped};
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++)
        tv_alloc_release(alloc, &lists[i]->of, comparison->changes.count, sizeof(uint32_t));
    tv_alloc_release(alloc, &comparison->runs, tv_comparison_run_count(comparison),
                     sizeof(*comparison->runs));
    tv_thread_join_release(&comparison->threads);
    tv_context_changes_release(&comparison->moves);
    tv_context_join_release(&comparison->contexts);
    tv_changes_release(&comparison->changes);
    tv_join_release(&comparison->join);
    tv_inlined_methods_release(&comparison->inlined);
    tv_comparison_init(comparison, alloc);
}

enum tv_code tv_comparison_begin(struct tv_comparison *comparison,
                                 const struct tv_comparison_opts *opts, struct tv_error *err)
{
    size_t count = opts->run_counts[TV_SIDE_OLD] + opts->run_counts[TV_SIDE_NEW];
    tv_comparison_release(comparison);
    TV_TRY(
        tv_alloc_new(comparison->alloc, &comparison->runs, count, sizeof(*comparison->runs), err));
    comparison->opts = *opts;
    comparison->has_contexts = comparison->has_threads = true;
    tv_join_begin(&comparison->join, count);
    return TV_OK;
}

/* The beginnings of reasons that are about times as well as counts. Databases keep the reasons, and
 * tv_lost_runs_note_text finds these again. */
static const char no_records[] = "has no records";
static const char lost_data[] = "has lost data (";
static const char has_part[] = "has a part of the run (";
/* The beginning of one that is about counts, which are those of the program or less. */
static const char has_not_all[] = "has not all calls (";

/* The first finding of lost data. */
static bool has_lost(const struct tv_index *index, enum tv_finding_kind *kind)
{
    for (unsigned i = 0; i < TV_FINDING_KIND_COUNT; i++) {
        *kind = (enum tv_finding_kind)i;
        if (index->info->findings.of[i].count &&
            tv_finding_severity(*kind) == TV_SEVERITY_DATA_LOST)
            return true;
    }
    return false;
}

/* Why a recording has what came last, or what took long, of the run; NULL: nothing says so. Dumps
 * of ART's are of rings, too. */
static const char *part_of_run(const struct tv_index *index)
{
    if (tv_str_equal(tv_index_property_of(index, TV_STR("ring-is-full")), TV_STR("true")))
        return "its ring was full";
    if (tv_str_equal(tv_str_from(index->info->format_name), TV_STR("low-overhead")))
        return "a low-overhead dump";
    return NULL;
}

uint64_t tv_run_number_of(const struct tv_index *index, struct tv_str key)
{
    uint64_t number = 0;
    return tv_str_to_u64(tv_index_property_of(index, key), 10, &number) ? number : 0;
}

/* Which calls were left out whatever their method is, by the name of the option; NULL: none were.
 * A depth that no thread has reached has left out nothing. */
static const char *calls_left_out(const struct tv_index *index)
{
    const uint64_t depth = tv_run_number_of(index, TV_STR("depth-limit"));
    if (tv_run_number_of(index, TV_STR("short-calls-left-out")))
        return "short ones are left out";
    for (uint32_t i = 0; depth && i < index->thread_count; i++) {
        if (index->threads[i].max_depth >= depth)
            return "deep ones are left out";
    }
    return NULL;
}

/* Sampled traces and those that lost data, or have a part of what was, have counts that are no
 * counts of the program; they would differ from run to run for no reason of the program's. What is
 * about times, too, goes first. What is asked of may be a part that the recording has whole. */
static enum tv_code check_counts(const struct tv_index *index, bool is_of_part,
                                 struct tv_error *err)
{
    enum tv_finding_kind kind;
    if (has_lost(index, &kind))
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "%s%s), so its counts are not those of the program; "
                       "'traceview check' tells more",
                       lost_data, tv_finding_name(kind));
    if (!index->info->records)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "%s, so it says nothing of the program", no_records);
    const char *part = is_of_part ? NULL : part_of_run(index);
    if (part)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "%s%s), so its counts are not those of the program", has_part, part);
    if (index->info->is_sampled)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "looks sampled: its counts are runs of samples, and no calls");
    const char *which = calls_left_out(index);
    if (which)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "%s%s), so its counts are not those of the program", has_not_all, which);
    return TV_OK;
}

enum tv_code tv_run_counts_check(const struct tv_index *index, struct tv_error *err)
{
    return check_counts(index, false, err);
}

/* Whether a reason begins so, and where its first bracket ends. */
static bool is_reason(struct tv_str no_counts, const char *begin, size_t *end)
{
    *end = tv_str_find(no_counts, TV_STR(")"), TV_CASE_EXACT);
    return *end != SIZE_MAX && tv_str_starts_with(no_counts, tv_str_from(begin));
}

void tv_lost_runs_note_text(struct tv_lost_runs *lost, struct tv_str no_counts, enum tv_side side,
                            struct tv_str file)
{
    const bool is_empty = tv_str_starts_with(no_counts, tv_str_from(no_records));
    size_t end;
    const bool is_part = is_reason(no_counts, has_part, &end);
    const bool is_left_out = is_reason(no_counts, has_not_all, &end);
    const bool is_lost = is_part || is_reason(no_counts, lost_data, &end);
    lost->no_counts[side] = lost->no_counts[side] || no_counts.len;
    lost->has_odd_counts[side] =
        lost->has_odd_counts[side] || (no_counts.len && !is_part && !is_left_out);
    lost->left_out[side] = lost->left_out[side] || is_left_out;
    if (!is_empty && !is_lost)
        return;
    lost->is_on[side] = true;
    if (lost->why.code != TV_OK)
        return;
    const struct tv_str why = {no_counts.at, is_empty ? no_counts.len : end + 1};
    (void)tv_fail(&lost->why, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "%.*s%s", tv_str_shown_len(why),
                  why.at, is_empty ? "" : ", so its times are not those of the program");
    lost->of = file;
}

bool tv_run_is_less(struct tv_str no_counts)
{
    struct tv_lost_runs lost = {.why = {.code = TV_OK}};
    tv_lost_runs_note_text(&lost, no_counts, TV_SIDE_NEW, no_counts);
    return lost.is_on[TV_SIDE_NEW] || lost.left_out[TV_SIDE_NEW];
}

const char *tv_run_odd_wall(const struct tv_index *index)
{
    enum tv_finding_kind odd;
    if (tv_health_doubts(index, TV_CLOCK_WALL, &odd))
        return tv_finding_name(odd);
    return NULL;
}

bool tv_run_fell_back(const struct tv_index *index)
{
    enum tv_finding_kind odd;
    return tv_health_doubts(index, TV_CLOCK_CPU, &odd);
}

void tv_lost_runs_note_wall(struct tv_lost_runs *lost, struct tv_str odd_wall, enum tv_side side,
                            struct tv_str file)
{
    if (!odd_wall.len)
        return;
    lost->odd_wall[side] = true;
    if (lost->why_wall.code != TV_OK)
        return;
    (void)tv_fail(&lost->why_wall, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                  "has wall times that are less than they were (%.*s)", tv_str_shown_len(odd_wall),
                  odd_wall.at);
    lost->of_wall = file;
}

/* The method whose id most methods have, if any id is that of more than half of those that have
 * one: ids of others cancel it out, one by one. TV_NONE: no method has an id. */
static uint32_t find_common_id(const struct tv_index *index)
{
    struct tv_str common = {NULL, 0};
    struct tv_str id;
    uint32_t found = TV_NONE;
    size_t ahead = 0;
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (!tv_map_id_of(tv_method_file(index, i), &id))
            continue;
        if (!ahead) {
            common = id;
            found = i;
        }
        ahead = tv_str_equal(id, common) ? ahead + 1 : ahead - 1;
    }
    return found;
}

struct tv_run_build tv_run_build_of(const struct tv_index *index)
{
    struct tv_run_build build = {.is_short = false};
    const uint32_t common = find_common_id(index);
    struct tv_str id, other;
    size_t same = 0;
    size_t all = 0;
    if (common == TV_NONE || !tv_map_id_of(tv_method_file(index, common), &id))
        return build;
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (!tv_map_id_of(tv_method_file(index, i), &other))
            continue;
        all++;
        same += tv_str_equal(id, other);
    }
    if ((all - same) * OTHER_BUILDS_MOST > all)
        return build;
    build.is_short = tv_method_build(index, common).len;
    const size_t len = id.len < sizeof(build.id) - 1 ? id.len : sizeof(build.id) - 1;
    memcpy(build.id, id.at, len);
    return build;
}

bool tv_run_builds_are_apart(const struct tv_run_build *a, const struct tv_run_build *b)
{
    if (!a->id[0] || !b->id[0] || (!a->is_short && !b->is_short))
        return false;
    return a->is_short != b->is_short || strcmp(a->id, b->id) != 0;
}

void tv_lost_runs_note_build(struct tv_lost_runs *lost, const struct tv_run_build *build,
                             struct tv_str file)
{
    static const char *const words[] = {"names of the source", "short names"};
    const struct tv_run_build *first = &lost->build;
    if (!first->id[0])
        lost->build = *build;
    if (!tv_run_builds_are_apart(first, build) || lost->why_builds.code != TV_OK)
        return;
    (void)tv_fail(
        &lost->why_builds, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
        "has %s of build %.*s, and another one %s of build %.*s: their methods are matched "
        "by the mappings of both alone (--mappings FOLDER)",
        words[build->is_short], TOLD_OF_ID, build->id, words[first->is_short], TOLD_OF_ID,
        first->id);
    lost->of_builds = file;
}

static void note_lost(struct tv_lost_runs *lost, const struct tv_index *index, bool is_of_part,
                      enum tv_side side, struct tv_str file)
{
    const char *odd_wall = tv_run_odd_wall(index);
    struct tv_error why;
    const struct tv_run_build build = tv_run_build_of(index);
    tv_lost_runs_note_build(lost, &build, file);
    lost->fell_back[side] = lost->fell_back[side] || tv_run_fell_back(index);
    tv_lost_runs_note_wall(lost, odd_wall ? tv_str_from(odd_wall) : (struct tv_str){.len = 0}, side,
                           file);
    lost->has_odd_counts[side] = lost->has_odd_counts[side] || index->info->is_sampled;
    if (check_counts(index, is_of_part, &why) != TV_OK)
        tv_lost_runs_note_text(lost, tv_str_from(why.text), side, file);
}

void tv_lost_runs_note(struct tv_lost_runs *lost, const struct tv_index *index, enum tv_side side,
                       struct tv_str file)
{
    note_lost(lost, index, false, side, file);
}

void tv_lost_runs_choose(struct tv_lost_runs *lost, enum tv_clock clock, struct tv_error *no_counts,
                         struct tv_str *of)
{
    if (lost->why_builds.code != TV_OK) {
        lost->why = *no_counts = lost->why_builds;
        lost->of = *of = lost->of_builds;
    }
    if (clock != TV_CLOCK_WALL || lost->why_wall.code == TV_OK || lost->why.code != TV_OK)
        return;
    lost->why = lost->why_wall;
    lost->of = lost->of_wall;
}

void tv_lost_runs_put(const struct tv_lost_runs *lost, struct tv_changes_opts *opts)
{
    opts->other_builds = lost->why_builds.code != TV_OK;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        opts->no_counts[side] = lost->no_counts[side];
        opts->counts_least[side] = lost->no_counts[side] && !lost->has_odd_counts[side];
        opts->left_out[side] = lost->left_out[side];
        opts->lost_data[side] = lost->is_on[side];
        opts->fell_back[side] = lost->fell_back[side];
        opts->odd_wall[side] = lost->odd_wall[side];
    }
}

static void note_counts(const struct tv_index *index, bool is_of_part, struct tv_str file,
                        struct tv_error *no_counts, struct tv_str *of)
{
    struct tv_error why;
    if (no_counts->code != TV_OK || check_counts(index, is_of_part, &why) == TV_OK)
        return;
    *no_counts = why;
    *of = file;
}

void tv_run_counts_note(const struct tv_index *index, struct tv_str file,
                        struct tv_error *no_counts, struct tv_str *of)
{
    note_counts(index, false, file, no_counts, of);
}

static enum tv_side side_of(const struct tv_comparison *comparison, size_t run)
{
    return run < comparison->opts.run_counts[TV_SIDE_OLD] ? TV_SIDE_OLD : TV_SIDE_NEW;
}

/* Adds the methods of a run, and its contexts where counts can be compared. */
static enum tv_code join_run(struct tv_comparison *comparison, size_t run,
                             const struct tv_run_numbers *numbers, uint32_t *places,
                             struct tv_error *err)
{
    const enum tv_side side = side_of(comparison, run);
    const struct tv_context_run contexts = {&numbers->sums, numbers->root, places};
    TV_TRY(tv_join_add_run(&comparison->join, run, numbers, places, err));
    TV_TRY(tv_inlined_methods_add(&comparison->inlined, side, numbers->profile.index, places, err));
    comparison->has_contexts =
        comparison->has_contexts && !numbers->is_between && comparison->no_counts.code == TV_OK;
    comparison->has_threads = comparison->has_threads && comparison->has_contexts &&
                              numbers->root == TV_NONE && !numbers->sums.selection.set;
    if (comparison->has_threads)
        TV_TRY(tv_thread_join_add(&comparison->threads, side, &numbers->sums, err));
    return comparison->has_contexts
               ? tv_context_join_add(&comparison->contexts, side, &contexts, err)
               : TV_OK;
}

static enum tv_code add_run(struct tv_comparison *comparison, size_t run,
                            const struct tv_index *index, const struct tv_run_numbers *numbers,
                            bool is_of_part, struct tv_str file, struct tv_error *err)
{
    const struct tv_profile *profile = &numbers->profile;
    uint32_t *places;
    struct tv_compared_run *to = &comparison->runs[run];
    note_counts(index, is_of_part, file, &comparison->no_counts, &comparison->no_counts_of);
    note_lost(&comparison->lost, index, is_of_part, side_of(comparison, run), file);
    *to = (struct tv_compared_run){.file = file};
    tv_run_clocks_take(&comparison->clocks, index, file);
    if (side_of(comparison, run) == TV_SIDE_NEW)
        tv_run_clocks_take(&comparison->new_clocks, index, file);
    for (uint32_t i = 0; i < profile->row_count; i++)
        to->calls += profile->rows[i].numbers.calls + profile->rows[i].recursive_calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        to->total_ns[clock] = profile->total_ns[clock];
    TV_TRY(tv_alloc_new(comparison->alloc, &places, index->method_count, sizeof(*places), err));
    enum tv_code code = join_run(comparison, run, numbers, places, err);
    tv_alloc_release(comparison->alloc, &places, index->method_count, sizeof(*places));
    return code;
}

enum tv_code tv_comparison_add(struct tv_comparison *comparison, size_t run,
                               const struct tv_index *index, const struct tv_run_numbers *numbers,
                               struct tv_str file, struct tv_error *err)
{
    return add_run(comparison, run, index, numbers, false, file, err);
}

/* Whether a call began after the first record of its thread: from there on a ring has all of a
 * thread, and what was open before is entered there. */
static bool is_call_whole(const struct tv_index *index, struct tv_call_ref call)
{
    const struct tv_index_thread *thread = &index->threads[call.thread_ix];
    const enum tv_clock axis = tv_index_axis(index);
    return tv_index_start(index, thread, axis, call.call) > thread->first[axis];
}

enum tv_code tv_comparison_add_call(struct tv_comparison *comparison, size_t run,
                                    const struct tv_index *index, struct tv_call_ref call,
                                    const struct tv_pool *pool, struct tv_str file,
                                    struct tv_error *err)
{
    struct tv_run_numbers numbers;
    tv_run_numbers_init(&numbers, comparison->alloc);
    enum tv_code code = tv_call_part_take(call, index, pool, &numbers, err);
    if (code == TV_OK)
        code = add_run(comparison, run, index, &numbers, is_call_whole(index, call), file, err);
    tv_run_numbers_release(&numbers);
    return code;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* An order of changes: larger numbers first. */
static uint64_t size_of(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static uint64_t change_size(const struct tv_change *change)
{
    return size_of(tv_change_ns(change));
}

/* By the time that the calls brought, then by how many there are. */
static int compare_calls(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_change *of = ctx;
    int order = compare_numbers(size_of(of[b].cause.by_calls_ns), size_of(of[a].cause.by_calls_ns));
    if (order)
        return order;
    return compare_numbers(
        size_of((int64_t)(of[b].sides[1].most_calls - of[b].sides[0].most_calls)),
        size_of((int64_t)(of[a].sides[1].most_calls - of[a].sides[0].most_calls)));
}

static int compare_times(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_change *of = ctx;
    return compare_numbers(change_size(&of[b]), change_size(&of[a]));
}

static enum tv_code make_lists(struct tv_comparison *comparison, struct tv_error *err)
{
    const struct tv_changes *changes = &comparison->changes;
    struct tv_compared_list *lists[] = {&comparison->calls, &comparison->times, &comparison->open,
                                        &comparison->mapped};
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++)
        TV_TRY(
            tv_alloc_new(comparison->alloc, &lists[i]->of, changes->count, sizeof(uint32_t), err));
    /* Of several builds a method that seems to differ is another one. */
    for (uint32_t i = 0; i < changes->count && !comparison->tested_by.other_builds; i++) {
        const struct tv_change *change = &changes->of[i];
        bool is_tested = change->tested != SIZE_MAX;
        enum tv_verdict time = tv_change_time(changes, change);
        if (change->calls == TV_VERDICT_CHANGED)
            comparison->calls.of[comparison->calls.count++] = i;
        if (is_tested ? time == TV_VERDICT_CHANGED
                      : !tv_comparison_is_tested(comparison) && !change->is_mapped_otherwise &&
                            tv_change_ns(change))
            comparison->times.of[comparison->times.count++] = i;
        if ((is_tested && time == TV_VERDICT_UNDECIDED) || change->is_apart)
            comparison->open.of[comparison->open.count++] = i;
        if (change->has_mapped_calls)
            comparison->mapped.of[comparison->mapped.count++] = i;
    }
    for (size_t i = 0; i < TV_COUNT_OF(lists); i++)
        TV_TRY(tv_sort(comparison->alloc, lists[i]->of, lists[i]->count,
                       i ? compare_times : compare_calls, changes->of, err));
    return TV_OK;
}

/* Adds to the distances of a side's runs what a method brings. Exclusive times, since inclusive
 * ones have the time of a call once for each of its callers. */
static void add_distances(struct tv_comparison *comparison, enum tv_side side, size_t method,
                          double *values, double *room)
{
    const size_t first = tv_comparison_first_run(comparison, side);
    const size_t count = comparison->opts.run_counts[side];
    for (size_t i = 0; i < count; i++) {
        const struct tv_method_row *row = tv_join_row(&comparison->join, method, first + i);
        values[i] = (double)row->numbers.exclusive_ns[comparison->clock];
    }
    const double median = tv_median(values, room, count);
    for (size_t i = 0; i < count; i++)
        comparison->runs[first + i].distance_ns +=
            (uint64_t)(values[i] > median ? values[i] - median : median - values[i]);
}

static enum tv_code measure_distances(struct tv_comparison *comparison, struct tv_error *err)
{
    const size_t count = tv_comparison_run_count(comparison);
    double *values;
    TV_TRY(tv_alloc_new(comparison->alloc, &values, 2 * count, sizeof(*values), err));
    for (size_t method = 0; method < comparison->join.count; method++) {
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            add_distances(comparison, (enum tv_side)side, method, values, values + count);
    }
    tv_alloc_release(comparison->alloc, &values, 2 * count, sizeof(*values));
    return TV_OK;
}

/* Where a recording has not the clock, its side is told: the files of both often have the same
 * names. */
static enum tv_code choose_clock(struct tv_comparison *comparison, struct tv_error *err)
{
    const struct tv_comparison_opts *opts = &comparison->opts;
    const enum tv_clock *asked = opts->has_clock ? &opts->clock : NULL;
    const enum tv_clock lacked = asked ? *asked : TV_CLOCK_WALL;
    const enum tv_code code =
        tv_run_clocks_choose(&comparison->clocks, asked, &comparison->clock, err);
    if (code == TV_OK || !err)
        return code;
    const bool is_new =
        comparison->new_clocks.lacks[lacked] &&
        comparison->new_clocks.lacking[lacked].at == comparison->clocks.lacking[lacked].at;
    const struct tv_error why = *err;
    return tv_fail(err, code, TV_NO_OFFSET, "%s; it is of the %s side", why.text,
                   is_new ? "new" : "old");
}

/* The order matters: the clock depends on what all runs have, what is lost depends on the clock,
 * and the tests depend on both. Contexts are compared last, by the methods of the finished join. */
enum tv_code tv_comparison_finish(struct tv_comparison *comparison, struct tv_error *err)
{
    const struct tv_comparison_opts *opts = &comparison->opts;
    TV_TRY(tv_inlined_methods_mark(&comparison->inlined, &comparison->join,
                                   opts->run_counts[TV_SIDE_OLD], err));
    TV_TRY(tv_join_finish(&comparison->join, err));
    TV_TRY(choose_clock(comparison, err));
    tv_lost_runs_choose(&comparison->lost, comparison->clock, &comparison->no_counts,
                        &comparison->no_counts_of);
    comparison->tested_by = (struct tv_changes_opts){
        .run_counts = {opts->run_counts[TV_SIDE_OLD], opts->run_counts[TV_SIDE_NEW]},
        .clock = comparison->clock,
        .kind = opts->kind,
        .other_processors = comparison->clocks.has_other_processor && !opts->across_machines,
        .mixed_kinds = tv_run_clocks_are_mixed(&comparison->clocks),
        .least_ns = TV_TESTED_LEAST_NS,
        .test = {.least_ratio = 1 + opts->least, .level = TV_TESTED_LEVEL}};
    tv_lost_runs_put(&comparison->lost, &comparison->tested_by);
    comparison->has_contexts = comparison->has_contexts && !comparison->tested_by.other_builds;
    TV_TRY(tv_changes_make(&comparison->changes, &comparison->join, &comparison->tested_by, err));
    TV_TRY(make_lists(comparison, err));
    TV_TRY(measure_distances(comparison, err));
    if (comparison->has_threads)
        TV_TRY(tv_thread_join_finish(&comparison->threads, comparison->clock, err));
    if (!comparison->has_contexts)
        return TV_OK;
    tv_context_join_finish(&comparison->contexts, &comparison->join);
    return tv_context_changes_make(&comparison->moves, &comparison->contexts,
                                   comparison->join.count, comparison->clock, err);
}

size_t tv_comparison_shown(const struct tv_comparison *comparison,
                           const struct tv_compared_list *list)
{
    uint64_t most = comparison->opts.most_rows;
    return most && list->count > most ? (size_t)most : list->count;
}

size_t tv_comparison_typical(const struct tv_comparison *comparison, enum tv_side side)
{
    const struct tv_compared_run *runs =
        comparison->runs + tv_comparison_first_run(comparison, side);
    size_t typical = 0;
    for (size_t i = 1; i < comparison->opts.run_counts[side]; i++) {
        if (runs[i].distance_ns < runs[typical].distance_ns)
            typical = i;
    }
    return typical;
}

uint64_t tv_comparison_run_time(const struct tv_comparison *comparison, size_t method, size_t run)
{
    const struct tv_numbers *numbers = &tv_join_row(&comparison->join, method, run)->numbers;
    const uint64_t *times =
        comparison->opts.kind == TV_TIME_INCLUSIVE ? numbers->inclusive_ns : numbers->exclusive_ns;
    return times[comparison->clock];
}

/* A number of each run of a side. */
struct run_numbers {
    const struct tv_comparison *comparison;
    size_t first; /* run */
    uint64_t (*number)(const struct tv_comparison *, size_t run);
};

static uint64_t number_of_run(const void *ctx, size_t place)
{
    const struct run_numbers *of = ctx;
    return of->number(of->comparison, of->first + place);
}

/* As tv_median has it, which needs room. */
static uint64_t median_of_runs(const struct tv_comparison *comparison, enum tv_side side,
                               uint64_t (*number)(const struct tv_comparison *, size_t run))
{
    const struct run_numbers of = {comparison, tv_comparison_first_run(comparison, side), number};
    const size_t count = comparison->opts.run_counts[side];
    const uint64_t low = tv_number_after(number_of_run, &of, count, (count - 1) / 2);
    return low + (tv_number_after(number_of_run, &of, count, count / 2) - low) / 2;
}

static uint64_t calls_of_run(const struct tv_comparison *comparison, size_t run)
{
    return comparison->runs[run].calls;
}

static uint64_t total_of_run(const struct tv_comparison *comparison, size_t run)
{
    return comparison->runs[run].total_ns[comparison->clock];
}

uint64_t tv_comparison_calls(const struct tv_comparison *comparison, enum tv_side side)
{
    return median_of_runs(comparison, side, calls_of_run);
}

uint64_t tv_comparison_total(const struct tv_comparison *comparison, enum tv_side side)
{
    return median_of_runs(comparison, side, total_of_run);
}

/* Notes the methods whose wall time changed, and which of them by the most. */
static void take_wall(const struct tv_join *join, const struct tv_changes *changes,
                      struct tv_wall_change *wall)
{
    uint64_t most_ns = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_change *change = &changes->of[i];
        const int64_t more_ns = tv_change_ns(change);
        const uint64_t by_ns = (uint64_t)(more_ns < 0 ? -more_ns : more_ns);
        if (tv_change_time(changes, change) != TV_VERDICT_CHANGED)
            continue;
        wall->changed++;
        if (wall->method && by_ns <= most_ns)
            continue;
        most_ns = by_ns;
        wall->method = &join->methods[i];
        for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
            wall->ns[side] = change->sides[side].median.time_ns;
    }
}

enum tv_code tv_comparison_wall(const struct tv_comparison *comparison, struct tv_wall_change *wall,
                                struct tv_error *err)
{
    struct tv_changes_opts opts = comparison->tested_by;
    struct tv_changes changes;
    *wall = (struct tv_wall_change){.changed = 0};
    opts.clock = TV_CLOCK_WALL;
    if (comparison->clock == TV_CLOCK_WALL || comparison->clocks.lacks[TV_CLOCK_WALL] ||
        !tv_changes_are_tested(&opts))
        return TV_OK;
    tv_changes_init(&changes, comparison->alloc);
    const enum tv_code code = tv_changes_make(&changes, &comparison->join, &opts, err);
    if (code == TV_OK)
        take_wall(&comparison->join, &changes, wall);
    tv_changes_release(&changes);
    return code;
}
