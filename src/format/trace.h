/*
 * A trace as its file describes it, and its records in batches: what every reader gives and the
 * index takes.
 *
 * tv_trace_open sniffs the bytes, reads what stands before the records, and proves where records
 * are. tv_trace_next fills batches until one is empty. Formats that describe threads and methods
 * between the records (streams, packets) have complete tables only then. The bytes must outlive the
 * trace: names are views into them, or into the trace's own arena where a reader had to join
 * pieces.
 *
 * Sources of the formats: docs/formats/. A trace is used by one thread at a time.
 */
#ifndef TV_FORMAT_TRACE_H
#define TV_FORMAT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bounded_sink.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/memory/text_map.h"
#include "base/str.h"
#include "base/trace_clock.h"

enum tv_action { TV_ACTION_ENTER, TV_ACTION_EXIT, TV_ACTION_UNWIND, TV_ACTION_RESERVED };

/* A method as the file describes it. Parts that the file does not give are empty. */
struct tv_trace_method {
    uint64_t id; /* as in the file, action bits clear */
    struct tv_str class_name;
    struct tv_str name;
    struct tv_str signature;
    struct tv_str file;
    int32_t line;      /* as in the file: -1 unknown, -2 native; 0 when there is none */
    bool is_duplicate; /* described twice and differently; set by tv_trace_add_method */
    /* The whole name as in the file, "a.B.run ()V", where the names above are others; else
     * empty. */
    struct tv_str written;
    /* All that a name may stand for that lists not all, "save | load | ... | more"; else empty. */
    struct tv_str alternatives;
    /* Methods that run inside it without being entered, as a mapping says: lines of
     * "class.name signature"; else empty. */
    struct tv_str inlined;
    bool is_synthesized; /* the compiler made it, and no source has it, as a mapping says */
};

struct tv_trace_thread {
    uint32_t id;
    struct tv_str name;
    bool is_duplicate; /* named twice and differently; set by tv_trace_add_thread */
};

/* A process of a trace that holds several. */
struct tv_trace_process {
    uint32_t id;        /* of Linux; 0: the file does not say it */
    struct tv_str name; /* its command; may be empty */
};

struct tv_trace_property {
    struct tv_str key;
    struct tv_str value;
};

/*
 * Columns of up to TV_BATCH_CAP records in the order of the file.
 *
 * key_action is a method's key plus an action: (key_action & 3) is the action, and (key_action &
 * ~3) the key, which is equal for two records exactly when their methods are the same. In v1-v3 and
 * streams the key is the 32-bit id of the file; in packets it is 4 x a number that the reader
 * gives.
 *
 * Times are in unit_ns and raw: 32-bit files give their 32-bit values, not unwrapped; 64-bit values
 * are signed (modulo 2^64), since a damaged file may count below its start. The column of a clock
 * that the trace lacks is all zero.
 */
#define TV_BATCH_CAP 2048
/*
 * The id of the one method "(unknown)", which has no description: tv_trace_add_method takes none
 * for it, so no file gives the method a name. Ids are addresses or have 32 bits; a record that has
 * this one all the same is of "(unknown)".
 *
 * Where exits name no method (layout E, low-overhead dumps), the reader keeps the stacks and gives
 * the method on top; an exit with an empty stack is of "(unknown)". So are, in these formats,
 * undescribed methods beyond those that are told apart (format/keys.h).
 */
#define TV_METHOD_ID_UNKNOWN UINT64_MAX

struct tv_batch {
    size_t count;
    uint64_t offset;      /* of the first record, in bytes */
    uint32_t offset_step; /* bytes from one record to the next; 0: each record's offset is in
                             `offsets` */
    uint32_t thread_id[TV_BATCH_CAP];
    uint32_t key_action[TV_BATCH_CAP];
    uint64_t time[TV_CLOCK_COUNT][TV_BATCH_CAP];
    uint64_t offsets[TV_BATCH_CAP]; /* set only where offset_step is 0 */
};

