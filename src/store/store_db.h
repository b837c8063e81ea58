/*
 * What is known: rows about traces, uploads, jobs and files. The rows are the only truth of what
 * exists; files (store/store_files.h) without a row that names them are rubbish.
 *
 * Each function is ONE short transaction, which holds no file operation, no callback and no wait
 * for anybody. Each may be repeated: what was done stays done, told by an id of the caller. SQLite
 * stands behind this interface (store/sqlite_db.h); PostgreSQL can.
 *
 * Times are seconds since 1970 UTC and are given by the caller; none is read inside. A clock that
 * jumps costs no row that was not due: see expire().
 *
 * A file's row comes before its bytes, and the row that names the file after them:
 *
 *     claim_file   (files.keep)   add_trace | add_part | finish_upload | end_job
 *
 * Bytes that nobody names are found by their claim, so that nothing is left behind by a process
 * that was killed between two steps. A file goes the other way:
 *
 *     drop_trace    take_unneeded   (files.remove)   forget_file
 *
 * A file that take_unneeded gave away to be removed can be neither claimed nor named until it is
 * forgotten: those calls return TV_ERR_CONFLICT, and whoever still has the bytes begins again with
 * claim_file a moment later. tv_store_keep_... (store/store.h) do all that.
 *
 * Errors: TV_ERR_NOT_FOUND: no such row (or it has expired). TV_ERR_CONFLICT: the row is not as the
 * caller took it to be; nothing was changed. TV_ERR_LIMIT: a quota, or no room on the disk.
 * TV_ERR_ARGUMENT: longer than the limits below, or no UTF-8. TV_ERR_SYSTEM: the database refused.
 * TV_ERR_AWAY: it does not answer, or another process keeps it locked.
 *
 * Memory: rows that go in are borrowed for the call. Text of rows that come out lies in the arena
 * of the caller. Threads and processes: any number may call at once.
 */
#ifndef TV_STORE_STORE_DB_H
#define TV_STORE_STORE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "os/file/digest.h"
#include "store/store_files.h"

/* 128 random bits as 32 lower-case hexadecimal digits (os/token.h makes them). */
struct tv_id {
    char hex[33];
};

/* Limits of what rows hold, in bytes of UTF-8. */
#define TV_STORE_NAME_MOST 255u /* a file's name, a user's name */
#define TV_STORE_TITLE_MOST 200u
#define TV_STORE_NOTE_MOST 10000u
#define TV_STORE_LABELS_MOST 32u
#define TV_STORE_LABEL_KEY_MOST 64u
#define TV_STORE_LABEL_VALUE_MOST 200u
#define TV_STORE_BUILD_MOST 64u
#define TV_STORE_WORKER_MOST 64u
#define TV_STORE_REASON_MOST 255u
#define TV_STORE_PARTS_MOST 10000u                    /* of an upload */
#define TV_STORE_LIST_MOST 1000u                      /* rows that one call gives */
#define TV_STORE_MAP_ID_MOST 128u                     /* an id or a hash of a mapping */
#define TV_STORE_MAPPINGS_MOST 8u                     /* mappings that are tried on one trace */
#define TV_STORE_MAPPINGS_BYTES ((uint64_t)512 << 20) /* of these together, the first apart */
/* Seconds between the last claim of a file that was dropped since and its removal; for whoever
 * brings the same bytes meanwhile. */
#define TV_STORE_DROPPED_S 5
/* A gc that has kept a file for this many seconds counts as dead, and another gc may take the file.
 * A living gc stops removing long before (MOST_NS in store/gc.c). */
#define TV_STORE_GOING_S 300

/* ---- Traces ---- */

/* The keys "app", "build" and "device" are those that lists search by; a key stands once. */
struct tv_label {
    struct tv_str key, value;
};

/* A mapping of names (docs/retrace.md) is kept as a trace is: it has an id, an owner, labels, a
 * time at which it expires, and parts while it arrives; its bytes count in the same quotas. Nobody
 * but its owner sees it, and it has no index. */
enum tv_kept_kind { TV_KEPT_TRACE, TV_KEPT_MAPPING };

