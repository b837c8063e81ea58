/*
 * From blocks to a file. The bytes are those of format/encode.h; docs/formats/text.md,
 * docs/formats/stream.md and docs/formats/packets.md (layout D) say what they mean.
 */
#include "record/recording.h"

#include <stdio.h>
#include <string.h>

#include "format/encode.h"
#include "record/methods.h"

#define NANOSECONDS_PER_MICROSECOND 1000u
#define TIME_MASK ((UINT64_C(1) << TV_SLOT_TIME_BITS) - 1)
/* A time that lies behind its follower by less than this is late, as mend_block says; by more, the
 * thread was silent for hours, and 48 bits passed. */
#define LATE_MOST (UINT64_C(1) << 40)
#define RECORDS_MOST (TV_BLOCK_SLOTS_LEAST << (TV_BLOCK_SIZES - 1))
#define DIGITS_MOST 20u

/* A record with its times in the unit of the file. */
struct record {
    uint32_t word;
    uint64_t wall, cpu;
};

struct tv_row *tv_recording_add_row(struct tv_recording *recording)
{
    if (recording->format == TV_RECORD_TEXT && recording->row_count == UINT16_MAX)
        return NULL;
    struct tv_row *row = tv_memory_take(&recording->memory, sizeof(*row));
    if (!row)
        return NULL;
    row->id = ++recording->row_count;
    if (recording->last_row)
        recording->last_row->next = row;
    else
        recording->first_row = row;
    recording->last_row = row;
    return row;
}

struct tv_row *tv_recording_carried_row(struct tv_recording *recording)
{
    struct tv_row *row = recording->free_rows;
    if (row) {
        recording->free_rows = row->next_free;
        return row;
    }
    row = tv_recording_add_row(recording);
    if (!row || recording->own_carried_rows++ < TV_OWN_CARRIED_ROWS)
        return row;
    row->is_shared = row->is_named = true;
    (void)snprintf(row->name, sizeof(row->name), "virtual threads %u",
                   (unsigned)++recording->shared_rows);
    return row;
}

void tv_recording_free_carried_row(struct tv_recording *recording, struct tv_row *row)
{
    if (!row->is_shared)
        return;
    row->next_free = recording->free_rows;
    recording->free_rows = row;
}

static void put_text(struct tv_output *output, const char *text)
{
    tv_output_put(output, text, strlen(text));
}

static void put_number(struct tv_output *output, uint64_t value)
{
    char digits[DIGITS_MOST];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    tv_output_put(output, digits + at, sizeof(digits) - at);
}

static void put_option(struct tv_output *output, const char *key, uint64_t value)
{
    put_text(output, key);
    put_text(output, "=");
    put_number(output, value);
    put_text(output, "\n");
}

static unsigned version_of(const struct tv_recording *recording)
{
    bool has_both = recording->has_wall && recording->has_cpu;
    if (recording->format == TV_RECORD_PACKETS)
        return has_both ? TV_WIRE_PACKETS_TWO_TIMES : TV_WIRE_PACKETS_ONE_TIME;
    return has_both ? 3 : 2;
}

static unsigned record_len_of(const struct tv_recording *recording)
{
    return version_of(recording) == 3 ? TV_WIRE_TWO_TIMES_RECORD : TV_WIRE_ONE_TIME_RECORD;
}

/* What an enter and an exit cost together: as measured at the start, and their part of what full
 * blocks took while the program ran. */
static uint64_t call_cost_ns(const struct tv_recording *recording)
{
    return recording->call_ns +
           (recording->records ? 2 * recording->block_ns / recording->records : 0);
}

