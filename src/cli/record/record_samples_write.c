/*
 * Samples of a program become a trace; see cli/record/record_samples.h, and record_samples.c for
 * how samples are kept. A trace has entries and exits, a sample has a stack: from one run of a
 * thread to the next, the levels that both have in common stay, the others are left and entered.
 * Times are those of the runs; CPU time is shared out first (book()).
 *
 * The format wants the number of records before the records, so put_all() runs twice: once to
 * count, once to write. Both must come to the same number, so put_changes() counts before it looks
 * whether there is a composer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/record/record_names.h"
#include "cli/record/record_samples_data.h"
#include "format/write/compose.h"
#include "os/clock.h"
#include "os/symbols/symbols.h"
#include "record/processor.h"

#define DIGITS_CAP 24u
#define UNKNOWN_CALLERS "(unknown callers)"
#define NOT_SEEN "(not seen running)"

/* Methods that are no place's. */
enum { METHOD_UNKNOWN_CALLERS, METHOD_NOT_SEEN, OWN_METHODS };

/* CPU time is shared out among this many looks that found the thread running. With fewer, the share
 * of a look would depend on its stack; with more, time would move too far from where it was spent.
 */
#define BLOCK_LOOKS 64u

/* The method of this name, added where it is new. Two methods are one where class, name, signature
 * and file are the same. */
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

/* The path of a file that has none any more, as Linux tells it. */
static enum tv_code path_before(struct tv_record_samples *samples, struct tv_str path,
                                const char **before, struct tv_error *err)
{
    const struct tv_str mark = TV_STR(" (deleted)");
    struct tv_str kept = path;
    if (tv_str_ends_with(path, mark))
        TV_TRY(tv_arena_keep(&samples->texts, (struct tv_str){path.at, path.len - mark.len}, &kept,
                             err));
    *before = kept.at;
    return TV_OK;
}

/* The function that a place is in, with the line where it begins; where no symbol tells, all places
 * of a file are one method. */
static enum tv_code name_place(struct tv_record_samples *samples, struct tv_symbols *symbols,
                               const struct tv_sample_place *place, struct tv_trace_method *method,
                               struct tv_error *err)
{
    struct tv_symbol symbol = {.name = NULL};
    const char *path;
    if (tv_perf_map_find(&samples->processes[place->process].code, place->in_process, method))
        return TV_OK;
    TV_TRY(path_before(samples, place->path, &path, err));
    const struct tv_symbol_place at = {
        .file = path, .code_file = place->code_file.at, .address = place->address};
    if (symbols && place->path.len && tv_symbols_find(symbols, &at, &symbol))
        return tv_record_name(&samples->texts, &symbol, path, method, err);
    TV_TRY(tv_record_count_nameless(&samples->result.nameless, &samples->texts, &symbol,
                                    tv_str_from(path), err));
    method->class_name = place->path.len ? tv_str_from(tv_file_name_of(path)) : TV_STR("?");
    method->name = TV_STR("(no symbol)");
    method->signature = TV_STR("()");
    return TV_OK;
}

/* A line of a function as a method of its own: "name:17", and with the file where that is another
 * than the function's, as of inlined code. */
static enum tv_code name_line(struct tv_record_samples *samples, const char *source, int number,
                              const struct tv_trace_method *function, struct tv_trace_method *line,
                              struct tv_error *err)
{
    const struct tv_str file = tv_str_file_name(tv_str_from(source));
    const bool is_same = tv_str_equal(file, function->file);
    const size_t cap = function->name.len + file.len + DIGITS_CAP;
    char *text;
    TV_TRY(tv_arena_take(&samples->texts, cap + file.len, &text, err));
    const int len = snprintf(text, cap, "%.*s:%.*s%s%d", (int)function->name.len, function->name.at,
                             is_same ? 0 : (int)file.len, file.at, is_same ? "" : ":", number);
    memcpy(text + cap, file.at, file.len);
    *line = *function;
    line->name = (struct tv_str){text, (size_t)len};
    line->file = (struct tv_str){text + cap, file.len};
    line->line = number;
    return TV_OK;
}

/* Finds the line of a place, where that is wanted and debug information tells it. */
static enum tv_code find_line(struct tv_record_samples *samples, struct tv_symbols *symbols,
                              struct tv_text_map *known, struct tv_sample_place *place,
                              const struct tv_trace_method *function, struct tv_error *err)
{
    const struct tv_symbol_place at = {
        .file = place->path.at, .code_file = place->code_file.at, .address = place->address};
    struct tv_trace_method line;
    const char *source;
    int number;
    if (!samples->has_lines || !symbols || !place->path.len || !function->file.len ||
        !tv_symbols_find_line(symbols, &at, &source, &number))
        return TV_OK;
    TV_TRY(name_line(samples, source, number, function, &line, err));
    return find_method(samples, known, &line, &place->line, err);
}