/* The value of the label with that key; empty: there is none. */
TV_INLINE struct tv_str tv_label_value(const struct tv_label *labels, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (tv_str_equal(labels[i].key, tv_str_from(key)))
            return labels[i].value;
    }
    return tv_str_from("");
}

/* Whether its owner lets a trace count in questions over all traces. */
enum tv_counting { TV_COUNTING_UNSAID, TV_COUNTING_YES, TV_COUNTING_NO };
/* Which traces count where their owners have not said: none, or those that are listed. */
enum tv_count_rule { TV_COUNT_ASKED, TV_COUNT_LISTED };

/* What lists tell of a trace beside what its uploader says. A worker finds it in the index, and it
 * is kept for the raw file, of each build of indexes (struct tv_store_place). Times are of the time
 * axis. */
struct tv_trace_figures {
    bool is_known;   /* an index was made by this build, and since programs find it */
    bool has_failed; /* none was made: each job that was to make one has failed */
    uint64_t duration_ns;
    uint64_t threads;        /* that have calls */
    uint64_t worst_frame_ns; /* the longest frame of a main thread; 0: it has none */
    uint64_t startup_ns; /* from the first phase of a start-up to the end of the first frame; 0 */
};

struct tv_trace_row {
    enum tv_kept_kind kind;
    struct tv_id id;    /* whoever knows it may see the trace */
    struct tv_hash raw; /* the file of the raw bytes; empty: an upload, whose bytes still arrive */
    char md5[33];   /* of the raw bytes, in UPPER-case digits: AFlame's name of the trace; "" while
                       it is not known, which it is at once where another trace has the bytes */
    uint64_t bytes; /* length of the raw file; of an upload as told, 0: not told */
    struct tv_str file_name, title, note;
    const struct tv_label *labels; /* sorted by key when they come out */
    size_t label_count;
    int64_t created;
    int64_t expires;        /* 0: never; from this second on the trace is not found */
    struct tv_hash owner;   /* SHA-256 of the owner token; compare it in constant time */
    struct tv_hash address; /* hash of the uploader's address, for quotas; empty: not known */
    struct tv_str user;     /* as the proxy names the uploader; empty: none */
    bool is_raw_shared;     /* anybody with the link may fetch the raw bytes */
    bool is_listed;
    enum tv_counting counting;
    bool keeps_names; /* of a trace: its names are those of the file, whatever mappings there are */
    /* Of a mapping: it names traces of all, not those of its owner alone; and the id and the hash
     * that it says of itself, empty where it does not. */
    bool is_for_all;
    struct tv_str map_id, map_hash;
    struct tv_trace_figures figures; /* of rows that come out; add_trace takes none */
};

/* How much may be kept: in the whole store (files, each once), and of one uploader (raw bytes of
 * traces and uploads, however often the same). 0: no limit. */
enum tv_quota_of {
    TV_QUOTA_STORE,
    TV_QUOTA_ADDRESS,
    TV_QUOTA_OWNER,
    TV_QUOTA_USER,
    TV_QUOTA_PROJECT /* of traces with one value of the label `project`, whoever uploaded them */
};
#define TV_QUOTA_KINDS 5u
struct tv_quota {
    uint64_t bytes[TV_QUOTA_KINDS];
    uint64_t traces[TV_QUOTA_KINDS];
};

/* What is changed of a trace; NULL: stays as it is. */
struct tv_trace_change {
    const struct tv_str *title, *note;
    const struct tv_label *labels; /* all of them anew */
    size_t label_count;
    uint64_t project_quota; /* bytes that the project of the labels may have with the trace: else
                               TV_ERR_LIMIT, and nothing is changed; 0: it is not looked at */
    enum tv_quota_of *over; /* set to the quota that refused; may be NULL */
    const int64_t *expires;
    const bool *is_raw_shared, *is_listed, *keeps_names;
    const enum tv_counting *counting;
    const struct tv_str *user;   /* empty: nobody's */
    const struct tv_hash *owner; /* of another owner token; the earlier one is void. "": of none */
};

