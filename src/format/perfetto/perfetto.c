/*
 * Perfetto traces that carry low-overhead dumps, one for each process that was recorded.
 *
 * A dump stands in one packet, or in pieces in several. Opening walks all packets and notes where
 * the pieces are. The bytes of a dump in one piece stay where they are; pieces are joined in the
 * arena. The dumps are then read one after the other as those of one trace, with the wall clock
 * that they share.
 *
 * Addresses of methods mean something within one process only. A method that several processes
 * describe alike is one method here, with the id that it had first. An address that is taken gives
 * way to a number that no address has, and so does a thread id that another process used before.
 * Format: docs/formats/perfetto.md.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/search.h"
#include "base/memory/text_map.h"
#include "format/event_block_walk.h"
#include "format/formats.h"
#include "format/low_overhead/low_overhead.h"
#include "format/packet.h"
#include "format/perfetto/perfetto_packets.h"
#include "format/text_section.h"
#include "format/wire.h"

/* Thread ids of Linux, and addresses of methods, are smaller. */
#define OTHER_THREADS (UINT32_C(1) << 31)
#define OTHER_METHODS (UINT64_C(1) << 63)
#define METHOD_STEP 4u

/* A part of a dump: some bytes of one packet. */
struct piece {
    size_t off; /* in the file */
    size_t len;
    size_t at;   /* in the joined dump: where it begins */
    size_t next; /* 1 + the next piece of the same dump; 0: none */
};

struct dump {
    const uint8_t *bytes; /* the file, or the joined pieces */
    size_t pos;
    size_t end;
    size_t len;         /* of all pieces */
    size_t first, last; /* 1 + a piece */
    bool is_joined;
    struct tv_map method_of_address; /* an ordinal of a method of the trace */
};

/* `base` is first, so that a pointer to it is one to this. */
struct perfetto_reader {
    struct tv_dump_reader base;
    struct tv_trace *trace;
    struct piece *pieces;
    size_t piece_count, piece_cap;
    struct dump *dumps; /* one per process of the trace */
    size_t dump_cap;
    struct tv_map process_of_id;
    struct tv_text_map method_of_text; /* by its description */
    struct tv_map other_threads;       /* process << 32 | thread id -> the id that it has here */
    uint64_t other_methods;            /* how many methods could not keep their address */
    size_t process;                    /* whose records are read */
    struct tv_block_walk walk;
    size_t piece; /* that the record before was in */
};

/* Whether any packet carries a dump; looks at all packets where none does. */
static bool perfetto_matches(const uint8_t *bytes, size_t len)
{
    struct tv_perfetto_packets packets;
    struct tv_perfetto_packet packet;
    tv_perfetto_start(&packets, bytes, len);
    while (tv_perfetto_take(&packets, &packet)) {
        if (packet.is_dump)
            return true;
    }
    return false;
}

/* Pieces. */

/* The command line up to its first argument. */
static struct tv_str program_of(struct tv_str command_line)
{
    const char *end = command_line.len ? memchr(command_line.at, 0, command_line.len) : NULL;
    return end ? (struct tv_str){command_line.at, (size_t)(end - command_line.at)} : command_line;
}

static enum tv_code add_process(struct perfetto_reader *reader, uint32_t id, struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    size_t count = trace->process_count;
    TV_TRY(tv_alloc_grow(trace->alloc, &trace->processes, &trace->process_cap, count + 1,
                         sizeof(*trace->processes), err));
    TV_TRY(tv_alloc_grow(trace->alloc, &reader->dumps, &reader->dump_cap, count + 1,
                         sizeof(*reader->dumps), err));
    trace->processes[count] = (struct tv_trace_process){.id = id};
    reader->dumps[count] = (struct dump){.bytes = trace->bytes};
    tv_map_init(&reader->dumps[count].method_of_address, trace->alloc);
    trace->process_count++;
    return TV_OK;
}

/* Finds the process that a packet is of, or adds it. Where packets do not say it, each header is
 * that of a process of its own. */
static enum tv_code find_process(struct perfetto_reader *reader,
                                 const struct tv_perfetto_packet *packet, uint32_t *process,
                                 struct tv_error *err)
{
    uint32_t *slot;
    uint32_t count = (uint32_t)reader->trace->process_count;
    TV_TRY(tv_map_slot(&reader->process_of_id, packet->process_id, count, &slot, err));
    if (!packet->process_id && packet->has_header)
        *slot = count;
    *process = *slot;
    return *process == count ? add_process(reader, packet->process_id, err) : TV_OK;
}

