/*
 * The recorder: what the C API, the hooks for instrumented programs and agents of virtual machines
 * put their records into. Any thread, also in signal handlers.
 *
 * A thread keeps its records in blocks of its own (buffer.h); what it does for each stands in
 * recorder.c, "the hot path". Starting, stopping, and a block that is full are not hot: they take
 * the lock of cold.h.
 */
#ifndef TV_RECORD_RECORDER_H
#define TV_RECORD_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <traceview/record.h>

#include "format/wire.h"
#include "record/method_bytes.h"
#include "record/methods.h"
#include "record/recording.h"

struct tv_recorder_options {
    const char *path;  /* of the file, as it is */
    size_t buffer_len; /* bytes; 0: the default */
    enum tv_record_format format;
    bool is_streaming;
    bool is_ring;          /* no stream: the buffer keeps what came last (ring.h, dump.h) */
    uint64_t slow_ns;      /* of a ring: a longer call has the ring written; 0: none has */
    const char *slow_name; /* of such methods only, by the end of their name; NULL: of all */
    const char *awaited; /* a marker (output.h): a stream ends when nobody waits for it; or NULL */
    uint64_t file_most;  /* of a stream: bytes at which recording stops; 0: never */
    bool has_wall, has_cpu; /* none means both */
    uint32_t interval_us;   /* between two samples of open calls; 0: each call is recorded */
    bool is_watched;   /* with an interval: the caller samples, and reports by tv_recorder_saw */
    bool is_by_events; /* a virtual machine reports the calls */
    const _Atomic uint32_t *skipped; /* methods that are not recorded, at the end; NULL: none is */
    const struct tv_method_bytes *bytes; /* bytes per method, written as a property; NULL: none */
    const char *classes_left_out;        /* the property that names the classes that were left out
                                            (docs/formats/text.md); or NULL */
    const char *program; /* the property "program=app" of the file; NULL: it has none */
};

/* What became of a recording. */
struct tv_recorder_result {
    char path[PATH_MAX]; /* absolute */
    uint64_t bytes, records, threads;
    uint64_t lost; /* records that were lost while tracing went on */
    uint64_t elapsed_ns;
    int error; /* errno where writing failed */
};

enum tv_trace_status tv_recorder_start(const struct tv_recorder_options *options);
/* `result` may be NULL. */
enum tv_trace_status tv_recorder_stop(struct tv_recorder_result *result);

/* To be called before and after a fork that runs no handlers, as _Fork(); `child` is its result. */
void tv_recorder_before_fork(void);
void tv_recorder_after_fork(pid_t child);

/* Whether a thread has recorded anything in the recording under way. */
bool tv_recorder_has_records(void);

/* The number of a method, the same for the same text; 0 when there is no memory. Not for the hot
 * path: keep it. */
uint32_t tv_recorder_method(const struct tv_method_text *text);

/* Records that the calling thread enters, or leaves, a method; the clocks are read here. Nothing
 * happens while nothing is traced (tv_method_tracing_is_on saves the call). */
void tv_recorder_put(uint32_t word);

/* A record that is being put, for a signal handler that interrupts the thread meanwhile. */
struct tv_slot;
struct tv_pending_put {
    _Alignas(16) uint64_t change; /* the record, in its owner's form; 0: it is in its slot */
    struct tv_slot *slot;         /* NULL: it has none yet. Cleared only after `change` is 0 */
};

/* Sets both members, `slot` to NULL, by one instruction, so that no handler sees only one of them
 * set. */
TV_INLINE void tv_pending_set(struct tv_pending_put *pending, uint64_t change)
{
    typedef uint64_t both_t __attribute__((vector_size(16), may_alias));
    *(both_t *)(void *)pending = (both_t){change, 0};
}

void tv_recorder_put_pending(uint32_t word, struct tv_pending_put *pending);
/* Whether the record that is being put into a slot is there. */
bool tv_recorder_has_put(const struct tv_slot *slot);
/* Whether the calling thread is putting a record: 1 in a signal handler that interrupts it. A
 * handler that jumps away abandons the record: it calls tv_recorder_leave_put with the value at the
 * place that it jumps to. */
uint32_t tv_recorder_is_putting(void);
void tv_recorder_leave_put(uint32_t is_putting);