/* Which traces are listed, the newest first. A trace must satisfy all that is given. */
struct tv_trace_query {
    const struct tv_hash *owners; /* it is of one of these tokens, or of `user`; where neither is
                                     given it is a listed one: no query finds what others hide */
    size_t owner_count;
    struct tv_str user;
    struct tv_str text; /* each word of it is in title, file name, note or a label's value,
                           letters of ASCII in either case; TV_ERR_ARGUMENT for more than
                           TV_LIST_WORDS_MOST */
    const struct tv_label *labels; /* it has each of them; an empty value: with any value */
    size_t label_count;
    const enum tv_count_rule *counted; /* traces that count by this rule alone; NULL: all */
    bool is_of_all;                    /* all traces, whoever has hidden them: for administrators */
    const struct tv_str *projects;     /* its label `project`, if it has one, is one of these; NULL:
                                          whatever it is */
    size_t project_count;
    struct tv_str reader;              /* whose own traces may be of others, as may those of the
                                          owners; empty: nobody's */
    struct tv_str uploader;            /* who uploaded it; empty: anybody */
    struct tv_str from_day, until_day; /* "2026-11-22", UTC: uploaded on that day or later, or
                                          earlier than on that day; empty: no bound */
    enum tv_kept_kind kind;
    int64_t now;
    int64_t after_created; /* with after_id: the last row of the page before */
    struct tv_id after_id; /* empty: from the newest on */
    size_t most;           /* at most TV_STORE_LIST_MOST */
};

/* Traces whose label `project` is none of those of a query. */
#define TV_STORE_OTHERS_NAMED 5u
struct tv_other_projects {
    uint64_t traces;
    struct tv_str names[TV_STORE_OTHERS_NAMED]; /* those that most have, these first */
    size_t named;
    size_t projects; /* how many there are, the named ones included */
};

/* ---- Tokens of programs ---- */

/* What a token lets its program do, as bits. */
enum {
    TV_SCOPE_UPLOAD = 1, /* upload, and change what its user has uploaded, so that nobody sees more
                            of it, and it ends no earlier */
    TV_SCOPE_READ = 2,   /* fetch files of its user, and list what is the user's */
    TV_SCOPE_DELETE = 4, /* delete what its user has uploaded */
    TV_SCOPE_ALL = 7,
};
#define TV_STORE_PROGRAM_TOKENS_MOST 100u /* of one user */

/* A token by which a program asks in the name of a user. The token itself is shown only once. */
struct tv_program_token {
    struct tv_id id; /* by which it is named: no secret */
    struct tv_hash hash;
    struct tv_str user, name;
    unsigned scopes;
    int64_t created, expires; /* from `expires` on it is not found; it stays in its user's list */
};

/* ---- Deliveries ---- */

/* What a site tells another program by its webhook. Its id is made of what it is about, so that it
 * is told once, whoever of many processes finds it first. Texts are UTF-8. */
enum tv_delivery_state { TV_DELIVERY_WAITING, TV_DELIVERY_DONE, TV_DELIVERY_GIVEN_UP };
#define TV_DELIVERY_STATES 3u
/* "waiting", "delivered", "given_up". */
extern const char *const tv_delivery_words[TV_DELIVERY_STATES];
#define TV_STORE_DELIVERY_MOST 65536u /* bytes of a body */
/* Seconds that one is kept behind its end. */
#define TV_STORE_DELIVERED_S ((int64_t)90 * 86400)
struct tv_delivery {
    struct tv_id id;
    struct tv_str app, build; /* that it is about, for lists */
    struct tv_str body;
    enum tv_delivery_state state;
    unsigned tries; /* that were begun */
    int64_t created;
    int64_t next;         /* of a waiting one: when it is tried again */
    int64_t ended;        /* 0: it waits */
    unsigned status;      /* HTTP's, of the last answer; 0: there was none */
    struct tv_str reason; /* why the last try failed; empty: it did not */
};
/* How a try ended. */
struct tv_delivery_end {
    enum tv_delivery_state state; /* waiting: it is tried again at `next` */
    int64_t next;
    unsigned status;
    struct tv_str reason; /* cut to TV_STORE_REASON_MOST bytes */
};

/* ---- Tallies ---- */

/* Numbers of all processes of a site together, which processes without metrics of their own (role =
 * worker) add to. */
