/* See check.h. */
#include "check.h"

#include <string.h>

#include "format/formats.h"

#define FIXED_MEMORY ((size_t)1 << 20)
#define MEMORY_PER_BYTE 64u
#define SMALL_BATCH 3u

static void *counted_resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct fuzz_memory *memory = ctx;
    const struct tv_alloc *libc = tv_alloc_libc();
    FUZZ_CHECK(block || !old_len);
    FUZZ_CHECK(memory->used >= old_len);
    FUZZ_CHECK(memory->used - old_len + new_len <= memory->most);
    void *resized = libc->resize(libc->ctx, block, old_len, new_len);
    if (resized || !new_len)
        memory->used = memory->used - old_len + new_len;
    return resized;
}

/* As the C library's: a table of which few entries are used takes few pages. */
static void *counted_zeroed(void *ctx, size_t len)
{
    struct fuzz_memory *memory = ctx;
    const struct tv_alloc *libc = tv_alloc_libc();
    FUZZ_CHECK(memory->used + len <= memory->most);
    void *block = libc->zeroed(libc->ctx, len);
    if (block)
        memory->used += len;
    return block;
}

void fuzz_memory_init(struct fuzz_memory *memory, size_t input_len)
{
    *memory = (struct fuzz_memory){
        .alloc = {.resize = counted_resize, .ctx = memory, .zeroed = counted_zeroed},
        .most = FIXED_MEMORY + input_len * MEMORY_PER_BYTE,
    };
}

void fuzz_memory_check_released(const struct fuzz_memory *memory)
{
    FUZZ_CHECK(memory->used == 0);
}

static void mix(struct fuzz_reading *reading, uint64_t value)
{
    reading->hash = (reading->hash ^ value) * UINT64_C(0x100000001b3);
}

/* Reads every byte of a view, so that a sanitizer sees a bad one. */
static void look_at(struct fuzz_reading *reading, struct tv_str text)
{
    uint64_t sum = text.len;
    for (size_t i = 0; i < text.len; i++)
        sum = sum * 31 + (unsigned char)text.at[i];
    mix(reading, sum);
}

static void look_at_tables(const struct tv_trace *trace, struct fuzz_reading *reading)
{
    for (size_t i = 0; i < trace->property_count; i++) {
        look_at(reading, trace->properties[i].key);
        look_at(reading, trace->properties[i].value);
    }
    for (size_t i = 0; i < trace->thread_count; i++) {
        look_at(reading, trace->threads[i].name);
        FUZZ_CHECK(tv_map_get(&trace->thread_of_id, trace->threads[i].id) == i);
    }
    for (size_t i = 0; i < trace->method_count; i++) {
        const struct tv_trace_method *method = &trace->methods[i];
        look_at(reading, method->class_name);
        look_at(reading, method->name);
        look_at(reading, method->signature);
        look_at(reading, method->file);
        FUZZ_CHECK(tv_map_get(&trace->method_of_id, method->id) == i);
    }
}

static void look_at_batch(const struct tv_trace *trace, const struct tv_batch *batch,
                          struct fuzz_reading *reading)
{
    for (size_t i = 0; i < batch->count; i++) {
        mix(reading, batch->thread_id[i]);
        uint64_t id = tv_trace_id_of_key(trace, batch->key_action[i]);
        mix(reading, id);
        mix(reading, batch->key_action[i]);
        reading->unknown_methods += tv_map_get(&trace->method_of_id, id) == TV_MAP_NONE;
        reading->reserved_actions += (batch->key_action[i] & 3) == TV_ACTION_RESERVED;
        mix(reading, tv_batch_offset(batch, i));
        for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            FUZZ_CHECK(trace->has_clock[clock] || !batch->time[clock][i]);
            FUZZ_CHECK(trace->clock_bits == 64 || batch->time[clock][i] <= UINT32_MAX);
            mix(reading, batch->time[clock][i]);
        }
    }
    reading->records += batch->count;
}

static void read_opened(struct tv_trace *trace, struct fuzz_reading *reading)
{
    struct tv_batch batch;
    struct tv_error err = {.code = TV_OK};
    FUZZ_CHECK(trace->unit_ns == 1 || trace->unit_ns == 1000);
    do {
        reading->code = tv_trace_next(trace, &batch, &err);
        if (reading->code != TV_OK)
            break;
        FUZZ_CHECK(batch.count <= trace->opts.batch_len);
        look_at_batch(trace, &batch, reading);
    } while (batch.count);
    look_at_tables(trace, reading);
    FUZZ_CHECK(reading->records <= trace->len);
    reading->findings = trace->findings;
}

void fuzz_read(const uint8_t *bytes, size_t len, const struct tv_read_opts *opts,
               struct fuzz_reading *reading)
{
    struct fuzz_memory memory;
    struct tv_trace trace;
    struct tv_error err = {.code = TV_OK};
    *reading = (struct fuzz_reading){.code = TV_OK};
    fuzz_memory_init(&memory, len + opts->side_text.len);
    tv_trace_init(&trace, &memory.alloc);
    reading->code = tv_trace_open(&trace, bytes, len, opts, &err);
    FUZZ_CHECK(reading->code == err.code);
    if (reading->code == TV_OK)
        read_opened(&trace, reading);
    else
        FUZZ_CHECK(memchr(err.text, '\0', sizeof(err.text)) && err.text[0] && !trace.format);
    tv_trace_release(&trace);
    fuzz_memory_check_released(&memory);
}

void fuzz_read_twice(const uint8_t *bytes, size_t len, struct tv_str side)
{
    const struct tv_read_opts in_large = {.side_text = side};
    const struct tv_read_opts in_small = {.side_text = side, .batch_len = SMALL_BATCH};
    struct fuzz_reading large;
    struct fuzz_reading small;
    fuzz_read(bytes, len, &in_large, &large);
    fuzz_read(bytes, len, &in_small, &small);
    FUZZ_CHECK(large.code == small.code && large.records == small.records);
    FUZZ_CHECK(large.hash == small.hash);
    FUZZ_CHECK(!memcmp(&large.findings, &small.findings, sizeof(large.findings)));
}

bool fuzz_is_family(const uint8_t *bytes, size_t len, const struct tv_format *format)
{
    const struct tv_format *sniffed = NULL;
    return tv_sniff(bytes, len, &sniffed, NULL) == TV_OK && sniffed == format;
}
