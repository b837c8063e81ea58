/* The functions behind struct tv_store_db, by subject; store/store_db.h tells what each does. */
#ifndef TV_STORE_POSTGRES_CALLS_H
#define TV_STORE_POSTGRES_CALLS_H

#include "postgres/address.h"
#include "postgres/turn.h"
#include "store/store_db.h"
#include "store/trace_columns.h"

/* What db->ctx is. */
#define TV_POSTGRES_SETTINGS_CAP 512u

struct tv_postgres {
    const struct tv_alloc *alloc;
    struct tv_pg_pool *pool;
    struct tv_pg_address address;
    char settings[TV_POSTGRES_SETTINGS_CAP]; /* of its sessions */
    bool is_read_only;                       /* nothing may be changed */
    /* Functions that watch the pool. Each pair is set before the pool calls it, and remains until
     * the pool's last call. */
    void (*job_waits)(void *arg);
    void *job_waits_arg;
    void (*state_changed)(void *arg, const struct tv_hash *raw);
    void *state_changed_arg;
};

/* The channels on which it is told that a job waits; and that the state of a job has changed, with
 * the name of its raw file. */
#define TV_POSTGRES_JOBS "traceview_jobs"
#define TV_POSTGRES_STATES "traceview_states"

/* Locks the rows of files until the transaction ends, the ones with these names: an array in the
 * spelling of PostgreSQL, or the rows of a query that begins with SELECT. Whoever names a file, or
 * drops a row that does, or takes a file to remove it holds that lock, and looks at what names the
 * file in a later statement, which sees what others committed before. */
#define TV_POSTGRES_LOCK_FILES(names)                                                              \
    "SELECT 1 FROM files WHERE name IN (" names ") ORDER BY name FOR NO KEY UPDATE"

/* ---- files.c ---- */
enum tv_code tv_postgres_claim_file(void *ctx, const struct tv_hash *name, uint64_t bytes,
                                    int64_t now, struct tv_error *err);
enum tv_code tv_postgres_take_unneeded(void *ctx, int64_t now, int64_t grace,
                                       struct tv_file_row *rows, size_t cap, size_t *count,
                                       struct tv_error *err);
enum tv_code tv_postgres_take_dropped(void *ctx, int64_t now, struct tv_file_row *rows, size_t cap,
                                      size_t *count, struct tv_error *err);
enum tv_code tv_postgres_drop_claim(void *ctx, const struct tv_hash *name, struct tv_error *err);
enum tv_code tv_postgres_forget_file(void *ctx, const struct tv_hash *name, struct tv_error *err);
enum tv_code tv_postgres_list_files(void *ctx, const struct tv_hash *after,
                                    struct tv_file_row *rows, size_t cap, size_t *count,
                                    struct tv_error *err);
/* Inside a transaction: TV_ERR_CONFLICT where a row may not name the file. */
enum tv_code tv_postgres_need_file(struct tv_pg *pg, const struct tv_hash *name,
                                   struct tv_error *err) TV_MUST_CHECK;

/* ---- traces.c ---- */
enum tv_code tv_postgres_add_trace(void *ctx, const struct tv_trace_row *row, int64_t until,
                                   const struct tv_quota *quota, enum tv_quota_of *over,
                                   struct tv_error *err);
enum tv_code tv_postgres_get_trace(void *ctx, const struct tv_id *id, int64_t now,
                                   struct tv_arena *arena, struct tv_trace_row *row,
                                   struct tv_error *err);
enum tv_code tv_postgres_find_md5(void *ctx, const struct tv_trace_query *query, const char md5[33],
                                  struct tv_id *id, struct tv_error *err);
enum tv_code tv_postgres_change_trace(void *ctx, const struct tv_id *id, int64_t now,
                                      const struct tv_trace_change *change, struct tv_error *err);
