/* What the driver (write.c) gives to the writers of the families. */
#ifndef TV_FORMAT_WRITER_H
#define TV_FORMAT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "format/out.h"
#include "format/trace.h"

/* A record with the ids and times that it has in the output. */
struct tv_write_record {
    uint32_t thread_id;
    uint64_t method_id;
    enum tv_action action;
    uint64_t time[TV_CLOCK_COUNT]; /* in the unit of the version; wraps where that has 32 bits */
    uint32_t method_ix; /* ordinal of the trace's method; TV_MAP_NONE when it has no line */
    uint32_t thread_ix; /* the same for the thread */
};

struct tv_writer {
    struct tv_trace trace; /* opened; its tables are complete */
    struct tv_out out;
    const struct tv_write_family *family;
    bool has_clock[TV_CLOCK_COUNT]; /* in the output */
    uint64_t record_count;
    bool has_new_threads; /* threads get new ids, which are in new_thread */
    bool has_new_methods; /* methods get keys as ids */
    struct tv_map new_thread;
    struct tv_map key_of_id; /* used with has_new_methods */
    void *state;             /* of the family, in the trace's arena */
    struct tv_buffer line;   /* a method line that is being put together */
    struct tv_out line_out;  /* writes onto `line` */
};

struct tv_write_family {
    const char *name;
    uint32_t thread_id_least, thread_id_most;
    uint64_t method_id_most;
    uint32_t unit_ns;
    bool has_two_clocks;
    enum tv_clock first_choice; /* the clock of a version with one, where the trace has two */
    enum tv_code (*begin)(struct tv_writer *writer, struct tv_error *err);
    enum tv_code (*put)(struct tv_writer *writer, const struct tv_write_record *record,
                        struct tv_error *err);
    enum tv_code (*end)(struct tv_writer *writer, struct tv_error *err);
};

extern const struct tv_write_family tv_write_v1;
extern const struct tv_write_family tv_write_v2;
extern const struct tv_write_family tv_write_v3;
extern const struct tv_write_family tv_write_stream;
extern const struct tv_write_family tv_write_packets;

/* The id in the output of a thread; false for one that the output has no room to name. */
bool tv_writer_thread_id(const struct tv_writer *writer, uint32_t id, uint32_t *new_id);
/* The same for a method; false for one that the output does not name, since it never runs. */
bool tv_writer_method_id(const struct tv_writer *writer, uint64_t id, uint64_t *new_id);

/* Pieces of the text section, for all families. */
enum tv_section_kind { TV_SECTION_TEXT, TV_SECTION_STREAM_SUMMARY, TV_SECTION_PACKETS_SUMMARY };
void tv_writer_put_section(const struct tv_writer *writer, struct tv_out *out, unsigned version,
                           enum tv_section_kind kind);
/* Writes class [TAB name [TAB signature [TAB file [TAB line]]]] and a line end. */
void tv_writer_put_method(struct tv_out *out, const struct tv_trace_method *method);
/* The same as a text that lasts until the next call, with the method's id before it or without, cut
 * to the length that a u2 can count. */
enum tv_writer_id { TV_WRITER_WITH_ID, TV_WRITER_WITHOUT_ID };
enum tv_code tv_writer_method_line(struct tv_writer *writer, const struct tv_trace_method *method,
                                   uint64_t new_id, enum tv_writer_id with_id, struct tv_str *line,
                                   struct tv_error *err) TV_MUST_CHECK;
struct tv_str tv_writer_cut(struct tv_str text);

#endif