static void put_options(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_text(output,
             recording->has_overflow ? "data-file-overflow=true\n" : "data-file-overflow=false\n");
    put_text(output, !recording->has_cpu    ? "clock=wall\n"
                     : !recording->has_wall ? "clock=thread-cpu\n"
                                            : "clock=dual\n");
    if (recording->format == TV_RECORD_PACKETS)
        put_option(output, "elapsed-time-nsec", recording->elapsed_ns);
    else
        put_option(output, "elapsed-time-usec",
                   recording->elapsed_ns / NANOSECONDS_PER_MICROSECOND);
    if (recording->format == TV_RECORD_TEXT && !recording->is_streaming)
        put_option(output, "num-method-calls", recording->records);
    put_option(output, "clock-call-overhead-nsec", recording->clock_ns);
    if (recording->call_ns)
        put_option(output, "record-call-overhead-nsec", call_cost_ns(recording));
    if (recording->lost)
        put_option(output, "records-lost", recording->lost);
    if (recording->interval_us)
        put_option(output, "sampling-interval-usec", recording->interval_us);
    put_option(output, "pid", (uint64_t)recording->pid);
}

static void put_version(struct tv_output *output, unsigned version)
{
    put_text(output, "*version\n");
    put_number(output, version);
    put_text(output, "\n");
}

static void put_threads(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_text(output, "*threads\n");
    for (const struct tv_row *row = recording->first_row; row; row = row->next) {
        put_number(output, row->id);
        put_text(output, "\t");
        put_text(output, row->name);
        put_text(output, "\n");
    }
}

/* Method ids are numbers times 4, as ART's are: the low bits are the action's. */
static uint32_t id_of(uint32_t number)
{
    return number * (TV_WIRE_ACTION_MASK + 1);
}

static uint32_t number_of(uint32_t word)
{
    return word / (TV_WIRE_ACTION_MASK + 1);
}

/* Writes "0x4 TAB" to `to` and returns its length. */
static size_t encode_id(char *to, uint32_t number)
{
    size_t len = 2;
    uint32_t id = id_of(number);
    unsigned shift = 28;
    while (shift && !(id >> shift))
        shift -= 4;
    to[0] = '0';
    to[1] = 'x';
    for (;; shift -= 4) {
        to[len++] = "0123456789abcdef"[id >> shift & 15];
        if (!shift)
            break;
    }
    to[len++] = '\t';
    return len;
}

static void put_methods(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_text(output, "*methods\n");
    for (uint32_t number = 1; number <= tv_methods_count(); number++) {
        const struct tv_recorded_method *method = tv_methods_get(number);
        if (method->told_in != recording->session)
            continue;
        char id[DIGITS_MOST];
        tv_output_put(output, id, encode_id(id, number));
        tv_output_put(output, method->line, method->len);
    }
}

static uint64_t wall_of(const struct tv_slot *slot)
{
    return slot->wall_and_low >> TV_SLOT_WORD_BITS;
}

static uint64_t cpu_of(const struct tv_slot *slot)
{
    return slot->cpu_and_high >> TV_SLOT_WORD_BITS;
}

static uint32_t word_of(const struct tv_slot *slot)
{
    uint64_t low_bits = (UINT64_C(1) << TV_SLOT_WORD_BITS) - 1;
    return (uint32_t)((slot->wall_and_low & low_bits) | (slot->cpu_and_high & low_bits)
                                                            << TV_SLOT_WORD_BITS);
}

static bool is_late(uint64_t time, uint64_t next)
{
    uint64_t behind = (time - next) & TIME_MASK;
    return behind && behind < LATE_MOST;
}

/* A slot with an earlier time. */
static void set_times(struct tv_slot *slot, uint64_t wall, uint64_t cpu)
{
    uint32_t word = word_of(slot);
    slot->wall_and_low = wall << TV_SLOT_WORD_BITS | (word & 0xffffu);
    slot->cpu_and_high = cpu << TV_SLOT_WORD_BITS | word >> TV_SLOT_WORD_BITS;
}

/*
 * Takes the empty slots out of a block, and makes its times go forward. A signal handler that
 * records while its thread is about to fill a slot gets the slots behind it, and its clock readings
 * are the earlier ones; and a CPU time that was told without a system call may be some microseconds
 * too high. The earlier record is the one that gives way. `next` is the record that follows the
 * block, or NULL.
 */
