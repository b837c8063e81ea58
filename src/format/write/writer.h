/* What those who write traces (write.c, compose.c) give to the writers of the families. */
#ifndef TV_FORMAT_WRITE_WRITER_H
#define TV_FORMAT_WRITE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/map.h"
#include "base/str.h"
#include "base/text/out.h"
#include "format/open_calls.h"
#include "format/trace.h"
#include "format/write/write.h"
#include "format/write/write_times.h"

/* A record with the ids and times that it has in the output. */
struct tv_write_record {
    uint32_t thread_ix; /* in the writer's threads */
    uint32_t thread_id;
    uint32_t method_ix; /* ordinal of the trace's method; TV_MAP_NONE when it has no line */
    uint64_t method_id;
    enum tv_action action;
    uint64_t time[TV_CLOCK_COUNT]; /* in the unit of the version; wraps where that has 32 bits */
};

/* A thread that has records or a line in the trace. */
struct tv_write_thread {
    uint32_t id;
    uint32_t new_id;            /* in the output; TV_MAP_NONE: it has no room for the thread */
    bool has_begun;             /* the second reading met a record of the thread */
    bool falls[TV_CLOCK_COUNT]; /* a clock that the output has steps back somewhere */
    uint32_t before;            /* 1 + the thread of the record before its first; 0: none */
    int64_t before_wall;        /* the wall time of that record, without its thread's multiple */
    struct tv_write_thread_times times;
    struct tv_open_stack stack;
    uint32_t adopters; /* 1 + the outermost call that began before tracing; 0: none */
};

struct tv_writer {
    struct tv_trace trace; /* opened; its tables are complete */
    struct tv_out out;
    const struct tv_write_family *family;
    bool has_clock[TV_CLOCK_COUNT]; /* in the output */
    bool is_by_thread;              /* as in struct tv_compose_facts */
    struct tv_write_result result;
    const struct tv_write_names *names;    /* NULL: those of the trace */
    const struct tv_call_filter *left_out; /* NULL: nothing is */
    bool is_cut;                           /* see struct tv_write_opts */
    bool knows_losses;
    struct tv_findings found; /* of the source, and of records that are not written as they were */
    struct tv_write_thread *threads; /* those with records first, by first record */
    size_t thread_count, thread_cap;
    struct tv_map thread_of_id;
    bool has_new_methods;    /* methods get keys as ids */
    struct tv_map key_of_id; /* used with has_new_methods */
    void *state;             /* of the family, in the trace's arena */
    struct tv_buffer line;   /* a method line that is being put together */
    struct tv_out line_out;  /* writes onto `line` */
};

struct tv_write_family {
    const char *name;
    uint32_t thread_id_least, thread_id_most;
    uint64_t method_id_most;
    uint64_t method_id_mask; /* bits that an id must not have, since an action takes them */
    uint32_t unit_ns;
    uint64_t time_most; /* with 64 bits: the latest time */
    bool has_two_clocks;
    bool has_bare_exits;        /* exits name no method: they leave the call on top */
    bool has_common_axis;       /* wall times of different threads compare */
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
extern const struct tv_write_family tv_write_packets_d;
extern const struct tv_write_family tv_write_packets_e;

/* The family of a name; NULL: none. */
const struct tv_write_family *tv_writer_family(struct tv_str name);

/* A writer is zeroed memory before. Its trace is released with it. */
void tv_trace_writer_init(struct tv_writer *writer, const struct tv_alloc *alloc,
                          struct tv_sink sink);
void tv_trace_writer_release(struct tv_writer *writer);
/* The thread of an id, added when it is new. */
enum tv_code tv_writer_find_thread(struct tv_writer *writer, uint32_t id, uint32_t *ix,
                                   struct tv_error *err) TV_MUST_CHECK;
/* Gives new ids to all threads when one does not fit: those with records come first, so that the
 * ones without go where there is no room. */
enum tv_code tv_writer_number_threads(struct tv_writer *writer, size_t with_records,
                                      struct tv_error *err) TV_MUST_CHECK;
/* Gives new ids to the methods of the trace's keys when one does not fit, as addresses of packets
 * do not. */
enum tv_code tv_writer_number_methods(struct tv_writer *writer, struct tv_error *err) TV_MUST_CHECK;
/* The name of a thread as the output has it; empty when it has none. */
struct tv_str tv_writer_thread_name(struct tv_writer *writer, const struct tv_write_thread *thread);
/* The id in the output of a method; false for one that the output does not name, since it never
 * runs. */
bool tv_writer_method_id(const struct tv_writer *writer, uint64_t id, uint64_t *new_id);

/* Pieces of the text section, for all families. */
enum tv_section_kind { TV_SECTION_TEXT, TV_SECTION_STREAM_SUMMARY, TV_SECTION_PACKETS_SUMMARY };
void tv_writer_put_section(struct tv_writer *writer, struct tv_out *out, unsigned version,
                           enum tv_section_kind kind);
/* A method's columns as a text that lasts until the next call, with its id before them or without,
 * and a line end; cut to the length that a u2 can count. */
enum tv_writer_id { TV_WRITER_WITH_ID, TV_WRITER_WITHOUT_ID };
enum tv_code tv_writer_method_line(struct tv_writer *writer, const struct tv_trace_method *method,
                                   uint64_t new_id, enum tv_writer_id with_id, struct tv_str *line,
                                   struct tv_error *err) TV_MUST_CHECK;
/* The name of a thread as a text that lasts until the next call. Counts the name if it is changed,
 * as the function above does. */
enum tv_code tv_writer_name(struct tv_writer *writer, const struct tv_write_thread *thread,
                            struct tv_str *name, struct tv_error *err) TV_MUST_CHECK;

#endif
