/*
 * What is kept of samples, between the taking of them while the program runs (record_samples.c) and
 * the writing when it has ended (record_samples_write.c).
 */
#ifndef TV_CLI_RECORD_RECORD_SAMPLES_DATA_H
#define TV_CLI_RECORD_RECORD_SAMPLES_DATA_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/memory/text_map.h"
#include "base/str.h"
#include "cli/record/record_perf_map.h"
#include "cli/record/record_samples.h"
#include "format/trace.h"

struct tv_unwind;

#define TV_SAMPLE_FRAMES_MOST 4096u
/* Numbers of threads in the trace have 16 bits. */
#define TV_SAMPLE_THREADS_MOST 65000u

/* A place in a function, as its file counts addresses. */
struct tv_sample_place {
    struct tv_str path;      /* empty: of no file */
    struct tv_str code_file; /* which file of that name; ends with NUL, as the path does */
    uint64_t address;
    uint32_t process;    /* ordinal, of the first that had it */
    uint64_t in_process; /* the address as that process had it, the first time */
    uint32_t method;     /* once names are known */
    uint32_t line;       /* the method that stands for its line; TV_MAP_NONE: none does */
};

/* A run of looks that found the same stack. */
struct tv_sample {
    uint32_t thread; /* ordinal */
    uint32_t depth;
    uint64_t first;    /* into `frames` */
    uint64_t before;   /* 1 + the ordinal of the thread's run before; 0: none */
    uint64_t wall_ns;  /* its begin: in the middle between its first look and the one before, or,
                         of a wait's begin and end, a moment between them that tells more; the first
                         of a thread begins with it */
    uint64_t cpu_ns;   /* that the thread had used at its last look */
    uint64_t running;  /* of its looks, those that found the thread on a processor */
    uint64_t spent_ns; /* the CPU time that is booked to it, once the program has ended */
    uint32_t levels;   /* calls that it leaves and enters, by places: no fewer than by functions */
    bool is_whole;
};

struct tv_sample_thread {
    uint32_t process; /* ordinal */
    pid_t id;
    bool has_ended;           /* another may have its id */
    uint64_t last_sample;     /* 1 + its ordinal; 0: none */
    uint64_t running;         /* looks that found it on a processor */
    uint64_t begin_ns;        /* when it began, on the wall clock */
    uint64_t wall_ns, cpu_ns; /* when it was last seen */
    uint64_t begin_cpu_ns;    /* its CPU time before its first run that is kept */
    uint64_t put_ns; /* while the trace is written: the CPU time that its runs had so far */
    char name[TV_THREAD_NAME_CAP];
};

/* The program, or what it started. */
struct tv_sample_process {
    pid_t id;
    bool has_ended;                 /* another may have its id */
    bool is_seen;                   /* one of its threads has a sample */
    bool is_java;                   /* it records itself */
    struct tv_unwind *unwind;       /* NULL once it has ended */
    unsigned generation;            /* that place_of_address is of */
    struct tv_map place_of_address; /* addresses of the process */
    struct tv_perf_map code;        /* that it made itself, once it has ended */
    char name[TV_THREAD_NAME_CAP];
};

struct tv_record_samples {
    const struct tv_alloc *alloc;
    uint64_t interval_ns, start_ns, end_ns;
    uint64_t most;     /* bytes that the runs may take; 0: any number */
    bool is_ring;      /* then the oldest go; else the looking ends */
    uint64_t drop_at;  /* of a ring: with no fewer bytes than these the oldest go again */
    uint64_t begin_ns; /* of a ring: what was before is gone; since the start */
    uint64_t kept;  /* bytes that they take: memory, or records of the trace where these are more */
    bool has_lines; /* the innermost frame has its line below it, as a method of its own */
    const char *java_parts; /* virtual machines that know these record themselves; NULL: none */
    struct tv_sample_process *processes; /* the first is the program */
    size_t process_count, process_cap;
    struct tv_text_map place_of_text;
    struct tv_arena texts;
    struct tv_sample_place *places;
    size_t place_count, place_cap;
    uint32_t *frames; /* places, of each sample the innermost first */
    size_t frame_count, frame_cap;
    struct tv_sample *samples;
    size_t sample_count, sample_cap;
    struct tv_sample_thread *threads;
    size_t thread_count, thread_cap;
    struct tv_trace_method *methods;
    size_t method_count, method_cap;
    struct tv_record_samples_result result;
    void (*over)(void *ctx); /* called when sampling has ended; may be NULL */
    void *over_ctx;
    void (*full)(void *ctx); /* called when there is no room for more; may be NULL */
    void *full_ctx;
    void (*asked)(void *ctx, struct tv_record_samples *samples); /* at a request; may be NULL */
    void *asked_ctx;
    struct tv_record_java_line *live; /* NULL: nothing is shown meanwhile */
    size_t recalled_depth;            /* of the stack in `addresses` that recall() has found */
    bool is_recalled_whole;
    uint64_t addresses[TV_SAMPLE_FRAMES_MOST]; /* of the stack under way */
};

/* The bytes that a run counts for. */
uint64_t tv_sample_bytes(const struct tv_sample *run);
/* Where more is kept than may be, the oldest part goes: record_samples_ring.c. */
enum tv_code tv_record_samples_drop(struct tv_record_samples *samples,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
