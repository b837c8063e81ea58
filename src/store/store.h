/*
 * A store: rows (store/store_db.h) and files (store/store_files.h), and the functions that keep the
 * two in step. Servers, workers and `traceview store` use these, and the functions of the two
 * interfaces for what concerns rows alone. A store is the same for any number of processes and
 * threads at once; a struct tv_store may be used by any thread.
 */
#ifndef TV_STORE_STORE_H
#define TV_STORE_STORE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "os/file/digest.h"
#include "os/file/paths.h"
#include "store/store_db.h"
#include "store/store_files.h"

struct tv_store {
    const struct tv_alloc *alloc;
    struct tv_store_db db;
    struct tv_store_files files;
    char database[TV_PATH_CAP]; /* its path; "": the rows are in PostgreSQL */
    /* Of all of it, or with PostgreSQL of the files; of the cache where these are in a bucket. */
    char folder[TV_PATH_CAP];
    char cache[TV_PATH_CAP]; /* "": the files lie in a folder */
};

/* Where a store is. */
struct tv_store_place {
    const char *rows; /* the folder of all, or postgres://USER@HOST/DATABASE */
    /* s3://BUCKET and so on (s3/place.h), or with PostgreSQL the folder of the files; else NULL or
     * "". */
    const char *files;
    const char *password_file; /* with PostgreSQL, or NULL or "" (store/postgres/postgres_db.h) */
    /* With a bucket: the folder for drafts and copies, NULL or "": $XDG_CACHE_HOME/traceview/files;
     * and the bytes of copies, 0: TV_STORE_CACHE_MOST. */
    const char *cache;
    uint64_t cache_most;
    /* Whose the files may be, where they lie apart from the database: gc of a second database would
     * remove what came to the first. Its own, or nobody's yet, which are its own from then on;
     * those of another one, which must be gone, since they are its own from then on; anybody's, for
     * whoever removes none. */
    enum tv_files_owner { TV_FILES_OWN, TV_FILES_TAKEN, TV_FILES_OF_ANY } owner;
    /* The build of indexes whose figures are told and noted (struct tv_trace_figures): those that
     * another one found are not known. NULL or "": of none. */
    const char *indexes;
};
#define TV_STORE_CACHE_MOST ((uint64_t)8 << 30)
/* Whether that is PostgreSQL rather than a folder. */
bool tv_store_is_url(const char *rows);
/* Whether files are in a bucket; NULL: they are not. */
bool tv_store_is_bucket(const char *files);
/* Whether that may be a place, without a look at it: TV_ERR_ARGUMENT where an address has a
 * password, or a folder is missing or one too many. */
enum tv_code tv_store_check_place(const struct tv_store_place *place,
                                  struct tv_error *err) TV_MUST_CHECK;

/* Opens the store at a place. In a folder that is store.sqlite and files/, or in place of files/ a
 * file that says in which bucket they are; with PostgreSQL files/ lies in the folder of the files.
 * TV_STORE_MAKE makes a new one where the folder is missing or empty, and the database has none,
 * and migrates a schema of an earlier version. TV_ERR_UNSUPPORTED: the schema is of a later
 * version, or of an earlier one that may not be migrated, or the program has no SQLite or no libpq.
 * TV_ERR_NOT_FOUND: no store is there. TV_ERR_AWAY: PostgreSQL does not answer. TV_ERR_ARGUMENT: as
 * tv_store_check_place. TV_ERR_CONFLICT: the files are another database's (struct tv_store_place).
 *
 * TV_STORE_READ takes it as it is, and writes nothing, on a disk that takes nothing, too; nobody
 * else may write it meanwhile. TV_ERR_CONFLICT: it was not closed, and has rows beside its
 * database.
 *
 * TV_STORE_LOOK is for a look at a store that others may use, of an earlier version, too, but for
 * one in PostgreSQL: it is neither made nor migrated, and whoever opens it so changes nothing. */
enum tv_store_opening { TV_STORE_OPEN, TV_STORE_MAKE, TV_STORE_READ, TV_STORE_LOOK };
enum tv_code tv_store_open_place(struct tv_store *store, const struct tv_store_place *place,
                                 enum tv_store_opening how, const struct tv_alloc *alloc,
                                 struct tv_error *err) TV_MUST_CHECK;
void tv_store_close(struct tv_store *store); /* a store that is all 0, too */

/* The versions of the schemas that this program brings a store to; 0: it has none of that kind. Any
 * thread. */
struct tv_store_schemas {
    size_t sqlite, postgres;
};
struct tv_store_schemas tv_store_schemas(void);

