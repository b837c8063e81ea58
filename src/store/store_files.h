/*
 * Immutable files by name: the bytes of raw traces, of indexes, and of parts of uploads.
 *
 * A file's name is the SHA-256 of its bytes, so that a file never changes, the same bytes are kept
 * once, and keeping them twice does no harm. Nothing here knows what a file is for: which files are
 * needed is known by the rows (store/store_db.h). A folder of the disk stands behind this interface
 * (store/folder_files.h), or a bucket of an object store (store/s3_files.h).
 *
 * Bytes arrive in a local file without a name, the draft, which anybody writes who has its
 * descriptor: a server while a body arrives, a worker's child. Nothing is left of a draft whose
 * process ends. Bytes leave as a descriptor of a local file, for those who map it or send it, or
 * by ranges, for those who read it once; an object store answers the first from a local cache.
 *
 * Errors: TV_ERR_NOT_FOUND where no file has that name. TV_ERR_LIMIT where there is no room for
 * more bytes. TV_ERR_SYSTEM where the system refuses, TV_ERR_AWAY where a server does not answer.
 * A call that failed may be repeated.
 *
 * Threads and processes: any number may call at once, on one store. Calls take as long as the disk
 * or the network takes, so none belongs on a thread that answers others meanwhile.
 */
#ifndef TV_STORE_STORE_FILES_H
#define TV_STORE_STORE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A SHA-256 as 64 lower-case hexadecimal digits; all of it is 0 where there is none. */
struct tv_hash {
    char hex[65];
};

/* A file that is a part of a longer one. */
struct tv_file_part {
    struct tv_hash name;
    uint64_t len;
};

/* Room for whose files they are. */
#define TV_STORE_OWNER_CAP 96u

struct tv_store_files {
    void *ctx;
    /* Opens an empty draft, to write and read; the descriptor is the caller's to close. */
    enum tv_code (*draft)(void *ctx, int *fd, struct tv_error *err);
    /*
     * Keeps the bytes of a draft, to which nobody writes any more, under their name. The caller has
     * computed the name from just these bytes. When this returns TV_OK, the file is whole and
     * survives a loss of power, whether this call or another one brought it. The descriptor stays
     * the caller's, and a draft may be kept more than once.
     */
    enum tv_code (*keep)(void *ctx, int draft, const struct tv_hash *name, struct tv_error *err);
    /*
     * Keeps, under its name, what these files have one behind the other; there is one at least. The
     * caller has hashed these bytes when they came, and they are neither read for that nor go
     * through the caller. TV_OK as of `keep`. TV_ERR_NOT_FOUND: one of the files is not there;
     * TV_ERR_SYSTEM also where one has another length.
     */
    enum tv_code (*join)(void *ctx, const struct tv_file_part *parts, size_t count,
                         const struct tv_hash *name, struct tv_error *err);
    /* Opens a file to read; the descriptor is the caller's to close, and the bytes stay readable
     * through it when the file is removed. */
    enum tv_code (*open)(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                         struct tv_error *err);
    /* Opens a file to read if its bytes are on this machine; TV_ERR_NOT_FOUND also if they would
     * have to be brought. */
    enum tv_code (*open_here)(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                              struct tv_error *err);
    /* How long a file is. */
    enum tv_code (*len)(void *ctx, const struct tv_hash *name, uint64_t *len, struct tv_error *err);
    /* How many bytes whoever reads all of a file asks `read` for at a time: an object store takes
     * as long for one as for many. */
    size_t read_len;
    /* Reads from `offset` on: *len is less than `cap` at the end of the file only. */
    enum tv_code (*read)(void *ctx, const struct tv_hash *name, uint64_t offset, void *into,
                         size_t cap, size_t *len, struct tv_error *err);
    /* Removes a file; TV_OK also where there is none. Only gc (store/store.h) may ask for it, since
     * only rows tell that nobody needs a file. */
    enum tv_code (*remove)(void *ctx, const struct tv_hash *name, struct tv_error *err);
    /* The names behind `after` (NULL: from the start), in order, at most `cap`; fewer than `cap`:
     * these are the last. */
    enum tv_code (*list)(void *ctx, const struct tv_hash *after, struct tv_hash *names, size_t cap,
                         size_t *count, struct tv_error *err);
    /* Whose files they are, as write_owner was told: a line that lies beside them.
     * TV_ERR_NOT_FOUND: nobody said so yet. */
    enum tv_code (*read_owner)(void *ctx, char owner[TV_STORE_OWNER_CAP], struct tv_error *err);
    enum tv_code (*write_owner)(void *ctx, const char *owner, struct tv_error *err);
    /* By how many seconds this machine's clock was ahead of the server's at its last answer; the
     * function is NULL where there is no server. */
    int64_t (*ahead_s)(void *ctx);
    /* tv_cached_files_sift of the copies on this machine (store/cached_files.h); the function is
     * NULL where there are none. Not for threads that answer, which may write nothing. */
    size_t (*sift_copies)(void *ctx, unsigned folder, int64_t now,
                          bool (*is_kept)(void *arg, const struct tv_hash *name), void *arg);
    void (*close)(void *ctx);
};

#endif