static enum tv_code name_places(struct tv_record_samples *samples, struct tv_symbols *symbols,
                                struct tv_error *err)
{
    const struct tv_trace_method own[OWN_METHODS] = {
        [METHOD_UNKNOWN_CALLERS] = {.class_name = TV_STR("?"),
                                    .name = TV_STR(UNKNOWN_CALLERS),
                                    .signature = TV_STR("()")},
        [METHOD_NOT_SEEN] = {
            .class_name = TV_STR("?"), .name = TV_STR(NOT_SEEN), .signature = TV_STR("()")}};
    struct tv_text_map known;
    uint32_t ix;
    tv_text_map_init(&known, samples->alloc);
    enum tv_code code = TV_OK;
    for (size_t i = 0; code == TV_OK && i < OWN_METHODS; i++)
        code = find_method(samples, &known, &own[i], &ix, err); /* the first have these numbers */
    for (size_t i = 0; code == TV_OK && i < samples->place_count; i++) {
        struct tv_trace_method method = {.id = 0};
        code = name_place(samples, symbols, &samples->places[i], &method, err);
        if (code == TV_OK)
            code = find_method(samples, &known, &method, &samples->places[i].method, err);
        if (code == TV_OK)
            code = find_line(samples, symbols, &known, &samples->places[i], &method, err);
    }
    tv_text_map_release(&known);
    return code;
}

/*
 * Booking. A look that found the thread on a processor stands for as much of its CPU time as any
 * other, whatever stack it found: were each given the time since the look before, a stack that is
 * met after waits would get that of others. So the time of BLOCK_LOOKS such looks is shared out
 * evenly, and that of the last block, which may be longer, ends with the thread's own.
 */

/* A thread's runs since the last block. */
struct block {
    uint64_t running, begin_cpu_ns;
    uint64_t left; /* looks that found the thread running, behind the block */
};

/* Shares out a block's time among the runs that end with `last`: 1 + its ordinal. */
static void book_block(struct tv_record_samples *samples, uint64_t last, struct block *block,
                       uint64_t end_cpu_ns)
{
    uint64_t left_ns = end_cpu_ns > block->begin_cpu_ns ? end_cpu_ns - block->begin_cpu_ns : 0;
    uint64_t looks = block->running;
    for (uint64_t i = last; i && looks; i = samples->samples[i - 1].before) {
        struct tv_sample *run = &samples->samples[i - 1];
        run->spent_ns = (uint64_t)((double)left_ns * ((double)run->running / (double)looks));
        left_ns -= run->spent_ns;
        looks -= run->running;
    }
    block->begin_cpu_ns = end_cpu_ns;
    block->running = 0;
}

/* Books each thread's CPU time to its runs, block by block. A block ends only where another whole
 * block follows: the last block takes the rest up to the thread's own time. The time of a thread
 * that no look found running belongs to no run. */
static enum tv_code book(struct tv_record_samples *samples, struct tv_error *err)
{
    struct block *blocks;
    TV_TRY(tv_alloc_new(samples->alloc, &blocks, samples->thread_count + 1, sizeof(*blocks), err));
    for (size_t i = 0; i < samples->thread_count; i++)
        blocks[i] = (struct block){.left = samples->threads[i].running,
                                   .begin_cpu_ns = samples->threads[i].begin_cpu_ns};
    for (uint64_t i = 0; i < samples->sample_count; i++) {
        const struct tv_sample *run = &samples->samples[i];
        const struct tv_sample_thread *thread = &samples->threads[run->thread];
        struct block *block = &blocks[run->thread];
        block->running += run->running;
        block->left -= run->running;
        if (!block->left && run->running)
            book_block(samples, i + 1, block, thread->cpu_ns);
        else if (block->running >= BLOCK_LOOKS && block->left >= BLOCK_LOOKS)
            book_block(samples, i + 1, block, run->cpu_ns);
    }
    for (size_t i = 0; i < samples->thread_count; i++) {
        if (!samples->threads[i].running)
            samples->result.unseen_ns +=
                tv_passed_ns(samples->threads[i].begin_cpu_ns, samples->threads[i].cpu_ns);
    }
    tv_alloc_release(samples->alloc, &blocks, samples->thread_count + 1, sizeof(*blocks));
    return TV_OK;
}