enum tv_tally {
    TV_TALLY_INDEXED,     /* jobs that ended with an index, as */
    TV_TALLY_RETRIED,     /* jobs that were given up and queued again, */
    TV_TALLY_BAD,         /* and as traces that cannot be read */
    TV_TALLY_ROWED,       /* traces whose rows were made */
    TV_TALLY_ROWS,        /* rows of methods and of contexts that were made for them */
    TV_TALLY_ROWS_FAILED, /* traces whose rows could not be made */
    TV_TALLY_ROWS_BEHIND, /* traces that count and have no rows, as the last pass found */
    TV_TALLY_HOOK_TRIES,  /* tries to deliver by the webhook that failed */
    TV_TALLY_COUNT
};

/* ---- Uploads ---- */

/* A resumable upload is a trace whose raw bytes are not there yet: it has the id, owner, title and
 * labels that the trace will have. Its bytes lie in parts, each a file. */
struct tv_upload {
    struct tv_trace_row trace;
    uint64_t arrived; /* bytes, from the start without a gap: the offset of the next part */
    size_t part_count;
    int64_t until; /* from this second on the upload is not found; each part moves it */
    struct tv_digest_so_far so_far; /* of what has arrived; "": not known, as of the first part */
};

struct tv_part {
    uint64_t offset, len;
    struct tv_hash file;
    struct tv_digest_so_far so_far; /* of the upload to the end of this part; "": not known */
};

/* ---- Mappings ---- */

/* Why these mappings are tried on a trace. */
enum tv_named_by {
    TV_NAMED_BY_NOTHING, /* there is none to try */
    TV_NAMED_BY_ID,      /* the trace's methods have its id: one mapping */
    TV_NAMED_BY_BUILD,   /* it has the same label `build`, and no other `app`: one mapping */
    TV_NAMED_BY_NAMES,   /* it may know the names: the owner's latest */
};
/* The files of mappings, as the names of files with a blank between two; none: "". */
struct tv_mapping_list {
    enum tv_named_by by;
    char files[TV_STORE_MAPPINGS_MOST * sizeof(struct tv_hash)];
};

/* ---- Jobs ---- */

/* A job makes one index: of a raw file with the names of these mappings, by any build of the
 * program whose indexes have the version that `build` names. Nobody else makes the same index. The
 * rows of done jobs tell where indexes are. */
enum tv_job_state { TV_JOB_QUEUED, TV_JOB_TAKEN, TV_JOB_DONE, TV_JOB_BAD };

struct tv_job {
    struct tv_hash raw;
    char build[TV_STORE_BUILD_MOST + 1];
    char mappings[TV_STORE_MAPPINGS_MOST * sizeof(struct tv_hash)]; /* struct tv_mapping_list */
    enum tv_job_state state;
    char worker[TV_STORE_WORKER_MOST + 1]; /* who took it last; empty: nobody yet */
    int64_t
        deadline; /* of a taken job: from then on anybody may take it; of a queued one: its place */
    unsigned tries;                        /* how often it was taken */
    struct tv_hash index;                  /* of a done job: the file of the index */
    char reason[TV_STORE_REASON_MOST + 1]; /* why the last try failed; of a bad job: why it is bad;
                                              of a done one: what its worker says of the names */
    int64_t created, changed;
};

/* How a try ended. */
enum tv_job_end {
    TV_JOB_END_DONE,   /* the file `index` is kept */
    TV_JOB_END_RETRY,  /* queued again, or bad after the last try */
    TV_JOB_END_BAD,    /* another try would end the same way */
    TV_JOB_END_UNKEPT, /* an index was made that the store did not keep: queued again, and no try
                          before counts any more, since the trace can be read */
    TV_JOB_END_PAUSED /* as RETRY, but nobody takes it for TV_JOB_PAUSE_S, so that others get in: it
                         stays taken, by no worker */
};

/* ---- Sums ---- */

struct tv_store_sums {
    uint64_t traces, trace_bytes;
    uint64_t uploads, upload_bytes; /* as told, or as arrived */
    uint64_t dropped_bytes;         /* of one uploader: dropped, and still there; charged to them */
    uint64_t files, file_bytes;     /* each once; 0 where sums are of one uploader */
    uint64_t jobs[4];               /* by enum tv_job_state; 0 where sums are of one uploader */
};

/* What can be told of the files at once, however many there are, and in milliseconds of those that
 * wait. */