enum tv_code tv_postgres_drop_trace(void *ctx, const struct tv_id *id, struct tv_error *err);
/* Inside a transaction: the row, what belongs to it, and the jobs of a raw file that no other trace
 * has. */
enum tv_code tv_postgres_drop_row(struct tv_pg *pg, const struct tv_id *id, bool *dropped,
                                  struct tv_error *err) TV_MUST_CHECK;
/* The columns of a trace's own row: enum tv_trace_column. */
#define TV_POSTGRES_TRACE_OWN                                                                      \
    "id, raw, md5, bytes, file_name, title, note, created, expires, owner, address, user_name, "   \
    "is_raw_shared, is_listed, keeps_names, kind, is_for_all, map_id, map_hash, counting"
/* The build whose figures are told and noted, which each session is told at its beginning. */
#define TV_POSTGRES_INDEXES "current_setting('traceview.indexes')"
/* The columns that tv_postgres_read_trace reads, in a SELECT from traces. After its own come its
 * labels as one text, each with two lengths in bytes before it: "3 5 appclock"; then its figures,
 * and of what has none whether its jobs have failed. */
#define TV_POSTGRES_TRACE_COLUMNS                                                                  \
    TV_POSTGRES_TRACE_OWN                                                                          \
    ", (SELECT string_agg(octet_length(key)||' '||octet_length(value)||' '||key||value, ''"        \
    " ORDER BY key) FROM labels WHERE trace=traces.id),"                                           \
    " figures.raw IS NOT NULL, duration_ns, threads, worst_frame_ns, startup_ns,"                  \
    " figures.raw IS NULL AND (SELECT min(state)=3 FROM jobs WHERE jobs.raw=traces.raw)"
#define TV_POSTGRES_TRACES                                                                         \
    "traces LEFT JOIN (SELECT raw, duration_ns, threads, worst_frame_ns, startup_ns"               \
    " FROM build_figures WHERE build=" TV_POSTGRES_INDEXES ") AS figures USING (raw)"
