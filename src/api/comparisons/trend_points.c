/*
 * trend: what stepped where, of recordings in the order of time; see
 * api/comparisons/trend_points.h. The route takes the traces of `old` in their order, then those of
 * `new`, or the one that is meant. A recording that was sampled has times all the same; one that
 * lost data has neither counts nor times that could be compared, and is left out where enough of
 * the others are whole.
 */
#include "api/comparisons/trend_points.h"

#include <math.h>

#include "api/diff_query.h"
#include "api/route.h"
#include "base/text/json.h"

#define MILLION 1e6

void tv_trend_points_init(struct tv_trend_points *points, const struct tv_alloc *alloc)
{
    *points = (struct tv_trend_points){.alloc = alloc};
    tv_join_init(&points->join, alloc);
    tv_join_init(&points->inlined, alloc);
    tv_trend_init(&points->trend, alloc);
}

void tv_trend_points_release(struct tv_trend_points *points)
{
    tv_trend_release(&points->trend);
    tv_join_release(&points->join);
    tv_join_release(&points->inlined);
    tv_trend_points_init(points, points->alloc);
}

void tv_trend_points_begin(struct tv_trend_points *points, size_t count)
{
    points->count = count;
    tv_join_begin(&points->join, count);
    tv_join_begin(&points->inlined, count);
}

enum tv_code tv_trend_points_add(struct tv_trend_points *points, size_t run,
                                 const struct tv_index *index, const struct tv_pool *pool,
                                 struct tv_str file, struct tv_error *err)
{
    struct tv_trend_point *to = &points->of[run];
    const struct tv_run_part all = tv_run_part_all();
    struct tv_run_numbers numbers;
    struct tv_lost_runs lost = {.why = {.code = TV_OK}};
    tv_run_counts_note(index, file, &points->no_counts, &points->no_counts_of);
    tv_lost_runs_note(&points->lost, index, TV_SIDE_NEW, file);
    tv_lost_runs_note(&lost, index, TV_SIDE_NEW, file);
    if (!lost.is_on[TV_SIDE_NEW]) {
        tv_run_counts_note(index, file, &points->no_counts_of_whole, &points->no_counts_file);
        tv_lost_runs_note(&points->lost_of_whole, index, TV_SIDE_NEW, file);
    }
    tv_run_clocks_take(&points->clocks, index, file);
    tv_run_numbers_init(&numbers, points->alloc);
    enum tv_code code = tv_run_part_take(&all, index, pool, &numbers, err);
    if (code == TV_OK)
        code = tv_join_add_run(&points->join, run, &numbers, NULL, err);
    if (code == TV_OK)
        code = tv_join_add_inlined(&points->inlined, run, index, NULL, err);
    *to = (struct tv_trend_point){.file = file, .calls = index->call_count};
    if (lost.is_on[TV_SIDE_NEW])
        to->lost = lost.why;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        to->total_ns[clock] = numbers.profile.total_ns[clock];
    tv_run_numbers_release(&numbers);
    return code;
}

/* Leaves points out that lost data, where the others are as many as a test of times needs. */
static enum tv_code leave_out_lost(struct tv_trend_points *points, struct tv_error *err)
{
    bool is_kept[TV_TREND_RUNS_MOST];
    size_t run = 0;
    size_t whole = 0;
    for (size_t i = 0; i < points->count; i++)
        whole += points->of[i].lost.code == TV_OK;
    points->leaves_out = whole < points->count && whole >= 2 * TV_TREND_SIDE_LEAST;
    for (size_t i = 0; i < points->count; i++) {
        is_kept[i] = !tv_trend_points_leave_out(points, i);
        if (is_kept[i])
            points->point_of[run++] = i;
    }
    if (!points->leaves_out)
        return TV_OK;
    points->no_counts = points->no_counts_of_whole;
    points->no_counts_of = points->no_counts_file;
    points->lost = points->lost_of_whole;
    TV_TRY(tv_join_keep_runs(&points->inlined, is_kept, err));
    return tv_join_keep_runs(&points->join, is_kept, err);
}

/* In which runs each method of the join was inlined, for tv_trend_find; the join is not sorted yet,
 * and the methods that were inlined never are. */
static enum tv_code place_inlined(struct tv_trend_points *points, uint32_t *places,
                                  struct tv_error *err)
{
    const struct tv_join *inlined = &points->inlined;
    for (uint32_t i = 0; i < inlined->count; i++)
        TV_TRY(tv_join_find_joined(&points->join, &inlined->methods[i], &places[i], err));
    TV_TRY(tv_join_finish(&points->join, err));
    for (uint32_t i = 0; i < inlined->count; i++)
        places[i] = places[i] == TV_NONE ? TV_NONE : points->join.sorted[places[i]];
    return TV_OK;
}

