/*
 * Writing a trace from the caller's records; see format/write/compose.h.
 *
 * The composer fills the tables of a trace that stands in no file and hands them to the writer of a
 * family, as the driver of `convert` does with tables it has read. Ids are numbered at begin, when
 * all methods and threads are known, and each record gets its numbers from there.
 */
#include "format/write/compose.h"

#include "base/error.h"
#include "format/write/writer.h"

struct composed_method {
    uint64_t id; /* in the trace; after begin in the output */
    uint32_t ix; /* ordinal among the trace's lines; TV_MAP_NONE: it has none */
};

struct tv_composer {
    const struct tv_alloc *alloc;
    struct tv_writer writer;
    struct composed_method *methods;
    size_t method_count, method_cap;
};

enum tv_code tv_composer_make(struct tv_composer **composer, const struct tv_alloc *alloc,
                              struct tv_str as, struct tv_sink sink, struct tv_error *err)
{
    const struct tv_write_family *family = tv_writer_family(as);
    if (!family)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "no such version to write");
    TV_TRY(tv_alloc_new(alloc, composer, 1, sizeof(**composer), err));
    (*composer)->alloc = alloc;
    (*composer)->writer.family = family;
    tv_trace_writer_init(&(*composer)->writer, alloc, sink);
    return TV_OK;
}

void tv_composer_free(struct tv_composer **composer)
{
    if (!*composer)
        return;
    const struct tv_alloc *alloc = (*composer)->alloc;
    tv_trace_writer_release(&(*composer)->writer);
    tv_alloc_release(alloc, &(*composer)->methods, (*composer)->method_cap,
                     sizeof(*(*composer)->methods));
    tv_alloc_release(alloc, composer, 1, sizeof(**composer));
}

enum tv_code tv_composer_add_method(struct tv_composer *composer,
                                    const struct tv_trace_method *method, bool is_described,
                                    struct tv_error *err)
{
    struct tv_trace *trace = &composer->writer.trace;
    struct composed_method added = {.id = method->id, .ix = TV_MAP_NONE};
    if (is_described) {
        added.ix = (uint32_t)trace->method_count;
        TV_TRY(tv_trace_add_method(trace, method, 0, err));
    }
    TV_TRY(tv_alloc_grow(composer->alloc, &composer->methods, &composer->method_cap,
                         composer->method_count + 1, sizeof(*composer->methods), err));
    composer->methods[composer->method_count++] = added;
    /* The ids that the records have, as reading packets lists them. */
    TV_TRY(tv_alloc_grow(composer->alloc, &trace->id_of_key, &trace->key_cap, trace->key_count + 1,
                         sizeof(*trace->id_of_key), err));
    trace->id_of_key[trace->key_count++] = method->id;
    return TV_OK;
}

enum tv_code tv_composer_add_thread(struct tv_composer *composer, uint32_t id, struct tv_str name,
                                    struct tv_error *err)
{
    uint32_t ignored;
    TV_TRY(tv_trace_add_thread(&composer->writer.trace, id, name, 0, err));
    return tv_writer_find_thread(&composer->writer, id, &ignored, err);
}

enum tv_code tv_composer_add_property(struct tv_composer *composer, struct tv_str key,
                                      struct tv_str value, struct tv_error *err)
{
    return tv_trace_add_property(&composer->writer.trace, key, value, err);
}

static void take_facts(struct tv_writer *writer, const struct tv_compose_facts *facts)
{
    struct tv_trace *trace = &writer->trace;
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++)
        writer->has_clock[clock] = facts->has_clock[clock];
    trace->start_time_ns = facts->start_time_ns;
    trace->has_elapsed = facts->has_elapsed;
    trace->elapsed_ns = facts->elapsed_ns;
    trace->is_cut_early = facts->is_cut_early;
    trace->has_pid = facts->has_pid;
    trace->pid = facts->pid;
    trace->vm = facts->vm;
    trace->clock_overhead_ns = facts->clock_overhead_ns;
    if (facts->found)
        writer->found = *facts->found;
    writer->result.records = facts->records;
    writer->is_by_thread = facts->is_by_thread;
}

enum tv_code tv_composer_begin(struct tv_composer *composer, const struct tv_compose_facts *facts,
                               struct tv_error *err)
{
    struct tv_writer *writer = &composer->writer;
    take_facts(writer, facts);
    TV_TRY(tv_writer_number_threads(writer, writer->thread_count, err));
    TV_TRY(tv_writer_number_methods(writer, err));
    for (size_t i = 0; i < composer->method_count; i++)
        (void)tv_writer_method_id(writer, composer->methods[i].id, &composer->methods[i].id);
    return writer->family->begin(writer, err);
}

enum tv_code tv_composer_put(struct tv_composer *composer, const struct tv_compose_record *record,
                             struct tv_error *err)
{
    struct tv_writer *writer = &composer->writer;
    const struct composed_method *method = &composer->methods[record->method];
    if (writer->out.error.code != TV_OK) {
        *err = writer->out.error;
        return err->code;
    }
    struct tv_write_record written = {
        .thread_ix = record->thread,
        .thread_id = writer->threads[record->thread].new_id,
        .method_ix = method->ix,
        .method_id = method->id,
        .action = record->action,
        .time = {[TV_CLOCK_WALL] = record->time[TV_CLOCK_WALL],
                 [TV_CLOCK_CPU] = record->time[TV_CLOCK_CPU]},
    };
    return writer->family->put(writer, &written, err);
}

enum tv_code tv_composer_end(struct tv_composer *composer, struct tv_write_result *result,
                             struct tv_error *err)
{
    struct tv_writer *writer = &composer->writer;
    TV_TRY(writer->family->end(writer, err));
    *result = writer->result;
    return tv_out_finish(&writer->out, err);
}
