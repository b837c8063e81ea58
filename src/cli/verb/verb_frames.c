/*
 * frames: the frames of an Android app's main thread, its messages, and the phases of its start-up,
 * as the page's tab of that name lists them (analysis/lanes/lanes.h), with a status for scripts
 * (cli/answers/frames_gate.h).
 *
 * All items are found, counted against the budget and judged before anything is written: --worst
 * cuts the table, never the counts. Phases stay in the order of time, the others have the longest
 * first.
 */
#include "analysis/calls/sampling_interval.h"
#include "analysis/lanes/lanes.h"
#include "api/answers.h"
#include "api/comparisons/lanes_diff.h"
#include "base/error.h"
#include "cli/answers/drill_down.h"
#include "cli/answers/frames_gate.h"
#include "cli/answers/profile_table.h"
#include "cli/answers/question.h"
#include "cli/file/load.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"

#define NO_LIMIT UINT64_MAX

struct frames_options {
    struct tv_time_value budget;
    uint64_t worst;
    uint64_t fail_over; /* frames; NO_LIMIT: not given */
    const char *against;
    bool json;
};

/* The question, and what was found. */
struct frames {
    const struct frames_options *options;
    struct tv_frames_budget budget;
    struct tv_lanes_diff found; /* the old side has nothing where none is compared with */
    struct tv_frames_gate gate;
};

static const struct tv_lanes_side *new_lanes(const struct frames *frames)
{
    return &frames->found.sides[TV_SIDE_NEW];
}

/* How many frames are in the budget, but only as far as they are recorded. */
static uint64_t count_cut(const struct frames *frames, const struct tv_index *index)
{
    const struct tv_lane_items *items = &new_lanes(frames)->lanes.lanes[TV_LANE_FRAME];
    uint64_t count = 0;
    for (size_t i = 0; i < items->count; i++)
        count +=
            items->of[i].len_ns <= frames->budget.ns && tv_call_is_cut(index, items->of[i].call);
    return count;
}

/* Without --fail-over nothing is judged, and a trace without frames is fine. */
static enum tv_code judge(struct frames *frames, const struct tv_asking *asking,
                          struct tv_error *err)
{
    const struct tv_index *index = asking->index;
    const struct tv_lane_items *items = &new_lanes(frames)->lanes.lanes[TV_LANE_FRAME];
    struct tv_frames_counts counts = {
        .frames = items->count,
        .budget_ns = frames->budget.ns,
        .late = new_lanes(frames)->over[TV_LANE_FRAME],
        .cut = count_cut(frames, index),
        .accepted = frames->options->fail_over,
    };
    if (frames->options->fail_over == NO_LIMIT)
        return TV_OK;
    if (index->info->is_sampled && items->count)
        TV_TRY(tv_sampling_interval(&counts.interval_ns, &asking->limit.alloc, index,
                                    items->of[0].call.thread_ix, err));
    tv_frames_gate_judge(&frames->gate, index, &counts);
    return TV_OK;
}

/* Lanes are found once, under the limit of the answer, and both the text and the verdict come from
 * them. */
static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct frames *frames = values;
    tv_lanes_diff_init(&frames->found, &asking->limit.alloc);
    frames->found.budget_ns = frames->budget.ns;
    TV_TRY(tv_lanes_diff_find(&frames->found, TV_SIDE_NEW, asking->index, err));
    if (asking->trace_count > 1)
        TV_TRY(tv_lanes_diff_find(&frames->found, TV_SIDE_OLD, asking->traces[1].index, err));
    return judge(frames, asking, err);
}

static const char *const titles[TV_LANE_COUNT] = {
    [TV_LANE_MESSAGE] = "messages", [TV_LANE_FRAME] = "frames", [TV_LANE_PHASE] = "phases"};
static const char *const title_of_one[TV_LANE_COUNT] = {
    [TV_LANE_MESSAGE] = "message", [TV_LANE_FRAME] = "frame", [TV_LANE_PHASE] = "phase"};