static void mend_block(struct tv_block *block, const struct tv_slot *next)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < block->used; i++) {
        if (block->slots[i].wall_and_low)
            block->slots[used++] = block->slots[i];
    }
    memset(block->slots + used, 0, (block->used - used) * sizeof(block->slots[0]));
    block->used = used;
    for (uint32_t i = used; i-- > 0; next = &block->slots[i]) {
        struct tv_slot *slot = &block->slots[i];
        if (!next)
            continue;
        uint64_t wall = is_late(wall_of(slot), wall_of(next)) ? wall_of(next) : wall_of(slot);
        uint64_t cpu = is_late(cpu_of(slot), cpu_of(next)) ? cpu_of(next) : cpu_of(slot);
        if (wall != wall_of(slot) || cpu != cpu_of(slot))
            set_times(slot, wall, cpu);
    }
}

static struct tv_block *reversed(struct tv_block *block)
{
    struct tv_block *before = NULL;
    while (block) {
        struct tv_block *next = block->next;
        block->next = before;
        before = block;
        block = next;
    }
    return before;
}

/* The same for all blocks of a row, from the last to the first. */
static void mend_row(struct tv_row *row)
{
    struct tv_block *last = reversed(row->first);
    const struct tv_slot *next = NULL;
    for (struct tv_block *block = last; block; block = block->next) {
        mend_block(block, next);
        if (block->used)
            next = &block->slots[0];
    }
    row->first = reversed(last);
}

static uint64_t in_unit(const struct tv_recording *recording, uint64_t ticks)
{
    uint64_t ns = tv_ticks_to_ns(recording->rate, ticks);
    return recording->format == TV_RECORD_PACKETS ? ns : ns / NANOSECONDS_PER_MICROSECOND;
}

/* How far a clock of 48 bits went. What is late even now follows a block that is in the file. */
static uint64_t step_of(uint64_t time, uint64_t last)
{
    uint64_t step = (time - last) & TIME_MASK;
    return is_late(0, step) ? 0 : step;
}

/* The record of a slot; the row's times go on to it. A thread's CPU time counts from its first
 * record, and never grows by more than wall time, which two roundings could make it seem. */
static struct record take_record(const struct tv_recording *recording, struct tv_row *row,
                                 const struct tv_slot *slot)
{
    if (!row->wall) {
        row->first_cpu = row->cpu = cpu_of(slot);
        row->file_wall = in_unit(recording, wall_of(slot));
    }
    row->wall += step_of(wall_of(slot), row->wall);
    row->cpu += step_of(cpu_of(slot), row->cpu);
    uint64_t wall = in_unit(recording, row->wall);
    uint64_t cpu = in_unit(recording, row->cpu - row->first_cpu);
    uint64_t cpu_most = row->file_cpu + (wall - row->file_wall);
    row->file_cpu = recording->has_wall && cpu > cpu_most ? cpu_most : cpu;
    row->file_wall = wall;
    return (struct record){.word = word_of(slot), .wall = wall, .cpu = row->file_cpu};
}

static void put_plain_record(struct tv_recording *recording, const struct tv_row *row,
                             const struct record *record)
{
    uint32_t wall = (uint32_t)record->wall;
    uint32_t cpu = (uint32_t)record->cpu;
    uint16_t thread = (uint16_t)row->id;
    uint8_t *to = tv_output_reserve(&recording->output, TV_WIRE_TWO_TIMES_RECORD);
    size_t len =
        recording->has_wall && recording->has_cpu
            ? tv_encode_two_times_record(to, thread, record->word, cpu, wall)
            : tv_encode_one_time_record(to, thread, record->word, recording->has_wall ? wall : cpu);
    tv_output_filled(&recording->output, len);
}