/* The method that stands for the line of a sample's innermost frame; TV_MAP_NONE: none does. */
static uint32_t line_of(const struct tv_record_samples *samples, const struct tv_sample *sample)
{
    return sample->depth ? samples->places[samples->frames[sample->first]].line : TV_MAP_NONE;
}

/* The frames of a sample from the outermost on, as methods: one more where the outermost is not
 * known, and one where the innermost has a line. */
static uint32_t height_of(const struct tv_record_samples *samples, const struct tv_sample *sample)
{
    return sample->depth + !sample->is_whole + (line_of(samples, sample) != TV_MAP_NONE);
}

static uint32_t method_at(const struct tv_record_samples *samples, const struct tv_sample *sample,
                          uint32_t level)
{
    if (!sample->is_whole && level == 0)
        return METHOD_UNKNOWN_CALLERS;
    const uint32_t from_outermost = level - !sample->is_whole;
    if (from_outermost == sample->depth)
        return line_of(samples, sample);
    return samples->places[samples->frames[sample->first + sample->depth - 1 - from_outermost]]
        .method;
}

/* How many levels two samples of a thread have in common. */
static uint32_t same_levels(const struct tv_record_samples *samples, const struct tv_sample *last,
                            const struct tv_sample *sample)
{
    uint32_t same = 0;
    while (last && same < height_of(samples, last) && same < height_of(samples, sample) &&
           method_at(samples, last, same) == method_at(samples, sample, same))
        same++;
    return same;
}

/* The microseconds from the start of the recording to a wall time. */
static uint64_t shown_us(const struct tv_record_samples *samples, uint64_t wall_ns)
{
    return wall_ns > samples->begin_ns ? (wall_ns - samples->begin_ns) / TV_NS_PER_US : 0;
}

/* Puts what has changed from the thread's run before, whose CPU time it then has; counts only where
 * there is no composer. */
static enum tv_code put_changes(struct tv_record_samples *samples, struct tv_composer *composer,
                                const struct tv_sample *last, const struct tv_sample *sample,
                                uint64_t *count, struct tv_error *err)
{
    struct tv_sample_thread *thread = &samples->threads[sample->thread];
    uint32_t same = same_levels(samples, last, sample);
    thread->put_ns += last ? last->spent_ns : 0;
    struct tv_compose_record record = {
        .thread = sample->thread,
        .time = {[TV_CLOCK_WALL] = shown_us(samples, sample->wall_ns),
                 [TV_CLOCK_CPU] = thread->put_ns / TV_NS_PER_US}};
    uint32_t left = last ? height_of(samples, last) - same : 0;
    *count += left + height_of(samples, sample) - same;
    if (!composer)
        return TV_OK;
    record.action = TV_ACTION_EXIT;
    for (uint32_t i = 0; i < left; i++) {
        record.method = method_at(samples, last, height_of(samples, last) - 1 - i);
        TV_TRY(tv_composer_put(composer, &record, err));
    }
    record.action = TV_ACTION_ENTER;
    for (uint32_t level = same; level < height_of(samples, sample); level++) {
        record.method = method_at(samples, sample, level);
        TV_TRY(tv_composer_put(composer, &record, err));
    }
    return TV_OK;
}

/* A call of its own at the thread's end has the time that is no run's. */
static enum tv_code put_not_seen(const struct tv_record_samples *samples,
                                 struct tv_composer *composer, const struct tv_sample *end,
                                 uint64_t cpu_ns, uint64_t *count, struct tv_error *err)
{
    struct tv_compose_record record = {.thread = end->thread,
                                       .method = METHOD_NOT_SEEN,
                                       .action = TV_ACTION_ENTER,
                                       .time = {[TV_CLOCK_WALL] = shown_us(samples, end->wall_ns)}};
    *count += 2;
    if (!composer)
        return TV_OK;
    TV_TRY(tv_composer_put(composer, &record, err));
    record.action = TV_ACTION_EXIT;
    record.time[TV_CLOCK_CPU] = cpu_ns / TV_NS_PER_US;
    return tv_composer_put(composer, &record, err);
}