struct tv_file_sums {
    uint64_t files, bytes;
    uint64_t waiting_bytes; /* of raw files whose index is not made yet */
    bool has_dropped;       /* a file was dropped, and is still there */
};

/* Jobs of one build that nobody seems to do: they have waited, and no worker has one of them. */
struct tv_unserved {
    uint64_t jobs; /* 0: there are none */
    char build[TV_STORE_BUILD_MOST + 1];
    int64_t oldest; /* when the oldest of them was made */
};

/* What housekeeping dropped. */
struct tv_expired {
    uint64_t traces, uploads, jobs;
};

struct tv_file_row {
    struct tv_hash name;
    uint64_t bytes;
    bool is_going;  /* given away to be removed */
    bool is_needed; /* another row names it */
};

/* Of end_job: the trace is not the cause, so the try counts for nothing, and may come again any
 * number of times. */
#define TV_JOB_ANY_TRIES UINT32_MAX
#define TV_JOB_PAUSE_S 60

struct tv_store_db {
    void *ctx;

    /* ---- Files ---- */

    /* Says that a file of that name and length is about to be kept, and will be named within the
     * grace period of gc. A repeated claim begins the period anew. TV_ERR_CONFLICT: the file is
     * being removed. */
    enum tv_code (*claim_file)(void *ctx, const struct tv_hash *name, uint64_t bytes, int64_t now,
                               struct tv_error *err);
    /* Gives away up to `cap` files that no row names and that were claimed `grace` seconds ago or
     * earlier, and files that another gc took TV_STORE_GOING_S ago or earlier and never forgot:
     * that gc has ended before its work was done. The caller removes each file and then forgets it.
     */
    enum tv_code (*take_unneeded)(void *ctx, int64_t now, int64_t grace, struct tv_file_row *rows,
                                  size_t cap, size_t *count, struct tv_error *err);
    /* Gives away up to `cap` files that no row names since a trace or an upload was dropped, and
     * that were claimed TV_STORE_DROPPED_S ago or earlier. */
    enum tv_code (*take_dropped)(void *ctx, int64_t now, struct tv_file_row *rows, size_t cap,
                                 size_t *count, struct tv_error *err);
    /* Says that a claimed file gets no row after all; gc removes it in seconds, where no other row
     * names it. */
    enum tv_code (*drop_claim)(void *ctx, const struct tv_hash *name, struct tv_error *err);
    enum tv_code (*forget_file)(void *ctx, const struct tv_hash *name, struct tv_error *err);
    /* The rows behind `after` (NULL: from the start), by name. */
    enum tv_code (*list_files)(void *ctx, const struct tv_hash *after, struct tv_file_row *rows,
                               size_t cap, size_t *count, struct tv_error *err);

    /* ---- Traces ---- */

    /* Adds a trace, or with an empty `raw` begins an upload that is kept until `until`. TV_OK
     * without a change where the id is there with the same raw file; with another one
     * TV_ERR_CONFLICT, as where the file is not claimed. TV_ERR_LIMIT: *over (may be NULL) says
     * whose quota, TV_QUOTA_STORE also for a full disk. */
    enum tv_code (*add_trace)(void *ctx, const struct tv_trace_row *row, int64_t until,
                              const struct tv_quota *quota, enum tv_quota_of *over,
                              struct tv_error *err);
    /* A trace or a mapping with all its bytes that has not expired. */
    enum tv_code (*get_trace)(void *ctx, const struct tv_id *id, int64_t now,
                              struct tv_arena *arena, struct tv_trace_row *row,
                              struct tv_error *err);
    /* The oldest trace whose raw bytes have this MD5, in digits of either case, of those that have
     * no other project than the query says, or are of its reader or of one of its owners. Nothing
     * else of the query holds but `now`. */
    enum tv_code (*find_md5)(void *ctx, const struct tv_trace_query *query, const char md5[33],
                             struct tv_id *id, struct tv_error *err);
    enum tv_code (*change_trace)(void *ctx, const struct tv_id *id, int64_t now,
                                 const struct tv_trace_change *change, struct tv_error *err);
    /* Deletes a trace or an upload at once, with its jobs where it was the last of its raw file;
     * files go by gc. Until they have gone they count in the quotas of whoever brought them. */
    enum tv_code (*drop_trace)(void *ctx, const struct tv_id *id, struct tv_error *err);
    /* Deletes an upload of which no bytes have arrived; TV_ERR_NOT_FOUND: there is none such. */
    enum tv_code (*drop_empty_upload)(void *ctx, const struct tv_id *id, struct tv_error *err);
    /* `rows` has room for query->most. */
    enum tv_code (*list_traces)(void *ctx, const struct tv_trace_query *query,
                                struct tv_arena *arena, struct tv_trace_row *rows, size_t *count,
                                struct tv_error *err);

