/*
 * info: what the trace is, its threads, its counts, and what was odd in it. It has all that the
 * page needs to lay out a trace before any other answer comes, so nothing in it takes a walk over
 * calls; the share of tracing takes one over nodes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/profile/overhead.h"
#include "analysis/question/top_question.h"
#include "analysis/selection/names.h"
#include "analysis/selection/range.h"
#include "api/answers.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"
#include "base/bytes/checksum.h"
#include "base/error.h"

/* The text of a field that is filled up with NUL bytes, or full. */
static struct tv_str bounded(const char *text, size_t cap)
{
    const char *end = memchr(text, 0, cap);
    return (struct tv_str){text, end ? (size_t)(end - text) : cap};
}

/* Writes what the file says about itself. */
static void write_header(struct tv_answer_writer *writer, struct tv_str file)
{
    const struct tv_index_info *info = writer->index->info;
    struct tv_json *json = &writer->json;
    tv_write_text(writer, "file", file);
    tv_json_key_str(json, "format", bounded(info->format_name, sizeof(info->format_name)));
    tv_json_key_u64(json, "version", info->version);
    tv_json_key_truth(json, "streaming", info->is_streaming);
    if (info->vm_len) {
        tv_write_text(writer, "vm", tv_index_text(writer->index, info->vm_off, info->vm_len));
    } else {
        tv_json_key(json, "vm");
        tv_json_null(json);
    }
    tv_json_key(json, "pid");
    if (info->has_pid)
        tv_json_u64(json, info->pid);
    else
        tv_json_null(json);
    tv_write_default_basis(writer);
    tv_json_key_u64(json, "start_time_ns", info->start_time_ns);
    tv_json_key_u64(json, "elapsed_ns",
                    info->has_elapsed ? info->elapsed_ns : tv_axis_len_ns(writer->index));
    tv_json_key_truth(json, "overflow", info->findings.of[TV_FINDING_OVERFLOW].count != 0);
}

/* What a link names the trace by: it is the same for a packed file as for an unpacked
 * one, and tells nothing of any name. */
static uint64_t hash_of(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    uint64_t sum = tv_checksum_mix(0, info->records);
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        sum = tv_checksum_mix(sum, thread->id);
        sum = tv_checksum_mix(sum, thread->records);
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            sum = tv_checksum_mix(sum, thread->first[clock] * info->unit_ns);
            sum = tv_checksum_mix(sum, thread->last[clock] * info->unit_ns);
        }
    }
    return sum;
}

/* While only the beginning of a trace has been read, its hash is not known, so none is written. */
static void write_hash(struct tv_answer_writer *writer, const struct tv_api_part *part)
{
    char hex[17];
    (void)snprintf(hex, sizeof(hex), "%016" PRIx64, hash_of(writer->index));
    if (!part)
        tv_json_key_text(&writer->json, "hash", hex);
}

/* Writes how much of the trace has been read, where only its beginning has. */
static void write_part(struct tv_json *json, const struct tv_api_part *part)
{
    if (!part)
        return;
    tv_json_key(json, "part");
    tv_json_open_object(json);
    tv_json_key_u64(json, "read", part->read_len);
    tv_json_key_u64(json, "of", part->len);
    tv_json_close_object(json);
}

/* Writes the "key=value" lines of the file's header, and returns how many are left out. A key that
 * is too long is cut. */
static uint32_t write_properties(struct tv_answer_writer *writer)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    char key[256];
    tv_json_key(json, "properties");
    tv_json_open_object(json);
    uint32_t i = 0;
    for (; i < index->info->property_count && tv_writer_room(writer); i++) {
        const struct tv_index_property *property = &index->properties[i];
        size_t len = property->key_len < sizeof(key) ? (size_t)property->key_len : sizeof(key) - 1;
        memcpy(key, index->text + property->key_off, len);
        key[len] = 0;
        tv_write_text(writer, key, tv_index_text(index, property->value_off, property->value_len));
    }
    tv_json_close_object(json);
    return index->info->property_count - i;
}

