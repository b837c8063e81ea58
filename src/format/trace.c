/*
 * The tables of a trace, and its life from opening to release; see format/trace.h.
 *
 * A line that says the same as an earlier one is fine; otherwise the later line wins, and its id
 * counts once as a duplicate (docs/numbers.md, "Findings"). All tables are found by hash, so a file
 * of nothing but duplicates costs what its bytes cost.
 */
#include "format/trace.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/search.h"
#include "base/names/ambiguous_name.h"
#include "base/names/source_names.h"
#include "format/formats.h"
#include "format/packed.h"

void tv_trace_init(struct tv_trace *trace, const struct tv_alloc *alloc)
{
    *trace = (struct tv_trace){.alloc = alloc};
    tv_arena_init(&trace->arena, alloc);
    tv_text_map_init(&trace->property_of_key, alloc);
    tv_map_init(&trace->thread_of_id, alloc);
    tv_map_init(&trace->process_of_thread, alloc);
    tv_map_init(&trace->method_of_id, alloc);
    tv_findings_init(&trace->findings);
}

void tv_fixed_release(struct tv_fixed_records *fixed, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &fixed->runs, fixed->run_cap, sizeof(*fixed->runs));
    tv_alloc_release(alloc, &fixed->thread_ids, fixed->thread_cap, sizeof(*fixed->thread_ids));
    *fixed = (struct tv_fixed_records){.runs = NULL};
}

struct tv_str tv_trace_property_of(const struct tv_trace *trace, struct tv_str key)
{
    uint32_t ix = tv_text_map_get(&trace->property_of_key, key);
    return ix == TV_MAP_NONE ? (struct tv_str){NULL, 0} : trace->properties[ix].value;
}

uint64_t tv_trace_number_of(const struct tv_trace *trace, struct tv_str key)
{
    uint64_t value = 0;
    (void)tv_str_to_u64(tv_trace_property_of(trace, key), 10, &value);
    return value;
}

struct tv_made_of tv_trace_made_of(const struct tv_trace *trace)
{
    return (struct tv_made_of){.len = trace->len,
                               .packed_len = trace->opts.packed_len,
                               .is_trusted = trace->opts.is_trusted};
}

/* What was odd about names when a mapping gave them is so in a file that was written with them. */
static void find_ambiguous_names(struct tv_trace *trace)
{
    for (size_t i = 0; i < trace->method_count; i++)
        tv_findings_add(&trace->findings, TV_FINDING_AMBIGUOUS_NAME,
                        tv_name_is_ambiguous(trace->methods[i].name), TV_NO_OFFSET);
}

/* A name of the source may be one of the build, too, as those of libraries that came obfuscated. */
enum tv_code tv_trace_rename_methods(struct tv_trace *trace, struct tv_error *err)
{
    const struct tv_renaming_opts *opts = &trace->opts.renaming;
    trace->has_source_names =
        tv_str_equal(tv_trace_property_of(trace, TV_SOURCE_NAMES_KEY), TV_SOURCE_NAMES);
    if (!opts->is_forced && trace->has_source_names) {
        find_ambiguous_names(trace);
        return TV_OK;
    }
    if (opts->begin)
        TV_TRY(opts->begin(opts->ctx, trace->methods, trace->method_count, err));
    for (size_t i = 0; i < trace->method_count && opts->rename; i++)
        TV_TRY(opts->rename(opts->ctx, &trace->methods[i], &trace->findings, err));
    const bool is_renamed = opts->rename && (!opts->is_taken || opts->is_taken(opts->ctx));
    return is_renamed ? tv_trace_add_property(trace, TV_SOURCE_NAMES_KEY, TV_SOURCE_NAMES, err)
                      : TV_OK;
}

