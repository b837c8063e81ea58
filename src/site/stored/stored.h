/*
 * Answers from stored traces: from their indexes, which are files of the store that are mapped when
 * somebody asks, and from their raw bytes.
 *
 * At most open_most indexes are open at a time; when there are more, the least recently used one is
 * closed. Whoever answers holds its index, and a held one is not closed.
 *
 * An index is believed when its checksums are true, since the row that names it says that it was
 * checked in full (site/jobs/workers.h): a check for each process that opens it would cost ten
 * times the opening, and would find nothing that the first one did not.
 *
 * The functions below may be called by any number of threads at once, and read the disk: none
 * belongs on a thread that serves others meanwhile. The responses are initialised ones.
 */
#ifndef TV_SITE_STORED_STORED_H
#define TV_SITE_STORED_STORED_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "http/http.h"
#include "index/index.h"
#include "store/store_files.h"

struct tv_stored_opts {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool;
    const struct tv_store_files *files;
    const char *build;          /* tv_site_build: answers of another build may be other ones */
    unsigned open_most;         /* indexes at a time; those that are held may be more */
    uint64_t slowest_when_full; /* of exports: least_rate of tv_download_shares */
    unsigned waiting_most; /* threads that may wait for indexes at once which are brought; 0: 1 */
};

/* Exports that one party may have under way. */
#define TV_STORED_EXPORTS_OF_PARTY 2u

/* The most that open_most can be: each open index is a mapped file with a descriptor, of which a
 * process has this many and some to spare. */
#define TV_STORED_MOST 512u

struct tv_stored;
enum tv_code tv_stored_new(struct tv_stored **stored, const struct tv_stored_opts *opts,
                           struct tv_error *err) TV_MUST_CHECK;
/* Notes how fast the readers of exports are, every now and then. */
void tv_stored_tick(struct tv_stored *stored, uint64_t now_ns);
/* Stops the exports that are under way: their readers are told that the file is not whole. None
 * begins from now on. */
void tv_stored_end(struct tv_stored *stored);
/* Nobody holds an index any more, and the readers of all exports have left. NULL is fine. */
void tv_stored_free(struct tv_stored *stored);

/* What the rows tell of a trace whose index is there. Texts are the caller's. */
struct tv_stored_trace {
    const char *raw_hash;   /* 64 digits */
    const char *index_hash; /* 64 digits */
    const char *mappings;   /* that its index tried: struct tv_mapping_list */
    uint64_t raw_len;
    const char *file_name; /* told in answers, and what names of downloads are made of */
};

/* --- an index itself --- */

/* The whole text of the refusal while an index is brought, at which the page asks again. */
#define TV_STORED_LOADING "loading"

struct tv_stored_index {
    struct tv_index index;
    size_t memory_most; /* bytes that an answer from it may take */
    /* The rest is the cache's. */
    char hash[65];
    unsigned holder_count;
    uint64_t used_no;
    bool is_opening;
    bool is_far;             /* it is brought, which takes longer */
    unsigned waiter_count;   /* threads that wait while it is brought */
    struct tv_error failure; /* of whoever brought it, for those who wait; code TV_OK: none */
    struct tv_stored_index *next;
};

/* Opens the index, or finds it open. TV_ERR_SYSTEM, TV_ERR_FORMAT: its file is missing, or is not
 * what was kept; TV_ERR_AWAY: it is brought from another machine, and is here a moment later. Reads
 * of it are to run in tv_mapping_run (os/memory/mapping.h). */
enum tv_code tv_stored_hold(struct tv_stored *stored, const struct tv_stored_trace *trace,
                            struct tv_stored_index **held, struct tv_error *err) TV_MUST_CHECK;
/* Holds an index that is here. *held NULL: it has it brought, or cannot, and tv_stored_hold is to
 * be asked: several are brought at once so. */
void tv_stored_wish(struct tv_stored *stored, const struct tv_stored_trace *trace,
                    struct tv_stored_index **held);
/* NULL is fine. */
void tv_stored_let_go(struct tv_stored *stored, struct tv_stored_index *held);

/* --- answers --- */

/* A route of docs/api.md. A reader that has the answer already gets 304. */
void tv_stored_view(struct tv_stored *stored, const struct tv_stored_trace *trace,
                    const struct tv_http_request *request, struct tv_str route, struct tv_str query,
                    struct tv_http_response *response);
/* A route about several traces, `diff` or `flamediff`: the first trace is the one that is meant,
 * and each has the name by which the query names it. No reader keeps the answer, since any of the
 * traces may be deleted. */
void tv_stored_diff(struct tv_stored *stored, const struct tv_stored_trace *traces,
                    const struct tv_str *names, size_t count, const struct tv_http_request *request,
                    struct tv_str route, struct tv_str query, struct tv_http_response *response);
/* Appends the answer of the route `info`. */
enum tv_code tv_stored_info(struct tv_stored *stored, const struct tv_stored_trace *trace,
                            struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;
/* The flame graph of the thread with that id, as `traceview flame --thread` draws it. */
void tv_stored_flame(struct tv_stored *stored, const struct tv_stored_trace *trace,
                     const struct tv_http_request *request, uint32_t thread_id,
                     struct tv_http_response *response);

struct tv_stored_thread {
    uint32_t id;
    struct tv_str name;
    uint64_t calls;
    bool is_sampled;  /* its calls are runs of samples */
    uint64_t wall_ns; /* of all calls together; 0 where the trace lacks the clock */
    uint64_t cpu_ns;
};

/* The threads that have calls, the busiest first; all is in the arena. */
enum tv_code tv_stored_threads(struct tv_stored *stored, const struct tv_stored_trace *trace,
                               struct tv_arena *arena, struct tv_stored_thread **threads,
                               size_t *count, struct tv_error *err) TV_MUST_CHECK;

/* An export (docs/api.md, "Downloads"): `format`, or where it is empty the parameter of that name.
 */
void tv_stored_export(struct tv_stored *stored, const struct tv_stored_trace *trace,
                      const struct tv_http_request *request, struct tv_str format,
                      struct tv_str query, struct tv_http_response *response);
/* How far an export of this process is, and its end on demand: the route `exporting`. */
void tv_stored_exporting(struct tv_stored *stored, const struct tv_http_request *request,
                         struct tv_str query, struct tv_http_response *response);

/* The bytes as they were uploaded, or the range of them that the request wants. Whether the asker
 * may have them is the caller's to know. */
void tv_stored_raw(struct tv_stored *stored, const struct tv_stored_trace *trace,
                   const struct tv_http_request *request, struct tv_http_response *response);

struct tv_stored_counts {
    uint64_t open;   /* indexes now */
    uint64_t opened; /* in all */
    uint64_t closed; /* for want of room */
};
struct tv_stored_counts tv_stored_count(struct tv_stored *stored);

#endif
