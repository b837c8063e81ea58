/*
 * What one store keeps, brought into another one while both are used: from SQLite and a folder to
 * PostgreSQL and any files, or back. A copy that was cut off is gone on with by another one, which
 * passes over what is there. Threads: one calls, any others may use the stores.
 */
#ifndef TV_STORE_COPY_H
#define TV_STORE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "store/store.h"

struct tv_store_copying {
    struct tv_store *from, *to;
    const char *build; /* whose indexes are wanted of what comes (struct tv_job) */
    int64_t (*now)(
        void);     /* seconds since 1970; asked again and again, since a copy may take long */
    bool verifies; /* files that `to` has are read, hashed, and mended where they are damaged */
    bool deletes;  /* what `to` has and `from` has not is deleted in `to` */
};

struct tv_store_copied {
    /* Brought: */
    uint64_t traces, mappings, tokens;
    uint64_t files, file_bytes; /* each read, hashed and kept */
    uint64_t late;              /* of the traces and mappings: came to `from` meanwhile */
    uint64_t changed;           /* traces and mappings that were there and have changed since */
    uint64_t deleted;           /* in `to`: traces, mappings and tokens */
    /* Left: */
    uint64_t verified; /* files that were there, and were read and hashed */
    uint64_t mended;   /* of these damaged or lost there, and brought anew */
    uint64_t there;    /* traces and mappings that were there, changed ones among them */
    uint64_t others;   /* in `to` alone: traces, mappings and tokens */
    uint64_t uploads;  /* of which not all bytes have arrived */
    uint64_t faults;   /* traces and mappings whose file is lost or damaged, or whose id is taken */
};

/*
 * Brings traces and mappings with their files, labels, owners, times and figures, and tokens of
 * programs. A file is kept only where its bytes hash to its name; one that does not, or is missing,
 * is a fault, told as a line of `faults`, and the rest goes on. One that `to` has in the length of
 * its row is not read again, unless the copy verifies: tv_store_check compares it, too. Indexes are
 * not brought: the workers of `to` make them, and each trace that comes has a job. TV_ERR_ARGUMENT:
 * both have one folder of files. Other errors are those of the stores; the same call again goes on.
 */
enum tv_code tv_store_copy(const struct tv_store_copying *copying, struct tv_store_copied *copied,
                           struct tv_buffer *faults, struct tv_error *err) TV_MUST_CHECK;

#endif
