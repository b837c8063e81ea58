/*
 * A ring of samples, for `traceview record --sample --ring`; see cli/record/record_samples_data.h.
 * When the runs take more than they may, the oldest go, a quarter of all bytes at a time, so that
 * those that stay are moved seldom.
 *
 * The trace then begins at the moment when the first run that stays began. What each thread was in
 * at that moment stays, too, from then on: of its CPU time and its looks that run keeps the share
 * that its wall time has, since nothing tells when in the run they were.
 */
#include <string.h>

#include "cli/record/record_samples_data.h"

#define KEPT_OF 4u
#define KEPT 3u

/* What a thread was in when the part that stays begins. */
struct cut {
    uint64_t last;   /* 1 + the ordinal of its last run that is older; 0: it has none */
    uint64_t before; /* the same, of the one before that */
    uint64_t next;   /* 1 + the ordinal of its first run that is not; 0: it has none */
    uint32_t number; /* of the thread, of those that stay */
    bool has_gone;   /* it ended before */
};

/* The first run that stays. */
static uint64_t find_cut(const struct tv_record_samples *samples)
{
    uint64_t left = samples->kept, cut = 0;
    const uint64_t most = samples->most / KEPT_OF * KEPT;
    while (cut + 1 < samples->sample_count && left > most)
        left -= tv_sample_bytes(&samples->samples[cut++]);
    return cut;
}

static void find_runs(const struct tv_record_samples *samples, uint64_t cut, struct cut *cuts)
{
    for (uint64_t i = 0; i < samples->sample_count; i++) {
        struct cut *of = &cuts[samples->samples[i].thread];
        if (i < cut) {
            of->before = of->last;
            of->last = i + 1;
        } else if (!of->next) {
            of->next = i + 1;
        }
    }
}

/* Cuts the run that a thread was in at that moment. */
static void shorten(struct tv_record_samples *samples, struct tv_sample_thread *thread,
                    const struct cut *cut, uint64_t begin_ns)
{
    struct tv_sample *run = &samples->samples[cut->last - 1];
    const uint64_t end_ns = cut->next ? samples->samples[cut->next - 1].wall_ns : thread->wall_ns;
    const uint64_t cpu_ns =
        cut->before ? samples->samples[cut->before - 1].cpu_ns : thread->begin_cpu_ns;
    const uint64_t spent_ns = run->cpu_ns > cpu_ns ? run->cpu_ns - cpu_ns : 0;
    double share = 1;
    if (run->wall_ns < begin_ns)
        share =
            end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)(end_ns - run->wall_ns) : 0;
    thread->begin_cpu_ns = cpu_ns + (uint64_t)((double)spent_ns * (1 - share));
    run->running = (uint64_t)((double)run->running * share + 0.5);
    run->wall_ns = run->wall_ns > begin_ns ? run->wall_ns : begin_ns;
    run->levels = run->depth;
}

/* Moves a run to the end of those that stay so far; its frames do not come before where they go. */
static void move(struct tv_record_samples *samples, const struct tv_sample *from, uint32_t thread,
                 uint64_t *count, uint64_t *frames)
{
    struct tv_sample run = *from;
    memmove(samples->frames + *frames, samples->frames + run.first,
            run.depth * sizeof(*samples->frames));
    run.first = *frames;
    run.thread = thread;
    run.before = samples->threads[thread].last_sample;
    *frames += run.depth;
    samples->threads[thread].last_sample = *count + 1;
    samples->threads[thread].running += run.running;
    samples->kept += tv_sample_bytes(&run);
    samples->samples[(*count)++] = run;
}

/* Threads get new numbers, since of those that have ended some have no run any more. */
static void move_threads(struct tv_record_samples *samples, struct cut *cuts, uint64_t begin_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->thread_count; i++) {
        struct tv_sample_thread *thread = &samples->threads[i];
        struct cut *cut = &cuts[i];
        cut->has_gone = thread->has_ended && !cut->next && thread->wall_ns <= begin_ns;
        if (cut->has_gone)
            continue;
        if (cut->last)
            shorten(samples, thread, cut, begin_ns);
        cut->number = (uint32_t)count;
        thread->last_sample = thread->running = 0;
        samples->threads[count++] = *thread;
    }
    samples->thread_count = count;
}

static void move_runs(struct tv_record_samples *samples, const struct cut *cuts, uint64_t cut)
{
    uint64_t count = 0, frames = 0;
    samples->kept = 0;
    for (uint64_t i = 0; i < samples->sample_count; i++) {
        const struct tv_sample *run = &samples->samples[i];
        const struct cut *of = &cuts[run->thread];
        if (!of->has_gone && (i >= cut || of->last == i + 1))
            move(samples, run, of->number, &count, &frames);
    }
    samples->sample_count = count;
    samples->frame_count = frames;
}

enum tv_code tv_record_samples_drop(struct tv_record_samples *samples, struct tv_error *err)
{
    struct cut *cuts;
    if (samples->kept <= samples->most || samples->kept <= samples->drop_at)
        return TV_OK;
    const size_t thread_count = samples->thread_count;
    const uint64_t cut = find_cut(samples);
    const uint64_t begin_ns = samples->samples[cut].wall_ns;
    TV_TRY(tv_alloc_new(samples->alloc, &cuts, thread_count + 1, sizeof(*cuts), err));
    find_runs(samples, cut, cuts);
    move_threads(samples, cuts, begin_ns);
    move_runs(samples, cuts, cut);
    tv_alloc_release(samples->alloc, &cuts, thread_count + 1, sizeof(*cuts));
    /* A run of each thread stays, which may be all that there is room for. */
    samples->drop_at = samples->kept + samples->kept / KEPT;
    samples->begin_ns = begin_ns;
    samples->result.has_dropped = true;
    return TV_OK;
}