enum tv_postgres_trace_column {
    TV_POSTGRES_TRACE_LABELS = TV_TRACE_OWN_COUNT,
    TV_POSTGRES_TRACE_HAS_FIGURES,
    TV_POSTGRES_TRACE_DURATION_NS,
    TV_POSTGRES_TRACE_THREADS,
    TV_POSTGRES_TRACE_WORST_FRAME_NS,
    TV_POSTGRES_TRACE_STARTUP_NS,
    TV_POSTGRES_TRACE_HAS_FAILED,
    TV_POSTGRES_TRACE_COLUMN_COUNT /* further columns of the SELECT follow */
};
/* A row of the last statement. */
enum tv_code tv_postgres_read_trace(const struct tv_pg *pg, size_t at, struct tv_arena *arena,
                                    struct tv_trace_row *row, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_postgres_lacks_md5(void *ctx, const struct tv_hash *raw, bool *lacks,
                                   struct tv_error *err);
enum tv_code tv_postgres_note_md5(void *ctx, const struct tv_hash *raw, const char md5[33],
                                  struct tv_error *err);
enum tv_code tv_postgres_counts_raw(void *ctx, const struct tv_hash *raw, enum tv_count_rule rule,
                                    int64_t now, bool *counts, struct tv_error *err);
/* Inside a transaction: the row gets the MD5 that another trace of the same bytes has. */
enum tv_code tv_postgres_share_md5(struct tv_pg *pg, const struct tv_id *id,
                                   struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_postgres_note_figures(void *ctx, const struct tv_hash *raw,
                                      const struct tv_trace_figures *figures, struct tv_error *err);

/* ---- program_tokens.c ---- */
enum tv_code tv_postgres_add_program_token(void *ctx, const struct tv_program_token *token,
                                           struct tv_error *err);
enum tv_code tv_postgres_find_program_token(void *ctx, const struct tv_hash *hash, int64_t now,
                                            struct tv_arena *arena, struct tv_program_token *token,
                                            struct tv_error *err);
enum tv_code tv_postgres_list_program_tokens(void *ctx, struct tv_str user, struct tv_arena *arena,
                                             struct tv_program_token *tokens, size_t cap,
                                             size_t *count, struct tv_error *err);
enum tv_code tv_postgres_list_all_program_tokens(void *ctx, const struct tv_id *after,
                                                 struct tv_arena *arena,
                                                 struct tv_program_token *tokens, size_t cap,
                                                 size_t *count, struct tv_error *err);
enum tv_code tv_postgres_drop_program_token(void *ctx, const struct tv_id *id, struct tv_str user,
                                            struct tv_error *err);

/* ---- deliveries.c ---- */
enum tv_code tv_postgres_add_delivery(void *ctx, const struct tv_delivery *delivery, int64_t now,
                                      struct tv_error *err);
enum tv_code tv_postgres_take_delivery(void *ctx, const char *worker, int64_t now, int64_t lease,
                                       struct tv_arena *arena, struct tv_delivery *delivery,
                                       struct tv_error *err);
enum tv_code tv_postgres_end_delivery(void *ctx, const struct tv_id *id, const char *worker,
                                      int64_t now, const struct tv_delivery_end *end,
                                      struct tv_error *err);
enum tv_code tv_postgres_list_deliveries(void *ctx, struct tv_arena *arena,
                                         struct tv_delivery *rows, size_t cap, size_t *count,
                                         struct tv_error *err);
enum tv_code tv_postgres_count_deliveries(void *ctx, uint64_t counts[TV_DELIVERY_STATES],
                                          struct tv_error *err);
enum tv_code tv_postgres_add_tallies(void *ctx, const uint64_t by[TV_TALLY_COUNT],
                                     struct tv_error *err);
enum tv_code tv_postgres_set_tally(void *ctx, enum tv_tally which, uint64_t value,
                                   struct tv_error *err);
enum tv_code tv_postgres_read_tallies(void *ctx, uint64_t values[TV_TALLY_COUNT],
                                      struct tv_error *err);

/* ---- list.c ---- */
/* Of a row of traces, in a statement that knows a query as JSON (store/list_query.h) as q: whether
 * the query's projects allow it, or it is of the reader or of an owner. */
#define TV_POSTGRES_MAY_BE_SEEN                                                                    \
    " (q->'projects' IS NULL OR coalesce(user_name=q->>'reader', false)"                           \
    "   OR coalesce(q->'owners' ? owner, false)"                                                   \
    "   OR NOT EXISTS(SELECT 1 FROM labels WHERE trace=traces.id AND labels.key='project'"         \
    "   AND NOT q->'projects' ? labels.value))"
enum tv_code tv_postgres_list_traces(void *ctx, const struct tv_trace_query *query,
                                     struct tv_arena *arena, struct tv_trace_row *rows,
                                     size_t *count, struct tv_error *err);
enum tv_code tv_postgres_find_other_projects(void *ctx, const struct tv_trace_query *query,
                                             struct tv_arena *arena,
                                             struct tv_other_projects *others,
                                             struct tv_error *err);

/* ---- quota.c ---- */
enum tv_code tv_postgres_sums(void *ctx, enum tv_quota_of of, const struct tv_trace_row *who,
                              struct tv_store_sums *sums, struct tv_error *err);
enum tv_code tv_postgres_sum_files(void *ctx, struct tv_file_sums *sums, struct tv_error *err);
/* Inside a transaction, before it locks anything else: waits for others that add to what these
 * quotas are held against, until they have ended. `quota` may be NULL. */
enum tv_code tv_postgres_lock_quota(struct tv_pg *pg, const struct tv_quota *quota,
                                    const struct tv_trace_row *who,
                                    struct tv_error *err) TV_MUST_CHECK;
/* In the transaction of tv_postgres_lock_quota, after the new rows are there: TV_ERR_LIMIT if they
 * exceed the quota. */
enum tv_code tv_postgres_hold_quota(struct tv_pg *pg, const struct tv_quota *quota,
                                    const struct tv_trace_row *who, enum tv_quota_of *over,
                                    struct tv_error *err) TV_MUST_CHECK;

/* ---- uploads.c ---- */
enum tv_code tv_postgres_drop_empty_upload(void *ctx, const struct tv_id *id, struct tv_error *err);
enum tv_code tv_postgres_get_upload(void *ctx, const struct tv_id *id, int64_t now,
                                    struct tv_arena *arena, struct tv_upload *upload,
                                    struct tv_error *err);
enum tv_code tv_postgres_add_part(void *ctx, const struct tv_id *id, const struct tv_part *part,
                                  int64_t now, int64_t until, const struct tv_quota *quota,
                                  enum tv_quota_of *over, struct tv_error *err);
enum tv_code tv_postgres_get_parts(void *ctx, const struct tv_id *id, uint64_t offset,
                                   struct tv_part *parts, size_t cap, size_t *count,
                                   struct tv_error *err);
enum tv_code tv_postgres_finish_upload(void *ctx, const struct tv_id *id, const struct tv_hash *raw,
                                       uint64_t bytes, int64_t now, struct tv_error *err);

/* ---- mappings.c ---- */
enum tv_code tv_postgres_choose_mappings(void *ctx, const struct tv_trace_row *row, int64_t now,
                                         struct tv_mapping_list *list, struct tv_error *err);
enum tv_code tv_postgres_note_map_id(void *ctx, const struct tv_hash *raw, struct tv_str id,
                                     struct tv_error *err);
enum tv_code tv_postgres_note_mapping(void *ctx, const struct tv_id *id, struct tv_str map_id,
                                      struct tv_str map_hash, struct tv_error *err);
/* Inside a transaction, before a row goes: the indexes with the names of a mapping that no other
 * row has. */
enum tv_code tv_postgres_drop_named(struct tv_pg *pg, const struct tv_id *id,
                                    struct tv_error *err) TV_MUST_CHECK;

/* ---- jobs.c ---- */
enum tv_code tv_postgres_want_job(void *ctx, const struct tv_hash *raw, const char *build,
                                  const char *mappings, bool is_awaited, int64_t now,
                                  struct tv_job *job, struct tv_error *err);
enum tv_code tv_postgres_take_job(void *ctx, const char *build, const char *worker, int64_t now,
                                  int64_t lease, unsigned tries, struct tv_job *job,
                                  struct tv_error *err);
enum tv_code tv_postgres_find_left_job(void *ctx, const char *build, int64_t now, int64_t patience,
                                       struct tv_job *job, struct tv_error *err);
enum tv_code tv_postgres_find_unserved(void *ctx, int64_t now, int64_t patience,
                                       struct tv_unserved *unserved, struct tv_error *err);
enum tv_code tv_postgres_renew_job(void *ctx, const struct tv_hash *raw, const char *build,
                                   const char *mappings, const char *worker, int64_t now,
                                   int64_t lease, struct tv_error *err);
enum tv_code tv_postgres_retry_jobs(void *ctx, const struct tv_hash *raw, const char *build,
                                    int64_t now, uint64_t *count, struct tv_error *err);
enum tv_code tv_postgres_end_job(void *ctx, const struct tv_hash *raw, const char *build,
                                 const char *mappings, const char *worker, int64_t now,
                                 enum tv_job_end end, unsigned tries, const struct tv_hash *index,
                                 const char *reason, struct tv_error *err);

/* ---- expire.c ---- */
enum tv_code tv_postgres_drop_replaced(void *ctx, const char *build, int64_t idle_since,
                                       uint64_t *count, struct tv_error *err);
enum tv_code tv_postgres_expire(void *ctx, int64_t now, int64_t grace, size_t most,
                                struct tv_expired *expired, struct tv_error *err);

#endif