/* Bytes that are free on the disks of this machine that it uses: of the fullest. TV_ERR_SYSTEM: it
 * cannot be told. */
enum tv_code tv_store_free_bytes(const struct tv_store *store, uint64_t *bytes,
                                 struct tv_error *err) TV_MUST_CHECK;

/* Bytes while they arrive. One thread at a time. */
struct tv_arrival {
    int fd; /* the draft; -1: none */
    uint64_t bytes;
    struct tv_digest digest; /* of the bytes so far */
    /* May be set after the beginning: bytes of the disk that are to stay free. It is looked at
     * every few MiB, so an arrival may take a little of them. */
    uint64_t keep_free;
    uint64_t looked_at; /* bytes that had come when free space was last checked */
    uint64_t sent;      /* bytes that are on their way to the disk */
    /* Of a part of an upload: the hash of all bytes of the upload. */
    enum { TV_ARRIVAL_ALONE, TV_ARRIVAL_FIRST, TV_ARRIVAL_FOLLOWS } place;
    struct tv_digest whole;         /* of one that follows */
    struct tv_digest_so_far so_far; /* at the end; "": not known */
};
/* A whole trace has an MD5, too; a part of one has not. */
enum tv_code tv_arrival_begin(struct tv_arrival *arrival, struct tv_store *store,
                              enum tv_digest_sums sums, struct tv_error *err) TV_MUST_CHECK;
/* Makes the bytes a part of an upload that follows `offset` earlier bytes, whose hash is `so_far`.
 * Call it before the first byte. */
void tv_arrival_follow(struct tv_arrival *arrival, uint64_t offset,
                       const struct tv_digest_so_far *so_far);
/* TV_ERR_LIMIT: the disk is full, but for what is to stay free. */
enum tv_code tv_arrival_write(struct tv_arrival *arrival, const void *bytes, size_t len,
                              struct tv_error *err) TV_MUST_CHECK;
/* The hash of the bytes so far, to compare with what a client says; may be asked once, at the end.
 * md5 may be NULL where it was not asked for. */
void tv_arrival_end(struct tv_arrival *arrival, struct tv_hash *hash, char md5[33]);
/* Lets the draft go; also after it was kept, or was never begun. */
void tv_arrival_release(struct tv_arrival *arrival);

/*
 * All below are slow (they wait for the disk): never on a thread that serves others meanwhile.
 * When they return TV_OK, a loss of power loses nothing.
 */

/* A new trace from bytes that have arrived, and the job of its index. `raw`, `md5` and `bytes` of
 * the row are those that tv_arrival_end told; an empty MD5 is noted by whoever makes the index.
 * Errors as add_trace has them; TV_ERR_CANCELLED: gc is removing the same bytes, so that the same
 * succeeds later. */
