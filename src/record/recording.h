/*
 * A recording under way, and its way into a file: all that is not the hot path. Everything here is
 * guarded by the lock of cold.h.
 */
#ifndef TV_RECORD_RECORDING_H
#define TV_RECORD_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/booking.h"
#include "record/buffer.h"
#include "record/cpu_clock.h"
#include "record/cpu_timer.h"
#include "record/memory.h"
#include "record/output.h"
#include "record/processor.h"
#include "record/sampling.h"
#include "record/ticks.h"

#define TV_ROW_NAME_CAP 64u
#define TV_PROGRAM_CAP 96u

/* Why a recording stopped before anyone asked for its end. */
enum tv_recording_stop {
    TV_RECORDING_NOT_STOPPED,
    TV_RECORDING_BUFFER_FULL, /* of a stream, memory for more blocks ran out */
    TV_RECORDING_AT_LIMIT,    /* its file is as long as it may be */
    TV_RECORDING_LEFT         /* `traceview record` was killed, and nobody waits for it */
};

/* Calls that were open where what is kept of a row begins. */
struct tv_open_calls_before {
    uint32_t *numbers; /* outermost first */
    uint32_t depth, cap;
};

/* A thread as the file has it: a thread that ended leaves its row. */
struct tv_row {
    struct tv_row *next;
    uint32_t id;                   /* from 1 on, in the order in which threads first record */
    pid_t tid;                     /* of the kernel */
    bool is_named;                 /* by the program: the kernel's name does not matter */
    bool is_told;                  /* a stream has its name */
    bool is_shared;                /* by carried threads, one after another */
    struct tv_row *next_free;      /* of the shared ones that no thread has */
    uint64_t cpu_before;           /* of a carried thread, in ticks, while nothing carries it */
    struct tv_block *first, *last; /* its blocks that are not in the file yet */
    struct tv_block *offered;      /* of a ring: the last of them that may be taken from it */
    bool has_ended;                /* of a ring: its thread has */
    uint32_t uses;                 /* how many threads have had it before */
    struct tv_open_calls_before before; /* of a ring */
    uint64_t wall, cpu;                 /* of the last record that is in the file, in ticks */
    uint64_t first_cpu;                 /* of the first one */
    /* When its thread was last seen, in ticks: 0 where it has ended, or nothing tells. Of CPU time
     * also where its clock could not be read, unless it has a booking. */
    uint64_t seen_wall, seen_cpu;
    uint64_t file_wall, file_cpu; /* what the file has for the last one, in its unit */
    struct tv_stack *stack;       /* with an interval: its open calls, */
    struct tv_stack_view *seen;   /* and those when they were last looked at; */
    struct tv_booking *booking;   /* with an interval: what the looks tell of times */
    struct tv_cpu_timer timer;    /* with an interval: it looks at a thread that runs */
    char name[TV_ROW_NAME_CAP];   /* ended by a NUL */
};

enum tv_record_format {
    TV_RECORD_TEXT,   /* version 2 or 3: a text section and records */
    TV_RECORD_PACKETS /* version 4 or 5: packets of layout D */
};

/* What the properties of a recording by looks say of them; 0: not known. */
struct tv_recorder_looks {
    uint64_t stacks, running; /* that were looked at; of them those that were running */
    uint64_t tick_us;  /* looks at running threads are no closer, which is the kernel's tick */
    uint64_t apart_us; /* how far apart looks at waiting ones were at most */
};

struct tv_recording {
    enum tv_record_format format;
    bool is_streaming, has_wall, has_cpu;
    uint32_t interval_us; /* between two looks at the stacks; 0: each call is recorded */
    bool is_watched;      /* who started it looks, and no thread of the recorder */
    const struct tv_method_bytes *bytes; /* that methods have allocated; NULL: not counted */
    const _Atomic uint32_t *skipped;     /* methods that are not recorded; NULL: none is */
    uint32_t depth_most;                 /* deeper calls are not recorded; 0: all are */
    const char *classes_left_out;        /* a property; NULL: the file has none */
    struct tv_recorder_looks looks;      /* with an interval: what they were */
    bool is_by_events;                   /* a virtual machine tells of the calls */
    char program[TV_PROGRAM_CAP];        /* a property, ended by a NUL; "": the file has none */
    char processor[TV_PROCESSOR_CAP];    /* "": it does not say */
    uint32_t session;                    /* tells recordings of one process apart */
    pid_t pid;
    struct tv_ticks_rate rate;
    uint64_t start_ticks, start_ns;
    uint64_t elapsed_ns; /* once it was stopped */
    struct tv_buffer_pool pool;
    struct tv_memory memory; /* of the rows */
    struct tv_row *first_row, *last_row;
    uint32_t row_count;
    uint32_t own_carried_rows, shared_rows;
    struct tv_row *free_rows; /* shared ones */
    struct tv_watched *free_watched;
    enum tv_recording_stop stop;
    bool is_ring;                                         /* the buffer keeps what came last */
    struct tv_ring_entry *oldest, *newest, *free_entries; /* of a ring: blocks that may be taken */
    struct tv_row *empty_rows; /* of a ring: of threads that have ended */
    uint64_t dropped;          /* of a ring: records that were there, and had to go */
    uint32_t slow_number;      /* of a dump: the method whose call asked for it; 0: none did */
    uint64_t slow_ns;          /* how long that call took */
    uint64_t begin_ticks;      /* of a ring: where the file's time begins */
    uint64_t file_most;     /* of a stream: bytes of the file at which recording stops; 0: none */
    char awaited[PATH_MAX]; /* of a stream: the marker of who waits for it; "": nobody says so */
    uint64_t awaited_ns;    /* when to look at it next, on the monotonic clock */
    bool is_failure_told;
    bool is_finishing; /* nobody records any more; what was held back is put into blocks */
    uint64_t records;  /* that are in the file */
    /* CPU time that threads took to change full blocks and to write them: as part of the program's
     * calls, and as calls of the recorder's own method (threads.c). */
    uint64_t block_ns, writing_ns;
    uint64_t lost; /* that a thread could not keep, though tracing went on */
    /* What reading the clocks costs, and an enter and an exit; 0 when that was not measured. Of the
     * latter, leaf_ns are time of the call itself, as it is recorded, and calling_ns its caller's.
     */
    uint32_t clock_ns, call_ns, leaf_ns, calling_ns;
    struct tv_output output;
};

/* A new row at the end; NULL where there is no memory, or where the format has no more ids. */
struct tv_row *tv_recording_add_row(struct tv_recording *recording);

/* A row for a thread that others carry (record/carried/carried.h): one of its own for each of the
 * first TV_OWN_CARRIED_ROWS, for later ones a row that is shared. NULL as above. */
#define TV_OWN_CARRIED_ROWS 1000u
struct tv_row *tv_recording_carried_row(struct tv_recording *recording);
/* The thread of a row of tv_recording_carried_row has ended. */
void tv_recording_free_carried_row(struct tv_recording *recording, struct tv_row *row);

/* Begins the file of a stream. Whether that and the following went well, recording->output.error
 * tells. */
void tv_recording_begin_stream(struct tv_recording *recording);
/* Writes the full or left blocks of a row into the stream, and gives them back to the pool. */
void tv_recording_stream_row(struct tv_recording *recording, struct tv_row *row);
/* Ends the file: the rest of the stream, or all of a file that is no stream. Every block's `used`
 * tells how far it is filled. */
void tv_recording_finish(struct tv_recording *recording);

#endif
