/*
 * The answer of diff for programs, in one object: both sides, the counts of verdicts, then lists of
 * methods. Ratios and p values are whole millionths, so that no form of a fraction depends on the
 * machine. A key stands only where its number was tested or counted.
 */
#include "api/routes/comparison_json.h"

#include <math.h>

#include "api/routes/answer_parts.h"

#define MILLION 1e6

/* Runs are numbered from 1, in the order of the files. */
static void write_runs(struct tv_json *json, const struct tv_comparison *comparison,
                       enum tv_side side)
{
    const size_t first = tv_comparison_first_run(comparison, side);
    tv_json_key_u64(json, "typical", tv_comparison_typical(comparison, side) + 1);
    tv_json_key(json, "distances_ns");
    tv_json_open_array(json);
    for (size_t i = 0; i < comparison->opts.run_counts[side]; i++)
        tv_json_u64(json, comparison->runs[first + i].distance_ns);
    tv_json_close_array(json);
}

/* Files are named as they were given, in the order of the runs. */
static void write_side(struct tv_json *json, const struct tv_comparison *comparison,
                       enum tv_side side)
{
    size_t first = tv_comparison_first_run(comparison, side);
    tv_json_key(json, tv_side_words[side]);
    tv_json_open_object(json);
    tv_json_key_u64(json, "runs", comparison->opts.run_counts[side]);
    tv_json_key(json, "files");
    tv_json_open_array(json);
    for (size_t i = 0; i < comparison->opts.run_counts[side]; i++)
        tv_json_str(json, comparison->runs[first + i].file);
    tv_json_close_array(json);
    tv_json_key_u64(json, "calls", tv_comparison_calls(comparison, side));
    tv_json_key_u64(json, "total_ns", tv_comparison_total(comparison, side));
    if (comparison->opts.run_counts[side] > 1)
        write_runs(json, comparison, side);
    tv_json_close_object(json);
}

/* Counts are a range over the runs, times a median: that is what each verdict is made of. */
static void write_change_side(struct tv_json *json, const char *key,
                              const struct tv_change_side *side)
{
    tv_json_key(json, key);
    tv_json_open_object(json);
    tv_json_key(json, "calls");
    tv_json_open_array(json);
    tv_json_u64(json, side->least_calls);
    tv_json_u64(json, side->most_calls);
    tv_json_close_array(json);
    tv_json_key_u64(json, "time_ns", side->median.time_ns);
    tv_json_close_object(json);
}

static void write_millionths(struct tv_json *json, const char *key, double value)
{
    tv_json_key_i64(json, key, (int64_t)rint(value * MILLION));
}

/* Millionths as whole numbers: readers of JSON disagree about the digits of fractions. */
static void write_test(struct tv_json *json, const struct tv_significance_row *row)
{
    write_millionths(json, "change_ppm", exp(row->change) - 1);
    write_millionths(json, "p_ppm", row->p);
    write_millionths(json, "p_adjusted_ppm", row->p_adjusted);
    write_millionths(json, "p_rank_ppm", row->p_rank);
    if (row->left_out != TV_NO_RUN)
        tv_json_key_u64(json, "run_left_out", row->left_out + 1);
    if (row->verdict == TV_VERDICT_UNDECIDED && row->runs)
        tv_json_key_u64(json, "runs_to_decide", row->runs);
}

/* Calls that changed are a change, whatever the time says; both must be the same for "same". */
static enum tv_verdict verdict_of(const struct tv_change *change, enum tv_verdict time)
{
    if (change->calls == TV_VERDICT_CHANGED || time == TV_VERDICT_CHANGED)
        return TV_VERDICT_CHANGED;
    return change->calls == TV_VERDICT_SAME && time == TV_VERDICT_SAME ? TV_VERDICT_SAME
                                                                       : TV_VERDICT_UNDECIDED;
}

/* A name that is longer than a Java virtual machine takes is cut, as in all answers. */
static struct tv_str cut_text(struct tv_str text)
{
    return text.len > TV_ANSWER_TEXT_LIMIT ? (struct tv_str){text.at, TV_ANSWER_TEXT_LIMIT} : text;
}

/* All verdicts have a key, also those with 0, so that a program can read them without asking. */
static void write_verdicts(struct tv_json *json, const char *key,
                           const size_t counts[TV_VERDICT_COUNT])
{
    tv_json_key(json, key);
    tv_json_open_object(json);
    for (unsigned i = 0; i < TV_VERDICT_COUNT; i++)
        tv_json_key_u64(json, tv_verdict_words[i], counts[i]);
    tv_json_close_object(json);
}

