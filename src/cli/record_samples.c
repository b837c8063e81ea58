/* Samples of a program; see cli/record_samples.h. */
#include "cli/record_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/text_map.h"
#include "cli/record_names.h"
#include "format/compose.h"
#include "os/clock.h"
#include "os/symbols.h"
#include "os/unwind.h"

#define FRAMES_MOST 4096u
#define NS_PER_US 1000u
#define DIGITS_CAP 24u
#define KERNEL_CODE "[vdso"
#define UNKNOWN_CALLERS "(unknown callers)"

/* A place in a function, as its file counts addresses. */
struct place {
    struct tv_str path; /* empty: of no file */
    uint64_t address;
    uint32_t method; /* once names are known */
};

struct sample {
    uint32_t thread; /* ordinal */
    uint32_t depth;
    uint64_t first; /* into `frames` */
    uint64_t wall_ns, cpu_ns;
    bool is_whole;
};

struct thread {
    pid_t id;
    uint64_t first_cpu_ns;
    uint64_t last_sample;     /* 1 + its ordinal; 0: none */
    uint64_t wall_ns, cpu_ns; /* when it was last seen */
    char name[TV_THREAD_NAME_CAP];
};

struct tv_record_samples {
    const struct tv_alloc *alloc;
    uint64_t interval_ns, start_ns, end_ns;
    pid_t process;
    struct tv_unwind *unwind;
    unsigned generation;            /* that place_of_address is of */
    struct tv_map place_of_address; /* addresses of the process */
    struct tv_text_map place_of_text;
    struct tv_arena texts;
    struct place *places;
    size_t place_count, place_cap;
    uint32_t *frames; /* places, of each sample the innermost first */
    size_t frame_count, frame_cap;
    struct sample *samples;
    size_t sample_count, sample_cap;
    struct thread *threads;
    size_t thread_count, thread_cap;
    struct tv_trace_method *methods;
    size_t method_count, method_cap;
    struct tv_record_samples_result result;
    uint64_t addresses[FRAMES_MOST];
};

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

/*
 * While the program runs.
 */

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
        struct place *made = &samples->places[samples->place_count];
        *made = (struct place){.address = address, .method = TV_MAP_NONE};
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
            (struct thread){.id = seen->id, .first_cpu_ns = seen->cpu_ns};
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
                                struct sample *sample, struct tv_error *err)
{
    struct thread *thread = &samples->threads[thread_ix];
    thread->wall_ns = sample->wall_ns;
    thread->cpu_ns = sample->cpu_ns;
    TV_TRY(tv_alloc_grow(samples->alloc, &samples->frames, &samples->frame_cap,
                         samples->frame_count + sample->depth, sizeof(*samples->frames), err));
    sample->first = samples->frame_count;
    for (uint32_t i = 0; i < sample->depth; i++)
        TV_TRY(place_of(samples, samples->addresses[i], &samples->frames[sample->first + i], err));
    if (thread->last_sample) {
        const struct sample *last = &samples->samples[thread->last_sample - 1];
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
    struct sample sample = {.wall_ns = tv_now_ns() - samples->start_ns};
    size_t depth;
    sample.is_whole =
        tv_unwind_stack(samples->unwind, seen->id, samples->addresses, FRAMES_MOST, &depth);
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

/*
 * When it has ended.
 */

/* The method of this name, added where it is new. */
static enum tv_code find_method(struct tv_record_samples *samples, struct tv_text_map *known,
                                const struct tv_trace_method *method, uint32_t *ix,
                                struct tv_error *err)
{
    const struct tv_str parts[] = {method->class_name, method->name, method->signature,
                                   method->file};
    size_t len = 0, cap = 0;
    uint32_t *slot;
    char *text;
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++)
        cap += parts[i].len + 1;
    TV_TRY(tv_arena_take(&samples->texts, cap, &text, err));
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (parts[i].len)
            memcpy(text + len, parts[i].at, parts[i].len);
        len += parts[i].len;
        text[len++] = '\t';
    }
    TV_TRY(tv_text_map_slot(known, (struct tv_str){text, len}, TV_MAP_NONE, &slot, err));
    if (*slot == TV_MAP_NONE) {
        TV_TRY(tv_alloc_grow(samples->alloc, &samples->methods, &samples->method_cap,
                             samples->method_count + 1, sizeof(*samples->methods), err));
        samples->methods[samples->method_count] = *method;
        samples->methods[samples->method_count].id = 4 * (samples->method_count + 1);
        *slot = (uint32_t)samples->method_count++;
    }
    *ix = *slot;
    return TV_OK;
}