static void mark_inlined(const struct tv_trend_points *points, const uint32_t *places, bool *marks)
{
    const size_t runs = points->join.run_count;
    for (uint32_t i = 0; i < points->inlined.count; i++) {
        for (size_t run = 0; places[i] != TV_NONE && run < runs; run++)
            marks[places[i] * runs + run] = tv_join_calls(&points->inlined, i, run) > 0;
    }
}

/* Sorts the join, and makes a mark for each run of each method; *marks is NULL where nothing was
 * inlined. */
static enum tv_code find_inlined(struct tv_trend_points *points, bool **marks, struct tv_error *err)
{
    const size_t count = points->inlined.count;
    uint32_t *places = NULL;
    *marks = NULL;
    TV_TRY(tv_alloc_new(points->alloc, &places, count, sizeof(*places), err));
    enum tv_code code = place_inlined(points, places, err);
    if (code == TV_OK && count)
        code = tv_alloc_new(points->alloc, marks, points->join.count * points->join.run_count,
                            sizeof(**marks), err);
    if (code == TV_OK && count)
        mark_inlined(points, places, *marks);
    tv_alloc_release(points->alloc, &places, count, sizeof(*places));
    return code;
}

enum tv_code tv_trend_points_find(struct tv_trend_points *points, const struct tv_trend_opts *opts,
                                  struct tv_error *err)
{
    bool *inlined;
    TV_TRY(leave_out_lost(points, err));
    TV_TRY(tv_run_clocks_choose(&points->clocks, opts->clock, &points->clock, err));
    tv_lost_runs_choose(&points->lost, points->clock, &points->no_counts, &points->no_counts_of);
    struct tv_changes_opts by = {
        .clock = points->clock,
        .kind = opts->kind,
        .mixed_kinds = tv_run_clocks_are_mixed(&points->clocks),
        .least_ns = TV_TESTED_LEAST_NS,
        .test = {.least_ratio = 1 + opts->least, .level = TV_TESTED_LEVEL}};
    tv_lost_runs_put(&points->lost, &by);
    TV_TRY(find_inlined(points, &inlined, err));
    const enum tv_code code = tv_trend_find(&points->trend, &points->join, inlined, &by, err);
    tv_alloc_release(points->alloc, &inlined, points->join.count * points->join.run_count,
                     sizeof(*inlined));
    return code;
}

/* The answer while it is written. */
struct listing {
    const struct tv_trend_points *points;
    struct tv_json json;
    const struct tv_buffer *body;
    size_t most_len;
    uint64_t most_rows;
    size_t left_out;
    struct tv_buffer name;
};

static void put_side(struct tv_json *json, const char *key, const struct tv_step *step,
                     enum tv_side side)
{
    const struct tv_change_side *of = &step->sides[side];
    tv_json_key(json, key);
    if (step->is_time) {
        tv_json_u64(json, of->median.time_ns);
        return;
    }
    tv_json_open_array(json);
    tv_json_u64(json, of->least_calls);
    tv_json_u64(json, of->most_calls);
    tv_json_close_array(json);
}

static enum tv_code put_step(struct listing *listing, const struct tv_step *step,
                             struct tv_error *err)
{
    struct tv_json *json = &listing->json;
    TV_TRY(tv_joined_text(&listing->points->join.methods[step->method], &listing->name, err));
    tv_json_open_object(json);
    tv_json_key_str(json, "method", tv_buffer_view(&listing->name));
    tv_json_key_u64(json, "point", tv_trend_points_number(listing->points, step->run));
    put_side(json, "old", step, TV_SIDE_OLD);
    put_side(json, "new", step, TV_SIDE_NEW);
    if (step->is_time && !step->is_apart) {
        tv_json_key_i64(json, "change_ppm", (int64_t)rint((exp(step->change) - 1) * MILLION));
        tv_json_key_i64(json, "p_ppm", (int64_t)rint(step->p * MILLION));
    }
    tv_json_close_object(json);
    return TV_OK;
}

/* Steps [first, end) of the list, at most as many as are asked for. */
static enum tv_code put_steps(struct listing *listing, const char *key, size_t first, size_t end,
                              struct tv_error *err)
{
    struct tv_json *json = &listing->json;
    enum tv_code code = TV_OK;
    size_t i = first;
    if (listing->most_rows && end - first > listing->most_rows)
        end = first + (size_t)listing->most_rows;
    tv_json_key(json, key);
    tv_json_open_array(json);
    for (; code == TV_OK && i < end && listing->body->len + json->len < listing->most_len; i++)
        code = put_step(listing, &listing->points->trend.of[i], err);
    tv_json_close_array(json);
    listing->left_out += end - i;
    return code;
}

