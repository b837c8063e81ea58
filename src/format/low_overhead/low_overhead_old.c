/*
 * Family G as ART wrote it at first, from July 2024 to February 2025: dumps of all methods behind a
 * magic, and long-running methods as lines of text. Both end with lists of threads and methods as
 * in a text section. Format: docs/formats/low-overhead.md.
 */
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "base/memory/text_damage.h"
#include "base/units.h"
#include "format/formats.h"
#include "format/keys.h"
#include "format/low_overhead/low_overhead.h"
#include "format/text_section.h"
#include "format/wire.h"

#define MAGIC "TMOL\1" /* followed by the high byte of the version, 0, which ends the string */
#define FIRST_WORD "Thread:"
#define DIGITS_MOST 10u
#define USEC_MOST ((uint64_t)INT64_MAX / TV_NS_PER_US)

/* `base` is first, so that a pointer to it is one to this. */
struct old_reader {
    struct tv_dump_reader base;
    struct tv_cursor lines; /* its len is where the records end */
    uint32_t thread_id;     /* of the lines that follow */
};

/* A dump of all methods begins with a magic. */
static bool is_blocks(const uint8_t *bytes, size_t len)
{
    return len >= sizeof(MAGIC) && !memcmp(bytes, MAGIC, sizeof(MAGIC));
}

/* Lines of records begin with a thread's, of up to ten digits. */
static bool is_lines(const uint8_t *bytes, size_t len)
{
    size_t word_len = sizeof(FIRST_WORD) - 1;
    if (len <= word_len || memcmp(bytes, FIRST_WORD, word_len) != 0)
        return false;
    size_t at = word_len;
    while (at < len && at < word_len + DIGITS_MOST && bytes[at] >= '0' && bytes[at] <= '9')
        at++;
    return at > word_len && (at == len || bytes[at] == '\n' || bytes[at] == '\r');
}

static bool old_matches(const uint8_t *bytes, size_t len)
{
    return is_blocks(bytes, len) || is_lines(bytes, len);
}

/* Lines of records. */

enum line_kind { LINE_THREAD, LINE_ENTER, LINE_EXIT, LINE_OTHER };

struct line {
    enum line_kind kind;
    uint64_t method_id; /* enter */
    uint64_t number;    /* the thread's id; the time in microseconds */
};

static struct tv_str after(struct tv_str text, size_t len)
{
    return (struct tv_str){text.at + len, text.len - len};
}

/* "->ADDRESS TIME"; the address as C libraries print pointers. */
static enum line_kind parse_enter(struct tv_str rest, struct line *line)
{
    struct tv_str address;
    if (!tv_str_split(&rest, ' ', &address) || !tv_str_starts_with(address, TV_STR("0x")) ||
        !tv_str_to_u64(after(address, 2), 16, &line->method_id) ||
        !tv_str_to_u64(rest, 10, &line->number) || line->number > USEC_MOST)
        return LINE_OTHER;
    return LINE_ENTER;
}

/* A line is a thread's ("Thread:ID"), an enter ("->ADDRESS TIME"), an exit ("<-TIME"),
 * or damaged. */
static void parse_line(struct tv_str text, struct line *line)
{
    *line = (struct line){.kind = LINE_OTHER};
    if (tv_str_starts_with(text, TV_STR("->"))) {
        line->kind = parse_enter(after(text, 2), line);
    } else if (tv_str_starts_with(text, TV_STR("<-"))) {
        if (tv_str_to_u64(after(text, 2), 10, &line->number) && line->number <= USEC_MOST)
            line->kind = LINE_EXIT;
    } else if (tv_str_starts_with(text, TV_STR(FIRST_WORD))) {
        if (tv_str_to_u64(after(text, sizeof(FIRST_WORD) - 1), 10, &line->number) &&
            line->number <= UINT32_MAX)
            line->kind = LINE_THREAD;
    }
}

/* Reads the next record; false at the end. Lines that are no records are skipped. */
static bool next_line(struct old_reader *reader, struct line *line, size_t *off)
{
    struct tv_str text;
    for (;;) {
        *off = reader->lines.pos;
        if (!tv_cursor_take_line(&reader->lines, &text))
            return false;
        parse_line(text, line);
        if (line->kind == LINE_ENTER || line->kind == LINE_EXIT)
            return true;
        if (line->kind == LINE_THREAD)
            reader->thread_id = (uint32_t)line->number;
    }
}

static void start_lines(const struct tv_trace *trace, struct old_reader *reader)
{
    reader->thread_id = 0;
    reader->lines = (struct tv_cursor){.bytes = trace->bytes, .len = reader->base.end, .pos = 0};
}

/* Reads records of one thread that stand together. */
static bool take_lines(struct tv_dump_reader *base, size_t raw_cap)
{
    struct old_reader *reader = (struct old_reader *)base;
    struct tv_raw *raw = &base->raw;
    raw->count = 0;
    while (raw->count < raw_cap) {
        struct tv_cursor before = reader->lines;
        uint32_t thread_id = reader->thread_id;
        struct line line;
        size_t off;
        if (!next_line(reader, &line, &off))
            break;
        if (raw->count && reader->thread_id != thread_id) {
            reader->lines = before;
            reader->thread_id = thread_id;
            break;
        }
        raw->thread_id = reader->thread_id;
        raw->action[raw->count] = line.kind == LINE_ENTER ? TV_ACTION_ENTER : TV_ACTION_EXIT;
        raw->method_id[raw->count] = line.method_id;
        raw->time[TV_CLOCK_WALL][raw->count] = line.number;
        raw->offset[raw->count++] = off;
    }
    return raw->count > 0;
}

