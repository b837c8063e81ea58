/*
 * What the agent is told: words with commas between them, "start=app.trace,only=com.example". A
 * backslash takes the next character as it is, for file names with commas.
 */
#ifndef TV_JVM_OPTIONS_H
#define TV_JVM_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_JVM_OPTIONS_CAP 8192u
#define TV_JVM_PREFIXES_MOST 128u
#define TV_JVM_WHY_CAP 256u

enum tv_jvm_mode {
    TV_JVM_BEST,   /* rewriting where that can be, else events */
    TV_JVM_EVENTS, /* the virtual machine tells of each begin and end of a method */
    TV_JVM_REWRITE /* methods are made to tell it themselves */
};

enum tv_jvm_command {
    TV_JVM_WAIT, /* until the program starts, by traceview.Debug, or another attaches */
    TV_JVM_START,
    TV_JVM_STOP
};

/* Beginnings of class names, as class files spell them: "com/example". */
struct tv_jvm_prefixes {
    size_t count;
    const char *of[TV_JVM_PREFIXES_MOST]; /* in `text` of the options */
};

struct tv_jvm_options {
    enum tv_jvm_command command;
    enum tv_jvm_mode mode;
    const char *base;      /* of the file's name, in `text`; NULL: the default */
    bool is_exact;         /* `base` is the file's name */
    bool is_for_each;      /* behind it goes the process's number: each process has its own file */
    const char *awaited;   /* a marker of who waits for the recording (record/output.h); or NULL */
    bool is_streaming;     /* into the file while tracing */
    bool has_packets;      /* the file's format */
    size_t buffer_len;     /* bytes; 0: the default */
    bool is_ring;          /* no stream: the buffer keeps what came last */
    uint64_t slow_ns;      /* of a ring: a call that takes longer has it written; 0: none has */
    const char *slow_name; /* of such methods alone; NULL: of all */
    uint64_t file_most;    /* of a stream: bytes at which recording stops; 0: never */
    bool has_wall;         /* alone */
    bool has_cpu;          /* alone */
    uint32_t interval_us;  /* between two samples of stacks; 0: calls are recorded */
    uint32_t depth;        /* deeper calls are left out; 0: none */
    bool has_boot;         /* records classes of the boot loader, too */
    bool skips_trivial;    /* methods that do next to nothing are not recorded */
    bool has_allocations;  /* counts the bytes that methods allocate */
    bool has_waits;        /* records what threads wait for, and who has it */
    bool has_lines;        /* looks tell the line, too */
    bool has_machine;      /* records threads of the virtual machine itself, too */
    struct tv_jvm_prefixes only, skip;
    char text[TV_JVM_OPTIONS_CAP];
};

/* Reads the options; without any, `text` is NULL or "". On failure `why` says what is wrong. */
bool tv_jvm_options_parse(const char *text, struct tv_jvm_options *options,
                          char why[TV_JVM_WHY_CAP]);

/* Whether a class is to be recorded: `name` as class files spell it, "com/example/Main". */
bool tv_jvm_options_want(const struct tv_jvm_options *options, const char *name, size_t len,
                         bool is_boot);

#endif