static void put_plain_block(struct tv_recording *recording, struct tv_row *row,
                            const struct tv_block *block)
{
    for (uint32_t i = 0; i < block->used; i++) {
        struct record record = take_record(recording, row, &block->slots[i]);
        put_plain_record(recording, row, &record);
    }
}

static void put_packet_block(struct tv_recording *recording, struct tv_row *row,
                             const struct tv_block *block)
{
    static uint8_t payload[RECORDS_MOST * 3 * TV_LEB_MOST];
    struct record before = {.word = 0};
    size_t len = 0;
    for (uint32_t i = 0; i < block->used; i++) {
        struct record record = take_record(recording, row, &block->slots[i]);
        len += tv_encode_sleb(payload + len, (uint64_t)record.word - before.word);
        if (recording->has_wall)
            len += tv_store_uleb(payload + len, record.wall - before.wall);
        if (recording->has_cpu)
            len += tv_store_uleb(payload + len, record.cpu - before.cpu);
        before = record;
    }
    uint8_t *to = tv_output_reserve(&recording->output, TV_PACKET_BLOCK_HEAD);
    tv_output_filled(&recording->output,
                     tv_encode_packet_block(to, row->id, (uint16_t)block->used, (uint32_t)len));
    tv_output_put(&recording->output, payload, len);
}

static void tell_thread(struct tv_recording *recording, struct tv_row *row)
{
    uint16_t len = (uint16_t)strlen(row->name);
    uint8_t *to = tv_output_reserve(&recording->output, TV_STREAM_THREAD_HEAD);
    tv_output_filled(&recording->output, recording->format == TV_RECORD_PACKETS
                                             ? tv_encode_packet_thread(to, row->id, len)
                                             : tv_encode_stream_thread(to, (uint16_t)row->id, len));
    tv_output_put(&recording->output, row->name, len);
    row->is_told = true;
}

static void tell_method(struct tv_recording *recording, uint32_t number)
{
    struct tv_recorded_method *method = tv_methods_get(number);
    struct tv_output *output = &recording->output;
    if (recording->format == TV_RECORD_PACKETS) {
        uint8_t *to = tv_output_reserve(output, TV_PACKET_METHOD_HEAD);
        tv_output_filled(output, tv_encode_packet_method(to, id_of(number), (uint16_t)method->len));
    } else {
        char id[DIGITS_MOST];
        size_t id_len = encode_id(id, number);
        uint8_t *to = tv_output_reserve(output, TV_STREAM_METHOD_HEAD);
        tv_output_filled(output, tv_encode_stream_method(to, (uint16_t)(method->len + id_len)));
        tv_output_put(output, id, id_len);
    }
    tv_output_put(output, method->line, method->len);
    method->told_in = recording->session;
}

/* Describes what a block names for the first time; in a text file that is only marked. */
static void tell_methods(struct tv_recording *recording, const struct tv_block *block)
{
    bool is_marked = recording->format == TV_RECORD_TEXT && !recording->is_streaming;
    for (uint32_t i = 0; i < block->used; i++) {
        uint32_t number = number_of(word_of(&block->slots[i]));
        struct tv_recorded_method *method = tv_methods_get(number);
        if (method->told_in == recording->session)
            continue;
        if (is_marked)
            method->told_in = recording->session;
        else
            tell_method(recording, number);
    }
}

static void put_block(struct tv_recording *recording, struct tv_row *row,
                      const struct tv_block *block)
{
    if (!block->used)
        return;
    if (recording->format == TV_RECORD_PACKETS)
        put_packet_block(recording, row, block);
    else
        put_plain_block(recording, row, block);
}

