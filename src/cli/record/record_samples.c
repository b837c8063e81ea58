/*
 * Keeps the samples of a program while they are taken; see cli/record/record_samples.h, and
 * record_samples_write.c for the trace that they become. The sampler (os/process/sampler.h) calls
 * look(), rest(), end() and the others from tv_sampler_run(), one at a time.
 *
 * Three things keep memory small. An address becomes a place, (file, address in the file), which is
 * kept once. Looks of a thread that found the same stack as the look before form one run, which
 * keeps its frames once. Names are found only when the trace is written.
 *
 * The map of addresses is valid for one generation of a process's mappings and is emptied with a
 * new one. Places stay, since they name the file; those of no file are of one process.
 */
#include "cli/record/record_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/record/record_children.h"
#include "cli/record/record_java_line.h"
#include "cli/record/record_samples_data.h"
#include "os/clock.h"
#include "os/java/java.h"
#include "os/symbols/symbols.h"
#include "os/symbols/unwind.h"

#define DIGITS_CAP 24u
#define RECORD_LEN 14u /* of both clocks, in version 3 of the format */
#define KERNEL_CODE TV_SYMBOLS_KERNEL_CODE

enum tv_code tv_record_samples_new(struct tv_record_samples **made, const struct tv_alloc *alloc,
                                   uint64_t interval_ns, struct tv_error *err)
{
    struct tv_record_samples *samples;
    TV_TRY(tv_alloc_new(alloc, &samples, 1, sizeof(*samples), err));
    samples->alloc = alloc;
    samples->interval_ns = interval_ns;
    tv_arena_init(&samples->texts, alloc);
    tv_text_map_init(&samples->place_of_text, alloc);
    *made = samples;
    return TV_OK;
}

/* What is needed only while it runs. */
static void forget_process(struct tv_sample_process *process)
{
    tv_unwind_free(process->unwind);
    process->unwind = NULL;
    tv_map_release(&process->place_of_address);
}

void tv_record_samples_free(struct tv_record_samples **made)
{
    struct tv_record_samples *samples = *made;
    if (!samples)
        return;
    const struct tv_alloc *alloc = samples->alloc;
    for (size_t i = 0; i < samples->process_count; i++) {
        forget_process(&samples->processes[i]);
        tv_perf_map_release(&samples->processes[i].code);
    }
    tv_alloc_release(alloc, &samples->processes, samples->process_cap, sizeof(*samples->processes));
    tv_alloc_release(alloc, &samples->places, samples->place_cap, sizeof(*samples->places));
    tv_alloc_release(alloc, &samples->frames, samples->frame_cap, sizeof(*samples->frames));
    tv_alloc_release(alloc, &samples->samples, samples->sample_cap, sizeof(*samples->samples));
    tv_alloc_release(alloc, &samples->threads, samples->thread_cap, sizeof(*samples->threads));
    tv_alloc_release(alloc, &samples->methods, samples->method_cap, sizeof(*samples->methods));
    tv_text_map_release(&samples->place_of_text);
    tv_arena_release(&samples->texts);
    tv_alloc_release(alloc, made, 1, sizeof(**made));
}

/* Numbers of processes are used again, so one that has ended is not taken for the new one. NULL: it
 * is not known. */
static struct tv_sample_process *find_process(struct tv_record_samples *samples, pid_t id)
{
    for (size_t i = samples->process_count; i > 0; i--) {
        struct tv_sample_process *process = &samples->processes[i - 1];
        if (process->id == id && !process->has_ended)
            return process;
    }
    return NULL;
}

static uint32_t ordinal_of(const struct tv_record_samples *samples,
                           const struct tv_sample_process *process)
{
    return (uint32_t)(process - samples->processes);
}

/* tv_unwind_new() needs the number of the process, which is known when it has started. */
static enum tv_code begin(void *ctx, pid_t id, struct tv_error *err)
{
    struct tv_record_samples *samples = ctx;
    const char *why;
    if (!samples->process_count)
        samples->start_ns = tv_now_ns();
    TV_TRY(tv_alloc_grow(samples->alloc, &samples->processes, &samples->process_cap,
                         samples->process_count + 1, sizeof(*samples->processes), err));
    struct tv_sample_process *process = &samples->processes[samples->process_count++];
    *process = (struct tv_sample_process){.id = id};
    tv_map_init(&process->place_of_address, samples->alloc);
    tv_thread_name(id, id, process->name);
    TV_TRY(tv_unwind_new(&process->unwind, id, &why, err));
    if (!process->unwind)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "--sample: %s", why);
    return TV_OK;
}