    /* Traces of other projects than those of the query, whose `now` holds, too. */
    enum tv_code (*find_other_projects)(void *ctx, const struct tv_trace_query *query,
                                        struct tv_arena *arena, struct tv_other_projects *others,
                                        struct tv_error *err);

    /* ---- Tokens of programs ---- */

    /* TV_ERR_LIMIT: the user has TV_STORE_PROGRAM_TOKENS_MOST. TV_OK without a change where the id
     * is there. */
    enum tv_code (*add_program_token)(void *ctx, const struct tv_program_token *token,
                                      struct tv_error *err);
    enum tv_code (*find_program_token)(void *ctx, const struct tv_hash *hash, int64_t now,
                                       struct tv_arena *arena, struct tv_program_token *token,
                                       struct tv_error *err);
    /* The tokens of a user, the newest first, also expired ones. */
    enum tv_code (*list_program_tokens)(void *ctx, struct tv_str user, struct tv_arena *arena,
                                        struct tv_program_token *tokens, size_t cap, size_t *count,
                                        struct tv_error *err);
    /* The tokens of all users after the id `after` (NULL: from the start), by id, also expired
     * ones. */
    enum tv_code (*list_all_program_tokens)(void *ctx, const struct tv_id *after,
                                            struct tv_arena *arena, struct tv_program_token *tokens,
                                            size_t cap, size_t *count, struct tv_error *err);
    /* TV_ERR_NOT_FOUND also where the token is another user's. `user` empty: the token of any user.
     */
    enum tv_code (*drop_program_token)(void *ctx, const struct tv_id *id, struct tv_str user,
                                       struct tv_error *err);

    /* ---- Deliveries ---- */

    /* Adds a delivery that waits, to be tried at once, and forgets those that ended
     * TV_STORE_DELIVERED_S ago. One of the same id stays as it is. */
    enum tv_code (*add_delivery)(void *ctx, const struct tv_delivery *delivery, int64_t now,
                                 struct tv_error *err);
    /* Gives the worker a delivery that is due, for `lease` seconds. A worker that dies meanwhile
     * may have sent it, so a delivery may come twice. TV_ERR_NOT_FOUND: none is due. */
    enum tv_code (*take_delivery)(void *ctx, const char *worker, int64_t now, int64_t lease,
                                  struct tv_arena *arena, struct tv_delivery *delivery,
                                  struct tv_error *err);
    /* TV_ERR_CONFLICT: it is not this worker's any more. */
    enum tv_code (*end_delivery)(void *ctx, const struct tv_id *id, const char *worker, int64_t now,
                                 const struct tv_delivery_end *end, struct tv_error *err);
    /* The newest first. */
    enum tv_code (*list_deliveries)(void *ctx, struct tv_arena *arena, struct tv_delivery *rows,
                                    size_t cap, size_t *count, struct tv_error *err);
    /* How many there are, by enum tv_delivery_state. */
    enum tv_code (*count_deliveries)(void *ctx, uint64_t counts[TV_DELIVERY_STATES],
                                     struct tv_error *err);

    /* ---- Tallies ---- */

    /* Adds to all at once, since each change of the store waits for the disk. */
    enum tv_code (*add_tallies)(void *ctx, const uint64_t by[TV_TALLY_COUNT], struct tv_error *err);
    enum tv_code (*set_tally)(void *ctx, enum tv_tally which, uint64_t value, struct tv_error *err);
    enum tv_code (*read_tallies)(void *ctx, uint64_t values[TV_TALLY_COUNT], struct tv_error *err);

    /* ---- Uploads ---- */

