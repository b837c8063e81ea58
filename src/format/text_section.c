/*
 * Walks the text section line by line, in bytes: names may hold anything, offsets stay true
 * whatever the line ends are. Grammar and oddities: docs/formats/text.md.
 *
 * A name of a thread may hold newlines, which no writer escapes: lines without `digits TAB`
 * continue the name before them. They lie next to each other, so the name is one view from the
 * first to the last.
 */
#include "format/text_section.h"

#include <string.h>

#include "base/bytes.h"
#include "base/bytes/cursor.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/units.h"
#include "format/wire.h"

/* The parts of a section. The line after *version is its number, if it is one. */
enum part { PART_VERSION_NUMBER, PART_OPTIONS, PART_THREADS, PART_METHODS };

/* The state of a walk over the lines. */
struct walk {
    struct tv_trace *trace;
    const struct tv_text_source *source;
    struct tv_text_section *section;
    struct tv_cursor cursor;
    enum part part;
    uint64_t line_off;
    bool has_thread; /* the last thread may have more of its name in lines to come */
    uint32_t thread_id;
    struct tv_str thread_name;
    uint64_t thread_off;
    bool is_cut_early;
    uint64_t overflow_off;
    uint64_t records_lost, records_lost_off;
};

static void add_finding(struct walk *walk, enum tv_finding_kind kind, uint64_t offset)
{
    tv_findings_add(&walk->trace->findings, kind, 1, offset);
}

static void add_bad_line(struct walk *walk)
{
    add_finding(walk, TV_FINDING_BAD_LINE, walk->line_off);
}

/* Decimal, 0x hexadecimal, 0 octal, and the null pointer of a C library that prints "(nil)". */
static bool parse_number(struct tv_str text, uint64_t *value)
{
    if (tv_str_equal(text, TV_STR("(nil)"))) {
        *value = 0;
        return true;
    }
    if (text.len > 2 && text.at[0] == '0' && (text.at[1] == 'x' || text.at[1] == 'X'))
        return tv_str_to_u64((struct tv_str){text.at + 2, text.len - 2}, 16, value);
    if (text.len > 1 && text.at[0] == '0')
        return tv_str_to_u64((struct tv_str){text.at + 1, text.len - 1}, 8, value);
    return tv_str_to_u64(text, 10, value);
}

/* A line number of source code; -1 and -2 are what ART writes for "unknown" and "native". */
static bool parse_line_number(struct tv_str text, int32_t *line)
{
    bool is_negative = text.len && text.at[0] == '-';
    struct tv_str digits = {text.at + is_negative, text.len - is_negative};
    uint64_t value;
    if (!tv_str_to_u64(digits, 10, &value) || value > INT32_MAX)
        return false;
    *line = is_negative ? -(int32_t)value : (int32_t)value;
    return true;
}

/* Reads a last column, which must be a line number if there is one. */
static enum tv_text_quality take_line_number(struct tv_str text, struct tv_trace_method *method)
{
    if (!text.len || parse_line_number(text, &method->line))
        return TV_TEXT_GOOD;
    return TV_TEXT_PARTLY;
}

/* Three columns are class, file and line if the third is a number, as on the page of Android 1.x;
 * else class, name and signature. */
enum tv_text_quality tv_text_parse_method(struct tv_str fields, struct tv_trace_method *method)
{
    enum { CLASS, NAME, SIGNATURE, FILE_NAME, LINE, FIELD_COUNT };
    struct tv_str field[FIELD_COUNT] = {{NULL, 0}};
    size_t count = 0;
    while (count < FIELD_COUNT && tv_str_split(&fields, '\t', &field[count]))
        count++;
    method->class_name = field[CLASS];
    if (!count)
        return TV_TEXT_BAD;
    if (count == 3 && field[SIGNATURE].len && field[SIGNATURE].at[0] != '(' &&
        parse_line_number(field[SIGNATURE], &method->line)) {
        method->file = field[NAME]; /* the page of Android 1.x: class, file, line */
        return TV_TEXT_GOOD;
    }
    method->name = field[NAME];
    method->signature = field[SIGNATURE];
    method->file = field[FILE_NAME];
    return take_line_number(field[LINE], method);
}

enum tv_text_quality tv_text_parse_method_line(struct tv_str line, struct tv_trace_method *method)
{
    struct tv_str id;
    if (!tv_str_split(&line, '\t', &id) || !parse_number(id, &method->id))
        return TV_TEXT_BAD;
    return tv_text_parse_method(line, method);
}

