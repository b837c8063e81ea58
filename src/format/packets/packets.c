/*
 * Family F: packets, versions 4, 5, 0xF4 and 0xF5.
 *
 * Opening walks all packets once for the methods, the threads and the summary, which names the
 * clocks and stands last. Nothing in the file says how its records are laid out, so the blocks are
 * decoded on trial: the layout that uses up each block exactly, has no action 3 and knows the most
 * methods is it. Where the first records and the lengths of all blocks leave no doubt, the trial
 * ends with those. Batches then decode again, or parts do (format/packed.h). Format:
 * docs/formats/packets.md.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/text_damage.h"
#include "base/units.h"
#include "format/data_header.h"
#include "format/event_block_walk.h"
#include "format/formats.h"
#include "format/keys.h"
#include "format/packed.h"
#include "format/packet.h"
#include "format/packets/packets_old.h"
#include "format/text_section.h"
#include "format/wire.h"

/* Records of a trial: read in the wrong layout, hardly one of this many would name a method. */
#define TRIAL_RECORDS 65536u

/* What opening found, and the walk over the blocks from batch to batch. */
struct packets_reader {
    struct tv_text_section summary;
    uint64_t start;     /* as in the header */
    uint64_t frequency; /* ticks a second; 0: ticks are nanoseconds */
    bool has_counter;   /* the header tells of a counter, as only that of layout E does */
    size_t first;       /* offset of the first packet */
    size_t end;         /* where the last packet before the summary, the cut or the damage ends */
    bool has_summary;
    bool has_short_times; /* layout C: times have 32 bits */
    uint64_t broken_told; /* broken blocks that were added to the findings */
    struct tv_keys keys;
    struct tv_block_walk walk;
    struct tv_raw raw;
};

/* The version alone tells packets from streams: 4 or 5, with or without the streaming bits. */
static bool packets_matches(const uint8_t *bytes, size_t len)
{
    if (len < TV_WIRE_PACKETS_START_AT || tv_load_le32(bytes) != TV_WIRE_MAGIC)
        return false;
    unsigned version = tv_load_le16(bytes + TV_WIRE_VERSION_AT);
    unsigned plain = version & ~TV_WIRE_STREAMING;
    return (version == plain || version == (plain | TV_WIRE_STREAMING)) &&
           (plain == TV_WIRE_PACKETS_ONE_TIME || plain == TV_WIRE_PACKETS_TWO_TIMES);
}

static void packets_close(struct tv_trace *trace)
{
    struct packets_reader *reader = trace->reader;
    if (reader)
        tv_keys_release(&reader->keys);
}

/* Tables: what stands in the packets besides records. */

static enum tv_code take_method(struct tv_trace *trace, const struct tv_packet *packet,
                                struct tv_error *err)
{
    struct tv_trace_method method = {.id = packet->method_id};
    enum tv_text_quality quality = tv_text_parse_method(packet->text, &method);
    if (quality != TV_TEXT_GOOD)
        tv_findings_add(&trace->findings, TV_FINDING_BAD_LINE, 1, packet->off);
    if (quality == TV_TEXT_BAD)
        return TV_OK;
    return tv_trace_add_method(trace, &method, packet->off, err);
}

/* A summary that the file cuts counts as one if it got as far as its version. */
static enum tv_code take_summary(struct tv_trace *trace, const struct tv_packet *packet, size_t end,
                                 struct tv_error *err)
{
    struct packets_reader *reader = trace->reader;
    struct tv_text_source source = {.bytes = trace->bytes,
                                    .len = end,
                                    .pos = end - packet->text.len,
                                    .has_offsets = true,
                                    .is_cut = packet->is_cut};
    TV_TRY(tv_text_section_read(trace, &source, &reader->summary, err));
    reader->has_summary = reader->summary.has_version || !packet->is_cut;
    if (packet->is_cut)
        return TV_OK;
    trace->summary = packet->text;
    tv_text_judge_rest(trace, end);
    return TV_OK;
}