TV_INLINE uint64_t tv_batch_offset(const struct tv_batch *batch, size_t i)
{
    return batch->offset_step ? batch->offset + (uint64_t)i * batch->offset_step
                              : batch->offsets[i];
}

/* Fixed records that stand one after the other in the file. */
struct tv_fixed_run {
    uint64_t first; /* ordinal of its first record; a run ends where the next one begins */
    uint64_t off;
    uint32_t len;    /* packed: bytes of all its records */
    uint32_t thread; /* packed: number of the thread that all its records are of, from 1 */
};

/* Records of one length that can be read from any of them on, so that several threads can read one
 * file; proven to lie within the bytes. Packed records take that length as they are read
 * (format/packed.h). With count 0 the trace has none, and only tv_trace_next reads its records. */
struct tv_fixed_records {
    struct tv_fixed_run *runs; /* in the order of the file; none is empty */
    size_t run_count, run_cap;
    uint64_t count;
    uint32_t len;        /* bytes of one record */
    uint32_t thread_len; /* 1 or 2 bytes, at 0; the word with method and action follows */
    uint32_t time_at[TV_CLOCK_COUNT]; /* where the 4 bytes of a time are in a record; 0: the trace
                                         lacks the clock */
    bool is_packed;
    /* Packed: exits name no method, as in layout E of packets. An exit has the key 0 then, which
     * says nothing: it ends whatever call is open. */
    bool has_bare_exits;
    uint32_t *thread_ids; /* packed: the id of thread 1, 2, ... */
    size_t thread_count, thread_cap;
};

struct tv_trace;

/* One family of on-disk formats. The table of all families is in format/sniff/sniff.c. */
struct tv_format {
    const char *family; /* "text", "stream", "packets", "low-overhead", "perfetto" */
    /* Whether the bytes begin as this family does. Looks at no more than it must. */
    bool (*matches)(const uint8_t *bytes, size_t len);
    /* Fills the trace up to the first record; trace->bytes and len are set, everything else is as
     * after init. */
    enum tv_code (*open)(struct tv_trace *trace, struct tv_error *err);
    enum tv_code (*next)(struct tv_trace *trace, struct tv_batch *batch, struct tv_error *err);
    /* Makes the trace stand as if `next` had given all fixed records; NULL where there are none. */
    void (*skip_fixed)(struct tv_trace *trace);
    /* Releases what the reader holds outside of the arena; may be NULL. */
    void (*close)(struct tv_trace *trace);
};

/* Gives methods other names than those of the file, as a mapping of names does. */
struct tv_renaming_opts {
    /* NULL: methods keep their names. Else it is called for each method, by one thread, when all
     * records are read. It may change the names, and adds what is odd about them to the findings.
     * The texts must outlive the trace's index being built. */
    enum tv_code (*rename)(void *ctx, struct tv_trace_method *method, struct tv_findings *findings,
                           struct tv_error *err);
    /* Sees all methods before the first of them is renamed; may be NULL. */
    enum tv_code (*begin)(void *ctx, const struct tv_trace_method *methods, size_t count,
                          struct tv_error *err);
    /* Whether names are given, when all methods are renamed; NULL: they are. */
    bool (*is_taken)(const void *ctx);
    void *ctx;
    bool is_forced; /* a trace that came with the names of its source is renamed, too */
};

struct tv_read_opts {
    /* A text section for streams and packets that end without one: that of a second file (".sec" of
     * Android 6 and 7), or of the whole file when the bytes are its beginning. May be empty. */
    struct tv_str side_text;
    bool is_part; /* the bytes are the beginning of a file: what follows them is not missing */
    bool is_packed_cut; /* the bytes were unpacked from a file that ends early */
    /* How many bytes these were unpacked from, which bounds what is made of them; 0: they were not
     * packed. */
    uint64_t packed_len;
    bool is_trusted;  /* by the user, so that packing bounds nothing */
    size_t batch_len; /* records of a batch; 0: TV_BATCH_CAP. Tests take fewer */
    struct tv_renaming_opts renaming;
};

