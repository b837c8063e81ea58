/* The functions behind struct tv_store_db, by subject; store/store_db.h tells what each does. */
#ifndef TV_STORE_SQLITE_CALLS_H
#define TV_STORE_SQLITE_CALLS_H

#include "sqlite/sql.h"
#include "store/store_db.h"

/* What db->ctx is: two connections, one that writes, whose commits wait for the disk, and one that
 * reads meanwhile. */
struct tv_sqlite {
    const struct tv_alloc *alloc;
    struct tv_sql writer, reader;
    char identity[TV_STORE_OWNER_CAP];
    char indexes[TV_STORE_BUILD_MOST + 1]; /* the build whose figures are told and noted */
};

/* ---- files.c ---- */
enum tv_code tv_sqlite_claim_file(void *ctx, const struct tv_hash *name, uint64_t bytes,
                                  int64_t now, struct tv_error *err);
enum tv_code tv_sqlite_take_unneeded(void *ctx, int64_t now, int64_t grace,
                                     struct tv_file_row *rows, size_t cap, size_t *count,
                                     struct tv_error *err);
enum tv_code tv_sqlite_take_dropped(void *ctx, int64_t now, struct tv_file_row *rows, size_t cap,
                                    size_t *count, struct tv_error *err);
enum tv_code tv_sqlite_drop_claim(void *ctx, const struct tv_hash *name, struct tv_error *err);
enum tv_code tv_sqlite_forget_file(void *ctx, const struct tv_hash *name, struct tv_error *err);
enum tv_code tv_sqlite_list_files(void *ctx, const struct tv_hash *after, struct tv_file_row *rows,
                                  size_t cap, size_t *count, struct tv_error *err);
/* Inside a transaction: TV_ERR_CONFLICT where a row may not name the file. */
enum tv_code tv_sqlite_need_file(struct tv_sql *sql, const struct tv_hash *name,
                                 struct tv_error *err) TV_MUST_CHECK;

/* ---- traces.c ---- */
enum tv_code tv_sqlite_add_trace(void *ctx, const struct tv_trace_row *row, int64_t until,
                                 const struct tv_quota *quota, enum tv_quota_of *over,
                                 struct tv_error *err);
enum tv_code tv_sqlite_get_trace(void *ctx, const struct tv_id *id, int64_t now,
                                 struct tv_arena *arena, struct tv_trace_row *row,
                                 struct tv_error *err);
enum tv_code tv_sqlite_find_md5(void *ctx, const struct tv_trace_query *query, const char md5[33],
                                struct tv_id *id, struct tv_error *err);
enum tv_code tv_sqlite_change_trace(void *ctx, const struct tv_id *id, int64_t now,
                                    const struct tv_trace_change *change, struct tv_error *err);
enum tv_code tv_sqlite_drop_trace(void *ctx, const struct tv_id *id, struct tv_error *err);
/* Inside a transaction: the row, what belongs to it, and the jobs of a raw file that no other trace
 * has. */
enum tv_code tv_sqlite_drop_row(struct tv_sql *sql, const struct tv_id *id, bool *dropped,
                                struct tv_error *err) TV_MUST_CHECK;
/* The columns that tv_sqlite_read_trace reads, in a SELECT from traces: enum tv_trace_column. */
#define TV_SQLITE_TRACE_COLUMNS                                                                    \
    "id, raw, md5, bytes, file_name, title, note, created, expires, owner, address, user, "        \
    "is_raw_shared, is_listed, keeps_names, kind, is_for_all, map_id, map_hash, counting"
/* The row at hand, without the rest. */
enum tv_code tv_sqlite_read_trace(const struct tv_sql_statement *rows, struct tv_arena *arena,
                                  struct tv_trace_row *row, struct tv_error *err) TV_MUST_CHECK;