/* The pieces of a dump are a chain in the order of the file; `at` is where a piece goes when they
 * are joined. */
static enum tv_code add_piece(struct perfetto_reader *reader,
                              const struct tv_perfetto_packet *packet, struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    uint32_t process;
    TV_TRY(find_process(reader, packet, &process, err));
    if (!trace->processes[process].name.len)
        trace->processes[process].name = program_of(packet->process_name);
    if (!packet->len)
        return TV_OK;
    TV_TRY(tv_alloc_grow(trace->alloc, &reader->pieces, &reader->piece_cap, reader->piece_count + 1,
                         sizeof(*reader->pieces), err));
    struct dump *dump = &reader->dumps[process];
    reader->pieces[reader->piece_count++] =
        (struct piece){.off = packet->pos, .len = packet->len, .at = dump->len};
    if (dump->last)
        reader->pieces[dump->last - 1].next = reader->piece_count;
    else
        dump->first = reader->piece_count;
    dump->last = reader->piece_count;
    dump->len += packet->len;
    return TV_OK;
}

static enum tv_code find_pieces(struct perfetto_reader *reader, struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    struct tv_perfetto_packets packets;
    struct tv_perfetto_packet packet;
    tv_perfetto_start(&packets, trace->bytes, trace->len);
    while (tv_perfetto_take(&packets, &packet)) {
        if (packet.is_cut)
            tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, packet.off);
        if (packet.is_dump)
            TV_TRY(add_piece(reader, &packet, err));
    }
    reader->base.end = packets.cursor.pos;
    if (tv_cursor_left(&packets.cursor))
        tv_text_judge_tail(trace, packets.cursor.pos);
    return TV_OK;
}

/* Makes the bytes of a dump one stretch. */
static enum tv_code join_pieces(struct perfetto_reader *reader, struct dump *dump,
                                struct tv_error *err)
{
    uint8_t *joined;
    if (dump->first == dump->last) {
        dump->pos = dump->first ? reader->pieces[dump->first - 1].off : 0;
        dump->end = dump->pos + dump->len;
        return TV_OK;
    }
    TV_TRY(tv_arena_take(&reader->trace->arena, dump->len, &joined, err));
    for (size_t i = dump->first; i; i = reader->pieces[i - 1].next) {
        const struct piece *piece = &reader->pieces[i - 1];
        memcpy(joined + piece->at, reader->trace->bytes + piece->off, piece->len);
    }
    dump->bytes = joined;
    dump->end = dump->len;
    dump->is_joined = true;
    return TV_OK;
}

/* Where a byte of a dump stands in the file. The next byte that is asked for mostly stands in the
 * same piece, or behind it. */
static size_t file_offset(struct perfetto_reader *reader, const struct dump *dump, size_t at)
{
    if (!dump->is_joined)
        return at;
    const struct piece *piece = reader->piece ? &reader->pieces[reader->piece - 1] : NULL;
    if (!piece || at < piece->at) {
        reader->piece = dump->first;
        piece = &reader->pieces[dump->first - 1];
    }
    while (at >= piece->at + piece->len && piece->next) {
        reader->piece = piece->next;
        piece = &reader->pieces[piece->next - 1];
    }
    return piece->off + (at - piece->at);
}

/* Threads and methods. */

/* Finds the id that a thread has in the trace, or gives it one. */
static enum tv_code place_thread(struct perfetto_reader *reader, uint32_t process, uint32_t id,
                                 uint32_t *placed, struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    uint32_t *slot;
    if (id < OTHER_THREADS) {
        TV_TRY(tv_map_slot(&trace->process_of_thread, id, process, &slot, err));
        *placed = id;
        if (*slot == process)
            return TV_OK;
    }
    uint32_t other = OTHER_THREADS + (uint32_t)reader->other_threads.count;
    TV_TRY(tv_map_slot(&reader->other_threads, (uint64_t)process << 32 | id, other, &slot, err));
    *placed = *slot;
    return *placed == other ? tv_map_put(&trace->process_of_thread, other, process, err) : TV_OK;
}

/* The id of a thread that has a place. */
static uint32_t placed_thread(const struct perfetto_reader *reader, uint32_t process, uint32_t id)
{
    if (id < OTHER_THREADS && tv_map_get(&reader->trace->process_of_thread, id) == process)
        return id;
    return tv_map_get(&reader->other_threads, (uint64_t)process << 32 | id);
}