static enum tv_code take_packet(struct tv_trace *trace, const struct tv_packet *packet, size_t end,
                                struct tv_error *err)
{
    if (packet->is_cut)
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, packet->off);
    switch (packet->kind) {
    case TV_PACKET_THREAD:
        return tv_trace_add_thread(trace, packet->thread_id, packet->text, packet->off, err);
    case TV_PACKET_METHOD:
        return take_method(trace, packet, err);
    case TV_PACKET_BLOCK:
    case TV_PACKET_HEAD:
        return TV_OK;
    case TV_PACKET_SUMMARY:
        return take_summary(trace, packet, end, err);
    }
    return TV_OK;
}

/* A summary packet that is no text section is damage that looks like a packet. */
static bool is_packet(enum tv_packet_step step, const struct tv_packet *packet)
{
    return step == TV_PACKET_TAKEN && (packet->kind != TV_PACKET_SUMMARY ||
                                       tv_text_begins_section(packet->text, packet->is_cut));
}

/* Reads all packets but blocks into the tables, up to the summary, the cut or the damage. */
static enum tv_code read_tables(struct tv_trace *trace, struct tv_error *err)
{
    struct packets_reader *reader = trace->reader;
    struct tv_cursor cursor = {.bytes = trace->bytes, .len = trace->len, .pos = reader->end};
    struct tv_packet packet;
    while (tv_cursor_left(&cursor)) {
        reader->end = cursor.pos;
        enum tv_packet_step step = tv_packet_take(&cursor, &packet);
        if (!is_packet(step, &packet)) {
            tv_text_judge_tail(trace, reader->end);
            return TV_OK;
        }
        TV_TRY(take_packet(trace, &packet, cursor.pos, err));
        if (packet.kind == TV_PACKET_SUMMARY)
            return TV_OK;
    }
    reader->end = cursor.pos;
    return TV_OK;
}

/* Telling the layouts apart. */

/* How well a layout fits the blocks. */
struct score {
    uint64_t records;
    uint64_t named; /* records that name a method */
    uint64_t known; /* those whose method is described */
    uint64_t reserved_actions;
    uint64_t broken_blocks;
    size_t broken_off;
};

/* Whether nothing in the blocks speaks against the layout. */
static bool is_clean(const struct score *score)
{
    return !score->reserved_actions && !score->broken_blocks;
}

/* Decodes about the first `most` records in a layout, and scores it. */
static struct score try_layout(struct tv_trace *trace, enum tv_block_layout layout, uint64_t most)
{
    struct packets_reader *reader = trace->reader;
    struct tv_block_walk *walk = &reader->walk;
    const struct tv_raw *raw = &reader->raw;
    struct score score = {0};
    bool has_bare_exits = tv_block_has_bare_exits(layout);
    tv_block_walk_start(walk, &trace->method_of_id, layout, trace->bytes, reader->first,
                        reader->end);
    while (score.records < most && tv_block_walk_next(walk, &reader->raw, TV_RAW_CAP)) {
        score.records += raw->count;
        for (size_t i = 0; i < raw->count; i++) {
            score.reserved_actions += raw->action[i] == TV_ACTION_RESERVED;
            if (raw->action[i] != TV_ACTION_ENTER && has_bare_exits)
                continue;
            score.named++;
            score.known += tv_map_get(&trace->method_of_id, raw->method_id[i]) != TV_MAP_NONE;
        }
    }
    score.broken_blocks = walk->broken_count;
    score.broken_off = walk->broken_off;
    return score;
}

/* Adds the broken blocks to the findings that were not added before. */
static void tell_broken(struct tv_trace *trace, uint64_t count, size_t off)
{
    struct packets_reader *reader = trace->reader;
    if (count <= reader->broken_told)
        return;
    tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, count - reader->broken_told,
                    off);
    reader->broken_told = count;
}

/* Whether a layout knows a larger share of the methods that its records name than another does. A
 * wrong layout makes up ids, and times that are all multiples of four hide that: its actions are
 * then good ones. */