/* How many contexts there are, and how many changed; nothing where they are not compared. */
static void write_contexts_head(const struct tv_comparison *comparison, struct tv_json *json)
{
    const struct tv_context_changes *moves = &comparison->moves;
    if (!comparison->has_contexts)
        return;
    tv_json_key(json, "contexts");
    tv_json_open_object(json);
    tv_json_key_u64(json, "in_both", moves->common_count);
    tv_json_key_u64(json, "gone", moves->only_count[TV_SIDE_OLD]);
    tv_json_key_u64(json, "added", moves->only_count[TV_SIDE_NEW]);
    tv_json_key_u64(json, "changed", moves->began_count);
    tv_json_key_u64(json, "moved", moves->moved_count);
    tv_json_close_object(json);
}

/* What the median method did, and whether times are divided by it. */
static void write_machine(struct tv_json *json, const struct tv_significance *tested)
{
    const char *why_not = tv_machine_words[tested->is_machine];
    if (tv_significance_is_normalised(tested))
        write_millionths(json, "machine_ppm", exp(tested->machine) - 1);
    if (!why_not)
        return;
    tv_json_key_text(json, "no_machine", why_not);
    if (tested->own_count >= TV_NORMALISED_FROM)
        write_millionths(json, "median_ppm", exp(tested->machine) - 1);
    tv_json_key_u64(json, "own", tested->own_count);
    if (tested->own_left_out)
        tv_json_key_u64(json, "own_left_out", tested->own_left_out);
    if (tested->own_unmoved)
        tv_json_key_u64(json, "own_unmoved", tested->own_unmoved);
}

/* What holds for the whole comparison, so that a program need not add up the rows. */
void tv_comparison_write_head(const struct tv_comparison *comparison, struct tv_json *json)
{
    const struct tv_changes *changes = &comparison->changes;
    write_side(json, comparison, TV_SIDE_OLD);
    write_side(json, comparison, TV_SIDE_NEW);
    tv_json_key_text(json, "clock", comparison->clock == TV_CLOCK_CPU ? "cpu" : "wall");
    tv_json_key_text(json, "by",
                     comparison->opts.kind == TV_TIME_INCLUSIVE ? "inclusive" : "exclusive");
    write_millionths(json, "least_change_ppm", comparison->opts.least);
    tv_json_key_u64(json, "methods", changes->count);
    tv_json_key_u64(json, "in_both", changes->common_count);
    tv_json_key_u64(json, "gone", changes->only_count[TV_SIDE_OLD]);
    tv_json_key_u64(json, "added", changes->only_count[TV_SIDE_NEW]);
    tv_json_key_u64(json, "merged", comparison->join.merged_count);
    if (changes->inlined_count)
        tv_json_key_u64(json, "inlined", changes->inlined_count);
    if (changes->listed_count)
        tv_json_key_u64(json, "ambiguous", changes->listed_count);
    if (comparison->no_counts.code == TV_OK)
        write_verdicts(json, "calls_verdicts", changes->calls_count);
    else
        tv_json_key_text(json, "no_counts", comparison->no_counts.text);
    write_contexts_head(comparison, json);
    if (tv_comparison_is_tested(comparison)) {
        write_verdicts(json, "time_verdicts", changes->time_count);
        write_machine(json, &changes->significance);
    } else if (!tv_comparison_has_runs(comparison)) {
        tv_json_key_truth(json, "one_sample", true);
    }
    if (comparison->lost.why.code != TV_OK)
        tv_json_key_text(json, "no_times", comparison->lost.why.text);
    if (comparison->tested_by.other_processors)
        tv_json_key_truth(json, "other_processors", true);
    if (comparison->tested_by.mixed_kinds)
        tv_json_key_truth(json, "mixed_kinds", true);
}

/* What each run of a side has of a method. */
static void write_points(struct tv_json *json, const struct tv_comparison *comparison,
                         enum tv_side side, size_t method)
{
    const size_t first = tv_comparison_first_run(comparison, side);
    const size_t end = first + comparison->opts.run_counts[side];
    tv_json_key(json, side == TV_SIDE_OLD ? "old_runs" : "new_runs");
    tv_json_open_object(json);
    tv_json_key(json, "calls");
    tv_json_open_array(json);
    for (size_t run = first; run < end; run++)
        tv_json_u64(json, tv_join_calls(&comparison->join, method, run));
    tv_json_close_array(json);
    tv_json_key(json, "time_ns");
    tv_json_open_array(json);
    for (size_t run = first; run < end; run++)
        tv_json_u64(json, tv_comparison_run_time(comparison, method, run));
    tv_json_close_array(json);
    tv_json_close_object(json);
}

