/*
 * What all who write traces need: the table of families, and the ids of the output; see
 * format/write/writer.h.
 *
 * A family may have narrower ids than the trace that is read. Then all ids of that kind are
 * numbered anew: methods by the order of their keys, threads from 1 in the order of the writer's
 * list. Where every id fits, ids stay as they are, so that the output can be compared with its
 * source.
 */
#include "format/write/writer.h"

#include "base/alloc.h"
#include "base/error.h"

static const struct tv_write_family *const families[] = {
    &tv_write_v1,     &tv_write_v2,        &tv_write_v3,
    &tv_write_stream, &tv_write_packets_e, &tv_write_packets_d,
};

const char *tv_write_format_name(size_t ix)
{
    return ix < TV_COUNT_OF(families) ? families[ix]->name : NULL;
}

const struct tv_write_family *tv_writer_family(struct tv_str name)
{
    for (size_t i = 0; i < TV_COUNT_OF(families); i++) {
        if (tv_str_equal(name, tv_str_from(families[i]->name)))
            return families[i];
    }
    return NULL;
}

void tv_trace_writer_init(struct tv_writer *writer, const struct tv_alloc *alloc,
                          struct tv_sink sink)
{
    tv_trace_init(&writer->trace, alloc);
    tv_map_init(&writer->thread_of_id, alloc);
    tv_map_init(&writer->key_of_id, alloc);
    tv_buffer_init(&writer->line, alloc);
    tv_out_init(&writer->out, sink);
}

void tv_trace_writer_release(struct tv_writer *writer)
{
    const struct tv_alloc *alloc = writer->trace.alloc;
    tv_buffer_release(&writer->line);
    tv_alloc_release(alloc, &writer->threads, writer->thread_cap, sizeof(*writer->threads));
    tv_map_release(&writer->key_of_id);
    tv_map_release(&writer->thread_of_id);
    tv_trace_release(&writer->trace);
}

/* A failure stays in the output, which is checked at the end. */
struct tv_str tv_writer_thread_name(struct tv_writer *writer, const struct tv_write_thread *thread)
{
    uint32_t ix = tv_map_get(&writer->trace.thread_of_id, thread->id);
    struct tv_str name =
        ix == TV_MAP_NONE ? (struct tv_str){NULL, 0} : writer->trace.threads[ix].name;
    if (writer->names && writer->out.error.code == TV_OK)
        (void)writer->names->thread(writer->names->ctx, thread->id, &name, &writer->out.error);
    return writer->out.error.code == TV_OK ? name : (struct tv_str){NULL, 0};
}

bool tv_writer_method_id(const struct tv_writer *writer, uint64_t id, uint64_t *new_id)
{
    *new_id = id;
    if (!writer->has_new_methods)
        return id <= writer->family->method_id_most;
    uint32_t key = tv_map_get(&writer->key_of_id, id);
    *new_id = key;
    return key != TV_MAP_NONE;
}

/* The slot of the map is filled before the list has grown; a failure ends the writing, so nobody
 * sees that. */
enum tv_code tv_writer_find_thread(struct tv_writer *writer, uint32_t id, uint32_t *ix,
                                   struct tv_error *err)
{
    uint32_t *found;
    size_t count = writer->thread_count;
    if (count >= TV_MAP_NONE - 1)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more threads than can be named");
    TV_TRY(tv_map_slot(&writer->thread_of_id, id, (uint32_t)count, &found, err));
    *ix = *found;
    if (*found != count)
        return TV_OK;
    TV_TRY(tv_alloc_grow(writer->trace.alloc, &writer->threads, &writer->thread_cap, count + 1,
                         sizeof(*writer->threads), err));
    const uint32_t listed = tv_map_get(&writer->trace.thread_of_id, id);
    writer->threads[count] = (struct tv_write_thread){
        .id = id, .new_id = listed == TV_MAP_NONE ? id : writer->trace.threads[listed].id};
    writer->thread_count++;
    return TV_OK;
}

static bool is_thread_id_fit(const struct tv_write_family *family, uint32_t id)
{
    return id >= family->thread_id_least && id <= family->thread_id_most;
}

enum tv_code tv_writer_number_methods(struct tv_writer *writer, struct tv_error *err)
{
    const struct tv_trace *trace = &writer->trace;
    const struct tv_write_family *family = writer->family;
    for (size_t i = 0; i < trace->key_count; i++) {
        uint64_t id = trace->id_of_key[i];
        TV_TRY(tv_map_put(&writer->key_of_id, id, (uint32_t)i * 4, err));
        if (id > family->method_id_most || id & family->method_id_mask)
            writer->has_new_methods = true;
    }
    if (writer->has_new_methods)
        writer->result.changes[TV_WRITE_METHODS_NUMBERED] = trace->key_count;
    return TV_OK;
}

/* Threads with records stand before those that are only listed. So when there are too many threads
 * for the family, those without records are left out, and too many with records are an error. */
enum tv_code tv_writer_number_threads(struct tv_writer *writer, size_t with_records,
                                      struct tv_error *err)
{
    uint32_t most = writer->family->thread_id_most;
    bool is_new = false;
    for (size_t i = 0; i < writer->thread_count; i++)
        is_new = is_new || !is_thread_id_fit(writer->family, writer->threads[i].new_id);
    if (!is_new)
        return TV_OK;
    if (with_records > most)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "%zu threads have records, but %s can name no more than %u: write %s",
                       with_records, writer->family->name, most,
                       with_records > UINT16_MAX ? "packets" : "v3 or packets");
    for (size_t i = 0; i < writer->thread_count; i++) {
        writer->threads[i].new_id = i < most ? (uint32_t)i + 1 : TV_MAP_NONE;
        writer->result.changes[i < most ? TV_WRITE_THREADS_NUMBERED : TV_WRITE_THREADS_LEFT_OUT]++;
    }
    return TV_OK;
}