static bool knows_more(const struct score *a, const struct score *b)
{
    return (double)a->known * (double)b->named > (double)b->known * (double)a->named;
}

/* Which of two layouts fits better: the clean one, then the one that knows more methods. Where the
 * header tells of a counter, words have to know a larger share than ticks. */
static bool is_ticks_better(const struct score *words, const struct score *ticks, bool has_counter)
{
    if (is_clean(words) != is_clean(ticks))
        return is_clean(ticks);
    return has_counter ? !knows_more(words, ticks) : ticks->known > words->known;
}

/* The layout of words that the version and the clock option name. */
static enum tv_block_layout words_layout(const struct tv_trace *trace)
{
    const struct packets_reader *reader = trace->reader;
    if (trace->version == TV_WIRE_PACKETS_TWO_TIMES)
        return TV_BLOCK_WALL_CPU;
    return reader->summary.clock == TV_CLOCK_OPTION_CPU ? TV_BLOCK_CPU : TV_BLOCK_WALL;
}

static enum tv_block_layout ticks_layout(const struct tv_trace *trace)
{
    return trace->version == TV_WIRE_PACKETS_TWO_TIMES ? TV_BLOCK_TICKS_CPU : TV_BLOCK_TICKS;
}

/* Decodes all blocks in both kinds of layout, unless the first fits perfectly, and takes the
 * better one. */
static enum tv_block_layout choose_layout(struct tv_trace *trace, struct score *score)
{
    const struct packets_reader *reader = trace->reader;
    enum tv_block_layout words = words_layout(trace);
    enum tv_block_layout ticks = ticks_layout(trace);
    *score = try_layout(trace, words, UINT64_MAX);
    /* No layout can do better than to know the method of every record. */
    if (!reader->has_counter && is_clean(score) && score->known == score->records)
        return words;
    struct score other = try_layout(trace, ticks, UINT64_MAX);
    if (!is_ticks_better(score, &other, reader->has_counter))
        return words;
    *score = other;
    return ticks;
}

/* Sets what times there are and their unit. Layout C has 32-bit microseconds, which only its
 * summary shows. */
static void set_times(struct tv_trace *trace, enum tv_block_layout layout)
{
    struct packets_reader *reader = trace->reader;
    const struct tv_text_section *summary = &reader->summary;
    bool has_bare_exits = tv_block_has_bare_exits(layout);
    reader->has_short_times =
        !has_bare_exits && summary->has_elapsed_usec && !summary->has_elapsed_nsec;
    trace->unit_ns = reader->has_short_times ? 1000 : 1;
    trace->clock_bits = reader->has_short_times ? 32 : 64;
    trace->start_time_ns = reader->has_short_times ? tv_ns_of_usec(reader->start) : reader->start;
    bool has_two = trace->version == TV_WIRE_PACKETS_TWO_TIMES;
    trace->has_clock[TV_CLOCK_CPU] = has_two || summary->clock == TV_CLOCK_OPTION_CPU;
    trace->has_clock[TV_CLOCK_WALL] = has_two || summary->clock != TV_CLOCK_OPTION_CPU;
    trace->has_common_axis = trace->has_clock[TV_CLOCK_WALL];
}

static enum tv_code refuse_old_layout(const struct tv_trace *trace, struct tv_error *err)
{
    char old = tv_packets_old_layout(trace);
    if (!old)
        return TV_OK;
    return tv_fail(
        err, TV_ERR_UNSUPPORTED, TV_WIRE_HEADER,
        "packets of version %u in layout %c, which ART had for some months of 2024 only and is not "
        "read here: record the trace again, in output version 1",
        trace->version, old);
}

/* The layout whose records may be packed records. Where the header tells of a counter, that is the
 * layout of ticks, of times in nanoseconds; else it is that of words. It is when a trial of the
 * first records knows the method of each: the lengths of all blocks prove the rest, and the other
 * records need no trial. Ticks that do not know all methods are compared with words. */