/* Adds a method with its address for an id, or with another number where the address is taken. */
static enum tv_code add_method(struct perfetto_reader *reader, struct tv_trace_method *method,
                               uint64_t offset, uint32_t *ordinal, struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    while (method->id == TV_METHOD_ID_UNKNOWN ||
           tv_map_get(&trace->method_of_id, method->id) != TV_MAP_NONE)
        method->id = OTHER_METHODS + METHOD_STEP * reader->other_methods++;
    *ordinal = (uint32_t)trace->method_count;
    return tv_trace_add_method(trace, method, offset, err);
}

/* Notes that an address means a method; the later description of an address wins. */
static enum tv_code link_address(struct perfetto_reader *reader, struct dump *dump,
                                 uint64_t address, uint32_t ordinal, uint64_t offset,
                                 struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    uint32_t *slot;
    TV_TRY(tv_map_slot(&dump->method_of_address, address, ordinal, &slot, err));
    if (*slot == ordinal)
        return TV_OK;
    struct tv_trace_method *before = &trace->methods[*slot];
    tv_findings_add(&trace->findings, TV_FINDING_DUPLICATE_METHOD, before->is_duplicate ? 0 : 1,
                    offset);
    before->is_duplicate = true;
    *slot = ordinal;
    return TV_OK;
}

static enum tv_code take_method(struct perfetto_reader *reader, struct dump *dump,
                                const struct tv_packet *packet, uint64_t offset,
                                struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    struct tv_trace_method method = {.id = packet->method_id};
    uint32_t *ordinal;
    if (tv_text_parse_method(packet->text, &method) != TV_TEXT_GOOD)
        tv_findings_add(&trace->findings, TV_FINDING_BAD_LINE, 1, offset);
    TV_TRY(tv_text_map_slot(&reader->method_of_text, packet->text, TV_MAP_NONE, &ordinal, err));
    if (*ordinal == TV_MAP_NONE)
        TV_TRY(add_method(reader, &method, offset, ordinal, err));
    return link_address(reader, dump, packet->method_id, *ordinal, offset, err);
}

static enum tv_code take_description(struct perfetto_reader *reader, uint32_t process,
                                     const struct tv_packet *packet, struct tv_error *err)
{
    struct dump *dump = &reader->dumps[process];
    uint64_t offset = file_offset(reader, dump, packet->off);
    uint32_t id;
    if (packet->kind == TV_PACKET_METHOD)
        return take_method(reader, dump, packet, offset, err);
    if (packet->kind != TV_PACKET_THREAD)
        return TV_OK;
    TV_TRY(place_thread(reader, process, packet->thread_id, &id, err));
    return tv_trace_add_thread(reader->trace, id, packet->text, offset, err);
}

/* Reads the thread and method packets of a dump, and finds where its packets end. */
static enum tv_code read_tables(struct perfetto_reader *reader, uint32_t process,
                                struct tv_error *err)
{
    struct dump *dump = &reader->dumps[process];
    struct tv_cursor cursor = {.bytes = dump->bytes, .len = dump->end, .pos = dump->pos};
    struct tv_packet packet;
    reader->piece = 0;
    while (tv_cursor_left(&cursor) && tv_packet_take_dump(&cursor, &packet) == TV_PACKET_TAKEN) {
        if (packet.is_cut)
            tv_findings_add(&reader->trace->findings, TV_FINDING_TRUNCATED_RECORD, 1,
                            file_offset(reader, dump, packet.off));
        TV_TRY(take_description(reader, process, &packet, err));
    }
    if (tv_cursor_left(&cursor))
        tv_findings_add(&reader->trace->findings, TV_FINDING_TRUNCATED_RECORD, 1,
                        file_offset(reader, dump, cursor.pos));
    dump->end = cursor.pos;
    return TV_OK;
}

/* Records. */

static void start_process(struct perfetto_reader *reader, size_t process)
{
    const struct tv_trace *trace = reader->trace;
    reader->process = process;
    reader->piece = 0;
    if (process < trace->process_count)
        tv_block_walk_start(&reader->walk, &trace->method_of_id, TV_BLOCK_LONG_RUNNING,
                            reader->dumps[process].bytes, reader->dumps[process].pos,
                            reader->dumps[process].end);
}

/* The next records as their dump has them; false at the end of the last dump. */
static bool next_raw(struct perfetto_reader *reader, size_t raw_cap)
{
    while (reader->process < reader->trace->process_count) {
        if (tv_block_walk_next(&reader->walk, &reader->base.raw, raw_cap))
            return true;
        start_process(reader, reader->process + 1);
    }
    return false;
}

