/*
 * From blocks to a file. The bytes are those of format/encode.h; docs/formats/text.md,
 * docs/formats/stream.md and docs/formats/packets.md (layout D) say what they mean.
 *
 * A stream describes a thread or a method before the first record that names it, and its blocks go
 * back to the buffer once they are written. A buffered recording keeps all blocks until the end: a
 * text file begins with the summary, which needs the counts of all rows, and packets end with it.
 * Under the lock of cold.h.
 */
#include "record/recording.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "format/encode.h"
#include "record/blocks.h"
#include "record/methods.h"
#include "record/ring.h"
#include "record/summary.h"

struct tv_row *tv_recording_add_row(struct tv_recording *recording)
{
    struct tv_row *row = recording->empty_rows;
    if (row) {
        recording->empty_rows = row->next_free;
        *row = (struct tv_row){.next = row->next,
                               .id = row->id,
                               .uses = row->uses + 1,
                               .before = {.numbers = row->before.numbers, .cap = row->before.cap}};
        return row;
    }
    if (recording->format == TV_RECORD_TEXT && recording->row_count == UINT16_MAX)
        return NULL;
    row = tv_memory_take(&recording->memory, sizeof(*row));
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

/* The first TV_OWN_CARRIED_ROWS carried threads have rows of their own. Later ones share rows, one
 * thread at a time: a program may have a million virtual threads, and a file of text format 65,535
 * rows. */
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

static unsigned record_len_of(const struct tv_recording *recording)
{
    return tv_summary_version(recording) == 3 ? TV_WIRE_TWO_TIMES_RECORD : TV_WIRE_ONE_TIME_RECORD;
}

static uint32_t number_of(uint32_t word)
{
    return word / (TV_WIRE_ACTION_MASK + 1);
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
        tv_output_filled(output,
                         tv_encode_packet_method(to, tv_summary_id(number), (uint16_t)method->len));
    } else {
        char id[TV_SUMMARY_ID_MOST];
        size_t id_len = tv_summary_encode_id(id, number);
        uint8_t *to = tv_output_reserve(output, TV_STREAM_METHOD_HEAD);
        tv_output_filled(output, tv_encode_stream_method(to, (uint16_t)(method->len + id_len)));
        tv_output_put(output, id, id_len);
    }
    tv_output_put(output, method->line, method->len);
    method->told_in = recording->session;
}

/* Describes the methods that a block names for the first time in this recording. In a buffered text
 * file methods are only marked here: the summary describes those that are marked. */
static void tell_methods(struct tv_recording *recording, const struct tv_block *block)
{
    bool is_marked = recording->format == TV_RECORD_TEXT && !recording->is_streaming;
    for (uint32_t i = 0; i < block->used; i++) {
        uint32_t number = number_of(tv_slot_word(&block->slots[i]));
        struct tv_recorded_method *method = tv_methods_get(number);
        if (method->told_in == recording->session)
            continue;
        if (is_marked)
            method->told_in = recording->session;
        else
            tell_method(recording, number);
    }
}

static void put_data_header(struct tv_recording *recording)
{
    uint8_t *to = tv_output_reserve(&recording->output, TV_WIRE_HEADER);
    unsigned version = tv_summary_version(recording);
    unsigned streaming = recording->is_streaming ? TV_WIRE_STREAMING : 0;
    const uint64_t start_ns =
        recording->start_ns + tv_ticks_to_ns(recording->rate, recording->begin_ticks);
    size_t len;
    if (recording->format == TV_RECORD_PACKETS) {
        len = tv_encode_packets_header(to, version | streaming, start_ns, 0);
    } else {
        bool has_len = version == 3 || streaming;
        len = tv_encode_data_header(to, version | streaming, start_ns / TV_NS_PER_US,
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
    tv_blocks_mend(row);
    if (!row->is_told)
        tell_thread(recording, row);
    struct tv_block *next;
    for (struct tv_block *block = row->first; block; block = next) {
        next = block->next;
        tell_methods(recording, block);
        tv_blocks_put(recording, row, block);
        recording->records += block->used;
        tv_pool_give(&recording->pool, block);
    }
    row->first = row->last = NULL;
    tv_output_flush(&recording->output);
}

/* The summary's length stands before the summary. So the summary is put once without an output,
 * which only counts bytes. */
static uint64_t summary_len(struct tv_recording *recording)
{
    uint64_t len = 0;
    recording->output.counted = &len;
    tv_summary_put(recording);
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
    tv_summary_put(recording);
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
        tv_blocks_mend(row);
        for (struct tv_block *block = row->first; block; block = block->next) {
            tell_methods(recording, block);
            recording->records += block->used;
        }
        for (uint32_t i = 0; row->first && i < row->before.depth; i++)
            tv_methods_get(row->before.numbers[i])->told_in = recording->session;
        recording->records += row->first ? row->before.depth : 0;
    }
}

static void put_rows(struct tv_recording *recording)
{
    for (struct tv_row *row = recording->first_row; row; row = row->next) {
        if (recording->is_ring)
            tv_blocks_begin_row(recording, row);
        for (struct tv_block *block = row->first; block; block = block->next) {
            tv_blocks_put(recording, row, block);
            tv_output_flush(&recording->output);
        }
    }
}

static void finish_text(struct tv_recording *recording)
{
    look_at_rows(recording);
    if (recording->is_ring)
        tv_ring_set_begin(recording,
                          tv_ticks_now(recording->rate.is_counter) - recording->start_ticks);
    tv_summary_put_text(recording);
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