static bool guess_fixed(struct tv_trace *trace, enum tv_block_layout *layout)
{
    const struct packets_reader *reader = trace->reader;
    *layout = reader->has_counter ? ticks_layout(trace) : words_layout(trace);
    if (reader->frequency)
        return false;
    const struct score score = try_layout(trace, *layout, TRIAL_RECORDS);
    if (!is_clean(&score) || (score.known != score.named && !reader->has_counter))
        return false;
    if (score.known == score.named)
        return true;
    const struct score words = try_layout(trace, words_layout(trace), TRIAL_RECORDS);
    return is_ticks_better(&words, &score, true);
}

/* Finds packed records; *layout: theirs. */
static enum tv_code tell_fixed(struct tv_trace *trace, enum tv_block_layout *layout,
                               struct tv_error *err)
{
    const struct packets_reader *reader = trace->reader;
    if (!guess_fixed(trace, layout))
        return TV_OK;
    set_times(trace, *layout);
    TV_TRY(tv_packed_tell_fixed(trace, *layout, reader->first, reader->end, err));
    trace->expected_records = trace->fixed.count;
    return TV_OK;
}

/* Finds the layout, in the quick way where that is safe, and starts the walk that batches
 * go on with. */
static enum tv_code prepare_records(struct tv_trace *trace, struct tv_error *err)
{
    struct packets_reader *reader = trace->reader;
    enum tv_block_layout layout;
    TV_TRY(tell_fixed(trace, &layout, err));
    if (!trace->fixed.count) {
        struct score score;
        layout = choose_layout(trace, &score);
        set_times(trace, layout);
        trace->expected_records = score.records;
        tell_broken(trace, score.broken_blocks, score.broken_off);
    }
    if (!trace->summary.len && !trace->opts.is_part)
        TV_TRY(refuse_old_layout(trace, err));
    tv_block_walk_start(&reader->walk, &trace->method_of_id, layout, trace->bytes, reader->first,
                        reader->end);
    return TV_OK;
}

/* A file shorter than its header is a trace without records, so first and end stand at its end. */
static void read_header(struct tv_trace *trace, struct packets_reader *reader)
{
    unsigned version = tv_load_le16(trace->bytes + TV_WIRE_VERSION_AT);
    trace->version = version & ~TV_WIRE_STREAMING;
    trace->is_streaming = version != trace->version;
    memcpy(trace->format_name, "packets", sizeof("packets"));
    trace->format_name[sizeof("packets") - 1] = (char)('0' + trace->version);
    reader->first = trace->len;
    reader->end = trace->len;
    if (trace->len < TV_WIRE_HEADER) {
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, 0);
        return;
    }
    reader->start = tv_load_le64(trace->bytes + TV_WIRE_PACKETS_START_AT);
    reader->frequency = tv_load_le64(trace->bytes + TV_WIRE_PACKETS_FREQUENCY_AT);
    reader->has_counter =
        reader->frequency || tv_load_le64(trace->bytes + TV_WIRE_PACKETS_COUNTER_AT);
    reader->first = TV_WIRE_HEADER;
    reader->end = TV_WIRE_HEADER;
}

/* Damage by copying as text is looked for where the summary is missing: such a copy destroys the
 * lengths that lead to it. */
static enum tv_code packets_open(struct tv_trace *trace, struct tv_error *err)
{
    struct packets_reader *reader;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*reader), &reader, err));
    tv_keys_init(&reader->keys, trace->alloc);
    trace->reader = reader;
    read_header(trace, reader);
    TV_TRY(read_tables(trace, err));
    if (!reader->has_summary && !trace->opts.is_part)
        TV_TRY(tv_text_damage_refuse(tv_text_damage_judge(trace->bytes, trace->len), 0, err));
    TV_TRY(tv_text_read_side(trace, &reader->summary, &reader->has_summary, err));
    if (reader->has_summary) {
        tv_text_section_compare_version(trace, &reader->summary);
    } else {
        tv_findings_add(&trace->findings, TV_FINDING_NO_SUMMARY, 1, reader->end);
    }
    return prepare_records(trace, err);
}

/* Records. */