    enum tv_code (*get_upload)(void *ctx, const struct tv_id *id, int64_t now,
                               struct tv_arena *arena, struct tv_upload *upload,
                               struct tv_error *err);
    /* Adds bytes at the end; the upload is kept until `until`. TV_OK without a change where just
     * this part is there. TV_ERR_CONFLICT: `offset` is not the end, or the file is not claimed.
     * TV_ERR_ARGUMENT: more than was told. */
    enum tv_code (*add_part)(void *ctx, const struct tv_id *id, const struct tv_part *part,
                             int64_t now, int64_t until, const struct tv_quota *quota,
                             enum tv_quota_of *over, struct tv_error *err);
    /* The parts from that offset on, in order, at most `cap`. */
    enum tv_code (*get_parts)(void *ctx, const struct tv_id *id, uint64_t offset,
                              struct tv_part *parts, size_t cap, size_t *count,
                              struct tv_error *err);
    /* Makes the trace of an upload, without its MD5, and drops its parts. TV_OK without a change
     * where the trace is there with this raw file. TV_ERR_CONFLICT: other bytes have arrived than
     * `bytes`, or the file is not claimed. */
    enum tv_code (*finish_upload)(void *ctx, const struct tv_id *id, const struct tv_hash *raw,
                                  uint64_t bytes, int64_t now, struct tv_error *err);

    /* ---- Mappings ---- */

    /* The mappings to try on a trace: of its owner, of its user, and those that are for all, where
     * these have its id or its label `build`. Where the trace's methods have an id, no mapping
     * without that id is tried. */
    enum tv_code (*choose_mappings)(void *ctx, const struct tv_trace_row *row, int64_t now,
                                    struct tv_mapping_list *list, struct tv_error *err);
    /* The id of a mapping that the methods of a raw file have; TV_OK also where the file is gone.
     */
    enum tv_code (*note_map_id)(void *ctx, const struct tv_hash *raw, struct tv_str id,
                                struct tv_error *err);
    /* What a mapping says of itself; TV_ERR_NOT_FOUND: no mapping or upload of one has that id. */
    enum tv_code (*note_mapping)(void *ctx, const struct tv_id *id, struct tv_str map_id,
                                 struct tv_str map_hash, struct tv_error *err);

    /* ---- What workers find ---- */

    /* Whether a trace has that raw file whose MD5 is not known. */
    enum tv_code (*lacks_md5)(void *ctx, const struct tv_hash *raw, bool *lacks,
                              struct tv_error *err);
    /* The MD5 of a raw file, for all traces that have it. */
    enum tv_code (*note_md5)(void *ctx, const struct tv_hash *raw, const char md5[33],
                             struct tv_error *err);

    /* Whether a trace with that raw file counts by the rule. */
    enum tv_code (*counts_raw)(void *ctx, const struct tv_hash *raw, enum tv_count_rule rule,
                               int64_t now, bool *counts, struct tv_error *err);

    /* What was found in the index of a raw file; TV_OK also where the file is gone. */
    enum tv_code (*note_figures)(void *ctx, const struct tv_hash *raw,
                                 const struct tv_trace_figures *figures, struct tv_error *err);

    /* ---- Jobs ---- */

    /* The job that makes the index of a raw file with the names of these mappings by a build;
     * queued where there is none yet. One for which nobody waits comes after others, until somebody
     * does. TV_ERR_NOT_FOUND: no trace has that raw file. */
    enum tv_code (*want_job)(void *ctx, const struct tv_hash *raw, const char *build,
                             const char *mappings, bool is_awaited, int64_t now, struct tv_job *job,
                             struct tv_error *err);
    /* Takes the first queued job of a build, or one whose lease has lapsed, for `lease` seconds: by
     * place (job_end.h). A lapsed one that was taken `tries` times becomes bad instead.
     * TV_ERR_NOT_FOUND: there is none. `worker` is a name that no other worker has. */
    enum tv_code (*take_job)(void *ctx, const char *build, const char *worker, int64_t now,
                             int64_t lease, unsigned tries, struct tv_job *job,
                             struct tv_error *err);
    /* The build whose jobs have waited longest, `patience` seconds at least, while no worker has a
     * job of it. Looks at the jobs that wait alone. */
    enum tv_code (*find_unserved)(void *ctx, int64_t now, int64_t patience,
                                  struct tv_unserved *unserved, struct tv_error *err);
    /* A job that has waited `patience` seconds while no worker has one of its build, and whose raw
     * file has none of `build`: an earlier program left it. No name where there is none. */
    enum tv_code (*find_left_job)(void *ctx, const char *build, int64_t now, int64_t patience,
                                  struct tv_job *job, struct tv_error *err);
    /* Both: TV_ERR_CONFLICT where the job is not (any more) that worker's, or is gone: the worker
     * stops, and forgets its result. Repeating end_job is TV_OK, but for TV_JOB_END_PAUSED. */
    enum tv_code (*renew_job)(void *ctx, const struct tv_hash *raw, const char *build,
                              const char *mappings, const char *worker, int64_t now, int64_t lease,
                              struct tv_error *err);
    enum tv_code (*end_job)(void *ctx, const struct tv_hash *raw, const char *build,
                            const char *mappings, const char *worker, int64_t now,
                            enum tv_job_end end, unsigned tries, const struct tv_hash *index,
                            const char *reason, struct tv_error *err);