/* The id of a method that an enter names. An address that its process does not describe may be an
 * id of another process's method: it then gets the number beside it. */
static uint64_t placed_method(const struct perfetto_reader *reader, uint64_t address)
{
    const struct tv_trace *trace = reader->trace;
    uint32_t ordinal = tv_map_get(&reader->dumps[reader->process].method_of_address, address);
    if (ordinal != TV_MAP_NONE)
        return trace->methods[ordinal].id;
    if (tv_map_get(&trace->method_of_id, address) == TV_MAP_NONE)
        return address;
    address |= 1;
    return tv_map_get(&trace->method_of_id, address) == TV_MAP_NONE ? address
                                                                    : TV_METHOD_ID_UNKNOWN;
}

static bool take_records(struct tv_dump_reader *base, size_t raw_cap)
{
    struct perfetto_reader *reader = (struct perfetto_reader *)base;
    struct tv_raw *raw = &base->raw;
    if (!next_raw(reader, raw_cap))
        return false;
    const struct dump *dump = &reader->dumps[reader->process];
    raw->thread_id = placed_thread(reader, (uint32_t)reader->process, raw->thread_id);
    for (size_t i = 0; i < raw->count; i++) {
        raw->offset[i] = file_offset(reader, dump, raw->offset[i]);
        if (raw->action[i] == TV_ACTION_ENTER)
            raw->method_id[i] = placed_method(reader, raw->method_id[i]);
    }
    return true;
}

/* Walks all records once: gives each thread its place, and finds the earliest time, at which the
 * axis begins. */
static enum tv_code measure(struct perfetto_reader *reader, struct tv_error *err)
{
    struct tv_trace *trace = reader->trace;
    const struct tv_raw *raw = &reader->base.raw;
    uint64_t first = UINT64_MAX;
    start_process(reader, 0);
    while (next_raw(reader, TV_RAW_CAP)) {
        uint32_t id;
        TV_TRY(place_thread(reader, (uint32_t)reader->process, raw->thread_id, &id, err));
        trace->expected_records += raw->count;
        for (size_t i = 0; i < raw->count; i++) {
            if (raw->time[TV_CLOCK_WALL][i] < first)
                first = raw->time[TV_CLOCK_WALL][i];
        }
    }
    trace->start_time_ns = trace->expected_records ? first : 0;
    start_process(reader, 0);
    return TV_OK;
}

static void perfetto_close(struct tv_trace *trace)
{
    struct perfetto_reader *reader = trace->reader;
    if (!reader)
        return;
    for (size_t i = 0; i < trace->process_count; i++)
        tv_map_release(&reader->dumps[i].method_of_address);
    tv_alloc_release(trace->alloc, &reader->pieces, reader->piece_cap, sizeof(*reader->pieces));
    tv_alloc_release(trace->alloc, &reader->dumps, reader->dump_cap, sizeof(*reader->dumps));
    tv_map_release(&reader->process_of_id);
    tv_text_map_release(&reader->method_of_text);
    tv_map_release(&reader->other_threads);
    tv_dump_close(trace);
}

static enum tv_code perfetto_open(struct tv_trace *trace, struct tv_error *err)
{
    struct perfetto_reader *reader;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*reader), &reader, err));
    reader->trace = trace;
    tv_keys_init(&reader->base.keys, trace->alloc);
    tv_map_init(&reader->process_of_id, trace->alloc);
    tv_text_map_init(&reader->method_of_text, trace->alloc);
    tv_map_init(&reader->other_threads, trace->alloc);
    trace->reader = reader;
    memcpy(trace->format_name, "perfetto", sizeof("perfetto"));
    trace->version = TV_WIRE_LONG_RUNNING_VERSION & ~TV_WIRE_STREAMING;
    trace->is_streaming = true;
    trace->unit_ns = 1;
    trace->clock_bits = 64;
    tv_dump_set_timed(trace, &reader->base, take_records);
    TV_TRY(find_pieces(reader, err));
    for (size_t i = 0; i < trace->process_count; i++) {
        TV_TRY(join_pieces(reader, &reader->dumps[i], err));
        TV_TRY(read_tables(reader, (uint32_t)i, err));
    }
    trace->has_pid = trace->process_count == 1 && trace->processes[0].id;
    trace->pid = trace->has_pid ? trace->processes[0].id : 0;
    return measure(reader, err);
}

const struct tv_format tv_format_perfetto = {.family = "perfetto",
                                             .matches = perfetto_matches,
                                             .open = perfetto_open,
                                             .next = tv_dump_next,
                                             .close = perfetto_close};