/* Adds the last thread, whose name is complete when the next thread or part begins. */
static enum tv_code end_thread(struct walk *walk, struct tv_error *err)
{
    if (!walk->has_thread)
        return TV_OK;
    walk->has_thread = false;
    return tv_trace_add_thread(walk->trace, walk->thread_id, walk->thread_name, walk->thread_off,
                               err);
}

/* Whether the line is `digits TAB name`; the id may still be too large. */
static bool split_thread_line(struct tv_str line, struct tv_str *digits, struct tv_str *name)
{
    size_t len = 0;
    while (len < line.len && line.at[len] >= '0' && line.at[len] <= '9')
        len++;
    if (!len || len == line.len || line.at[len] != '\t')
        return false;
    *digits = (struct tv_str){line.at, len};
    *name = (struct tv_str){line.at + len + 1, line.len - len - 1};
    return true;
}

/* A line that begins no thread goes on with the name of the last one. It is counted, since it may
 * also be damage. */
static enum tv_code take_thread_line(struct walk *walk, struct tv_str line, struct tv_error *err)
{
    struct tv_str digits;
    struct tv_str name;
    uint64_t id;
    if (!split_thread_line(line, &digits, &name)) {
        add_bad_line(walk);
        if (walk->has_thread)
            walk->thread_name.len = (size_t)(line.at + line.len - walk->thread_name.at);
        return TV_OK;
    }
    TV_TRY(end_thread(walk, err));
    if (!tv_str_to_u64(digits, 10, &id) || id > UINT32_MAX) {
        add_bad_line(walk);
        return TV_OK;
    }
    walk->has_thread = true;
    walk->thread_id = (uint32_t)id;
    walk->thread_name = name;
    walk->thread_off = walk->line_off;
    return TV_OK;
}

static enum tv_code take_method_line(struct walk *walk, struct tv_str line, struct tv_error *err)
{
    struct tv_trace_method method = {0};
    enum tv_text_quality quality = tv_text_parse_method_line(line, &method);
    if (quality != TV_TEXT_GOOD)
        add_bad_line(walk);
    if (quality == TV_TEXT_BAD)
        return TV_OK;
    return tv_trace_add_method(walk->trace, &method, walk->line_off, err);
}

/* Each of these sets what an option means, and returns whether its value could be read. */

static bool set_overflow(struct walk *walk, struct tv_str value)
{
    walk->is_cut_early = tv_str_equal(value, TV_STR("true"));
    walk->overflow_off = walk->line_off;
    return walk->is_cut_early || tv_str_equal(value, TV_STR("false"));
}

/* "global" is an old word for wall time (docs/formats/text.md). */
static bool set_clock(struct walk *walk, struct tv_str value)
{
    enum tv_clock_option clock = TV_CLOCK_OPTION_NONE;
    if (tv_str_equal(value, TV_STR("dual"))) {
        clock = TV_CLOCK_OPTION_DUAL;
    } else if (tv_str_equal(value, TV_STR("wall")) || tv_str_equal(value, TV_STR("global"))) {
        clock = TV_CLOCK_OPTION_WALL;
    } else if (tv_str_equal(value, TV_STR("thread-cpu"))) {
        clock = TV_CLOCK_OPTION_CPU;
    }
    walk->section->clock = clock;
    return clock != TV_CLOCK_OPTION_NONE;
}

static bool set_elapsed_usec(struct walk *walk, struct tv_str value)
{
    uint64_t usec;
    if (!tv_str_to_u64(value, 10, &usec) || usec > UINT64_MAX / TV_NS_PER_US)
        return false;
    walk->trace->has_elapsed = usec != 0; /* no run takes no time: 0 says that nobody knows */
    walk->trace->elapsed_ns = usec * TV_NS_PER_US;
    walk->section->has_elapsed_usec = true;
    return true;
}

static bool set_elapsed_nsec(struct walk *walk, struct tv_str value)
{
    uint64_t nsec;
    if (!tv_str_to_u64(value, 10, &nsec))
        return false;
    walk->trace->has_elapsed = nsec != 0;
    walk->trace->elapsed_ns = nsec;
    walk->section->has_elapsed_nsec = true;
    return true;
}

static bool set_record_count(struct walk *walk, struct tv_str value)
{
    struct tv_text_section *section = walk->section;
    section->has_record_count = tv_str_to_u64(value, 10, &section->record_count);
    section->record_count_off = walk->line_off;
    return section->has_record_count;
}

static bool set_clock_overhead(struct walk *walk, struct tv_str value)
{
    return tv_str_to_u64(value, 10, &walk->trace->clock_overhead_ns);
}