/* Sets where the lines of records end: before the lists, or before a line that the file cuts. */
static void find_lines_end(struct tv_trace *trace, struct old_reader *reader)
{
    struct tv_cursor cursor = {.bytes = trace->bytes, .len = trace->len, .pos = 0};
    struct tv_str text;
    for (;;) {
        reader->base.end = cursor.pos;
        if (!tv_cursor_take_line(&cursor, &text) || trace->bytes[cursor.pos - 1] != '\n' ||
            !text.len)
            return;
        struct line line;
        parse_line(text, &line);
        if (line.kind == LINE_OTHER)
            tv_findings_add(&trace->findings, TV_FINDING_BAD_LINE, 1, reader->base.end);
    }
}

/* The axis begins at the earliest time; the file counts from the machine's start. */
static void measure_lines(struct tv_trace *trace, struct old_reader *reader)
{
    uint64_t first = UINT64_MAX;
    struct line line;
    size_t off;
    start_lines(trace, reader);
    while (next_line(reader, &line, &off)) {
        trace->expected_records++;
        if (line.number < first)
            first = line.number;
    }
    trace->start_time_ns = trace->expected_records ? first * TV_NS_PER_US : 0;
    start_lines(trace, reader);
}

/* Both forms. */

/* The lists that end the file; a file without all of them is cut. */
static enum tv_code read_lists(struct tv_trace *trace, const struct old_reader *reader,
                               struct tv_error *err)
{
    struct tv_str rest = {(const char *)trace->bytes + reader->base.end,
                          trace->len - reader->base.end};
    struct tv_str end_line = TV_STR("\n*end");
    bool is_whole = tv_str_ends_with(rest, end_line);
    struct tv_text_section section = {.has_end = false};
    bool has_crlf = tv_str_starts_with(rest, TV_STR("\r\n*threads\r\n"));
    if (has_crlf || tv_str_starts_with(rest, TV_STR("\n*threads\n"))) {
        struct tv_text_source source = {.bytes = trace->bytes,
                                        .len = trace->len,
                                        .pos = reader->base.end + 1 + has_crlf,
                                        .has_offsets = true,
                                        .is_cut = !is_whole};
        TV_TRY(tv_text_section_read(trace, &source, &section, err));
    }
    if (!section.has_end) {
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, reader->base.end);
    } else if (section.end_pos < trace->len) {
        tv_findings_add(&trace->findings, TV_FINDING_TRAILING_BYTES, 1, section.end_pos);
    }
    return TV_OK;
}

/* A dump of all methods: the walk over its blocks finds where the lists begin. */
static enum tv_code open_blocks(struct tv_trace *trace, struct old_reader *reader,
                                struct tv_error *err)
{
    struct tv_all_methods_blocks blocks = {.bytes = trace->bytes,
                                           .first = sizeof(MAGIC),
                                           .end = trace->len,
                                           .header_len = TV_ALL_METHODS_HEADER_OLD};
    tv_all_methods_walk(&blocks);
    reader->base.end = blocks.end;
    if (blocks.is_cut)
        TV_TRY(tv_text_damage_refuse(tv_text_damage_judge(trace->bytes, trace->len), 0, err));
    TV_TRY(read_lists(trace, reader, err));
    if (blocks.is_cut)
        blocks.end = trace->len; /* its whole records count */
    trace->expected_records =
        tv_all_methods_start(&reader->base.dump, &blocks, &trace->method_of_id, &reader->base.raw);
    trace->unit_ns = 1;
    return TV_OK;
}

/* Long-running methods: an empty line ends the records. */
static enum tv_code open_lines(struct tv_trace *trace, struct old_reader *reader,
                               struct tv_error *err)
{
    find_lines_end(trace, reader);
    TV_TRY(read_lists(trace, reader, err));
    tv_dump_set_timed(trace, &reader->base, take_lines);
    trace->unit_ns = TV_NS_PER_US;
    measure_lines(trace, reader);
    return TV_OK;
}

static enum tv_code old_open(struct tv_trace *trace, struct tv_error *err)
{
    struct old_reader *reader;
    TV_TRY(tv_arena_take(&trace->arena, sizeof(*reader), &reader, err));
    tv_keys_init(&reader->base.keys, trace->alloc);
    trace->reader = reader;
    memcpy(trace->format_name, "low-overhead", sizeof("low-overhead"));
    trace->clock_bits = 64;
    return is_blocks(trace->bytes, trace->len) ? open_blocks(trace, reader, err)
                                               : open_lines(trace, reader, err);
}

const struct tv_format tv_format_low_overhead_old = {.family = "low-overhead",
                                                     .matches = old_matches,
                                                     .open = old_open,
                                                     .next = tv_dump_next,
                                                     .close = tv_dump_close};