/* The function that a place is in, with the line where it begins; where no symbol tells, all places
 * of a file are one method. */
static enum tv_code name_place(struct tv_record_samples *samples, struct tv_symbols *symbols,
                               const struct place *place, struct tv_trace_method *method,
                               struct tv_error *err)
{
    struct tv_symbol symbol;
    const char *path = place->path.at;
    const char *slash = strrchr(path, '/');
    if (symbols && place->path.len && tv_symbols_find(symbols, path, place->address, &symbol)) {
        if (symbol.offset)
            (void)tv_symbols_find(symbols, path, place->address - symbol.offset, &symbol);
        return tv_record_name(&samples->texts, &symbol, path, method, err);
    }
    samples->result.nameless++;
    method->class_name = place->path.len ? tv_str_from(slash ? slash + 1 : path) : TV_STR("?");
    method->name = TV_STR("(no symbol)");
    method->signature = TV_STR("()");
    return TV_OK;
}

static enum tv_code name_places(struct tv_record_samples *samples, struct tv_symbols *symbols,
                                struct tv_error *err)
{
    const struct tv_trace_method unknown = {
        .class_name = TV_STR("?"), .name = TV_STR(UNKNOWN_CALLERS), .signature = TV_STR("()")};
    struct tv_text_map known;
    uint32_t first;
    tv_text_map_init(&known, samples->alloc);
    enum tv_code code = find_method(samples, &known, &unknown, &first, err); /* is method 0 */
    for (size_t i = 0; code == TV_OK && i < samples->place_count; i++) {
        struct tv_trace_method method = {.id = 0};
        code = name_place(samples, symbols, &samples->places[i], &method, err);
        if (code == TV_OK)
            code = find_method(samples, &known, &method, &samples->places[i].method, err);
    }
    tv_text_map_release(&known);
    return code;
}

/* The frames of a sample from the outermost on, as methods: one more where the outermost is not
 * known. */
static uint32_t height_of(const struct sample *sample)
{
    return sample->depth + !sample->is_whole;
}

static uint32_t method_at(const struct tv_record_samples *samples, const struct sample *sample,
                          uint32_t level)
{
    uint32_t height = height_of(sample);
    if (!sample->is_whole && level == 0)
        return 0;
    return samples->places[samples->frames[sample->first + height - 1 - level]].method;
}

/* How many levels two samples of a thread have in common. */
static uint32_t same_levels(const struct tv_record_samples *samples, const struct sample *last,
                            const struct sample *sample)
{
    uint32_t same = 0;
    while (last && same < height_of(last) && same < height_of(sample) &&
           method_at(samples, last, same) == method_at(samples, sample, same))
        same++;
    return same;
}

/* Puts what has changed from the thread's sample before; counts only where there is no composer. */
static enum tv_code put_changes(const struct tv_record_samples *samples,
                                struct tv_composer *composer, const struct sample *last,
                                const struct sample *sample, uint64_t *count, struct tv_error *err)
{
    uint32_t same = same_levels(samples, last, sample);
    struct tv_compose_record record = {.thread = sample->thread,
                                       .time = {[TV_CLOCK_WALL] = sample->wall_ns / NS_PER_US,
                                                [TV_CLOCK_CPU] = sample->cpu_ns / NS_PER_US}};
    uint32_t left = last ? height_of(last) - same : 0;
    *count += left + height_of(sample) - same;
    if (!composer)
        return TV_OK;
    record.action = TV_ACTION_EXIT;
    for (uint32_t i = 0; i < left; i++) {
        record.method = method_at(samples, last, height_of(last) - 1 - i);
        TV_TRY(tv_composer_put(composer, &record, err));
    }
    record.action = TV_ACTION_ENTER;
    for (uint32_t level = same; level < height_of(sample); level++) {
        record.method = method_at(samples, sample, level);
        TV_TRY(tv_composer_put(composer, &record, err));
    }
    return TV_OK;
}