/* A list of methods, and where it is written. */
struct listing {
    const struct tv_comparison *comparison;
    struct tv_json *json;
    const struct tv_buffer *body;
    size_t most_len;                     /* of the body, from which on rows are left out */
    const struct tv_compared_more *more; /* NULL: rows have nothing more */
    struct tv_buffer name;
    uint64_t left_out;
};

/* Verdicts come first, then the numbers behind them; a key that has no number is left out. */
static enum tv_code write_row(struct listing *listing, uint32_t place, struct tv_error *err)
{
    const struct tv_comparison *comparison = listing->comparison;
    struct tv_json *json = listing->json;
    const struct tv_change *change = &comparison->changes.of[place];
    enum tv_verdict time = tv_change_time(&comparison->changes, change);
    TV_TRY(tv_joined_text(&comparison->join.methods[place], &listing->name, err));
    tv_json_open_object(json);
    tv_json_key_str(json, "method", cut_text(tv_buffer_view(&listing->name)));
    tv_json_key_text(json, "verdict", tv_verdict_words[verdict_of(change, time)]);
    if (comparison->no_counts.code == TV_OK)
        tv_json_key_text(json, "calls_verdict", tv_verdict_words[change->calls]);
    tv_json_key_text(json, "time_verdict", tv_verdict_words[time]);
    write_change_side(json, "old", &change->sides[TV_SIDE_OLD]);
    write_change_side(json, "new", &change->sides[TV_SIDE_NEW]);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        if (tv_comparison_run_count(comparison) > TV_SIDE_COUNT)
            write_points(json, comparison, (enum tv_side)side, place);
    }
    if (comparison->no_counts.code == TV_OK) {
        tv_json_key_i64(json, "by_calls_ns", change->cause.by_calls_ns);
        tv_json_key_i64(json, "by_cost_ns", change->cause.by_cost_ns);
    }
    if (change->tested != SIZE_MAX)
        write_test(json, &comparison->changes.significance.rows[change->tested]);
    if (listing->more)
        TV_TRY(listing->more->write(listing->more->ctx, place, json, err));
    tv_json_close_object(json);
    return TV_OK;
}

/* How many rows are asked for cuts the lists here as in the text; how many there are stands in the
 * head. */
static enum tv_code write_list(struct listing *listing, const char *key,
                               const struct tv_compared_list *list, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    tv_json_key(listing->json, key);
    tv_json_open_array(listing->json);
    for (size_t i = 0; code == TV_OK && i < tv_comparison_shown(listing->comparison, list); i++) {
        if (listing->body->len >= listing->most_len)
            listing->left_out++;
        else
            code = write_row(listing, list->of[i], err);
    }
    tv_json_close_array(listing->json);
    return code;
}

static enum tv_code write_name(struct listing *listing, uint32_t method, struct tv_error *err)
{
    const struct tv_joined_method *of = &listing->comparison->join.methods[method];
    TV_TRY(tv_joined_text(of, &listing->name, err));
    tv_json_str(listing->json, cut_text(tv_buffer_view(&listing->name)));
    return TV_OK;
}

/* A context: the last methods of its path, how many are above them, and both sides. */
static enum tv_code write_context(struct listing *listing, uint32_t place, struct tv_error *err)
{
    const struct tv_comparison *comparison = listing->comparison;
    const struct tv_context_path path =
        tv_context_path_of(&comparison->contexts, place, TV_CONTEXT_PATH_MOST);
    tv_json_open_object(listing->json);
    tv_json_key(listing->json, "path");
    tv_json_open_array(listing->json);
    for (size_t i = 0; i < path.count; i++)
        TV_TRY(write_name(listing, path.methods[i], err));
    tv_json_close_array(listing->json);
    tv_json_key_u64(listing->json, "above", path.above);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        const struct tv_context_side *of = &comparison->contexts.of[place].sides[side];
        const struct tv_change_side told = {
            .least_calls = of->least_calls,
            .most_calls = of->most_calls,
            .median.time_ns = tv_context_time(&comparison->contexts, place, (enum tv_side)side,
                                              comparison->clock)};
        write_change_side(listing->json, tv_side_words[side], &told);
    }
    tv_json_close_object(listing->json);
    return TV_OK;
}

static enum tv_code write_moved(struct listing *listing, size_t i, struct tv_error *err)
{
    static const char *const ends[] = {[TV_SIDE_OLD] = "from", [TV_SIDE_NEW] = "to"};
    static const char *const counts[] = {[TV_SIDE_OLD] = "fewer_in", [TV_SIDE_NEW] = "more_in"};
    const struct tv_moved_method *moved = &listing->comparison->moves.moved[i];
    tv_json_open_object(listing->json);
    tv_json_key(listing->json, "method");
    TV_TRY(write_name(listing, moved->method, err));
    tv_json_key_u64(listing->json, "calls", moved->calls);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        tv_json_key(listing->json, ends[side]);
        TV_TRY(write_context(listing, moved->contexts[side], err));
        tv_json_key_u64(listing->json, counts[side], moved->context_count[side]);
    }
    tv_json_close_object(listing->json);
    return TV_OK;
}