struct tv_trace {
    const struct tv_alloc *alloc;
    struct tv_arena arena; /* names that had to be joined, reader state */
    const uint8_t *bytes;
    size_t len;
    struct tv_read_opts opts;
    const struct tv_format *format;
    void *reader; /* state of the format, in the arena */

    char format_name[16]; /* "v1", "stream3", "packets5", "low-overhead", "perfetto" */
    unsigned version;     /* without the streaming bits */
    bool is_streaming;
    bool has_clock[TV_CLOCK_COUNT];
    bool has_common_axis;   /* wall times of different threads compare */
    unsigned clock_bits;    /* 32 or 64: how wide a time is in the file */
    uint32_t unit_ns;       /* 1 or 1000 */
    uint64_t start_time_ns; /* as in the header, whatever it counts from */
    bool has_elapsed;
    uint64_t elapsed_ns;
    bool is_cut_early; /* data-file-overflow=true; why is a finding, which is added at open */
    bool has_pid;
    uint64_t pid;
    struct tv_str vm;
    struct tv_str summary; /* the text section that ends a stream or packets; empty: none, or cut */
    uint64_t clock_overhead_ns; /* clock-call-overhead-nsec, 0 when absent */
    struct tv_fixed_records fixed;
    /* How many records the file says, or proves by its size, that it has; for reserving room.
     * 0: unknown. */
    uint64_t expected_records;

    struct tv_trace_property *properties;
    size_t property_count, property_cap;
    struct tv_text_map property_of_key;
    struct tv_trace_thread *threads; /* in file order, ids unique */
    size_t thread_count, thread_cap;
    struct tv_map thread_of_id;         /* id, in the list or in records -> place in threads */
    uint32_t record_id_mask;            /* the bits of a thread's id that records have; see below */
    struct tv_trace_process *processes; /* in file order; none where the file knows of one alone */
    size_t process_count, process_cap;
    struct tv_map process_of_thread; /* by id of the thread, listed or not */
    struct tv_trace_method *methods; /* in file order, ids unique */
    size_t method_count, method_cap;
    struct tv_map method_of_id;
    uint64_t *id_of_key; /* packets: the id of key / 4; NULL where key and id are the same */
    size_t key_count, key_cap;
    bool has_source_names;  /* it came with them, as a property says; known once it was renamed */
    bool has_keys_by_place; /* packed records were taken: key / 4 is the ordinal in `methods` */
    struct tv_findings findings;
};

/* Sniffs the bytes, which may be anything, and opens them. On failure the trace is as after
 * tv_trace_init, and err says what the file is where that is known (TV_ERR_FOREIGN), or what is
 * wrong with it and where. Where the packed data ended early, that comes first, since it is the
 * likely reason of any damage. */
void tv_trace_init(struct tv_trace *trace, const struct tv_alloc *alloc);
enum tv_code tv_trace_open(struct tv_trace *trace, const uint8_t *bytes, size_t len,
                           const struct tv_read_opts *opts, struct tv_error *err) TV_MUST_CHECK;
/* Adds `count` fixed records that stand at `off`, after those added before. */
enum tv_code tv_trace_add_fixed(struct tv_trace *trace, uint64_t off, uint64_t count,
                                struct tv_error *err) TV_MUST_CHECK;
void tv_fixed_release(struct tv_fixed_records *fixed, const struct tv_alloc *alloc);
/* Where a fixed record stands in the bytes. `last` is zero at first; it remembers the record asked
 * for before, since the next one of the same run is found quickest from there. */
struct tv_fixed_place {
    const struct tv_fixed_run *run;
    uint64_t record;
    uint64_t off;
};
uint64_t tv_fixed_offset(const struct tv_trace *trace, uint64_t record,
                         struct tv_fixed_place *last);
/* The thread id that the number `thread` in a fixed record stands for. */
uint32_t tv_fixed_thread(const struct tv_trace *trace, uint32_t thread);