/* Leaves all calls of a thread where it was last seen, so that they have the time until then. */
static enum tv_code put_end(struct tv_record_samples *samples, struct tv_composer *composer,
                            const struct tv_sample_thread *thread, uint64_t *count,
                            struct tv_error *err)
{
    if (!thread->last_sample)
        return TV_OK;
    const struct tv_sample *last = &samples->samples[thread->last_sample - 1];
    struct tv_sample end = {.thread = last->thread, .wall_ns = thread->wall_ns, .is_whole = true};
    TV_TRY(put_changes(samples, composer, last, &end, count, err));
    const uint64_t cpu_ns = tv_passed_ns(thread->begin_cpu_ns, thread->cpu_ns);
    if (thread->running || cpu_ns < TV_NS_PER_US)
        return TV_OK;
    return put_not_seen(samples, composer, &end, cpu_ns, count, err);
}

/* Puts the records of all samples in the order of time, or counts them where there is no composer.
 * Begins with the state of the threads as it was before the first sample, so that it may run again.
 */
static enum tv_code put_all(struct tv_record_samples *samples, struct tv_composer *composer,
                            uint64_t *count, struct tv_error *err)
{
    for (size_t i = 0; i < samples->thread_count; i++)
        samples->threads[i].last_sample = samples->threads[i].put_ns = 0;
    *count = 0;
    for (size_t i = 0; i < samples->sample_count; i++) {
        const struct tv_sample *sample = &samples->samples[i];
        struct tv_sample_thread *thread = &samples->threads[sample->thread];
        const struct tv_sample *last =
            thread->last_sample ? &samples->samples[thread->last_sample - 1] : NULL;
        TV_TRY(put_changes(samples, composer, last, sample, count, err));
        thread->last_sample = i + 1;
    }
    for (size_t i = 0; i < samples->thread_count; i++)
        TV_TRY(put_end(samples, composer, &samples->threads[i], count, err));
    return TV_OK;
}

/* Where several processes have threads, a thread's name begins with its process, as where the
 * processes record themselves (record_join.h). */
static enum tv_code add_thread(struct tv_record_samples *samples, struct tv_composer *composer,
                               size_t number, struct tv_error *err)
{
    const struct tv_sample_thread *thread = &samples->threads[number];
    const struct tv_sample_process *process = &samples->processes[thread->process];
    const char *name = thread->id == process->id ? "main" : thread->name;
    const size_t cap = 2 * TV_THREAD_NAME_CAP + DIGITS_CAP;
    char *text;
    if (samples->result.processes < 2)
        return tv_composer_add_thread(composer, (uint32_t)number + 1, tv_str_from(name), err);
    TV_TRY(tv_arena_take(&samples->texts, cap, &text, err));
    (void)snprintf(text, cap, "%s %ld: %s", process->name, (long)process->id, name);
    return tv_composer_add_thread(composer, (uint32_t)number + 1, tv_str_from(text), err);
}

/* What the joining of several traces names threads by; see record_join.c. The number is a text of
 * the caller's. */
static enum tv_code add_program(const struct tv_record_samples *samples,
                                struct tv_composer *composer, char count[DIGITS_CAP],
                                struct tv_error *err)
{
    const int len = snprintf(count, DIGITS_CAP, "%zu", samples->result.processes);
    if (samples->result.processes > 1)
        return tv_composer_add_property(composer, TV_STR("processes"),
                                        (struct tv_str){count, (size_t)len}, err);
    return tv_composer_add_property(composer, TV_STR("program"),
                                    tv_str_from(samples->processes[0].name), err);
}

/* Of a ring, places are known that no run has any more. */
static enum tv_code add_methods(const struct tv_record_samples *samples,
                                struct tv_composer *composer, struct tv_error *err)
{
    bool *is_used;
    TV_TRY(
        tv_alloc_new(samples->alloc, &is_used, samples->method_count + 1, sizeof(*is_used), err));
    is_used[METHOD_NOT_SEEN] = samples->result.unseen_ns >= TV_NS_PER_US;
    for (size_t i = 0; i < samples->sample_count; i++) {
        const struct tv_sample *run = &samples->samples[i];
        for (uint32_t level = 0; level < height_of(samples, run); level++)
            is_used[method_at(samples, run, level)] = true;
    }
    enum tv_code code = TV_OK;
    for (size_t i = 0; code == TV_OK && i < samples->method_count; i++)
        code = tv_composer_add_method(composer, &samples->methods[i], is_used[i], err);
    tv_alloc_release(samples->alloc, &is_used, samples->method_count + 1, sizeof(*is_used));
    return code;
}