/* The format closes first, since its reader's state lies in the arena. */
void tv_trace_release(struct tv_trace *trace)
{
    const struct tv_alloc *alloc = trace->alloc;
    if (trace->format && trace->format->close)
        trace->format->close(trace);
    tv_alloc_release(alloc, &trace->properties, trace->property_cap, sizeof(*trace->properties));
    tv_alloc_release(alloc, &trace->threads, trace->thread_cap, sizeof(*trace->threads));
    tv_alloc_release(alloc, &trace->processes, trace->process_cap, sizeof(*trace->processes));
    tv_alloc_release(alloc, &trace->methods, trace->method_cap, sizeof(*trace->methods));
    tv_fixed_release(&trace->fixed, alloc);
    tv_alloc_release(alloc, &trace->id_of_key, trace->key_cap, sizeof(*trace->id_of_key));
    tv_text_map_release(&trace->property_of_key);
    tv_map_release(&trace->thread_of_id);
    tv_map_release(&trace->process_of_thread);
    tv_map_release(&trace->method_of_id);
    tv_arena_release(&trace->arena);
    tv_trace_init(trace, alloc);
}

enum tv_code tv_trace_add_fixed(struct tv_trace *trace, uint64_t off, uint64_t count,
                                struct tv_error *err)
{
    struct tv_fixed_records *fixed = &trace->fixed;
    if (!count)
        return TV_OK;
    TV_TRY(tv_alloc_grow(trace->alloc, &fixed->runs, &fixed->run_cap, fixed->run_count + 1,
                         sizeof(*fixed->runs), err));
    fixed->runs[fixed->run_count++] = (struct tv_fixed_run){.first = fixed->count, .off = off};
    fixed->count += count;
    return TV_OK;
}

/* The run that a fixed record is in. */
static size_t run_of(const struct tv_fixed_records *fixed, uint64_t record)
{
    return tv_search_containing(
        TV_ASCENDING_FIELD(fixed->runs, fixed->run_count, struct tv_fixed_run, first), record);
}

uint64_t tv_fixed_offset(const struct tv_trace *trace, uint64_t record, struct tv_fixed_place *last)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    const struct tv_fixed_run *run = &fixed->runs[run_of(fixed, record)];
    if (last->run != run || record < last->record || fixed->has_bare_exits)
        *last = (struct tv_fixed_place){.run = run, .record = run->first, .off = run->off};
    uint64_t skipped = record - last->record;
    last->off = fixed->is_packed ? tv_packed_skip(trace, run, last->off, skipped)
                                 : last->off + skipped * fixed->len;
    last->record = record;
    return last->off;
}

uint32_t tv_fixed_thread(const struct tv_trace *trace, uint32_t thread)
{
    return trace->fixed.is_packed ? trace->fixed.thread_ids[thread - 1] : thread;
}

enum tv_code tv_fixed_open(struct tv_fixed_part *part, const struct tv_trace *trace, uint64_t first,
                           uint64_t end, struct tv_error *err)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    *part = (struct tv_fixed_part){
        .trace = trace, .first = first, .end = end, .run = run_of(fixed, first)};
    return fixed->is_packed ? tv_packed_new(&part->packed, trace, err) : TV_OK;
}

void tv_fixed_close(struct tv_fixed_part *part)
{
    tv_packed_free(part->packed);
    part->packed = NULL;
}

void tv_fixed_omit_keys(struct tv_fixed_part *part)
{
    if (part->packed)
        tv_packed_omit_keys(part->packed);
}

/* A run is a part of the file in which records stand side by side. Packed runs are unpacked into
 * the part's own window; other runs are given out where they stand in the file. */
const uint8_t *tv_fixed_take(struct tv_fixed_part *part, const uint8_t **stop)
{
    const struct tv_fixed_records *fixed = &part->trace->fixed;
    const struct tv_fixed_run *run = &fixed->runs[part->run];
    uint64_t run_end = part->run + 1 < fixed->run_count ? run[1].first : fixed->count;
    uint64_t most = (run_end < part->end ? run_end : part->end) - part->first;
    most = most < TV_FIXED_STRETCH ? most : TV_FIXED_STRETCH;
    const uint8_t *at;
    if (part->packed)
        at = tv_packed_take(part, run, &most);
    else
        at = part->trace->bytes + run->off + (part->first - run->first) * fixed->len;
    part->first += most;
    part->run += part->first == run_end;
    *stop = at + most * fixed->len;
    return most ? at : NULL;
}

uint32_t tv_fixed_word(struct tv_fixed_part *part, uint64_t record)
{
    const struct tv_fixed_records *fixed = &part->trace->fixed;
    const struct tv_fixed_run *run = &fixed->runs[run_of(fixed, record)];
    if (part->packed)
        return tv_packed_word(part->packed, run, record);
    const uint8_t *at = part->trace->bytes + run->off + (record - run->first) * fixed->len;
    return tv_load_le32(at + fixed->thread_len);
}