/* Writes counts of the whole trace, and the time of all root calls on each clock. */
static void write_counts(struct tv_answer_writer *writer)
{
    const struct tv_index *index = writer->index;
    const struct tv_index_info *info = index->info;
    struct tv_json *json = &writer->json;
    uint64_t total[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        total[clock] = info->total[clock] * info->unit_ns;
    tv_json_key_u64(json, "records", info->records);
    tv_json_key_u64(json, "calls", info->calls);
    tv_json_key_u64(json, "methods", index->method_count);
    tv_json_key_u64(json, "nodes", index->node_count);
    tv_write_times(writer, "total", total);
}

/* Writes how much of the trace is the tracing itself, where the file says what it costs. */
static enum tv_code write_overhead(struct tv_answer_writer *writer, const struct tv_alloc *alloc,
                                   struct tv_error *err)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    struct tv_record_cost cost;
    TV_TRY(tv_record_cost_of(index, alloc, &cost, err));
    if (!cost.is_known)
        return TV_OK;
    const struct tv_overhead overhead =
        tv_overhead_of_all(&cost, index, tv_index_default_clock(index));
    tv_json_key(json, "overhead");
    tv_json_open_object(json);
    tv_json_key_u64(json, "ns", overhead.ns);
    if (cost.has_margin) {
        tv_json_key_u64(json, "least_ns", overhead.least_ns);
        tv_json_key_u64(json, "most_ns", overhead.most_ns);
    }
    tv_json_key_truth(json, "partial", cost.is_partial);
    tv_json_close_object(json);
    return TV_OK;
}

/* Writes the processes of a trace that holds several; threads name theirs by its place in the list.
 * Returns how many are left out. */
static uint32_t write_processes(struct tv_answer_writer *writer)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    uint32_t i = 0;
    if (!index->process_count)
        return 0;
    tv_json_key(json, "processes");
    tv_json_open_array(json);
    for (; i < index->process_count && tv_writer_room(writer); i++) {
        tv_json_open_object(json);
        tv_json_key_u64(json, "id", index->processes[i].id);
        tv_write_text(writer, "name", tv_index_process_name(index, i));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    return index->process_count - i;
}

/* Writes all threads, also those without records, since the file lists them. Returns how many are
 * left out. */
static uint32_t write_threads(struct tv_answer_writer *writer)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    enum tv_clock axis = tv_index_axis(index);
    uint64_t unit_ns = index->info->unit_ns;
    tv_json_key(json, "threads");
    tv_json_open_array(json);
    uint32_t i = 0;
    for (; i < index->thread_count && tv_writer_room(writer); i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        const uint64_t times[TV_CLOCK_COUNT] = {thread->root_total[TV_CLOCK_WALL] * unit_ns,
                                                thread->root_total[TV_CLOCK_CPU] * unit_ns};
        tv_json_open_object(json);
        tv_json_key_u64(json, "id", thread->id);
        tv_write_text(writer, "name", tv_index_thread_name(index, i));
        if (thread->process != TV_NONE)
            tv_json_key_u64(json, "process", thread->process);
        tv_json_key_u64(json, "records", thread->records);
        tv_json_key_u64(json, "calls", thread->calls);
        tv_json_key_u64(json, "max_depth", thread->max_depth);
        tv_write_time_members(writer, times);
        tv_json_key_u64(json, "first_ns", thread->first[axis] * unit_ns);
        tv_json_key_u64(json, "last_ns", thread->last[axis] * unit_ns);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    return index->thread_count - i;
}

/* What may be long (properties, processes, threads) is cut where the answer has no room, and
 * counted together. */
enum tv_code tv_answer_info(const struct tv_api *api, struct tv_buffer *body, struct tv_error *err)
{
    const struct tv_index *index = tv_api_meant(api)->index;
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    write_part(json, tv_api_meant(api)->part);
    write_header(&writer, tv_api_meant(api)->file);
    write_hash(&writer, tv_api_meant(api)->part);
    uint64_t left_out = write_properties(&writer);
    write_counts(&writer);
    const uint64_t renamed = tv_renamed_methods(index);
    if (renamed)
        tv_json_key_u64(json, "renamed", renamed);
    enum tv_code code = write_overhead(&writer, api->alloc, err);
    if (code != TV_OK) {
        tv_writer_release(&writer);
        return code;
    }
    if (tv_allocated_is_told(index))
        tv_json_key_truth(json, "allocated", true);
    left_out += write_processes(&writer);
    left_out += write_threads(&writer);
    tv_write_left_out(&writer, left_out);
    tv_write_findings(&writer);
    tv_json_key_text(json, "default_clock",
                     tv_index_default_clock(index) == TV_CLOCK_CPU ? "cpu" : "wall");
    tv_json_key_text(json, "axis", tv_index_axis(index) == TV_CLOCK_CPU ? "cpu" : "wall");
    tv_json_key_truth(json, "common_axis", index->info->has_common_axis);
    tv_json_key_u64(json, "span_ns", tv_axis_len_ns(index));
    tv_json_key_u64(json, "ranked", index->info->ranked_count);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_answer_info(request->api, &request->response->body, err);
}

static const char *const params[] = {NULL};

const struct tv_route tv_route_info = {"info", TV_TYPE_JSON, params, run};