static const char *const last_columns[TV_LANE_COUNT] = {
    [TV_LANE_MESSAGE] = "Message", [TV_LANE_FRAME] = "Thread", [TV_LANE_PHASE] = "Phase"};

/* The table of one lane while it is written. */
struct listing {
    const struct tv_asking *asking;
    const struct frames *frames;
    enum tv_lane lane;
    struct tv_text_table table;
    struct tv_buffer name;
    bool has_cpu;   /* beside the wall clock */
    bool is_judged; /* by the budget */
};

/* A terminal with less room for names does not show these columns; when something began stays,
 * since other verbs and the page take that time. */
#define CPU_NAME_WIDTH 30u
#define OVER_NAME_WIDTH 26u

/* Columns go one by one where a terminal is narrow; the time and the start stay, since they are
 * what leads to the frame. */
static void add_columns(struct listing *listing)
{
    struct tv_text_table *table = &listing->table;
    bool is_cpu = tv_index_axis(listing->asking->index) == TV_CLOCK_CPU;
    tv_table_column(table, is_cpu ? "CPU ms" : "Wall ms", TV_ALIGN_RIGHT);
    tv_table_keep(table);
    if (listing->is_judged) {
        tv_table_column(table, "Over ms", TV_ALIGN_RIGHT);
        tv_table_spare_below(table, OVER_NAME_WIDTH);
    }
    if (listing->has_cpu) {
        tv_table_column(table, "CPU ms", TV_ALIGN_RIGHT);
        tv_table_spare_below(table, CPU_NAME_WIDTH);
    }
    if (listing->lane == TV_LANE_FRAME) {
        tv_table_column(table, "Measure ms", TV_ALIGN_RIGHT);
        tv_table_column(table, "Layout ms", TV_ALIGN_RIGHT);
        tv_table_column(table, "Draw ms", TV_ALIGN_RIGHT);
        tv_table_column(table, "Other ms", TV_ALIGN_RIGHT);
    }
    tv_table_column(table, "Start ms", TV_ALIGN_RIGHT);
    tv_table_keep(table);
    tv_table_column(table, last_columns[listing->lane], TV_ALIGN_LEFT);
}

/* A time that may be none: the cell is empty then. */
static void add_time(struct tv_text_table *table, uint64_t time_ns)
{
    if (time_ns)
        tv_table_ms(table, (int64_t)time_ns);
    else
        tv_table_end_cell(table);
}

/* Its length is then the least that it took. */
static const char *cut_words(const struct tv_index *index, struct tv_call_ref call)
{
    const bool is_open = tv_call_is_open_at_end(index, call);
    if (tv_call_is_adopted(index, call))
        return is_open ? " (began before, still open)" : " (began before)";
    return is_open ? " (still open)" : "";
}

/* What names an item differs between the lanes: a phase has a label, a frame its thread, a message
 * the method that handled it. */
static enum tv_code add_last(struct listing *listing, const struct tv_lane_item *item,
                             struct tv_error *err)
{
    const struct tv_index *index = listing->asking->index;
    struct tv_text_table *table = &listing->table;
    if (listing->lane == TV_LANE_PHASE) {
        tv_table_name(table, tv_str_from(item->label));
    } else if (listing->lane == TV_LANE_FRAME) {
        tv_text_add_name(&table->cells, tv_index_thread_name(index, item->call.thread_ix));
        tv_text_add(&table->cells, "%s", cut_words(index, item->call));
        tv_table_end_cell(table);
    } else {
        TV_TRY(tv_asking_method_name(listing->asking, item->method, &listing->name, err));
        tv_table_method(table, tv_buffer_view(&listing->name));
    }
    return TV_OK;
}

/* Cells without a value are left empty rather than 0: a frame that was not over its budget is not
 * "0 over". */