static enum tv_code open_as_sniffed(struct tv_trace *trace, struct tv_error *err)
{
    TV_TRY(tv_sniff(trace->bytes, trace->len, &trace->format, err));
    return trace->format->open(trace, err);
}

enum tv_code tv_trace_open(struct tv_trace *trace, const uint8_t *bytes, size_t len,
                           const struct tv_read_opts *opts, struct tv_error *err)
{
    trace->bytes = bytes;
    trace->len = len;
    if (opts)
        trace->opts = *opts;
    if (!trace->opts.batch_len || trace->opts.batch_len > TV_BATCH_CAP)
        trace->opts.batch_len = TV_BATCH_CAP;
    if (trace->opts.is_packed_cut)
        tv_findings_add(&trace->findings, TV_FINDING_PACKED_CUT, 1, len);
    struct tv_error reason = {.code = TV_OK};
    enum tv_code code = open_as_sniffed(trace, &reason);
    if (code == TV_OK)
        return TV_OK;
    if (trace->opts.is_packed_cut)
        (void)tv_fail(err, code, TV_NO_OFFSET, "the packed data ends early: %s", reason.text);
    else if (err)
        *err = reason;
    tv_trace_release(trace);
    return code;
}

enum tv_code tv_trace_next(struct tv_trace *trace, struct tv_batch *batch, struct tv_error *err)
{
    batch->count = 0;
    return trace->format->next(trace, batch, err);
}

/* Keys are numbers by order of use, ordinals of methods, or the ids themselves: see the fields
 * of the trace. */
uint64_t tv_trace_id_of_key(const struct tv_trace *trace, uint32_t key)
{
    if (trace->has_keys_by_place)
        return trace->methods[key / 4].id;
    return trace->id_of_key ? trace->id_of_key[key / 4] : (key & ~3u);
}

/* The later value of a key wins; its place in the list is that of the first. */
enum tv_code tv_trace_add_property(struct tv_trace *trace, struct tv_str key, struct tv_str value,
                                   struct tv_error *err)
{
    uint32_t *known;
    TV_TRY(tv_text_map_slot(&trace->property_of_key, key, TV_MAP_NONE, &known, err));
    if (*known != TV_MAP_NONE) {
        trace->properties[*known].value = value;
        return TV_OK;
    }
    size_t ix = trace->property_count;
    TV_TRY(tv_alloc_grow(trace->alloc, &trace->properties, &trace->property_cap, ix + 1,
                         sizeof(*trace->properties), err));
    trace->properties[ix] = (struct tv_trace_property){.key = key, .value = value};
    trace->property_count++;
    *known = (uint32_t)ix;
    return TV_OK;
}

/* A thread id is counted once as a duplicate, however often it is named anew. */
static void rename_thread(struct tv_trace *trace, struct tv_trace_thread *thread,
                          struct tv_str name, uint64_t offset)
{
    if (tv_str_equal(thread->name, name))
        return;
    tv_findings_add(&trace->findings, TV_FINDING_DUPLICATE_THREAD, thread->is_duplicate ? 0 : 1,
                    offset);
    thread->name = name;
    thread->is_duplicate = true;
}

/* The map is filled before the thread is counted, so a failure leaves no thread half added. */
enum tv_code tv_trace_add_thread(struct tv_trace *trace, uint32_t id, struct tv_str name,
                                 uint64_t offset, struct tv_error *err)
{
    uint32_t known = tv_map_get(&trace->thread_of_id, id);
    if (known != TV_MAP_NONE) {
        rename_thread(trace, &trace->threads[known], name, offset);
        return TV_OK;
    }
    size_t ix = trace->thread_count;
    if (ix >= TV_MAP_NONE)
        return tv_fail(err, TV_ERR_LIMIT, offset, "more than %u threads", TV_MAP_NONE);
    TV_TRY(tv_alloc_grow(trace->alloc, &trace->threads, &trace->thread_cap, ix + 1,
                         sizeof(*trace->threads), err));
    TV_TRY(tv_map_put(&trace->thread_of_id, id, (uint32_t)ix, err));
    trace->threads[ix] = (struct tv_trace_thread){.id = id, .name = name};
    trace->thread_count++;
    return TV_OK;
}