enum tv_recorder_action { TV_RECORDER_ENTER, TV_RECORDER_EXIT, TV_RECORDER_UNWIND };

/* The word that tv_recorder_put takes. */
TV_INLINE uint32_t tv_recorder_word(uint32_t method, enum tv_recorder_action action)
{
    return method * (TV_WIRE_ACTION_MASK + 1) | (uint32_t)action;
}

/* The method of a word that tv_recorder_put takes. */
TV_INLINE uint32_t tv_recorder_method_of(uint32_t word)
{
    return word / (TV_WIRE_ACTION_MASK + 1);
}

/* From here on, a new recording leaves out calls deeper than `most`; 0: none. */
void tv_recorder_limit_depth(uint32_t most);
/* The hooks that report calls cost the program `ns` beside the record, for an enter and an exit
 * together. Call it before a recording starts. */
void tv_recorder_add_call_cost(uint32_t ns);

/*
 * Threads that another thread samples. One thread at a time reports each of them. All that it
 * reports belongs to the recording, until tv_recorder_stop.
 */
struct tv_stack_view;
struct tv_watched;
/* A row for a thread; NULL: nothing is recorded, or memory ran out. */
struct tv_watched *tv_recorder_watch(const char *name);
/* A row for a carried thread (carried.h): late threads share rows, one after another. */
struct tv_watched *tv_recorder_watch_carried(const char *name);
/* Reports the open calls that a thread had `ago_ns` ago, as numbers of methods, and its CPU time
 * then. Changes since the last report are recorded with these times: for changes that are known to
 * be of that moment. */
void tv_recorder_saw(struct tv_watched *watched, const struct tv_stack_view *view, uint64_t cpu_ns,
                     uint64_t ago_ns);
/* Reports what a sample has found, which says nothing of the times before: these are shared out
 * among the samples (booking.h). */
struct tv_recorder_look {
    uint64_t from_ticks,
        to_ticks;    /* tv_recorder_ticks(): from when until when the thread was seen like this */
    uint64_t cpu_ns; /* of the thread, at to_ticks */
    bool is_running; /* it was on a processor, and a moment of its CPU time chose the sample */
};
void tv_recorder_looked(struct tv_watched *watched, const struct tv_stack_view *view,
                        const struct tv_recorder_look *look);
/* The wall clock; any thread, also in signal handlers. */
uint64_t tv_recorder_ticks(void);
/* The thread will not change for a while: what the buffer has for it beside its records is
 * released. */
void tv_recorder_rest(struct tv_watched *watched);
/* The thread has ended with this CPU time: its calls end, and the row of a carried thread may go to
 * another. */
void tv_recorder_unwatch(struct tv_watched *watched, uint64_t cpu_ns);

/*
 * For record/carried/carried.h alone, under the lock of cold.h.
 */
struct tv_row;
/* Where the records of a thread go while another thread's are recorded in its stead. */
struct tv_place {
    struct tv_row *row; /* NULL: it has recorded nothing */
    uint32_t session;
};
/* Makes `to` the place of what the calling thread records; `from` gets the place before. */
void tv_recorder_switch(struct tv_place *from, const struct tv_place *to, bool is_carried);
/* The carried thread of the place has ended. */
void tv_recorder_end_place(const struct tv_place *place);

/* Makes the name of the file from a base: ".trace" is appended if it is missing. A base of NULL or
 * "" gives the default name. False: the name is too long. */
bool tv_recorder_path(char path[PATH_MAX], const char *base);

/* What the properties say of looks; before the recording ends. */
void tv_recorder_tell_looks(const struct tv_recorder_looks *looks);

/* Replaces classes_left_out of tv_recorder_options. The text is borrowed until the recording ends.
 */
void tv_recorder_leave_out(const char *classes);

/* Counts a record as lost: its thread has no memory to put it. */
void tv_recorder_lose(void);

/* The number of the recording under way, which no other recording of the process has; any number
 * while nothing is recorded. It stays the same when a ring is written. */
extern _Atomic uint32_t tv_recorder_session_now;
TV_INLINE uint32_t tv_recorder_session(void)
{
    return atomic_load_explicit(&tv_recorder_session_now, memory_order_relaxed);
}

/* Names the calling thread, by the first 63 bytes. */
void tv_recorder_name_thread(const char *name);

#endif