static enum tv_code add_number(struct tv_record_samples *samples, struct tv_composer *composer,
                               struct tv_str name, uint64_t number, struct tv_error *err)
{
    char *text;
    TV_TRY(tv_arena_take(&samples->texts, DIGITS_CAP, &text, err));
    const int len = snprintf(text, DIGITS_CAP, "%" PRIu64, number);
    return tv_composer_add_property(composer, name, (struct tv_str){text, (size_t)len}, err);
}

/* By the names that the recorder of calls has for them: docs/formats/text.md. */
static enum tv_code add_limits(struct tv_record_samples *samples, struct tv_composer *composer,
                               struct tv_error *err)
{
    const struct tv_record_samples_result *result = &samples->result;
    if (result->limit)
        TV_TRY(add_number(samples, composer, TV_STR("file-limit"), result->limit, err));
    if (!result->ring)
        return TV_OK;
    TV_TRY(add_number(samples, composer, TV_STR("ring-bytes"), result->ring, err));
    return tv_composer_add_property(composer, TV_STR("ring-is-full"),
                                    result->has_dropped ? TV_STR("true") : TV_STR("false"), err);
}

/* Composes the trace: books, counts, then methods, threads and properties, then the records. The
 * methods of no place are left out where nothing uses them. */
static enum tv_code compose(struct tv_record_samples *samples, struct tv_composer *composer,
                            struct tv_write_result *written, struct tv_error *err)
{
    char processor[TV_PROCESSOR_CAP];
    char interval[DIGITS_CAP], processes[DIGITS_CAP];
    struct tv_compose_facts facts = {.has_clock = {true, true},
                                     .start_time_ns = samples->start_ns + samples->begin_ns,
                                     .has_elapsed = true,
                                     .elapsed_ns = samples->result.elapsed_ns,
                                     .is_cut_early = samples->result.limit != 0,
                                     .has_pid = true,
                                     .pid = (uint64_t)samples->processes[0].id};
    int len = snprintf(interval, sizeof(interval), "%" PRIu64, samples->interval_ns / TV_NS_PER_US);
    TV_TRY(book(samples, err));
    TV_TRY(put_all(samples, NULL, &facts.records, err));
    TV_TRY(add_methods(samples, composer, err));
    for (size_t i = 0; i < samples->thread_count; i++)
        TV_TRY(add_thread(samples, composer, i, err));
    TV_TRY(add_program(samples, composer, processes, err));
    TV_TRY(tv_composer_add_property(composer, TV_STR("sampling-interval-usec"),
                                    (struct tv_str){interval, (size_t)len}, err));
    tv_processor_name(processor);
    if (processor[0])
        TV_TRY(
            tv_composer_add_property(composer, TV_STR("processor"), tv_str_from(processor), err));
    TV_TRY(add_limits(samples, composer, err));
    TV_TRY(tv_composer_begin(composer, &facts, err));
    TV_TRY(put_all(samples, composer, &facts.records, err));
    return tv_composer_end(composer, written, err);
}

/* Of processes that run on: those of others were read when these ended. */
static enum tv_code read_maps(struct tv_record_samples *samples, struct tv_error *err)
{
    for (size_t i = 0; i < samples->process_count; i++) {
        struct tv_sample_process *process = &samples->processes[i];
        if (process->is_seen && !process->has_ended)
            TV_TRY(tv_perf_map_read(&process->code, samples->alloc, process->id, err));
    }
    return TV_OK;
}

enum tv_code tv_record_samples_write(struct tv_record_samples *samples, struct tv_sink sink,
                                     struct tv_write_result *written,
                                     struct tv_record_samples_result *result, struct tv_error *err)
{
    struct tv_symbols *symbols;
    struct tv_composer *composer;
    const char *why;
    if (!samples->end_ns)
        samples->end_ns = tv_now_ns();
    samples->result.elapsed_ns =
        tv_passed_ns(samples->start_ns + samples->begin_ns, samples->end_ns);
    TV_TRY(read_maps(samples, err));
    TV_TRY(tv_symbols_new(&symbols, &why, err));
    for (size_t i = 0; i < samples->process_count; i++)
        samples->result.processes += samples->processes[i].is_seen;
    enum tv_code code = name_places(samples, symbols, err);
    tv_symbols_free(symbols);
    if (code == TV_OK)
        code = tv_composer_make(&composer, samples->alloc, TV_STR("v3"), sink, err);
    if (code == TV_OK) {
        code = compose(samples, composer, written, err);
        tv_composer_free(&composer);
    }
    *result = samples->result;
    return code;
}