/* Enters the low bits of ids that are larger, each where one thread alone has them. An id of 0 is
 * left out: that of records is a finding of its own. */
static enum tv_code add_cut_ids(struct tv_trace *trace, uint8_t *counts, struct tv_error *err)
{
    const uint32_t mask = trace->record_id_mask;
    for (size_t i = 0; i < trace->thread_count; i++) {
        const uint32_t id = trace->threads[i].id;
        uint8_t *count = &counts[id & mask];
        if (id > mask && *count < 2)
            ++*count;
    }
    for (size_t i = 0; i < trace->thread_count; i++) {
        const uint32_t id = trace->threads[i].id;
        const uint32_t cut = id & mask;
        if (id > mask && cut && counts[cut] == 1 &&
            tv_map_get(&trace->thread_of_id, cut) == TV_MAP_NONE)
            TV_TRY(tv_map_put(&trace->thread_of_id, cut, (uint32_t)i, err));
    }
    return TV_OK;
}

enum tv_code tv_trace_find_cut_threads(struct tv_trace *trace, uint32_t mask, struct tv_error *err)
{
    uint8_t *counts = NULL; /* by low bits: how many threads have them, 2 for more */
    bool has_larger = false;
    for (size_t i = 0; i < trace->thread_count; i++)
        has_larger = has_larger || trace->threads[i].id > mask;
    if (!has_larger)
        return TV_OK;
    trace->record_id_mask = mask;
    TV_TRY(tv_alloc_new(trace->alloc, &counts, (size_t)mask + 1, 1, err));
    enum tv_code code = add_cut_ids(trace, counts, err);
    tv_alloc_release(trace->alloc, &counts, (size_t)mask + 1, 1);
    return code;
}

uint32_t tv_trace_id_in_records(const struct tv_trace *trace, size_t thread_ix)
{
    const uint32_t id = trace->threads[thread_ix].id;
    const uint32_t cut = id & trace->record_id_mask;
    return tv_map_get(&trace->thread_of_id, cut) == thread_ix ? cut : id;
}

/* Whether two descriptions are alike but for the id. */
static bool says_the_same(const struct tv_trace_method *a, const struct tv_trace_method *b)
{
    return a->line == b->line && tv_str_equal(a->class_name, b->class_name) &&
           tv_str_equal(a->name, b->name) && tv_str_equal(a->signature, b->signature) &&
           tv_str_equal(a->file, b->file);
}

static void replace_method(struct tv_trace *trace, struct tv_trace_method *known,
                           const struct tv_trace_method *method, uint64_t offset)
{
    if (says_the_same(known, method))
        return;
    tv_findings_add(&trace->findings, TV_FINDING_DUPLICATE_METHOD, known->is_duplicate ? 0 : 1,
                    offset);
    *known = *method;
    known->is_duplicate = true;
}

enum tv_code tv_trace_add_method(struct tv_trace *trace, const struct tv_trace_method *method,
                                 uint64_t offset, struct tv_error *err)
{
    /* This id stands for "(unknown)", whose calls would otherwise get this method's name. */
    if (method->id == TV_METHOD_ID_UNKNOWN) {
        tv_findings_add(&trace->findings, TV_FINDING_BAD_LINE, 1, offset);
        return TV_OK;
    }
    uint32_t known = tv_map_get(&trace->method_of_id, method->id);
    if (known != TV_MAP_NONE) {
        replace_method(trace, &trace->methods[known], method, offset);
        return TV_OK;
    }
    size_t ix = trace->method_count;
    if (ix >= TV_MAP_NONE)
        return tv_fail(err, TV_ERR_LIMIT, offset, "more than %u methods", TV_MAP_NONE);
    TV_TRY(tv_alloc_grow(trace->alloc, &trace->methods, &trace->method_cap, ix + 1,
                         sizeof(*trace->methods), err));
    TV_TRY(tv_map_put(&trace->method_of_id, method->id, (uint32_t)ix, err));
    trace->methods[ix] = *method;
    trace->methods[ix].is_duplicate = false;
    trace->method_count++;
    return TV_OK;
}
