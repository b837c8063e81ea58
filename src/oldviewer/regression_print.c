/*
 * The sections of the old viewer's dump: names, the order of its hash maps and sorts, and the
 * lines. See regression.h and docs/formats/regression.md, "Order and ranks" and "The output".
 *
 * The old viewer lists threads, and methods of equal time and name, in the order of a hash map.
 * That order is that of buckets and, within a bucket, of insertion: lines of the file first, then
 * what the records named.
 */
#include "oldviewer/regression_calls.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bounded_sink.h"
#include "base/error.h"
#include "base/memory/sort.h"
#include "base/text/out.h"

/* Text as the old viewer shows it, which read files as ASCII; see regression.h. Text that needs no
 * change is borrowed. */
static enum tv_code show_text(struct tv_old_trace *old, struct tv_str text, struct tv_str *shown,
                              struct tv_error *err)
{
    static const char hex[] = "0123456789abcdef";
    size_t len = 0;
    size_t room;
    char *at = NULL;

    if (!tv_size_mul(text.len, 4, &room))
        return tv_fail_memory(err, text.len);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.at[i];

        len += byte >= 0x80 ? 3 : byte != '\t' && (byte < 0x20 || byte == 0x7f) ? 4 : 1;
    }
    if (len == text.len) {
        *shown = text;
        return TV_OK;
    }
    TV_TRY(tv_arena_take(&old->names, len, &at, err));
    *shown = (struct tv_str){at, len};
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.at[i];

        if (byte >= 0x80) {
            memcpy(at, "\xef\xbf\xbd", 3);
            at += 3;
        } else if (byte != '\t' && (byte < 0x20 || byte == 0x7f)) {
            memcpy(at, "\\x", 2);
            at[2] = hex[byte >> 4];
            at[3] = hex[byte & 15];
            at += 4;
        } else {
            *at++ = (char)byte;
        }
    }
    return TV_OK;
}

/* "class.name signature"; the class alone where a line has no more. */
static enum tv_code join_name(struct tv_old_trace *old, const struct tv_trace_method *method,
                              struct tv_str *name, struct tv_error *err)
{
    size_t len = method->class_name.len + method->name.len + method->signature.len + 2;
    char *at = NULL;
    struct tv_str joined;

    if (method->name.len == 0 && method->signature.len == 0)
        return show_text(old, method->class_name, name, err);
    TV_TRY(tv_arena_take(&old->names, len, &at, err));
    joined = (struct tv_str){at, len};
    if (method->class_name.len)
        memcpy(at, method->class_name.at, method->class_name.len);
    at += method->class_name.len;
    *at++ = '.';
    if (method->name.len)
        memcpy(at, method->name.at, method->name.len);
    at += method->name.len;
    *at++ = ' ';
    if (method->signature.len)
        memcpy(at, method->signature.at, method->signature.len);
    return show_text(old, joined, name, err);
}