static enum tv_code add_row(struct listing *listing, const struct tv_lane_item *item,
                            struct tv_error *err)
{
    const struct tv_index *index = listing->asking->index;
    struct tv_text_table *table = &listing->table;
    uint64_t budget_ns = listing->frames->budget.ns;
    tv_table_ms(table, (int64_t)item->len_ns);
    if (listing->is_judged)
        add_time(table, item->len_ns > budget_ns ? item->len_ns - budget_ns : 0);
    if (listing->has_cpu)
        tv_table_ms(table, (int64_t)(tv_index_duration(index, &index->threads[item->call.thread_ix],
                                                       TV_CLOCK_CPU, item->call.call) *
                                     index->info->unit_ns));
    if (listing->lane == TV_LANE_FRAME) {
        for (unsigned part = 0; part < TV_FRAME_PARTS; part++)
            add_time(table, item->part_ns[part]);
        tv_table_ms(table, (int64_t)tv_frame_rest_ns(item));
    }
    tv_table_ms(table, (int64_t)item->start_ns);
    return add_last(listing, item, err);
}

/* ", 3 over 16.7 ms", where that can be told. */
static void add_judgement(const struct listing *listing, struct tv_text *out)
{
    if (!listing->is_judged)
        return;
    tv_text_add(out, ", ");
    tv_text_add_count(out, new_lanes(listing->frames)->over[listing->lane]);
    tv_text_add(out, " over ");
    tv_frames_add_budget(out, &listing->frames->budget);
    tv_text_add(out, " ms");
}

/* "8 frames, 3 over 16.7 ms; the worst first"; of samples "8 runs of frames". */
static void add_caption(const struct listing *listing, struct tv_text *out)
{
    const struct frames *frames = listing->frames;
    const bool is_runs = listing->asking->index->info->is_sampled && listing->lane != TV_LANE_PHASE;
    size_t count = new_lanes(frames)->lanes.lanes[listing->lane].count;
    tv_text_add_count(out, count);
    if (is_runs)
        tv_text_add(out, count == 1 ? " run of %s" : " runs of %s", titles[listing->lane]);
    else
        tv_text_add(out, " %s", count == 1 ? title_of_one[listing->lane] : titles[listing->lane]);
    if (listing->lane == TV_LANE_PHASE) {
        tv_text_add(out, " of the start-up\n\n");
        return;
    }
    add_judgement(listing, out);
    tv_text_add(out, "; the worst first\n");
    if (!listing->is_judged)
        tv_text_add(out, "Without the wall clock nobody knows how long a %s took.\n",
                    title_of_one[listing->lane]);
    if (is_runs)
        tv_text_add(out,
                    "Samples: %s that no look came between are one run, so a run of several "
                    "may be over what none of them was.\n",
                    titles[listing->lane]);
    tv_text_add(out, "\n");
}

/* Each lane ends with the commands that look closer at its first item, so that a reader need not
 * put them together. */
static enum tv_code list_lane(struct listing *listing, struct tv_text *out, struct tv_error *err)
{
    const struct tv_lane_items *items = &new_lanes(listing->frames)->lanes.lanes[listing->lane];
    uint64_t most = listing->frames->options->worst;
    bool is_cut = most && listing->lane != TV_LANE_PHASE && items->count > most;
    size_t shown = is_cut ? (size_t)most : items->count;
    add_caption(listing, out);
    add_columns(listing);
    for (size_t i = 0; i < shown; i++)
        TV_TRY(add_row(listing, &items->of[i], err));
    TV_TRY(tv_table_write(&listing->table, out, err));
    if (is_cut) {
        tv_text_add(out, "\nand ");
        tv_text_add_count(out, items->count - shown);
        tv_text_add(out, " more: --worst 0 shows all\n");
    }
    /* The table begins with the worst; what a start-up did begins at its beginning. */
    if (items->count) {
        const struct tv_lane_item *worst = &items->of[0];
        tv_text_add(out, listing->lane == TV_LANE_PHASE ? "\nThe first, call by call:\n"
                                                        : "\nThe worst, call by call:\n");
        tv_drill_down_add(out, listing->asking, tv_drill_down_axis_measure(listing->asking->index),
                          worst->call, worst->start_ns, worst->start_ns + worst->len_ns);
    }
    return TV_OK;
}

