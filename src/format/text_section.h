/* The text ("key") section: options, threads, methods. It stands before the records in v1-v3,
 * closes a stream or a packet file as its summary, and lies in a file of its own beside streams of
 * Android 6 and 7. Grammar: docs/formats/text.md. */
#ifndef TV_FORMAT_TEXT_SECTION_H
#define TV_FORMAT_TEXT_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "format/trace.h"

enum tv_clock_option {
    TV_CLOCK_OPTION_NONE, /* no clock line, or one that says nothing we know */
    TV_CLOCK_OPTION_CPU,
    TV_CLOCK_OPTION_WALL,
    TV_CLOCK_OPTION_DUAL
};

/* Where the lines come from. */
struct tv_text_source {
    const uint8_t *bytes;
    size_t len;          /* where the section ends at the latest */
    size_t pos;          /* where its first line begins */
    bool has_offsets;    /* positions are offsets in the trace file; false for a side file */
    bool is_cut;         /* the file ends inside the section: a last line without "\n" is not one */
    bool before_records; /* a data header at a line start ends the section, *end or not */
};

/* What the section says besides its tables. */
struct tv_text_section {
    bool has_version;
    uint64_t version;
    uint64_t version_off;
    enum tv_clock_option clock;
    bool has_end;
    size_t end_pos; /* after the *end line, or where reading stopped */
    bool has_record_count;
    uint64_t record_count; /* num-method-calls */
    uint64_t record_count_off;
    bool has_elapsed_usec;
    bool has_elapsed_nsec;
};

/* Reads the section into the trace's tables, properties and findings (bad_line, overflow,
 * duplicates), and *section. Lines that cannot be read are survived; it fails only when
 * memory runs out. */
enum tv_code tv_text_section_read(struct tv_trace *trace, const struct tv_text_source *source,
                                  struct tv_text_section *section,
                                  struct tv_error *err) TV_MUST_CHECK;

/* Reads the side text of the trace's options, unless the file had a summary. */
enum tv_code tv_text_read_side(struct tv_trace *trace, struct tv_text_section *section,
                               bool *has_summary, struct tv_error *err) TV_MUST_CHECK;

/* Whether the text begins with "*version", or with as much of that as a cut text has. */
bool tv_text_begins_section(struct tv_str text, bool is_cut);

/* Adds the finding version_mismatch when the section names another version than the data. */
void tv_text_section_compare_version(struct tv_trace *trace, const struct tv_text_section *section);

/* How much of a line could be read. */
enum tv_text_quality { TV_TEXT_GOOD, TV_TEXT_PARTLY, TV_TEXT_BAD };

/* Reads a method's fields after its id, separated by tabs: class, name, signature, file, line, in
 * any of their orders. */
enum tv_text_quality tv_text_parse_method(struct tv_str fields, struct tv_trace_method *method);
/* Reads the line of a method: its id, then its fields. TV_TEXT_BAD when the line describes no
 * method. */
enum tv_text_quality tv_text_parse_method_line(struct tv_str line, struct tv_trace_method *method);

/* Whether the bytes from `pos` on begin as a trace does: of two files that were joined, the second.
 */
bool tv_text_begins_trace(const struct tv_trace *trace, size_t pos);
/* Judges the bytes [pos, len) behind all records: another_trace or trailing_bytes; nothing when
 * there are none. */
void tv_text_judge_rest(struct tv_trace *trace, size_t pos);
/* Judges the bytes [pos, len) that are left over: as tv_text_judge_rest when they begin a trace or
 * are only line ends and zeros, else truncated_record; nothing when there are none. */
void tv_text_judge_tail(struct tv_trace *trace, size_t pos);

#endif