static enum tv_code write_began(struct listing *listing, size_t i, struct tv_error *err)
{
    return write_context(listing, listing->comparison->moves.began[i], err);
}

/* A list of the tree of callers, cut as those of methods are. */
static enum tv_code write_tree_list(struct listing *listing, const char *key, size_t count,
                                    enum tv_code (*row)(struct listing *listing, size_t i,
                                                        struct tv_error *err),
                                    struct tv_error *err)
{
    const struct tv_compared_list list = {.count = count};
    enum tv_code code = TV_OK;
    tv_json_key(listing->json, key);
    tv_json_open_array(listing->json);
    for (size_t i = 0; code == TV_OK && i < tv_comparison_shown(listing->comparison, &list); i++) {
        if (listing->body->len >= listing->most_len)
            listing->left_out++;
        else
            code = row(listing, i, err);
    }
    tv_json_close_array(listing->json);
    return code;
}

static void write_thread_side(struct tv_json *json, const struct tv_thread_join *threads,
                              uint32_t place, enum tv_side side, enum tv_clock clock)
{
    const struct tv_thread_side *of = &threads->of[place].sides[side];
    tv_json_key(json, tv_side_words[side]);
    tv_json_open_object(json);
    tv_json_key(json, "threads");
    tv_json_open_array(json);
    tv_json_u64(json, of->least.threads);
    tv_json_u64(json, of->most.threads);
    tv_json_close_array(json);
    tv_json_key(json, "calls");
    tv_json_open_array(json);
    tv_json_u64(json, of->least.calls);
    tv_json_u64(json, of->most.calls);
    tv_json_close_array(json);
    tv_json_key_u64(json, "time_ns", tv_thread_time(threads, place, side, clock));
    tv_json_close_object(json);
}

static enum tv_code write_thread(struct listing *listing, size_t i, struct tv_error *err)
{
    const struct tv_comparison *comparison = listing->comparison;
    const uint32_t place = comparison->threads.changed[i];
    (void)err;
    tv_json_open_object(listing->json);
    tv_json_key_str(listing->json, "name", cut_text(comparison->threads.of[place].name));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        write_thread_side(listing->json, &comparison->threads, place, (enum tv_side)side,
                          comparison->clock);
    tv_json_close_object(listing->json);
    return TV_OK;
}

static enum tv_code write_tree(struct listing *listing, struct tv_error *err)
{
    const struct tv_context_changes *moves = &listing->comparison->moves;
    if (!listing->comparison->has_contexts)
        return TV_OK;
    TV_TRY(write_tree_list(listing, "moved", moves->moved_count, write_moved, err));
    TV_TRY(write_tree_list(listing, "paths", moves->began_count, write_began, err));
    return listing->comparison->has_threads
               ? write_tree_list(listing, "threads", listing->comparison->threads.changed_count,
                                 write_thread, err)
               : TV_OK;
}

/* A quarter of the limit stays for the last row and for what follows it. */
enum tv_code tv_comparison_write_more(const struct tv_comparison *comparison, struct tv_json *json,
                                      const struct tv_buffer *body, size_t limit,
                                      const struct tv_compared_more *more, struct tv_error *err)
{
    struct listing listing = {.comparison = comparison,
                              .json = json,
                              .body = body,
                              .most_len = limit - limit / 4,
                              .more = more};
    tv_buffer_init(&listing.name, comparison->alloc);
    enum tv_code code = write_list(&listing, "calls", &comparison->calls, err);
    if (code == TV_OK)
        code = write_list(&listing, "times", &comparison->times, err);
    if (code == TV_OK)
        code = write_list(&listing, "undecided", &comparison->open, err);
    if (code == TV_OK)
        code = write_tree(&listing, err);
    if (listing.left_out)
        tv_json_key_u64(json, "left_out", listing.left_out);
    tv_buffer_release(&listing.name);
    return code;
}

enum tv_code tv_comparison_write_lists(const struct tv_comparison *comparison, struct tv_json *json,
                                       const struct tv_buffer *body, size_t limit,
                                       struct tv_error *err)
{
    return tv_comparison_write_more(comparison, json, body, limit, NULL, err);
}

enum tv_code tv_comparison_write(const struct tv_comparison *comparison, struct tv_buffer *body,
                                 size_t limit, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_comparison_write_head(comparison, &json);
    TV_TRY(tv_comparison_write_lists(comparison, &json, body, limit, err));
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}