/* A process has ended, or is let go. Its perf map is read by now, since the next process that gets
 * its number may write another. */
static void leave(void *ctx, pid_t id)
{
    struct tv_record_samples *samples = ctx;
    struct tv_error err;
    struct tv_sample_process *process = find_process(samples, id);
    if (!process)
        return;
    const char state = tv_thread_state(id, id);
    samples->result.went_on += state != 'X' && state != 'Z' && !process->is_java;
    forget_process(process);
    process->has_ended = true;
    if (process->is_seen && tv_perf_map_read(&process->code, samples->alloc, id, &err) != TV_OK)
        tv_perf_map_release(&process->code); /* its code has no names then */
}

static bool replace(void *ctx, pid_t id)
{
    struct tv_record_samples *samples = ctx;
    struct tv_sample_process *process = find_process(samples, id);
    if (tv_process_lacks_rights(id))
        tv_thread_name(id, id, samples->result.lacks_rights);
    if (!process || !process->unwind)
        return true;
    tv_unwind_forget(process->unwind);
    const bool is_machine = samples->java_parts && tv_java_is_launched(id);
    process->is_java = is_machine && tv_record_children_is_told(samples->java_parts, id);
    samples->result.has_strange_java |= is_machine && !process->is_java;
    if (!process->is_java) /* else the name stays that of the program before */
        tv_thread_name(id, id, process->name);
    return !process->is_java;
}

/* The place of an address of a file, added where it is new. Without a file, and in one that has no
 * name in the file system, the address is the process's own. */
static enum tv_code find_place(struct tv_record_samples *samples, uint32_t process,
                               const struct tv_unwind_file *file, uint64_t in_process,
                               uint32_t *place, struct tv_error *err)
{
    char digits[2 * DIGITS_CAP];
    struct tv_str key;
    uint32_t *slot;
    char *text;
    const struct tv_str path = tv_str_from(file->path);
    const struct tv_str code_file = tv_str_from(file->code_file);
    const bool is_of_file = path.len && (path.at[0] == '/' || path.at[0] == KERNEL_CODE[0]);
    const int len =
        is_of_file ? snprintf(digits, sizeof(digits), "\t%" PRIx64, file->address)
                   : snprintf(digits, sizeof(digits), "\t%" PRIx64 "\t%u", file->address, process);
    const size_t cap = path.len + code_file.len + 1 + sizeof(digits);
    TV_TRY(tv_arena_take(&samples->texts, cap, &text, err));
    const int key_len = snprintf(text, cap, "%s\t%s%.*s", file->path, file->code_file, len, digits);
    key = (struct tv_str){text, (size_t)key_len};
    TV_TRY(tv_text_map_slot(&samples->place_of_text, key, TV_MAP_NONE, &slot, err));
    if (*slot == TV_MAP_NONE) {
        TV_TRY(tv_alloc_grow(samples->alloc, &samples->places, &samples->place_cap,
                             samples->place_count + 1, sizeof(*samples->places), err));
        struct tv_sample_place *made = &samples->places[samples->place_count];
        *made = (struct tv_sample_place){.address = file->address,
                                         .process = process,
                                         .in_process = in_process,
                                         .method = TV_MAP_NONE,
                                         .line = TV_MAP_NONE};
        TV_TRY(tv_arena_keep(&samples->texts, path, &made->path, err));
        TV_TRY(tv_arena_keep(&samples->texts, code_file, &made->code_file, err));
        *slot = (uint32_t)samples->place_count++;
    }
    *place = *slot;
    return TV_OK;
}

static enum tv_code place_of(struct tv_record_samples *samples, struct tv_sample_process *process,
                             uint64_t address, uint32_t *place, struct tv_error *err)
{
    struct tv_unwind_file file;
    *place = tv_map_get(&process->place_of_address, address);
    if (*place != TV_MAP_NONE)
        return TV_OK;
    if (!tv_unwind_file(process->unwind, address, &file))
        file = (struct tv_unwind_file){.path = "", .code_file = "", .address = address};
    if (strncmp(file.path, KERNEL_CODE, strlen(KERNEL_CODE) - 1) == 0)
        file.path = KERNEL_CODE; /* else it has the number of the process in it */
    TV_TRY(find_place(samples, ordinal_of(samples, process), &file, address, place, err));
    return tv_map_put(&process->place_of_address, address, *place, err);
}

