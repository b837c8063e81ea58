/* Samples of a program are taken; see cli/record/record_samples.h. */
#include "cli/record/record_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/record/record_samples_kept.h"
#include "os/clock.h"
#include "os/symbols/unwind.h"

#define DIGITS_CAP 24u
#define KERNEL_CODE "[vdso"

enum tv_code tv_record_samples_new(struct tv_record_samples **made, const struct tv_alloc *alloc,
                                   uint64_t interval_ns, struct tv_error *err)
{
    struct tv_record_samples *samples;
    TV_TRY(tv_alloc_new(alloc, &samples, 1, sizeof(*samples), err));
    samples->alloc = alloc;
    samples->interval_ns = interval_ns;
    tv_arena_init(&samples->texts, alloc);
    tv_map_init(&samples->place_of_address, alloc);
    tv_text_map_init(&samples->place_of_text, alloc);
    *made = samples;
    return TV_OK;
}

void tv_record_samples_free(struct tv_record_samples **made)
{
    struct tv_record_samples *samples = *made;
    if (!samples)
        return;
    const struct tv_alloc *alloc = samples->alloc;
    tv_unwind_free(samples->unwind);
    tv_alloc_release(alloc, &samples->places, samples->place_cap, sizeof(*samples->places));
    tv_alloc_release(alloc, &samples->frames, samples->frame_cap, sizeof(*samples->frames));
    tv_alloc_release(alloc, &samples->samples, samples->sample_cap, sizeof(*samples->samples));
    tv_alloc_release(alloc, &samples->threads, samples->thread_cap, sizeof(*samples->threads));
    tv_alloc_release(alloc, &samples->methods, samples->method_cap, sizeof(*samples->methods));
    tv_text_map_release(&samples->place_of_text);
    tv_map_release(&samples->place_of_address);
    tv_arena_release(&samples->texts);
    tv_alloc_release(alloc, made, 1, sizeof(**made));
}

static enum tv_code begin(void *ctx, pid_t process, struct tv_error *err)
{
    struct tv_record_samples *samples = ctx;
    const char *why;
    samples->process = process;
    samples->start_ns = tv_now_ns();
    TV_TRY(tv_unwind_new(&samples->unwind, process, &why, err));
    if (!samples->unwind)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "--sample: %s", why);
    return TV_OK;
}

static void replace(void *ctx)
{
    struct tv_record_samples *samples = ctx;
    tv_unwind_forget(samples->unwind);
}

static enum tv_code keep_text(struct tv_record_samples *samples, struct tv_str text,
                              struct tv_str *kept, struct tv_error *err)
{
    char *copy;
    TV_TRY(tv_arena_take(&samples->texts, text.len + 1, &copy, err));
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    *kept = (struct tv_str){copy, text.len};
    return TV_OK;
}

/* The place of an address of a file, added where it is new. */
static enum tv_code find_place(struct tv_record_samples *samples, struct tv_str path,
                               uint64_t address, uint32_t *place, struct tv_error *err)
{
    char digits[DIGITS_CAP];
    struct tv_str key;
    uint32_t *slot;
    char *text;
    int len = snprintf(digits, sizeof(digits), "\t%" PRIx64, address);
    TV_TRY(tv_arena_take(&samples->texts, path.len + sizeof(digits), &text, err));
    memcpy(text, path.at, path.len);
    memcpy(text + path.len, digits, (size_t)len + 1);
    key = (struct tv_str){text, path.len + (size_t)len};
    TV_TRY(tv_text_map_slot(&samples->place_of_text, key, TV_MAP_NONE, &slot, err));
    if (*slot == TV_MAP_NONE) {
        TV_TRY(tv_alloc_grow(samples->alloc, &samples->places, &samples->place_cap,
                             samples->place_count + 1, sizeof(*samples->places), err));
        struct tv_sample_place *made = &samples->places[samples->place_count];
        *made = (struct tv_sample_place){.address = address, .method = TV_MAP_NONE};
        TV_TRY(keep_text(samples, path, &made->path, err));
        *slot = (uint32_t)samples->place_count++;
    }
    *place = *slot;
    return TV_OK;
}

