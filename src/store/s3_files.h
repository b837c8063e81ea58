/* Files in a bucket of an object store that speaks S3 (store/store_files.h), with a folder of this
 * machine for drafts and for copies of what is mapped or read often.
 *
 * The folder is a cache: all of it may be removed at any moment, and any number of processes may
 * share it. A copy gets its name there when its bytes have its hash, so that nobody looks at it a
 * second time. The copies that were used longest ago go first. */
#ifndef TV_STORE_S3_FILES_H
#define TV_STORE_S3_FILES_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "store/store_files.h"

struct tv_s3_files_opts {
    const char *place;   /* s3://BUCKET and so on (s3/place.h) */
    const char *cache;   /* the folder, which is made where it is missing */
    uint64_t cache_most; /* bytes that the copies may take */
};

/* Starts the threads that make connections, so it is called before the Landlock domain of others.
 * TV_ERR_ARGUMENT: the place is none. TV_ERR_NOT_FOUND: there is no key. */
enum tv_code tv_s3_files_open(struct tv_store_files *files, const struct tv_s3_files_opts *opts,
                              const struct tv_alloc *alloc, struct tv_error *err) TV_MUST_CHECK;
/* Gives up what was sent in parts and never ended since more than a day, and makes room in the
 * cache. */
void tv_s3_files_sweep(const struct tv_store_files *files, int64_t now);

#endif