/* Ticks as nanoseconds, rounded down, at most INT64_MAX. */
static uint64_t ns_of_ticks(uint64_t ticks, uint64_t frequency)
{
    uint64_t seconds = ticks / frequency;
    uint64_t rest = ticks % frequency;
    if (seconds >= INT64_MAX / TV_NS_PER_S)
        return INT64_MAX;
    /* Above 18 GHz the product would overflow; coarser ticks lose nothing there. */
    while (frequency > UINT64_MAX / TV_NS_PER_S) {
        frequency >>= 1;
        rest >>= 1;
    }
    return seconds * TV_NS_PER_S + rest * TV_NS_PER_S / frequency;
}

/* Sums are modulo 2^64 and then signed: a time before the start stays negative, and the index
 * raises and reports it. */
static uint64_t ns_of_signed_ticks(uint64_t ticks, uint64_t frequency)
{
    return ticks >> 63 ? 0 - ns_of_ticks(0 - ticks, frequency) : ns_of_ticks(ticks, frequency);
}

/* Brings the times of decoded records into the trace's unit. */
static void append_times(const struct tv_trace *trace, const struct packets_reader *reader,
                         enum tv_clock clock, struct tv_batch *batch)
{
    const struct tv_raw *raw = &reader->raw;
    bool is_ticks = tv_block_has_bare_exits(reader->walk.block.layout);
    bool is_first = clock == TV_CLOCK_WALL || !trace->has_clock[TV_CLOCK_WALL];
    /* The first time of layout E is in the column of wall times, whichever clock it is of. */
    const uint64_t *from = raw->time[is_ticks && is_first ? TV_CLOCK_WALL : clock];
    uint64_t *to = batch->time[clock] + batch->count;
    uint64_t frequency = reader->frequency;
    if (!trace->has_clock[clock]) {
        memset(to, 0, raw->count * sizeof(*to));
    } else if (reader->has_short_times) {
        for (size_t i = 0; i < raw->count; i++)
            to[i] = from[i] & UINT32_MAX;
    } else if (frequency && is_ticks && is_first) {
        for (size_t i = 0; i < raw->count; i++)
            to[i] = ns_of_signed_ticks(from[i], frequency);
    } else {
        memcpy(to, from, raw->count * sizeof(*to));
    }
}

/* A batch is filled from runs of one thread's records, because a block has one thread and the walk
 * stops at its end. */
static enum tv_code packets_next(struct tv_trace *trace, struct tv_batch *batch,
                                 struct tv_error *err)
{
    struct packets_reader *reader = trace->reader;
    struct tv_block_walk *walk = &reader->walk;
    enum tv_exits exits =
        tv_block_has_bare_exits(walk->block.layout) ? TV_EXITS_BARE : TV_EXITS_NAMED;
    batch->offset_step = 0;
    while (batch->count < trace->opts.batch_len) {
        size_t room = trace->opts.batch_len - batch->count;
        if (!tv_block_walk_next(walk, &reader->raw, room < TV_RAW_CAP ? room : TV_RAW_CAP)) {
            tell_broken(trace, walk->broken_count, walk->broken_off);
            tv_keys_release(&reader->keys);
            break;
        }
        append_times(trace, reader, TV_CLOCK_WALL, batch);
        append_times(trace, reader, TV_CLOCK_CPU, batch);
        TV_TRY(tv_keys_append(&reader->keys, trace, &reader->raw, exits, batch, err));
    }
    batch->offset = batch->count ? batch->offsets[0] : reader->end;
    return TV_OK;
}

static void packets_skip_fixed(struct tv_trace *trace)
{
    struct tv_block_walk *walk = &((struct packets_reader *)trace->reader)->walk;
    walk->cursor.pos = walk->cursor.len;
    trace->has_keys_by_place = true;
}

const struct tv_format tv_format_packets = {.family = "packets",
                                            .matches = packets_matches,
                                            .open = packets_open,
                                            .next = packets_next,
                                            .skip_fixed = packets_skip_fixed,
                                            .close = packets_close};