    /* Bad jobs of a build are queued once more, as if they were new: those of a raw file, or all
     * (NULL); and so are those of other builds whose raw file has no job of this one, and no
     * index. */
    enum tv_code (*retry_jobs)(void *ctx, const struct tv_hash *raw, const char *build, int64_t now,
                               uint64_t *count, struct tv_error *err);

    /* Has `changed` called, on a thread of the database's, whenever a job may wait that did not
     * before, whichever process made it; NULL: nothing is called any more. The function itself is
     * NULL where an implementation cannot tell: then workers look. */
    void (*watch_jobs)(void *ctx, void (*changed)(void *arg), void *arg);
    /* Has `changed` called whenever the state of a job has changed, with its raw file; `raw` NULL:
     * of any. */
    void (*watch_states)(void *ctx, void (*changed)(void *arg, const struct tv_hash *raw),
                         void *arg);

    /* ---- Clock ---- */

    /* The time of the database's server, by which processes of several machines agree. The function
     * is NULL where all are on one machine. See tv_store_now (store/store.h). */
    enum tv_code (*clock)(void *ctx, int64_t *now, struct tv_error *err);

    /* ---- Whose files ---- */

    /* Which database this is, in letters, digits and blanks: no other one is, a copy of it or one
     * that a dump of it was read into neither. It stays as long as the database is where it is. */
    enum tv_code (*identify)(void *ctx, char identity[TV_STORE_OWNER_CAP], struct tv_error *err);

    /* ---- Housekeeping ---- */

    /* Drops up to `most` expired rows of each kind, and jobs that are no longer of use. An expired
     * row is not found from its second on, but dropped only when an earlier call, `grace` seconds
     * ago or more, saw it expired too: where a clock that was ahead is set right between the two,
     * nothing is lost. */
    enum tv_code (*expire)(void *ctx, int64_t now, int64_t grace, size_t most,
                           struct tv_expired *expired, struct tv_error *err);
    /* Drops the jobs of other builds of whose raw file there is an index of `build`, with the names
     * of the same mappings, but none of a build whose workers took or made one after `idle_since`:
     * at once, where room is short. */
    enum tv_code (*drop_replaced)(void *ctx, const char *build, int64_t idle_since, uint64_t *count,
                                  struct tv_error *err);
    /* Sums over all, or over what one uploader has: `of` says which column of `who` counts. */
    enum tv_code (*sums)(void *ctx, enum tv_quota_of of, const struct tv_trace_row *who,
                         struct tv_store_sums *sums, struct tv_error *err);
    /* Takes no longer where the store is large. */
    enum tv_code (*sum_files)(void *ctx, struct tv_file_sums *sums, struct tv_error *err);
    /* Takes from the disk what was deleted, where the database keeps it beside itself for a while,
     * and nobody uses it at the moment; the function is NULL where it does not. */
    enum tv_code (*forget_deleted)(void *ctx, struct tv_error *err);
    /* Looks for damage inside the database; `faults` gets a line for each. */
    enum tv_code (*check)(void *ctx, struct tv_buffer *faults, struct tv_error *err);
    void (*close)(void *ctx);
};

#endif