static void put_data_header(struct tv_recording *recording)
{
    uint8_t *to = tv_output_reserve(&recording->output, TV_WIRE_HEADER);
    unsigned version = version_of(recording);
    unsigned streaming = recording->is_streaming ? TV_WIRE_STREAMING : 0;
    size_t len;
    if (recording->format == TV_RECORD_PACKETS) {
        len = tv_encode_packets_header(to, version | streaming, recording->start_ns, 0);
    } else {
        bool has_len = version == 3 || streaming;
        len = tv_encode_data_header(to, version | streaming,
                                    recording->start_ns / NANOSECONDS_PER_MICROSECOND,
                                    has_len ? record_len_of(recording) : 0);
    }
    tv_output_filled(&recording->output, len);
}

void tv_recording_begin_stream(struct tv_recording *recording)
{
    put_data_header(recording);
    tv_output_flush(&recording->output);
}

void tv_recording_stream_row(struct tv_recording *recording, struct tv_row *row)
{
    mend_row(row);
    if (!row->is_told)
        tell_thread(recording, row);
    struct tv_block *next;
    for (struct tv_block *block = row->first; block; block = next) {
        next = block->next;
        tell_methods(recording, block);
        put_block(recording, row, block);
        recording->records += block->used;
        tv_pool_give(&recording->pool, block);
    }
    row->first = row->last = NULL;
    tv_output_flush(&recording->output);
}

/* The text at the end of packets and of streams. */
static void put_summary(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    put_version(output, version_of(recording));
    put_options(recording);
    if (recording->format == TV_RECORD_TEXT) {
        put_threads(recording);
        put_text(output, "*methods\n");
    }
    put_text(output, "*end\n");
}

/* The length stands before the summary, so that is first written to nowhere. */
static uint64_t summary_len(struct tv_recording *recording)
{
    uint64_t len = 0;
    recording->output.counted = &len;
    put_summary(recording);
    recording->output.counted = NULL;
    return len;
}

static void put_summary_with_len(struct tv_recording *recording)
{
    struct tv_output *output = &recording->output;
    uint64_t len = summary_len(recording);
    uint8_t *to = tv_output_reserve(output, TV_STREAM_SUMMARY_HEAD);
    tv_output_filled(output, recording->format == TV_RECORD_PACKETS
                                 ? tv_encode_packet_summary(to, (uint16_t)len)
                                 : tv_encode_stream_summary(to, (uint32_t)len));
    put_summary(recording);
}

static void finish_stream(struct tv_recording *recording)
{
    for (struct tv_row *row = recording->first_row; row; row = row->next) {
        if (row->first)
            tv_recording_stream_row(recording, row);
    }
    put_summary_with_len(recording);
}

/* Counts and describes what all rows have. */
static void look_at_rows(struct tv_recording *recording)
{
    for (struct tv_row *row = recording->first_row; row; row = row->next) {
        mend_row(row);
        for (struct tv_block *block = row->first; block; block = block->next) {
            tell_methods(recording, block);
            recording->records += block->used;
        }
    }
}

static void put_rows(struct tv_recording *recording)
{
    for (struct tv_row *row = recording->first_row; row; row = row->next) {
        for (struct tv_block *block = row->first; block; block = block->next) {
            put_block(recording, row, block);
            tv_output_flush(&recording->output);
        }
    }
}

static void finish_text(struct tv_recording *recording)
{
    look_at_rows(recording);
    put_version(&recording->output, version_of(recording));
    put_options(recording);
    put_threads(recording);
    put_methods(recording);
    put_text(&recording->output, "*end\n");
    put_data_header(recording);
    tv_output_flush(&recording->output);
    put_rows(recording);
}

static void finish_packets(struct tv_recording *recording)
{
    put_data_header(recording);
    for (struct tv_row *row = recording->first_row; row; row = row->next)
        tell_thread(recording, row);
    look_at_rows(recording);
    tv_output_flush(&recording->output);
    put_rows(recording);
    put_summary_with_len(recording);
}

void tv_recording_finish(struct tv_recording *recording)
{
    if (recording->is_streaming)
        finish_stream(recording);
    else if (recording->format == TV_RECORD_PACKETS)
        finish_packets(recording);
    else
        finish_text(recording);
}