static enum tv_code place_of(struct tv_record_samples *samples, uint64_t address, uint32_t *place,
                             struct tv_error *err)
{
    const char *path = "";
    uint64_t in_file = 0;
    *place = tv_map_get(&samples->place_of_address, address);
    if (*place != TV_MAP_NONE)
        return TV_OK;
    (void)tv_unwind_file(samples->unwind, address, &path, &in_file);
    if (strncmp(path, KERNEL_CODE, strlen(KERNEL_CODE)) == 0)
        path = KERNEL_CODE "]"; /* else it has the number of the process in it */
    TV_TRY(find_place(samples, tv_str_from(path), in_file, place, err));
    return tv_map_put(&samples->place_of_address, address, *place, err);
}

static enum tv_code find_thread(struct tv_record_samples *samples,
                                const struct tv_sampled_thread *seen, uint32_t *thread,
                                struct tv_error *err)
{
    size_t i = 0;
    while (i < samples->thread_count && samples->threads[i].id != seen->id)
        i++;
    if (i == samples->thread_count) {
        TV_TRY(tv_alloc_grow(samples->alloc, &samples->threads, &samples->thread_cap, i + 1,
                             sizeof(*samples->threads), err));
        samples->threads[samples->thread_count++] =
            (struct tv_sample_thread){.id = seen->id, .first_cpu_ns = seen->cpu_ns};
    }
    memcpy(samples->threads[i].name, seen->name, sizeof(seen->name));
    *thread = (uint32_t)i;
    return TV_OK;
}

static void rest(void *ctx, pid_t id)
{
    struct tv_record_samples *samples = ctx;
    for (size_t i = 0; i < samples->thread_count; i++) {
        if (samples->threads[i].id == id)
            samples->threads[i].wall_ns = tv_now_ns() - samples->start_ns;
    }
}

/* Adds the frames; where a thread's stack is the same as before, nothing stays of them. */
static enum tv_code keep_sample(struct tv_record_samples *samples, uint32_t thread_ix,
                                struct tv_sample *sample, struct tv_error *err)
{
    struct tv_sample_thread *thread = &samples->threads[thread_ix];
    thread->wall_ns = sample->wall_ns;
    thread->cpu_ns = sample->cpu_ns;
    TV_TRY(tv_alloc_grow(samples->alloc, &samples->frames, &samples->frame_cap,
                         samples->frame_count + sample->depth, sizeof(*samples->frames), err));
    sample->first = samples->frame_count;
    for (uint32_t i = 0; i < sample->depth; i++)
        TV_TRY(place_of(samples, samples->addresses[i], &samples->frames[sample->first + i], err));
    if (thread->last_sample) {
        const struct tv_sample *last = &samples->samples[thread->last_sample - 1];
        if (last->depth == sample->depth && last->is_whole == sample->is_whole &&
            memcmp(samples->frames + last->first, samples->frames + sample->first,
                   sample->depth * sizeof(*samples->frames)) == 0)
            return TV_OK;
    }
    TV_TRY(tv_alloc_grow(samples->alloc, &samples->samples, &samples->sample_cap,
                         samples->sample_count + 1, sizeof(*samples->samples), err));
    samples->samples[samples->sample_count++] = *sample;
    samples->frame_count += sample->depth;
    thread->last_sample = samples->sample_count;
    return TV_OK;
}

static enum tv_code look(void *ctx, const struct tv_sampled_thread *seen, struct tv_error *err)
{
    struct tv_record_samples *samples = ctx;
    struct tv_sample sample = {.wall_ns = tv_now_ns() - samples->start_ns};
    size_t depth;
    sample.is_whole = tv_unwind_stack(samples->unwind, seen->id, samples->addresses,
                                      TV_SAMPLE_FRAMES_MOST, &depth);
    sample.depth = (uint32_t)depth;
    if (samples->generation != tv_unwind_generation(samples->unwind)) {
        samples->generation = tv_unwind_generation(samples->unwind);
        tv_map_release(&samples->place_of_address);
    }
    samples->result.stacks++;
    samples->result.incomplete += !sample.is_whole;
    if (!depth)
        return TV_OK;
    TV_TRY(find_thread(samples, seen, &sample.thread, err));
    sample.cpu_ns = seen->cpu_ns - samples->threads[sample.thread].first_cpu_ns;
    return keep_sample(samples, sample.thread, &sample, err);
}

void tv_record_samples_take(struct tv_record_samples *samples, struct tv_sampler *sampler)
{
    sampler->interval_ns = samples->interval_ns;
    sampler->ctx = samples;
    sampler->begin = begin;
    sampler->look = look;
    sampler->rest = rest;
    sampler->replace = replace;
}
