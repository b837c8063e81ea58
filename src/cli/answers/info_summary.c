/*
 * Where the time of a trace went, at first sight; see cli/answers/info_summary.h.
 *
 * `traceview info` is the first thing that people run on a file, so it answers what they ask next:
 * where the time went, which frame was worst, and which methods of their own code are behind it.
 * Each part is an ordinary question of analysis; here are only the limits that keep the answer on
 * one screen.
 */
#include "cli/answers/info_summary.h"

#include "analysis/lanes/lanes.h"
#include "analysis/selection/platform.h"
#include "cli/answers/drill_down.h"
#include "cli/answers/profile_table.h"

/* A first look and the threads above it are to fit a small terminal. */
#define OWN_ROWS 3u

void tv_info_summary_init(struct tv_info_summary *look, const struct tv_asking *asking)
{
    *look = (struct tv_info_summary){.has_frames = false};
    tv_top_init(&look->own, asking->cli->alloc);
}

void tv_info_summary_release(struct tv_info_summary *look)
{
    tv_top_release(&look->own);
}

/* Adds "Worst frame 186.900 ms from 404.070 ms on, thread main, the longest of 14 frames". */
static void add_worst(struct tv_text *out, const struct tv_index *index,
                      const struct tv_lane_items *frames)
{
    const struct tv_lane_item *worst = &frames->of[0];
    uint64_t count = frames->count + frames->left_out;
    tv_text_add(out, index->info->is_sampled ? "Longest run of frames " : "Worst frame ");
    tv_text_add_ms(out, (int64_t)worst->len_ns);
    tv_text_add(out, " ms%s, from ", tv_index_axis(index) == TV_CLOCK_CPU ? " of CPU time" : "");
    tv_text_add_ms(out, (int64_t)worst->start_ns);
    tv_text_add(out, " ms on, thread ");
    tv_text_add_name(out, tv_index_thread_name(index, worst->call.thread_ix));
    if (count > 1) {
        tv_text_add(out, "; the longest of ");
        tv_text_add_count(out, count);
    } else {
        tv_text_add(out, "; the only one");
    }
    tv_text_add(out, "\n");
}

/* One item of each lane is enough, since lanes are sorted by length. A failure leaves the summary
 * without this line. */
enum tv_code tv_info_summary_add_frame(struct tv_info_summary *look, const struct tv_asking *asking,
                                       struct tv_text *out, struct tv_error *err)
{
    struct tv_lanes lanes;
    tv_lanes_init(&lanes, asking->cli->alloc);
    enum tv_code code = tv_lanes_find(&lanes, asking->index, 1, err);
    for (unsigned lane = 0; lane < TV_LANE_COUNT; lane++)
        look->has_frames = look->has_frames || lanes.lanes[lane].count;
    const struct tv_lane_items *frames = &lanes.lanes[TV_LANE_FRAME];
    if (code == TV_OK && frames->count && frames->of[0].len_ns)
        add_worst(out, asking->index, frames);
    tv_lanes_release(&lanes);
    return code;
}

/* Whether a row says something: of a trace without times, or of code that took none, an order would
 * be by chance. */
static bool has_time(const struct tv_info_summary *look)
{
    const struct tv_top *own = &look->own;
    if (!own->slice.len)
        return false;
    const struct tv_method_row *first = &own->profile.rows[own->methods[own->slice.first]];
    return tv_exclusive_on(&first->numbers, look->question.scope.measure) > 0;
}

/* Packages of the platform are dropped from the rows but not from the time, so the inclusive time
 * of a method still has its calls into the platform. */
static enum tv_code write_own(const struct tv_info_summary *look, const struct tv_asking *asking,
                              struct tv_text *out, struct tv_error *err)
{
    const struct tv_top *own = &look->own;
    const struct tv_top_question *question = &look->question;
    struct tv_profile_table table;
    tv_profile_table_init(&table, asking, &question->scope, own->profile.total_ns);
    tv_profile_table_time_columns(&table);
    tv_table_column(&table.table, "Method", TV_ALIGN_LEFT);
    for (size_t i = 0; i < own->slice.len; i++) {
        uint32_t method = own->methods[own->slice.first + i];
        tv_profile_table_times(&table, &own->profile.rows[method].numbers);
        tv_profile_table_method(&table, method);
    }
    tv_text_add(out,
                "\nTop methods outside of the platform's packages, %s time with calls into these\n",
                question->scope.measure == TV_MEASURE_CPU ? "CPU" : "wall");
    enum tv_code code = tv_profile_table_write(&table, out, err);
    tv_profile_table_release(&table);
    return code;
}

/* The platform's packages are hidden rather than dropped: their time then counts to the app's
 * method that called them. */
enum tv_code tv_info_summary_add_own(struct tv_info_summary *look, const struct tv_asking *asking,
                                     struct tv_text *out, struct tv_error *err)
{
    struct tv_top_question *question = &look->question;
    tv_scope_init(&question->scope, asking->index);
    question->scope.methods.hidden = TV_STR(TV_PLATFORM_PACKAGES);
    question->slice.count = OWN_ROWS;
    tv_question_order(&(struct tv_order_options){.key = NULL}, TV_SORT_EXCLUSIVE,
                      question->scope.measure, &question->sort);
    TV_TRY(tv_top_compute(&look->own, asking->index, question, asking->cli->pool, err));
    return has_time(look) ? write_own(look, asking, out, err) : TV_OK;
}

/* Only commands that have something to show for this trace are proposed. */
void tv_info_summary_add_next(const struct tv_info_summary *look, const struct tv_asking *asking,
                              struct tv_text *out)
{
    if (!asking->index->info->calls || !tv_drill_down_is_told(asking))
        return;
    tv_text_add(out, "\nTo ask next\n");
    tv_drill_down_add_verb(out, asking, "top");
    tv_drill_down_add_verb(out, asking, "insights");
    if (look->has_frames)
        tv_drill_down_add_verb(out, asking, "frames");
}
