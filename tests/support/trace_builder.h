/*
 * Traces for tests, byte by byte but by name: begin one, then say what happened.
 *
 *     struct trace_builder t;
 *     build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
 *     enter(&t, MAIN, FOO, 10);
 *     leave(&t, MAIN, FOO, 30);
 *     ... t.bytes.bytes, t.bytes.len ...
 *     build_release(&t);
 *
 * Whatever the options leave out is ordinary: two threads, three methods, a header of 32 bytes. To
 * make a file odd, give the odd thing, or patch the bytes at header_off or last_off afterwards.
 * Failed allocations abort the test.
 */
#ifndef TESTS_SUPPORT_TRACE_BUILDER_H
#define TESTS_SUPPORT_TRACE_BUILDER_H

#include <stdint.h>

#include "base/memory/buffer.h"

enum { MAIN = 1, WORKER = 2 };
enum { FOO = 0x4, BAR = 0x8, BAZ = 0xc };
enum { ENTER, LEAVE, UNWIND, RESERVED };

struct build_opts {
    unsigned version;      /* 1, 2, 3; of streams too */
    unsigned text_version; /* of the text section, where it differs */
    const char *clock;     /* NULL: no clock line */
    const char *options;   /* more lines, each with its newline */
    const char *threads;   /* NULL: "1\tmain\n2\tworker\n" */
    const char *methods;   /* NULL: FOO, BAR and BAZ as ART writes them */
    const char *end;       /* NULL: "*end\n" */
    uint64_t start_usec;   /* 0: 5000000 */
    unsigned data_offset;  /* 0: 32 */
    unsigned record_len;   /* 0: what version and clock need */
};

struct trace_builder {
    struct tv_buffer bytes;
    struct build_opts opts;
    size_t header_off; /* of "SLOW" */
    size_t record_len;
    size_t last_off; /* of what was added last */
};

struct build_record {
    unsigned thread;
    uint32_t method;
    unsigned action;
    uint32_t cpu; /* microseconds */
    uint32_t wall;
};

/* Text section and data header of v1 to v3. */
void build_text(struct trace_builder *t, struct build_opts opts);
/* Header of a stream; threads and methods are told with the functions below. */
void build_stream(struct trace_builder *t, struct build_opts opts);
void build_release(struct trace_builder *t);

void build_record(struct trace_builder *t, struct build_record record);
/* Records at a time that is both the wall and the CPU time. */
void enter(struct trace_builder *t, unsigned thread, uint32_t method, uint32_t usec);
void leave(struct trace_builder *t, unsigned thread, uint32_t method, uint32_t usec);
void unwind(struct trace_builder *t, unsigned thread, uint32_t method, uint32_t usec);

/* Packets of a stream. */
void tell_thread(struct trace_builder *t, unsigned thread, const char *name);
void tell_method(struct trace_builder *t, const char *line);
void tell_summary(struct trace_builder *t);

void build_bytes(struct trace_builder *t, const void *bytes, size_t len);
void build_str(struct trace_builder *t, const char *text);
/* Takes bytes off the end. */
void build_cut(struct trace_builder *t, size_t len);

#endif