/* Numbers of threads are used again, so one that has ended is not taken for the new one. NULL: it
 * is not known. */
static struct tv_sample_thread *known_thread(struct tv_record_samples *samples, pid_t id)
{
    for (size_t i = samples->thread_count; i > 0; i--) {
        if (samples->threads[i - 1].id == id && !samples->threads[i - 1].has_ended)
            return &samples->threads[i - 1];
    }
    return NULL;
}

/* The number of the thread, which is new when it is first looked at; TV_MAP_NONE: there are too
 * many. */
static enum tv_code find_thread(struct tv_record_samples *samples,
                                struct tv_sample_process *process,
                                const struct tv_sampled_thread *seen, uint32_t *number,
                                struct tv_error *err)
{
    struct tv_sample_thread *thread = known_thread(samples, seen->id);
    *number = TV_MAP_NONE;
    if (!thread && samples->thread_count == TV_SAMPLE_THREADS_MOST) {
        samples->result.is_full = true;
        return TV_OK;
    }
    if (!thread) {
        TV_TRY(tv_alloc_grow(samples->alloc, &samples->threads, &samples->thread_cap,
                             samples->thread_count + 1, sizeof(*samples->threads), err));
        thread = &samples->threads[samples->thread_count++];
        *thread = (struct tv_sample_thread){.process = ordinal_of(samples, process),
                                            .id = seen->id,
                                            .begin_ns = seen->begin_ns > samples->start_ns
                                                            ? seen->begin_ns - samples->start_ns
                                                            : 0};
        process->is_seen = true;
    }
    memcpy(thread->name, seen->name, sizeof(seen->name));
    *number = (uint32_t)(thread - samples->threads);
    return TV_OK;
}

static void rest(void *ctx, pid_t process, pid_t id)
{
    struct tv_record_samples *samples = ctx;
    struct tv_sample_thread *thread = known_thread(samples, id);
    (void)process;
    if (thread)
        thread->wall_ns = tv_now_ns() - samples->start_ns;
}

/* The last numbers of a thread are those at its end, which no look comes near. */
static void end(void *ctx, const struct tv_sampled_thread *seen)
{
    struct tv_record_samples *samples = ctx;
    struct tv_sample_thread *thread = known_thread(samples, seen->id);
    if (!thread) {
        samples->result.missed++;
        samples->result.missed_ns += seen->cpu_ns;
        return;
    }
    thread->wall_ns = tv_now_ns() - samples->start_ns;
    thread->cpu_ns = seen->cpu_ns;
    if (seen->name[0]) /* else nobody has looked at it since it became another program */
        memcpy(thread->name, seen->name, sizeof(seen->name));
    thread->has_ended = true;
}

/* Whether a look found what the thread's run has. */
static bool is_same(const struct tv_record_samples *samples, const struct tv_sample *run,
                    const struct tv_sample *look)
{
    return run->depth == look->depth && run->is_whole == look->is_whole &&
           memcmp(samples->frames + run->first, samples->frames + look->first,
                  look->depth * sizeof(*samples->frames)) == 0;
}

/* How many calls a run leaves and enters, behind `before`. */
static uint32_t levels_between(const struct tv_record_samples *samples,
                               const struct tv_sample *before, const struct tv_sample *run)
{
    const uint32_t *of_before = samples->frames + before->first + before->depth;
    const uint32_t *of_run = samples->frames + run->first + run->depth;
    uint32_t same = 0;
    while (same < before->depth && same < run->depth &&
           of_before[-1 - (int64_t)same] == of_run[-1 - (int64_t)same])
        same++;
    return before->depth + run->depth - 2 * same;
}

uint64_t tv_sample_bytes(const struct tv_sample *run)
{
    const uint64_t in_memory = sizeof(*run) + run->depth * sizeof(uint32_t);
    const uint64_t in_trace = run->levels * (uint64_t)RECORD_LEN;
    return in_memory > in_trace ? in_memory : in_trace;
}