/* Fixed records [first, end) of a trace, of which some were taken. */
struct tv_fixed_part {
    const struct tv_trace *trace;
    uint64_t first, end;
    size_t run; /* the run that `first` is in */
    /* Unpacks them; NULL where they stand in the bytes as fixed records. */
    struct tv_packed *packed;
    bool has_times; /* the times in the records are the low halves of 64-bit times */
    /* then: the whole times of the first record taken last; each record after it is later than the
     * one before by less than 2^31. */
    uint64_t time[TV_CLOCK_COUNT];
};

/* Opens a part, which must be closed, also after a failure. */
enum tv_code tv_fixed_open(struct tv_fixed_part *part, const struct tv_trace *trace, uint64_t first,
                           uint64_t end, struct tv_error *err) TV_MUST_CHECK;
void tv_fixed_close(struct tv_fixed_part *part);
/* For who counts calls and asks for the keys of a few by tv_fixed_word: packed records that are
 * taken have their actions alone, and are unpacked sooner. */
void tv_fixed_omit_keys(struct tv_fixed_part *part);
/* The most records that are taken at once. So a pass over a file is made of many calls: it can stop
 * soon, and does not stay in the first code that a browser makes of an engine. */
#define TV_FIXED_STRETCH ((uint64_t)1 << 16)
/* Takes the next records of the part, all of one run: returns their bytes, up to *stop, valid until
 * the next call. NULL when the bytes cannot be unpacked as fixed records. */
const uint8_t *tv_fixed_take(struct tv_fixed_part *part, const uint8_t **stop);
/* The key and action of a record of the trace; quickest when records are asked for in order. Bytes
 * that were taken are no longer valid after it, and no more may be taken. */
uint32_t tv_fixed_word(struct tv_fixed_part *part, uint64_t record);

/* Fills the batch with the next records; none at the end. After a failure only release
 * is allowed. */
enum tv_code tv_trace_next(struct tv_trace *trace, struct tv_batch *batch,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_trace_release(struct tv_trace *trace);
/* What bounds whatever is made of the trace. */
struct tv_made_of tv_trace_made_of(const struct tv_trace *trace);

/* The value of a property; its `at` is NULL where the trace has none of that key. */
struct tv_str tv_trace_property_of(const struct tv_trace *trace, struct tv_str key);
/* The value of a property as a number; 0 if there is none, or it is no number. */
uint64_t tv_trace_number_of(const struct tv_trace *trace, struct tv_str key);

/* Gives all methods their other names, as the options say: none to a trace that came with the names
 * of its source, unless that is forced. One that is given names says from then on that it has those
 * of its source. */
enum tv_code tv_trace_rename_methods(struct tv_trace *trace, struct tv_error *err) TV_MUST_CHECK;

/* How long the trace lasted, in its unit, as the header says; 0: it does not say. */
TV_INLINE uint64_t tv_trace_elapsed(const struct tv_trace *trace)
{
    return trace->has_elapsed ? trace->elapsed_ns / trace->unit_ns : 0;
}

/* The id that a key stands for. */
uint64_t tv_trace_id_of_key(const struct tv_trace *trace, uint32_t key);

/* For readers: adds a line to a table. A repeated line is handled, and told as a finding, as
 * docs/numbers.md says ("Findings"). */
enum tv_code tv_trace_add_property(struct tv_trace *trace, struct tv_str key, struct tv_str value,
                                   struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_trace_add_thread(struct tv_trace *trace, uint32_t id, struct tv_str name,
                                 uint64_t offset, struct tv_error *err) TV_MUST_CHECK;
/* Says that records have only the low bits of threads' ids. Called when all threads have been
 * added. An id that no thread has, but one thread's low bits are, then is that thread's in
 * `thread_of_id`. */
enum tv_code tv_trace_find_cut_threads(struct tv_trace *trace, uint32_t mask,
                                       struct tv_error *err) TV_MUST_CHECK;
/* The id that the records of a listed thread have: its own, or the low bits of it. */
uint32_t tv_trace_id_in_records(const struct tv_trace *trace, size_t thread_ix);
enum tv_code tv_trace_add_method(struct tv_trace *trace, const struct tv_trace_method *method,
                                 uint64_t offset, struct tv_error *err) TV_MUST_CHECK;

#endif