static bool set_vm(struct walk *walk, struct tv_str value)
{
    walk->trace->vm = value;
    return true;
}

static bool set_pid(struct walk *walk, struct tv_str value)
{
    walk->trace->has_pid = tv_str_to_u64(value, 10, &walk->trace->pid);
    return walk->trace->has_pid;
}

static bool set_records_lost(struct walk *walk, struct tv_str value)
{
    walk->records_lost_off = walk->line_off;
    return tv_str_to_u64(value, 10, &walk->records_lost);
}

/* The options that mean something to us; all others are kept as properties only. */
struct option {
    struct tv_str key;
    bool (*set)(struct walk *walk, struct tv_str value);
};

#define OPTION(text, function)                                                                     \
    {                                                                                              \
        {(text), sizeof(text) - 1}, (function)                                                     \
    }
static const struct option known_options[] = {
    OPTION("data-file-overflow", set_overflow),
    OPTION("clock", set_clock),
    OPTION("elapsed-time-usec", set_elapsed_usec),
    OPTION("elapsed-time-nsec", set_elapsed_nsec),
    OPTION("num-method-calls", set_record_count),
    OPTION("clock-call-overhead-nsec", set_clock_overhead),
    OPTION("vm", set_vm),
    OPTION("pid", set_pid),
    OPTION("records-lost", set_records_lost),
};

static bool understand_option(struct walk *walk, struct tv_str key, struct tv_str value)
{
    for (size_t i = 0; i < TV_COUNT_OF(known_options); i++) {
        if (tv_str_equal(known_options[i].key, key))
            return known_options[i].set(walk, value);
    }
    return true;
}

/* Keeps every key=value line as a property, whether or not its key is known. */
static enum tv_code take_option_line(struct walk *walk, struct tv_str line, struct tv_error *err)
{
    const char *equals = line.len ? memchr(line.at, '=', line.len) : NULL;
    if (!equals || equals == line.at) {
        add_bad_line(walk);
        return TV_OK;
    }
    struct tv_str key = {line.at, (size_t)(equals - line.at)};
    struct tv_str value = {equals + 1, line.len - key.len - 1};
    if (!understand_option(walk, key, value))
        add_bad_line(walk);
    return tv_trace_add_property(walk->trace, key, value, err);
}

static enum tv_code take_version_line(struct walk *walk, struct tv_str line, struct tv_error *err)
{
    walk->part = PART_OPTIONS;
    uint64_t version;
    if (!parse_number(line, &version))
        return take_option_line(walk, line, err);
    walk->section->has_version = true;
    walk->section->version = version;
    walk->section->version_off = walk->line_off;
    return TV_OK;
}

/* Goes to the part that a line like *threads begins; false when the line is none of the
 * four words. */
static bool switch_part(struct walk *walk, struct tv_str line)
{
    if (tv_str_equal(line, TV_STR("*version"))) {
        walk->part = PART_VERSION_NUMBER;
    } else if (tv_str_equal(line, TV_STR("*threads"))) {
        walk->part = PART_THREADS;
    } else if (tv_str_equal(line, TV_STR("*methods"))) {
        walk->part = PART_METHODS;
    } else if (tv_str_equal(line, TV_STR("*end"))) {
        walk->section->has_end = true;
    } else {
        return false;
    }
    return true;
}

static enum tv_code take_line(struct walk *walk, struct tv_str line, struct tv_error *err)
{
    if (line.len && line.at[0] == '*' && switch_part(walk, line))
        return end_thread(walk, err);
    switch (walk->part) {
    case PART_VERSION_NUMBER:
        return take_version_line(walk, line, err);
    case PART_OPTIONS:
        return take_option_line(walk, line, err);
    case PART_THREADS:
        return take_thread_line(walk, line, err);
    case PART_METHODS:
        return take_method_line(walk, line, err);
    }
    return TV_OK;
}

/* Whether a header of v1-v3 records begins here, in a section that should have ended before. */
static bool is_at_records(const struct walk *walk)
{
    const uint8_t *at = walk->cursor.bytes + walk->cursor.pos;
    if (!walk->source->before_records || tv_cursor_left(&walk->cursor) < TV_WIRE_DATA_OFFSET_AT ||
        tv_load_le32(at) != TV_WIRE_MAGIC)
        return false;
    uint16_t version = tv_load_le16(at + TV_WIRE_VERSION_AT);
    return version >= 1 && version <= 3;
}