/* A lane without items is left out with its heading. */
static enum tv_code write_lane(const struct tv_asking *asking, const struct frames *frames,
                               enum tv_lane lane, struct tv_text *out, struct tv_error *err)
{
    struct listing listing = {.asking = asking, .frames = frames, .lane = lane};
    const struct tv_index_info *info = asking->index->info;
    if (!new_lanes(frames)->lanes.lanes[lane].count)
        return TV_OK;
    if (out->buffer.len)
        tv_text_add(out, "\n");
    listing.has_cpu = info->has_clock[TV_CLOCK_WALL] && info->has_clock[TV_CLOCK_CPU];
    listing.is_judged = lane != TV_LANE_PHASE && new_lanes(frames)->is_judged;
    tv_table_init(&listing.table, asking->cli);
    tv_buffer_init(&listing.name, asking->cli->alloc);
    enum tv_code code = list_lane(&listing, out, err);
    tv_buffer_release(&listing.name);
    tv_table_release(&listing.table);
    return code;
}

/* One side of a lane: how many items, how many over the budget, and how long they are. */
static void add_side(struct tv_text_table *table, const struct tv_lanes_side *lanes,
                     enum tv_lane lane, const char *side, const char *file)
{
    const struct tv_lane_items *items = &lanes->lanes.lanes[lane];
    const size_t places[] = TV_LANE_PLACES(items->count);
    tv_table_count(table, items->count);
    if (lanes->is_judged)
        tv_table_count(table, lanes->over[lane]);
    else
        tv_table_end_cell(table);
    for (size_t i = 0; i < TV_COUNT_OF(places); i++) {
        if (items->count)
            tv_table_ms(table, (int64_t)items->of[places[i]].len_ns);
        else
            tv_table_end_cell(table);
    }
    tv_text_add(&table->cells, "%s: ", side);
    tv_text_add_name(&table->cells, tv_file_label(file));
    tv_table_end_cell(table);
}

/* Of samples, on either side, it is no frames or messages that are counted. */
static const char *count_title(const struct tv_asking *asking, enum tv_lane lane)
{
    if (asking->index->info->is_sampled || asking->traces[1].index->info->is_sampled)
        return lane == TV_LANE_FRAME ? "Runs of frames" : "Runs of messages";
    return lane == TV_LANE_FRAME ? "Frames" : "Messages";
}

/* Both sides of a lane that either has. Of one recording a side nothing is claimed to be changed.
 */
static enum tv_code write_sides(const struct tv_asking *asking, const struct frames *frames,
                                enum tv_lane lane, struct tv_text *out, struct tv_error *err)
{
    struct tv_text_table table;
    struct tv_text over;
    const struct tv_lanes_side *old_lanes = &frames->found.sides[TV_SIDE_OLD];
    if (!old_lanes->lanes.lanes[lane].count && !new_lanes(frames)->lanes.lanes[lane].count)
        return TV_OK;
    tv_text_init(&over, asking->cli->alloc);
    tv_text_add(&over, "Over ");
    tv_frames_add_budget(&over, &frames->budget);
    tv_text_add(&over, " ms%c", '\0');
    tv_table_init(&table, asking->cli);
    tv_table_column(&table, count_title(asking, lane), TV_ALIGN_RIGHT);
    tv_table_column(&table, over.code == TV_OK ? (const char *)over.buffer.bytes : "Over",
                    TV_ALIGN_RIGHT);
    tv_table_column(&table, "Median ms", TV_ALIGN_RIGHT);
    tv_table_column(&table, "p95 ms", TV_ALIGN_RIGHT);
    tv_table_column(&table, "Worst ms", TV_ALIGN_RIGHT);
    tv_table_column(&table, "Side, one sample each", TV_ALIGN_LEFT);
    add_side(&table, old_lanes, lane, "old", asking->traces[1].file);
    add_side(&table, new_lanes(frames), lane, "new", asking->file);
    if (out->buffer.len)
        tv_text_add(out, "\n");
    enum tv_code code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    tv_text_release(&over);
    return code;
}