/* Where a stack that is new begins on the wall clock, between the look before and this one. */
static uint64_t begin_between(const struct tv_record_samples *samples,
                              const struct tv_sampled_thread *seen, uint64_t before_ns,
                              uint64_t now_ns)
{
    const uint64_t ready_ns = tv_passed_ns(samples->start_ns, seen->ready_ns);
    const uint64_t ran_ns = tv_passed_ns(samples->start_ns, seen->ran_ns);
    const uint64_t least_ns = ran_ns > before_ns && ran_ns < now_ns ? ran_ns : before_ns;
    const uint64_t most_ns = ready_ns > before_ns && ready_ns < now_ns ? ready_ns : now_ns;
    return least_ns + (most_ns - least_ns) / 2;
}

/* Takes one sample of a thread. Its first stack begins where the thread does: all of its CPU time
 * is told, so all of its wall time is. */
static enum tv_code keep_sample(struct tv_record_samples *samples,
                                struct tv_sample_process *process,
                                const struct tv_sampled_thread *seen, struct tv_sample *look,
                                struct tv_error *err)
{
    struct tv_sample_thread *thread = &samples->threads[look->thread];
    const uint64_t now_ns = look->wall_ns > thread->wall_ns ? look->wall_ns : thread->wall_ns;
    TV_TRY(tv_alloc_grow(samples->alloc, &samples->frames, &samples->frame_cap,
                         samples->frame_count + look->depth, sizeof(*samples->frames), err));
    look->first = samples->frame_count;
    for (uint32_t i = 0; i < look->depth; i++)
        TV_TRY(place_of(samples, process, samples->addresses[i], &samples->frames[look->first + i],
                        err));
    struct tv_sample *run = thread->last_sample ? &samples->samples[thread->last_sample - 1] : NULL;
    if (run && is_same(samples, run, look)) {
        run->running += look->running;
        run->cpu_ns = look->cpu_ns;
    } else {
        look->levels = run ? levels_between(samples, run, look) : look->depth;
        TV_TRY(tv_alloc_grow(samples->alloc, &samples->samples, &samples->sample_cap,
                             samples->sample_count + 1, sizeof(*samples->samples), err));
        look->before = thread->last_sample;
        look->wall_ns =
            run ? begin_between(samples, seen, thread->wall_ns, now_ns) : thread->begin_ns;
        samples->kept += tv_sample_bytes(look);
        samples->samples[samples->sample_count++] = *look;
        samples->frame_count += look->depth;
        thread->last_sample = samples->sample_count;
    }
    thread->wall_ns = now_ns;
    thread->cpu_ns = look->cpu_ns;
    thread->running += look->running;
    return TV_OK;
}

static bool recall(void *ctx, pid_t id, const struct tv_wait_place *place)
{
    struct tv_record_samples *samples = ctx;
    const struct tv_sample_process *process = find_process(samples, id);
    return process && process->unwind &&
           tv_unwind_waiting(process->unwind, place->code, place->stack, samples->addresses,
                             TV_SAMPLE_FRAMES_MOST, &samples->recalled_depth,
                             &samples->is_recalled_whole);
}

/* The stack of the thread, in samples->addresses. Those of waits are kept, so that a later look at
 * the same wait finds them without a stop. */
static void take_stack(struct tv_record_samples *samples, struct tv_sample_process *process,
                       struct tv_sampled_thread *seen, struct tv_sample *sample)
{
    size_t depth = samples->recalled_depth;
    sample->is_whole = samples->is_recalled_whole;
    if (seen->copy)
        sample->is_whole = tv_unwind_copy(process->unwind, seen->id, seen->copy, samples->addresses,
                                          TV_SAMPLE_FRAMES_MOST, &depth, &seen->is_cut);
    else if (!seen->is_recalled)
        sample->is_whole = tv_unwind_stack(process->unwind, seen->id, samples->addresses,
                                           TV_SAMPLE_FRAMES_MOST, &depth);
    if (seen->is_waiting)
        tv_unwind_keep(process->unwind, samples->addresses, depth, sample->is_whole);
    sample->depth = (uint32_t)depth;
}

/* Addresses stand for the same places as long as no library came or went (the generation); after
 * that they are looked up anew. A stack without any frame is counted and not kept. */