/* Why records at the end are missing: of a full buffer, unless the recorder says more. */
static enum tv_finding_kind kind_of_overflow(const struct tv_trace *trace)
{
    if (tv_str_equal(tv_trace_property_of(trace, TV_STR("recording-cut")), TV_STR("true")))
        return TV_FINDING_RECORDING_CUT;
    if (tv_trace_number_of(trace, TV_STR("file-limit")))
        return TV_FINDING_SIZE_LIMIT;
    return TV_FINDING_OVERFLOW;
}

/* In a section that the file cuts, a last line without a line end is not whole and is left out. */
static enum tv_code walk_lines(struct walk *walk, struct tv_error *err)
{
    while (!walk->section->has_end && !is_at_records(walk)) {
        size_t pos = walk->cursor.pos;
        struct tv_str line;
        if (!tv_cursor_take_line(&walk->cursor, &line))
            break;
        if (walk->source->is_cut && walk->cursor.bytes[walk->cursor.pos - 1] != '\n')
            break;
        walk->line_off = walk->source->has_offsets ? pos : TV_NO_OFFSET;
        TV_TRY(take_line(walk, line, err));
    }
    walk->section->end_pos = walk->cursor.pos;
    return end_thread(walk, err);
}

/* Lines before the first heading are taken as options. */
enum tv_code tv_text_section_read(struct tv_trace *trace, const struct tv_text_source *source,
                                  struct tv_text_section *section, struct tv_error *err)
{
    *section = (struct tv_text_section){0};
    struct walk walk = {
        .trace = trace,
        .source = source,
        .section = section,
        .cursor = {.bytes = source->bytes, .len = source->len, .pos = source->pos},
        .part = PART_OPTIONS,
    };
    TV_TRY(walk_lines(&walk, err));
    trace->is_cut_early = walk.is_cut_early;
    if (walk.is_cut_early)
        add_finding(&walk, kind_of_overflow(trace), walk.overflow_off);
    tv_findings_add(&trace->findings, TV_FINDING_RECORDS_LOST, walk.records_lost,
                    walk.records_lost_off);
    return TV_OK;
}

/* A cut text may end within the word. */
bool tv_text_begins_section(struct tv_str text, bool is_cut)
{
    struct tv_str word = TV_STR("*version\n");
    if (is_cut && text.len < word.len)
        return tv_str_starts_with(word, text);
    return tv_str_starts_with(text, word) || tv_str_starts_with(text, TV_STR("*version\r\n"));
}

enum tv_code tv_text_read_side(struct tv_trace *trace, struct tv_text_section *section,
                               bool *has_summary, struct tv_error *err)
{
    struct tv_str text = trace->opts.side_text;
    if (*has_summary || !tv_text_begins_section(text, false))
        return TV_OK;
    struct tv_text_source source = {.bytes = (const uint8_t *)text.at, .len = text.len};
    TV_TRY(tv_text_section_read(trace, &source, section, err));
    *has_summary = true;
    return TV_OK;
}

void tv_text_section_compare_version(struct tv_trace *trace, const struct tv_text_section *section)
{
    if (section->has_version && section->version != trace->version)
        tv_findings_add(&trace->findings, TV_FINDING_VERSION_MISMATCH, 1, section->version_off);
}

bool tv_text_begins_trace(const struct tv_trace *trace, size_t pos)
{
    static const struct tv_str begins[] = {{"*version\n", 9}, {"*version\r\n", 10}, {"SLOW", 4}};
    for (size_t i = 0; i < TV_COUNT_OF(begins); i++) {
        if (trace->len - pos >= begins[i].len &&
            memcmp(trace->bytes + pos, begins[i].at, begins[i].len) == 0)
            return true;
    }
    return false;
}

void tv_text_judge_rest(struct tv_trace *trace, size_t pos)
{
    if (pos == trace->len)
        return;
    tv_findings_add(&trace->findings,
                    tv_text_begins_trace(trace, pos) ? TV_FINDING_ANOTHER_TRACE
                                                     : TV_FINDING_TRAILING_BYTES,
                    1, pos);
}

void tv_text_judge_tail(struct tv_trace *trace, size_t pos)
{
    size_t at = pos;
    while (at < trace->len &&
           (!trace->bytes[at] || trace->bytes[at] == '\n' || trace->bytes[at] == '\r'))
        at++;
    if (at < trace->len && !tv_text_begins_trace(trace, pos))
        tv_findings_add(&trace->findings, TV_FINDING_TRUNCATED_RECORD, 1, pos);
    else
        tv_text_judge_rest(trace, pos);
}