/* Leaves all calls of a thread where it was last seen, so that they have the time until then. */
static enum tv_code put_end(const struct tv_record_samples *samples, struct tv_composer *composer,
                            const struct thread *thread, uint64_t *count, struct tv_error *err)
{
    if (!thread->last_sample)
        return TV_OK;
    const struct sample *last = &samples->samples[thread->last_sample - 1];
    struct sample end = {.thread = last->thread,
                         .wall_ns = thread->wall_ns,
                         .cpu_ns = thread->cpu_ns,
                         .is_whole = true};
    return put_changes(samples, composer, last, &end, count, err);
}

static enum tv_code put_all(struct tv_record_samples *samples, struct tv_composer *composer,
                            uint64_t *count, struct tv_error *err)
{
    for (size_t i = 0; i < samples->thread_count; i++)
        samples->threads[i].last_sample = 0;
    *count = 0;
    for (size_t i = 0; i < samples->sample_count; i++) {
        const struct sample *sample = &samples->samples[i];
        struct thread *thread = &samples->threads[sample->thread];
        const struct sample *last =
            thread->last_sample ? &samples->samples[thread->last_sample - 1] : NULL;
        TV_TRY(put_changes(samples, composer, last, sample, count, err));
        thread->last_sample = i + 1;
    }
    for (size_t i = 0; i < samples->thread_count; i++)
        TV_TRY(put_end(samples, composer, &samples->threads[i], count, err));
    return TV_OK;
}

static enum tv_code compose(struct tv_record_samples *samples, struct tv_composer *composer,
                            struct tv_write_result *written, struct tv_error *err)
{
    char interval[DIGITS_CAP];
    struct tv_compose_facts facts = {.has_clock = {true, true},
                                     .start_time_ns = samples->start_ns,
                                     .has_elapsed = true,
                                     .elapsed_ns = samples->end_ns - samples->start_ns,
                                     .has_pid = true,
                                     .pid = (uint64_t)samples->process};
    int len = snprintf(interval, sizeof(interval), "%" PRIu64, samples->interval_ns / NS_PER_US);
    TV_TRY(put_all(samples, NULL, &facts.records, err));
    for (size_t i = 0; i < samples->method_count; i++)
        TV_TRY(tv_composer_add_method(composer, &samples->methods[i],
                                      i > 0 || samples->result.incomplete, err));
    for (size_t i = 0; i < samples->thread_count; i++) {
        const struct thread *thread = &samples->threads[i];
        bool is_first = thread->id == samples->process;
        TV_TRY(tv_composer_add_thread(composer, (uint32_t)i + 1,
                                      is_first ? TV_STR("main") : tv_str_from(thread->name), err));
    }
    TV_TRY(tv_composer_add_property(composer, TV_STR("sampling-interval-usec"),
                                    (struct tv_str){interval, (size_t)len}, err));
    TV_TRY(tv_composer_begin(composer, &facts, err));
    TV_TRY(put_all(samples, composer, &facts.records, err));
    return tv_composer_end(composer, written, err);
}

enum tv_code tv_record_samples_write(struct tv_record_samples *samples, struct tv_sink sink,
                                     struct tv_write_result *written,
                                     struct tv_record_samples_result *result, struct tv_error *err)
{
    struct tv_symbols *symbols;
    struct tv_composer *composer;
    const char *why;
    samples->end_ns = tv_now_ns();
    TV_TRY(tv_symbols_new(&symbols, &why, err));
    enum tv_code code = name_places(samples, symbols, err);
    tv_symbols_free(symbols);
    TV_TRY(code);
    TV_TRY(tv_composer_make(&composer, samples->alloc, TV_STR("v3"), sink, err));
    code = compose(samples, composer, written, err);
    tv_composer_free(&composer);
    *result = samples->result;
    return code;
}