static enum tv_code look(void *ctx, struct tv_sampled_thread *seen, struct tv_error *err)
{
    struct tv_record_samples *samples = ctx;
    struct tv_sample sample = {.wall_ns = tv_passed_ns(samples->start_ns, seen->at_ns)};
    struct tv_sample_process *process = find_process(samples, seen->process);
    if (!process || !process->unwind)
        return TV_OK;
    take_stack(samples, process, seen, &sample);
    if (process->generation != tv_unwind_generation(process->unwind)) {
        process->generation = tv_unwind_generation(process->unwind);
        tv_map_release(&process->place_of_address);
    }
    samples->result.stacks++;
    samples->result.incomplete += !sample.is_whole;
    if (!sample.depth)
        return TV_OK;
    TV_TRY(find_thread(samples, process, seen, &sample.thread, err));
    if (sample.thread == TV_MAP_NONE)
        return TV_OK;
    sample.cpu_ns = seen->cpu_ns;
    sample.running = seen->is_running;
    samples->result.running += seen->is_running;
    samples->result.by_timer += seen->is_by_timer;
    TV_TRY(keep_sample(samples, process, seen, &sample, err));
    return samples->is_ring ? tv_record_samples_drop(samples, err) : TV_OK;
}

static void map(void *ctx, pid_t id, uint64_t address)
{
    const struct tv_sample_process *process = find_process(ctx, id);
    if (process && process->unwind)
        tv_unwind_mapped(process->unwind, address);
}

static void lose(void *ctx, uint64_t count)
{
    struct tv_record_samples *samples = ctx;
    samples->result.lost += count;
}

static bool is_enough(void *ctx)
{
    struct tv_record_samples *samples = ctx;
    if (!samples->most || samples->is_ring || samples->kept < samples->most)
        return false;
    samples->result.limit = samples->most;
    samples->end_ns = tv_now_ns();
    if (samples->full)
        samples->full(samples->full_ctx);
    return true;
}

void tv_record_samples_limit(struct tv_record_samples *samples, uint64_t most, bool is_ring)
{
    samples->most = most;
    samples->is_ring = is_ring;
    samples->result.ring = is_ring ? most : 0;
}

static void tell(void *ctx, uint64_t passed_ns)
{
    struct tv_record_samples *samples = ctx;
    if (samples->live)
        tv_record_java_line_show_stacks(samples->live, passed_ns, samples->result.stacks);
}

static void over(void *ctx)
{
    struct tv_record_samples *samples = ctx;
    samples->end_ns = tv_now_ns();
    if (samples->over)
        samples->over(samples->over_ctx);
}

void tv_record_samples_at_limit(struct tv_record_samples *samples, void (*full)(void *ctx),
                                void *ctx)
{
    samples->full = full;
    samples->full_ctx = ctx;
}

static void requested(void *ctx)
{
    struct tv_record_samples *samples = ctx;
    if (samples->asked)
        samples->asked(samples->asked_ctx, samples);
}

void tv_record_samples_at_request(struct tv_record_samples *samples,
                                  void (*asked)(void *ctx, struct tv_record_samples *samples),
                                  void *ctx)
{
    samples->asked = asked;
    samples->asked_ctx = ctx;
}

void tv_record_samples_at_end(struct tv_record_samples *samples, void (*done)(void *ctx), void *ctx)
{
    samples->over = done;
    samples->over_ctx = ctx;
}

void tv_record_samples_show(struct tv_record_samples *samples, struct tv_record_java_line *live)
{
    samples->live = live;
}

void tv_record_samples_tell_lines(struct tv_record_samples *samples)
{
    samples->has_lines = true;
}

void tv_record_samples_let_java_go(struct tv_record_samples *samples, const char *parts)
{
    samples->java_parts = parts;
}

/* The sampler of os/process knows nothing of traces; these functions turn looks into stacks. */
void tv_record_samples_take(struct tv_record_samples *samples, struct tv_sampler *sampler)
{
    sampler->interval_ns = samples->interval_ns;
    sampler->ctx = samples;
    sampler->begin = begin;
    sampler->leave = leave;
    sampler->over = over;
    sampler->recall = recall;
    sampler->look = look;
    sampler->map = map;
    sampler->lose = lose;
    sampler->rest = rest;
    sampler->end = end;
    sampler->tell = tell;
    sampler->is_enough = is_enough;
    sampler->requested = requested;
    sampler->replace = replace;
}