/* What else belongs to the row: its labels, and the figures of its index by a build. */
enum tv_code tv_sqlite_read_rest(struct tv_sql *sql, const char *indexes, struct tv_arena *arena,
                                 struct tv_trace_row *row, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_lacks_md5(void *ctx, const struct tv_hash *raw, bool *lacks,
                                 struct tv_error *err);
enum tv_code tv_sqlite_note_md5(void *ctx, const struct tv_hash *raw, const char md5[33],
                                struct tv_error *err);
/* Inside a transaction: the row gets the MD5 that another trace of the same bytes has. */
enum tv_code tv_sqlite_share_md5(struct tv_sql *sql, const struct tv_id *id,
                                 struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_sqlite_counts_raw(void *ctx, const struct tv_hash *raw, enum tv_count_rule rule,
                                  int64_t now, bool *counts, struct tv_error *err);
enum tv_code tv_sqlite_note_figures(void *ctx, const struct tv_hash *raw,
                                    const struct tv_trace_figures *figures, struct tv_error *err);

/* ---- program_tokens.c ---- */
enum tv_code tv_sqlite_add_program_token(void *ctx, const struct tv_program_token *token,
                                         struct tv_error *err);
enum tv_code tv_sqlite_find_program_token(void *ctx, const struct tv_hash *hash, int64_t now,
                                          struct tv_arena *arena, struct tv_program_token *token,
                                          struct tv_error *err);
enum tv_code tv_sqlite_list_program_tokens(void *ctx, struct tv_str user, struct tv_arena *arena,
                                           struct tv_program_token *tokens, size_t cap,
                                           size_t *count, struct tv_error *err);
enum tv_code tv_sqlite_list_all_program_tokens(void *ctx, const struct tv_id *after,
                                               struct tv_arena *arena,
                                               struct tv_program_token *tokens, size_t cap,
                                               size_t *count, struct tv_error *err);
enum tv_code tv_sqlite_drop_program_token(void *ctx, const struct tv_id *id, struct tv_str user,
                                          struct tv_error *err);

/* ---- deliveries.c ---- */
enum tv_code tv_sqlite_add_delivery(void *ctx, const struct tv_delivery *delivery, int64_t now,
                                    struct tv_error *err);
enum tv_code tv_sqlite_take_delivery(void *ctx, const char *worker, int64_t now, int64_t lease,
                                     struct tv_arena *arena, struct tv_delivery *delivery,
                                     struct tv_error *err);
enum tv_code tv_sqlite_end_delivery(void *ctx, const struct tv_id *id, const char *worker,
                                    int64_t now, const struct tv_delivery_end *end,
                                    struct tv_error *err);
enum tv_code tv_sqlite_list_deliveries(void *ctx, struct tv_arena *arena, struct tv_delivery *rows,
                                       size_t cap, size_t *count, struct tv_error *err);
enum tv_code tv_sqlite_count_deliveries(void *ctx, uint64_t counts[TV_DELIVERY_STATES],
                                        struct tv_error *err);
enum tv_code tv_sqlite_add_tallies(void *ctx, const uint64_t by[TV_TALLY_COUNT],
                                   struct tv_error *err);
enum tv_code tv_sqlite_set_tally(void *ctx, enum tv_tally which, uint64_t value,
                                 struct tv_error *err);
enum tv_code tv_sqlite_read_tallies(void *ctx, uint64_t values[TV_TALLY_COUNT],
                                    struct tv_error *err);

/* ---- list.c ---- */
/* Of a row of traces, in a statement with a query as JSON (store/list_query.h) as ?1: whether the
 * query's projects allow it, or it is of the reader or of an owner. */
#define TV_SQLITE_MAY_BE_SEEN                                                                      \
    " (json_type(?1, '$.projects') IS NULL OR ifnull(user=json_extract(?1, '$.reader'), 0)"        \
    "   OR owner IN (SELECT value FROM json_each(?1, '$.owners'))"                                 \
    "   OR NOT EXISTS(SELECT 1 FROM labels WHERE trace=traces.id AND labels.key='project'"         \
    "   AND labels.value NOT IN (SELECT value FROM json_each(?1, '$.projects'))))"
enum tv_code tv_sqlite_list_traces(void *ctx, const struct tv_trace_query *query,
                                   struct tv_arena *arena, struct tv_trace_row *rows, size_t *count,
                                   struct tv_error *err);
enum tv_code tv_sqlite_find_other_projects(void *ctx, const struct tv_trace_query *query,
                                           struct tv_arena *arena, struct tv_other_projects *others,
                                           struct tv_error *err);

/* ---- quota.c ---- */
enum tv_code tv_sqlite_sums(void *ctx, enum tv_quota_of of, const struct tv_trace_row *who,
                            struct tv_store_sums *sums, struct tv_error *err);
enum tv_code tv_sqlite_sum_files(void *ctx, struct tv_file_sums *sums, struct tv_error *err);
/* Inside a transaction that has added what is new: TV_ERR_LIMIT where that is too much. `quota` may
 * be NULL. */
enum tv_code tv_sqlite_hold_quota(struct tv_sql *sql, const struct tv_quota *quota,
                                  const struct tv_trace_row *who, enum tv_quota_of *over,
                                  struct tv_error *err) TV_MUST_CHECK;

/* ---- uploads.c ---- */
enum tv_code tv_sqlite_drop_empty_upload(void *ctx, const struct tv_id *id, struct tv_error *err);
enum tv_code tv_sqlite_get_upload(void *ctx, const struct tv_id *id, int64_t now,
                                  struct tv_arena *arena, struct tv_upload *upload,
                                  struct tv_error *err);
enum tv_code tv_sqlite_add_part(void *ctx, const struct tv_id *id, const struct tv_part *part,
                                int64_t now, int64_t until, const struct tv_quota *quota,
                                enum tv_quota_of *over, struct tv_error *err);
enum tv_code tv_sqlite_get_parts(void *ctx, const struct tv_id *id, uint64_t offset,
                                 struct tv_part *parts, size_t cap, size_t *count,
                                 struct tv_error *err);
enum tv_code tv_sqlite_finish_upload(void *ctx, const struct tv_id *id, const struct tv_hash *raw,
                                     uint64_t bytes, int64_t now, struct tv_error *err);

/* ---- mappings.c ---- */
enum tv_code tv_sqlite_choose_mappings(void *ctx, const struct tv_trace_row *row, int64_t now,
                                       struct tv_mapping_list *list, struct tv_error *err);
enum tv_code tv_sqlite_note_map_id(void *ctx, const struct tv_hash *raw, struct tv_str id,
                                   struct tv_error *err);
enum tv_code tv_sqlite_note_mapping(void *ctx, const struct tv_id *id, struct tv_str map_id,
                                    struct tv_str map_hash, struct tv_error *err);
/* Inside a transaction, before a row goes: the indexes with the names of a mapping that no other
 * row has. */
enum tv_code tv_sqlite_drop_named(struct tv_sql *sql, const struct tv_id *id,
                                  struct tv_error *err) TV_MUST_CHECK;

/* ---- jobs.c ---- */
enum tv_code tv_sqlite_want_job(void *ctx, const struct tv_hash *raw, const char *build,
                                const char *mappings, bool is_awaited, int64_t now,
                                struct tv_job *job, struct tv_error *err);
enum tv_code tv_sqlite_take_job(void *ctx, const char *build, const char *worker, int64_t now,
                                int64_t lease, unsigned tries, struct tv_job *job,
                                struct tv_error *err);
enum tv_code tv_sqlite_find_left_job(void *ctx, const char *build, int64_t now, int64_t patience,
                                     struct tv_job *job, struct tv_error *err);
enum tv_code tv_sqlite_find_unserved(void *ctx, int64_t now, int64_t patience,
                                     struct tv_unserved *unserved, struct tv_error *err);
enum tv_code tv_sqlite_renew_job(void *ctx, const struct tv_hash *raw, const char *build,
                                 const char *mappings, const char *worker, int64_t now,
                                 int64_t lease, struct tv_error *err);
enum tv_code tv_sqlite_retry_jobs(void *ctx, const struct tv_hash *raw, const char *build,
                                  int64_t now, uint64_t *count, struct tv_error *err);
enum tv_code tv_sqlite_end_job(void *ctx, const struct tv_hash *raw, const char *build,
                               const char *mappings, const char *worker, int64_t now,
                               enum tv_job_end end, unsigned tries, const struct tv_hash *index,
                               const char *reason, struct tv_error *err);

/* ---- expire.c ---- */
enum tv_code tv_sqlite_drop_replaced(void *ctx, const char *build, int64_t idle_since,
                                     uint64_t *count, struct tv_error *err);
enum tv_code tv_sqlite_expire(void *ctx, int64_t now, int64_t grace, size_t most,
                              struct tv_expired *expired, struct tv_error *err);

#endif