static void put_points(const struct tv_trend_points *points, struct tv_json *json)
{
    tv_json_key(json, "points");
    tv_json_open_array(json);
    for (size_t i = 0; i < points->count; i++) {
        tv_json_open_object(json);
        tv_json_key_str(json, "file", points->of[i].file);
        tv_json_key_u64(json, "calls", points->of[i].calls);
        tv_json_key_u64(json, "total_ns", points->of[i].total_ns[points->clock]);
        if (tv_trend_points_leave_out(points, i))
            tv_json_key_text(json, "lost", points->of[i].lost.text);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static void put_head(const struct tv_trend_points *points, struct tv_json *json)
{
    tv_json_key_text(json, "clock", tv_run_clock_words[points->clock]);
    put_points(points, json);
    if (points->no_counts.code != TV_OK)
        tv_json_key_text(json, "no_counts", points->no_counts.text);
    if (points->lost.why.code != TV_OK)
        tv_json_key_text(json, "no_times", points->lost.why.text);
    if (points->clocks.has_other_processor)
        tv_json_key_truth(json, "other_processors", true);
    if (tv_run_clocks_are_mixed(&points->clocks))
        tv_json_key_truth(json, "mixed_kinds", true);
    if (points->trend.has_machine_step) {
        tv_json_key_i64(json, "machine_ppm",
                        (int64_t)rint((exp(points->trend.machine) - 1) * MILLION));
        tv_json_key_u64(json, "machine_point",
                        tv_trend_points_number(points, points->trend.machine_run));
    }
    tv_json_key_u64(json, "pending", points->trend.pending_count);
    tv_json_key_u64(json, "tested", points->trend.tested_count);
}

enum tv_code tv_answer_trend(const struct tv_trend_points *points, uint64_t most_rows,
                             struct tv_buffer *body, size_t limit, struct tv_error *err)
{
    const struct tv_trend *trend = &points->trend;
    struct listing listing = {
        .points = points, .body = body, .most_len = limit - limit / 4, .most_rows = most_rows};
    tv_buffer_init(&listing.name, points->alloc);
    tv_json_init(&listing.json, tv_buffer_sink(body));
    tv_json_open_object(&listing.json);
    put_head(points, &listing.json);
    enum tv_code code = put_steps(&listing, "calls", 0, trend->call_count, err);
    if (code == TV_OK)
        code = put_steps(&listing, "times", trend->call_count, tv_trend_tested_end(trend), err);
    if (code == TV_OK && trend->apart_count)
        code = put_steps(&listing, "apart", tv_trend_tested_end(trend), tv_trend_apart_end(trend),
                         err);
    if (code == TV_OK && trend->inlined_count)
        code = put_steps(&listing, "inlined", tv_trend_apart_end(trend), trend->count, err);
    if (listing.left_out)
        tv_json_key_u64(&listing.json, "left_out", listing.left_out);
    tv_json_close_object(&listing.json);
    tv_buffer_release(&listing.name);
    return code == TV_OK ? tv_json_finish(&listing.json, err) : code;
}

static enum tv_code find(const struct tv_request *request, const struct tv_diff_sides *sides,
                         const struct tv_comparison_opts *asked, struct tv_trend_points *points,
                         struct tv_error *err)
{
    const size_t count = sides->counts[TV_SIDE_OLD] + sides->counts[TV_SIDE_NEW];
    tv_trend_points_begin(points, count);
    for (size_t i = 0; i < count; i++) {
        TV_TRY(tv_check_wanted(request->api->is_unwanted, err));
        TV_TRY(tv_trend_points_add(points, i, sides->of[i]->index, request->api->pool,
                                   sides->of[i]->file, err));
    }
    const struct tv_trend_opts opts = {.clock = asked->has_clock ? &asked->clock : NULL,
                                       .kind = asked->kind,
                                       .least = asked->least};
    return tv_diff_refuse(tv_trend_points_find(points, &opts, err), err);
}

static enum tv_code answer(const struct tv_request *request, const struct tv_diff_sides *sides,
                           const struct tv_comparison_opts *asked, struct tv_error *err)
{
    struct tv_trend_points *points;
    TV_TRY(tv_arena_take(request->arena, sizeof(*points), &points, err));
    tv_trend_points_init(points, request->alloc);
    enum tv_code code = find(request, sides, asked, points, err);
    if (code == TV_OK)
        code = tv_answer_trend(points, asked->most_rows, &request->response->body,
                               tv_api_answer_limit(request->api), err);
    tv_trend_points_release(points);
    return code;
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    struct tv_diff_sides sides;
    struct tv_comparison_opts asked = {.has_clock = false};
    TV_TRY(tv_diff_sides_take(request->api, &request->params, &sides, err));
    if (!sides.counts[TV_SIDE_OLD])
        return tv_params_missing("old", err);
    TV_TRY(tv_diff_opts_take(&request->params, &asked, err));
    return answer(request, &sides, &asked, err);
}

static const char *const params[] = {"old", "new", "clock", "by", "least", "n", NULL};

const struct tv_route tv_route_trend = {"trend", TV_TYPE_JSON, params, run};