enum tv_code tv_store_keep_trace(struct tv_store *store, struct tv_arrival *arrival,
                                 const struct tv_trace_row *row, const char *build,
                                 const struct tv_quota *quota, int64_t now, enum tv_quota_of *over,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The next part of an upload (which add_trace with an empty raw has begun), as tv_arrival_end told.
 * Errors as add_part has them. */
enum tv_code tv_store_keep_part(struct tv_store *store, struct tv_arrival *arrival,
                                const struct tv_id *upload, const struct tv_part *part,
                                const struct tv_quota *quota, int64_t now, int64_t until,
                                enum tv_quota_of *over, struct tv_error *err) TV_MUST_CHECK;
/* All parts of an upload as one raw file, its trace, and the job of its index. `expected` (may be
 * NULL) is what the client says the whole hashes to: TV_ERR_ARGUMENT where it does not, and the
 * upload stays. TV_ERR_CONFLICT: fewer bytes have arrived than were told. TV_OK also where that was
 * done before. */
enum tv_code tv_store_finish_upload(struct tv_store *store, const struct tv_id *upload,
                                    const struct tv_hash *expected, const char *build, int64_t now,
                                    struct tv_error *err) TV_MUST_CHECK;
/* The job that makes the index of a trace, by the mappings that are tried on it; *by says why
 * these. TV_ERR_NOT_FOUND: no trace has that raw file any more. */
enum tv_code tv_store_want_index(const struct tv_store *store, const struct tv_trace_row *row,
                                 const char *build, bool is_awaited, int64_t now,
                                 enum tv_named_by *by, struct tv_job *job,
                                 struct tv_error *err) TV_MUST_CHECK;
/* The index that a worker's child wrote into a draft (files.draft) and that was checked: hashes it,
 * keeps it, and ends the job. `names`: what is said of its names, the reason of the done job. */
enum tv_code tv_store_keep_index(struct tv_store *store, int draft, const struct tv_job *job,
                                 const char *worker, const char *names, int64_t now,
                                 struct tv_error *err) TV_MUST_CHECK;

/* ---- Clock ---- */

/* The time for what processes take from one another for a while (take_job, take_delivery): that of
 * the database's server, where there is one, since what one machine's clock says is a lease's end
 * another's may take for long over. `own`, the time of this machine, where there is none or it does
 * not answer: then nothing can be taken either. */
int64_t tv_store_now(const struct tv_store *store, int64_t own);

/* By how many seconds the clock of this machine, `own`, is ahead of that of the database's server,
 * and of the bucket's; negative: behind, and 0 where there is none, or it does not answer. What an
 * answer takes counts for equal clocks. */
struct tv_store_clocks {
    int64_t database_s, files_s;
};
struct tv_store_clocks tv_store_compare_clocks(const struct tv_store *store, int64_t (*own)(void));

/* ---- Housekeeping: `traceview store`, and a server now and then ---- */

struct tv_store_gc { /* what was done */
    struct tv_expired expired;
    uint64_t files, file_bytes; /* removed */
    uint64_t strays;            /* files without a row, which got one and go with a later gc */
};
/* Drops what has expired and removes the files that no row needs. */
#define TV_STORE_GRACE                                                                             \
    86400 /* seconds; an upload between two of its steps must not take longer                      \
           */
enum tv_code tv_store_gc(struct tv_store *store, int64_t now, int64_t grace, struct tv_store_gc *gc,
                         struct tv_error *err) TV_MUST_CHECK;

/* Only removes the files of what was dropped; cheap however large the store is. */
enum tv_code tv_store_gc_dropped(struct tv_store *store, int64_t now, struct tv_store_gc *gc,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Only removes the files that no row needs; for a store that is nearly full, where no day is left
 * to wait. An upload whose file goes between two of its steps brings the bytes anew. */
enum tv_code tv_store_gc_files(struct tv_store *store, int64_t now, int64_t grace,
                               struct tv_store_gc *gc, struct tv_error *err) TV_MUST_CHECK;

/* Removes copies on this machine of files in a bucket that another machine removed, or that nobody
 * has used for a day. A call looks at some hundred of them; *folder is where the next one goes on,
 * 0 at first. Not for threads that answer. */
void tv_store_gc_copies(struct tv_store *store, unsigned *folder, int64_t now);

/* Of a store that nobody else uses, and whose rows are known to be whole: at once removes what no
 * row needs, files without a row, too, and drops no row that has expired. */
enum tv_code tv_store_gc_alone(struct tv_store *store, int64_t now, struct tv_store_gc *gc,
                               struct tv_error *err) TV_MUST_CHECK;

/* Reads all bytes of a file: their SHA-256, which is its name if it is whole, and how many they
 * are. */
enum tv_code tv_store_hash_file(const struct tv_store *store, const struct tv_hash *name,
                                struct tv_hash *found, uint64_t *bytes,
                                struct tv_error *err) TV_MUST_CHECK;

/* Compares rows with files, and each file with its name. Each fault is a line of `faults`. */
struct tv_store_check {
    uint64_t files, file_bytes; /* read and compared */
    uint64_t faults;            /* what is lost or damaged */
    uint64_t strays;            /* files without a row: harmless */
};
enum tv_code tv_store_check(struct tv_store *store, struct tv_store_check *check,
                            struct tv_buffer *faults, struct tv_error *err) TV_MUST_CHECK;
/* TV_ERR_UNSUPPORTED where rows are in PostgreSQL, which has its own tools: the error says which.
 *
 * A copy of the store as it is at one moment, while others use the store; the copy is opened like
 * any store. `to` is new or empty, or an earlier backup of the same store, which is renewed: it
 * gets what it has not, is the earlier one until all of that is there, and loses then what it needs
 * no more. TV_ERR_ARGUMENT: it is another store; a backup is one as soon as it was opened by
 * TV_STORE_MAKE, as sites do. TV_ERR_CONFLICT: somebody uses it, or the store has no rows, and `to`
 * would be emptied. On the same disk files are linked, since they never change; elsewhere they are
 * copied. */
struct tv_store_backup {
    uint64_t files, file_bytes; /* that were brought */
    uint64_t removed;           /* files that it needs no more */
};
enum tv_code tv_store_backup(struct tv_store *store, const char *to, int64_t now,
                             struct tv_store_backup *backup, struct tv_error *err) TV_MUST_CHECK;

#endif
