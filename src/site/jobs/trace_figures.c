/*
 * Figures of a trace; see site/jobs/trace_figures.h. They are those that `info` and `frames` tell:
 * the length of the time axis, threads with calls, the longest frame, and how long a start-up took.
 */
#include "site/jobs/trace_figures.h"

#include "analysis/lanes/lanes.h"
#include "analysis/selection/range.h"
#include "compare/comparison.h"

/* Of each lane; phases of a start-up are few. */
#define ITEMS_MOST 1000u

static uint64_t worst_frame_ns(const struct tv_lanes *lanes)
{
    const struct tv_lane_items *frames = &lanes->lanes[TV_LANE_FRAME];
    uint64_t worst_ns = 0;
    for (size_t i = 0; i < frames->count; i++)
        worst_ns = frames->of[i].len_ns > worst_ns ? frames->of[i].len_ns : worst_ns;
    return worst_ns;
}

enum tv_code tv_trace_figures_find(struct tv_trace_figures *figures, const struct tv_index *index,
                                   const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_lanes lanes;
    *figures = (struct tv_trace_figures){.duration_ns = tv_axis_len_ns(index)};
    for (uint32_t i = 0; i < index->thread_count; i++)
        figures->threads += index->threads[i].calls > 0;
    tv_lanes_init(&lanes, alloc);
    enum tv_code code = tv_lanes_find(&lanes, index, ITEMS_MOST, err);
    if (code == TV_OK) {
        /* Of samples a frame may be a run of several, CPU time is not how long one waited, and a
         * clock that fell tells less. */
        const bool has_wall = index->info->has_clock[TV_CLOCK_WALL] && !tv_run_odd_wall(index);
        const bool has_frames = has_wall && !index->info->is_sampled;
        figures->worst_frame_ns = has_frames ? worst_frame_ns(&lanes) : 0;
        figures->startup_ns = has_wall ? tv_lanes_startup_ns(&lanes) : 0;
    }
    figures->is_known = code == TV_OK;
    tv_lanes_release(&lanes);
    return code;
}

static void write_figure(struct tv_json *json, const char *key, uint64_t time_ns)
{
    tv_json_key(json, key);
    if (time_ns)
        tv_json_u64(json, time_ns);
    else
        tv_json_null(json);
}

void tv_trace_figures_write(const struct tv_trace_figures *figures, struct tv_json *json)
{
    tv_json_key(json, "figures");
    if (!figures->is_known) {
        tv_json_null(json);
        return;
    }
    tv_json_open_object(json);
    tv_json_key_u64(json, "duration_ns", figures->duration_ns);
    tv_json_key_u64(json, "threads", figures->threads);
    write_figure(json, "worst_frame_ns", figures->worst_frame_ns);
    write_figure(json, "startup_ns", figures->startup_ns);
    tv_json_close_object(json);
}
