/*
 * Choosing a clock for several runs; see compare/run_clocks.h. It is chosen when all runs were
 * looked at, since one run without CPU time leaves wall time for all.
 */
#include "compare/run_clocks.h"

#include <string.h>

const char *const tv_run_clock_words[] = {
    [TV_CLOCK_WALL] = "wall", [TV_CLOCK_CPU] = "cpu", [TV_CLOCK_COUNT] = NULL};

/* Of fewer records nobody can tell by their times whether they are of samples. */
#define KIND_FROM 64u

/* Notes whether the runs tell different processors; one that tells none may be of any. */
static void note_processor(struct tv_run_clocks *clocks, struct tv_str told)
{
    told.len = told.len < TV_RUN_PROCESSOR_CAP ? told.len : TV_RUN_PROCESSOR_CAP - 1;
    if (!told.len)
        return;
    if (!clocks->processor[0])
        memcpy(clocks->processor, told.at, told.len);
    else if (!tv_str_equal(told, tv_str_from(clocks->processor)))
        clocks->has_other_processor = true;
}

void tv_run_clocks_add(struct tv_run_clocks *clocks, const struct tv_run_clocks *run,
                       struct tv_str file)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        clocks->has_some[clock] = clocks->has_some[clock] || !run->lacks[clock];
        if (clocks->lacks[clock] || !run->lacks[clock])
            continue;
        clocks->lacks[clock] = true;
        clocks->lacking[clock] = file;
    }
    note_processor(clocks, tv_str_from(run->processor));
    clocks->has_idle_cpu = clocks->has_idle_cpu || run->has_idle_cpu;
    clocks->has_sampled = clocks->has_sampled || run->has_sampled;
    clocks->has_exact = clocks->has_exact || run->has_exact;
}

void tv_run_clocks_take(struct tv_run_clocks *clocks, const struct tv_index *index,
                        struct tv_str file)
{
    const uint32_t *has = index->info->has_clock;
    struct tv_run_clocks run = {.lacks = {!has[TV_CLOCK_WALL], !has[TV_CLOCK_CPU]},
                                .has_idle_cpu = tv_index_has_idle_cpu(index)};
    const bool has_kind = index->info->records >= KIND_FROM ||
                          tv_index_property_of(index, TV_STR("sampling-interval-usec")).at;
    run.has_sampled = has_kind && index->info->is_sampled;
    run.has_exact = has_kind && !index->info->is_sampled;
    note_processor(&run, tv_index_property_of(index, TV_STR("processor")));
    tv_run_clocks_add(clocks, &run, file);
}

enum tv_clock tv_run_clocks_default(const struct tv_run_clocks *clocks)
{
    bool is_wall =
        clocks->lacks[TV_CLOCK_CPU] || (clocks->has_idle_cpu && !clocks->lacks[TV_CLOCK_WALL]);
    return is_wall ? TV_CLOCK_WALL : TV_CLOCK_CPU;
}

enum tv_code tv_run_clocks_choose(const struct tv_run_clocks *clocks, const enum tv_clock *asked,
                                  enum tv_clock *clock, struct tv_error *err)
{
    *clock = asked ? *asked : tv_run_clocks_default(clocks);
    const struct tv_str *file = &clocks->lacking[*clock];
    if (!clocks->lacks[*clock])
        return TV_OK;
    if (asked)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s has no %s clock",
                       tv_str_shown_len(*file), file->at, tv_run_clock_words[*clock]);
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "the recordings have no clock in common: %.*s has no wall clock",
                   tv_str_shown_len(*file), file->at);
}