/* What was looked for is named where nothing was found, since apps with frameworks of their own
 * have none of these methods. */
static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct frames *frames = values;
    if (asking->trace_count > 1) {
        TV_TRY(write_sides(asking, frames, TV_LANE_FRAME, out, err));
        TV_TRY(write_sides(asking, frames, TV_LANE_MESSAGE, out, err));
    }
    TV_TRY(write_lane(asking, frames, TV_LANE_FRAME, out, err));
    TV_TRY(write_lane(asking, frames, TV_LANE_MESSAGE, out, err));
    TV_TRY(write_lane(asking, frames, TV_LANE_PHASE, out, err));
    if (!out->buffer.len)
        tv_text_add(out, "No frames, messages or start-up of an Android app: the main thread has "
                         "no calls of Choreographer.doFrame, Handler.dispatchMessage or "
                         "ActivityThread.handleBindApplication.\n");
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    const struct frames *frames = values;
    if (api->trace_count > 1)
        return tv_answer_lanes_diff(api, 1, &frames->found, body, err);
    return tv_answer_lanes(api, body, err);
}

static const struct tv_question_plan plan = {
    .fill = fill, .write_json = write_json, .write_text = write_text};

/* The lanes outlive the answer, because the status is judged by them; their memory is then counted
 * by nobody. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct frames_options *options = values;
    struct frames frames = {.options = options, .budget = tv_frames_budget_of(options->budget)};
    if (options->budget.is_given && !options->budget.time_ns)
        return tv_cli_misuse(cli, "frames: --budget has no use for a time of 0");
    const char *const files[] = {arguments->of[0], options->against};
    tv_lanes_diff_init(&frames.found, cli->alloc);
    int status = tv_question_run(cli, &(struct tv_question_files){files, options->against ? 2 : 1},
                                 &plan, &frames, options->json);
    /* The limit that the lanes were found under is gone. */
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        frames.found.sides[side].lanes.alloc = cli->alloc;
    tv_lanes_diff_release(&frames.found);
    if (status == TV_STATUS_FINE)
        status = tv_frames_gate_status(&frames.gate, cli, arguments->of[0]);
    return status;
}

static const struct tv_option options[] = {
    {.name = "budget",
     .kind = TV_OPTION_TIME,
     .field = offsetof(struct frames_options, budget),
     .argument = "TIME",
     .help = "what a frame may take: 8.3 (ms), 700us, 1s (16.7)"},
    {.name = "worst",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct frames_options, worst),
     .argument = "COUNT",
     .help = "how many frames, and messages; 0 is all (20)",
     .most = UINT32_MAX},
    {.name = "fail-over",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct frames_options, fail_over),
     .argument = "COUNT",
     .help = "status 3 when more frames are late, or none can be judged"},
    {.name = "against",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct frames_options, against),
     .argument = "OLD",
     .help = "how many and how long frames of this trace were, beside FILE's"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct frames_options, json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

static const struct frames_options defaults = {.worst = 20, .fail_over = NO_LIMIT};

const struct tv_verb tv_verb_frames = {
    .name = "frames",
    .summary = "frames, messages and start-up of an app; which are late",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .names_methods = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct frames_options),
    .examples = {{"traceview frames --budget 8.3 app.trace", "which frames were late at 120 Hz"},
                 {"traceview frames --fail-over 5 app.trace",
                  "status 3 where more than five were late"}},
    .run = run,
};
