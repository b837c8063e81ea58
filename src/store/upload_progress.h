/* How far an upload has come, and whether a part or the end of it may come next. Any thread. */
#ifndef TV_STORE_UPLOAD_PROGRESS_H
#define TV_STORE_UPLOAD_PROGRESS_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "store/store_db.h"

struct tv_upload_progress {
    int64_t told; /* length that the client told; 0: not told */
    int64_t arrived;
    int64_t part_count;
};

/* Whether the part begins where the bytes that have arrived end; else TV_ERR_CONFLICT. */
enum tv_code tv_upload_progress_check_offset(const struct tv_upload_progress *progress,
                                             const struct tv_part *part,
                                             struct tv_error *err) TV_MUST_CHECK;
/* Whether there is room for the part. */
enum tv_code tv_upload_progress_check(const struct tv_upload_progress *progress,
                                      const struct tv_part *part,
                                      struct tv_error *err) TV_MUST_CHECK;
/* Whether all parts have arrived, `bytes` in sum; else TV_ERR_CONFLICT. */
enum tv_code tv_upload_progress_check_end(const struct tv_upload_progress *progress, uint64_t bytes,
                                          struct tv_error *err) TV_MUST_CHECK;

#endif