/* A name of `before`, the value in base 10 or 16, and the bracket that closes it. */
static enum tv_code number_name(struct tv_old_trace *old, const char *before, uint64_t value,
                                unsigned base, struct tv_str *name, struct tv_error *err)
{
    char digits[24];
    size_t at = sizeof(digits);
    size_t before_len = strlen(before);
    char *text = NULL;

    do
        digits[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    TV_TRY(tv_arena_take(&old->names, before_len + sizeof(digits) - at + 1, &text, err));
    memcpy(text, before, before_len);
    memcpy(text + before_len, digits + at, sizeof(digits) - at);
    text[before_len + sizeof(digits) - at] = base == 16 ? ')' : ']';
    *name = (struct tv_str){text, before_len + sizeof(digits) - at + 1};
    return TV_OK;
}

/* Names methods; one without a line in the file is called by its id. */
static enum tv_code name_methods(struct tv_old_trace *old, struct tv_error *err)
{
    old->methods[TV_OLD_TOPLEVEL_IX].name = TV_STR("(toplevel)");
    old->methods[TV_OLD_SWITCH_IX].name = TV_STR("(context switch)");
    for (size_t i = TV_OLD_PSEUDO_COUNT; i < old->method_count; i++) {
        struct tv_old_method *method = &old->methods[i];

        method->listed_ix = tv_map_get(&old->trace->method_of_id, method->id);
        if (method->id == TV_METHOD_ID_UNKNOWN)
            method->name = TV_STR("(unknown)");
        else if (method->listed_ix == TV_MAP_NONE)
            TV_TRY(number_name(old, "(0x", method->id, 16, &method->name, err));
        else
            TV_TRY(join_name(old, &old->trace->methods[method->listed_ix], &method->name, err));
    }
    return TV_OK;
}

/* "[id] name", and "[id] [id]" for a thread without a line in the file. */
static enum tv_code name_thread(struct tv_old_trace *old, struct tv_old_thread *thread,
                                struct tv_str given, struct tv_error *err)
{
    const char *newline = given.len ? memchr(given.at, '\n', given.len) : NULL;
    uint64_t size = thread->id < 0 ? (uint64_t) - (int64_t)thread->id : (uint64_t)thread->id;
    struct tv_str shown;
    struct tv_str id;
    char *at = NULL;

    TV_TRY(number_name(old, thread->id < 0 ? "[-" : "[", size, 10, &id, err));
    if (newline) /* the old viewer read no further */
        given.len = (size_t)(newline - given.at);
    TV_TRY(show_text(old, given, &shown, err));
    if (thread->listed_ix == TV_OLD_NO_ENTRY)
        shown = id;
    TV_TRY(tv_arena_take(&old->names, id.len + 1 + shown.len, &at, err));
    memcpy(at, id.at, id.len);
    at[id.len] = ' ';
    if (shown.len)
        memcpy(at + id.len + 1, shown.at, shown.len);
    thread->name = (struct tv_str){at, id.len + 1 + shown.len};
    return TV_OK;
}

/* Threads of the file's list first, in its order; then those that only records name. */
static enum tv_code name_threads(struct tv_old_trace *old, struct tv_error *err)
{
    const struct tv_trace *trace = old->trace;
    uint32_t order = (uint32_t)trace->thread_count;

    for (size_t i = 0; i < old->thread_count; i++) {
        struct tv_old_thread *thread = &old->threads[i];
        bool is_listed = thread->listed_ix != TV_OLD_NO_ENTRY;

        thread->order = is_listed ? thread->listed_ix : order++;
        TV_TRY(name_thread(old, thread,
                           is_listed ? trace->threads[thread->listed_ix].name : (struct tv_str){0},
                           err));
    }
    return TV_OK;
}

/* The bucket of an Integer key in a java.util.HashMap (Java 8) of `count` keys. */
static uint32_t hash_bucket(uint32_t key, size_t count)
{
    uint64_t size = 16;

    while (count > size / 4 * 3)
        size *= 2;
    return (uint32_t)((key ^ key >> 16) & (size - 1));
}

static void find_thread_buckets(struct tv_old_trace *old)
{
    for (size_t i = 0; i < old->thread_count; i++)
        old->threads[i].bucket = hash_bucket((uint32_t)old->threads[i].id, old->thread_count);
}

/* Computes each method's bucket and order. The size of the hash map follows from how many methods
 * it has in the end. */
static void find_method_buckets(struct tv_old_trace *old)
{
    const struct tv_map *listed = &old->trace->method_of_id;
    size_t count = TV_OLD_PSEUDO_COUNT + old->trace->method_count;
    uint32_t order = (uint32_t)count;

    /* A line with the id of a pseudo method replaces it, so the pseudo method is in no table. */
    count -= (size_t)(tv_map_get(listed, 0) != TV_MAP_NONE) +
             (tv_map_get(listed, UINT32_MAX) != TV_MAP_NONE);
    for (size_t i = TV_OLD_PSEUDO_COUNT; i < old->method_count; i++)
        count += old->methods[i].listed_ix == TV_MAP_NONE;
    old->methods[TV_OLD_TOPLEVEL_IX].bucket = hash_bucket(0, count);
    old->methods[TV_OLD_SWITCH_IX].bucket = hash_bucket(UINT32_MAX, count);
    old->methods[TV_OLD_SWITCH_IX].order = 1;
    for (size_t i = TV_OLD_PSEUDO_COUNT; i < old->method_count; i++) {
        struct tv_old_method *method = &old->methods[i];

        method->bucket = hash_bucket((uint32_t)method->id, count);
        method->order =
            method->listed_ix == TV_MAP_NONE ? order++ : TV_OLD_PSEUDO_COUNT + method->listed_ix;
    }
}

/* The clock that sorts are by. */
static enum tv_old_clock main_clock(const struct tv_old_trace *old)
{
    return old->has_clock[TV_OLD_CPU] ? TV_OLD_CPU : TV_OLD_WALL;
}

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* The longest time first. */
static int compare_times(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int compare_thread_buckets(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_old_thread *threads = ((const struct tv_old_trace *)ctx)->threads;
    int by_bucket = compare_u32(threads[a].bucket, threads[b].bucket);

    return by_bucket ? by_bucket : compare_u32(threads[a].order, threads[b].order);
}

/* Ties by name, downward: the old viewer has this comparison the wrong way round. */
static int compare_thread_times(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_old_trace *old = ctx;
    enum tv_old_clock clock = main_clock(old);
    int by_time =
        compare_times(old->threads[a].root_inclusive[clock], old->threads[b].root_inclusive[clock]);

    return by_time ? by_time : tv_str_compare(old->threads[b].name, old->threads[a].name);
}

/* Longest inclusive time first, then by name, then as they stand in the hash map. */
static int compare_methods(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_old_trace *old = ctx;
    const struct tv_old_method *left = &old->methods[a];
    const struct tv_old_method *right = &old->methods[b];
    enum tv_old_clock clock = main_clock(old);
    int order = compare_times(left->inclusive[clock], right->inclusive[clock]);

    if (order == 0)
        order = tv_str_compare(left->name, right->name);
    if (order == 0)
        order = compare_u32(left->bucket, right->bucket);
    return order ? order : compare_u32(left->order, right->order);
}

/* "%2d", then " %8d" for each number, two spaces, the name, a newline. */
static void put_line(struct tv_out *out, int32_t thread_id, const int64_t *numbers, size_t count,
                     struct tv_str name)
{
    tv_out_padded(out, 2, thread_id);
    for (size_t i = 0; i < count; i++) {
        tv_out_text(out, TV_STR(" "));
        tv_out_padded(out, 8, numbers[i]);
    }
    tv_out_text(out, TV_STR("  "));
    tv_out_text(out, name);
    tv_out_text(out, TV_STR("\n"));
}

static void put_totals(const struct tv_old_trace *old, struct tv_out *out)
{
    tv_out_text(out, TV_STR("totalCpuTime "));
    tv_out_padded(out, 0, old->total[TV_OLD_CPU]);
    tv_out_text(out, TV_STR("us\ntotalRealTime "));
    tv_out_padded(out, 0, old->total[TV_OLD_WALL]);
    tv_out_text(out, TV_STR("us\n"));
}

static void put_thread(const struct tv_old_thread *thread, struct tv_str name, struct tv_out *out)
{
    const int64_t numbers[] = {thread->first[TV_OLD_CPU], thread->last[TV_OLD_CPU],
                               thread->first[TV_OLD_WALL], thread->last[TV_OLD_WALL]};

    put_line(out, thread->id, numbers, TV_COUNT_OF(numbers), name);
}

/* Prints "Thread Times". `items` is scratch with room for every thread and every
 * method; so below. */
static enum tv_code put_threads(const struct tv_old_trace *old, uint32_t *items, struct tv_out *out,
                                struct tv_error *err)
{
    tv_out_text(out, TV_STR("\nThread Times\nid  t-start    t-end  g-start    g-end     name\n"));
    for (uint32_t i = 0; i < old->thread_count; i++)
        items[i] = i;
    TV_TRY(tv_sort(old->alloc, items, old->thread_count, compare_thread_buckets, old, err));
    for (size_t i = 0; i < old->thread_count; i++)
        put_thread(&old->threads[items[i]], old->threads[items[i]].name, out);
    return TV_OK;
}

/* Prints all calls in the order of creation, with 4 or 6 numbers: the two times of "Call Times"
 * are the last. */
static void put_calls(const struct tv_old_trace *old, size_t number_count, struct tv_out *out)
{
    for (size_t i = 0; i < old->call_count && out->error.code == TV_OK; i++) {
        const struct tv_old_call *call = &old->calls[i];
        const int64_t numbers[] = {call->start[TV_OLD_CPU],  call->end[TV_OLD_CPU],
                                   call->start[TV_OLD_WALL], call->end[TV_OLD_WALL],
                                   call->cpu_exclusive,      call->inclusive[TV_OLD_CPU]};

        put_line(out, old->threads[call->thread_ix].id, numbers, number_count,
                 old->methods[call->method_ix].name);
    }
}

/* "%9d %9d %9d %9d %9s  %d %s", the string being calls+recursive */
static void put_method(const struct tv_old_method *method, size_t rank, struct tv_out *out)
{
    const int64_t numbers[] = {method->exclusive[TV_OLD_CPU], method->inclusive[TV_OLD_CPU],
                               method->exclusive[TV_OLD_WALL], method->inclusive[TV_OLD_WALL]};
    size_t recursive_len = 2;

    for (size_t i = 0; i < TV_COUNT_OF(numbers); i++) {
        tv_out_padded(out, 9, numbers[i]);
        tv_out_text(out, TV_STR(" "));
    }
    for (uint64_t left = method->recursive_calls; left > 9; left /= 10)
        recursive_len++;
    tv_out_padded(out, recursive_len < 9 ? 9 - recursive_len : 0, (int64_t)method->calls);
    tv_out_text(out, TV_STR("+"));
    tv_out_padded(out, 0, (int64_t)method->recursive_calls);
    tv_out_text(out, TV_STR("  "));
    tv_out_padded(out, 0, (int64_t)rank);
    tv_out_text(out, TV_STR(" "));
    tv_out_text(out, method->name);
    tv_out_text(out, TV_STR("\n"));
}

/* Whether a method is a pseudo method that a line of the file replaced. */
static bool is_hidden(const struct tv_old_trace *old, uint32_t method_ix)
{
    const struct tv_map *listed = &old->trace->method_of_id;

    return (method_ix == TV_OLD_TOPLEVEL_IX && tv_map_get(listed, 0) != TV_MAP_NONE) ||
           (method_ix == TV_OLD_SWITCH_IX && tv_map_get(listed, UINT32_MAX) != TV_MAP_NONE);
}

/* Prints "Method Stats": the methods in the order of rank, which is their position in this list. */
static enum tv_code put_methods(const struct tv_old_trace *old, uint32_t *items, struct tv_out *out,
                                struct tv_error *err)
{
    enum tv_old_clock clock = main_clock(old);
    size_t count = 0;

    tv_out_text(
        out, TV_STR("\nMethod Stats\nExcl Cpu  Incl Cpu  Excl Real Incl Real    Calls  Method\n"));
    for (uint32_t i = 0; i < old->method_count; i++)
        if (!is_hidden(old, i))
            items[count++] = i;
    TV_TRY(tv_sort(old->alloc, items, count, compare_methods, old, err));
    /* The list ends at the first zero, even where negative times follow: methods without calls are
     * zeros. */
    for (size_t i = 0; i < count && old->methods[items[i]].inclusive[clock] != 0; i++)
        put_method(&old->methods[items[i]], i, out);
    return TV_OK;
}

/* Prints "Time Records": threads in the order of the old viewer's rows, then all calls. A thread
 * with the id 0 has no row. */
static enum tv_code put_time_records(const struct tv_old_trace *old, uint32_t *items,
                                     struct tv_out *out, struct tv_error *err)
{
    tv_out_text(out, TV_STR("\nTime Records\nid  t-start    t-end  g-start    g-end  method\n"));
    for (uint32_t i = 0; i < old->thread_count; i++)
        items[i] = i;
    TV_TRY(tv_sort(old->alloc, items, old->thread_count, compare_thread_times, old, err));
    for (size_t i = 0; i < old->thread_count; i++) {
        const struct tv_old_thread *thread = &old->threads[items[i]];

        if (thread->has_calls && thread->id != 0)
            put_thread(thread, old->methods[TV_OLD_TOPLEVEL_IX].name, out);
    }
    put_calls(old, 4, out);
    return TV_OK;
}

/* Widths and blanks are those of the old viewer, since its output is compared byte by byte. */
static enum tv_code put_sections(const struct tv_old_trace *old, uint32_t *items,
                                 struct tv_out *out, struct tv_error *err)
{
    put_totals(old, out);
    TV_TRY(put_threads(old, items, out, err));
    tv_out_text(out, TV_STR("\nCall Times\n"));
    tv_out_text(out, TV_STR("id  t-start    t-end  g-start    g-end    excl.    incl.  method\n"));
    put_calls(old, 6, out);
    TV_TRY(put_methods(old, items, out, err));
    TV_TRY(put_time_records(old, items, out, err));
    return tv_out_finish(out, err);
}

/* Bytes of the names that stand with each call, in two sections. */
static uint64_t name_bytes(const struct tv_old_trace *old)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < old->call_count && bytes <= UINT64_MAX / 4; i++)
        bytes += 2 * (uint64_t)old->methods[old->calls[i].method_ix].name.len;
    return bytes;
}

/* The length of the names is checked before anything is printed, since a hostile file may repeat a
 * long name very often. */
enum tv_code tv_old_print(struct tv_old_trace *old, const struct tv_sink *sink, uint64_t most_len,
                          struct tv_error *err)
{
    uint32_t *items = NULL;
    struct tv_out out;
    size_t item_count;
    enum tv_code code;

    TV_TRY(name_methods(old, err));
    TV_TRY(name_threads(old, err));
    if (most_len < UINT64_MAX)
        TV_TRY(tv_bounded_sink_check(most_len, name_bytes(old), err));
    find_method_buckets(old);
    find_thread_buckets(old);
    item_count = old->method_count > old->thread_count ? old->method_count : old->thread_count;
    TV_TRY(tv_alloc_new(old->alloc, &items, item_count, sizeof(*items), err));
    tv_out_init(&out, *sink);
    code = put_sections(old, items, &out, err);
    tv_alloc_release(old->alloc, &items, item_count, sizeof(*items));
    return code;
}
