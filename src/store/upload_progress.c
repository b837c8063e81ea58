/*
 * Checks of the next part of an upload, and of its end; see store/upload_progress.h.
 *
 * Both databases ask here, within the transaction that writes the part. `arrived` is the sum of the
 * parts so far, so a part has to begin there: an upload never has a gap or an overlap, and a client
 * that lost an answer learns from the conflict where to go on.
 */
#include "store/upload_progress.h"

enum tv_code tv_upload_progress_check_offset(const struct tv_upload_progress *progress,
                                             const struct tv_part *part, struct tv_error *err)
{
    if (part->offset == (uint64_t)progress->arrived)
        return TV_OK;
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                   "the upload has %llu bytes, and this part begins at %llu",
                   (unsigned long long)progress->arrived, (unsigned long long)part->offset);
}

/* The offset was compared before. Refused here are a part without bytes, a part that passes the
 * announced length, and a part beyond the most that an upload may have. */
enum tv_code tv_upload_progress_check(const struct tv_upload_progress *progress,
                                      const struct tv_part *part, struct tv_error *err)
{
    uint64_t arrived = (uint64_t)progress->arrived;
    if (part->len == 0 || part->len > INT64_MAX - arrived)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a part has at least one byte");
    if (progress->told && part->len > (uint64_t)progress->told - arrived)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the upload was told to have %llu bytes, and this part ends at %llu",
                       (unsigned long long)progress->told,
                       (unsigned long long)(arrived + part->len));
    if (progress->part_count >= (int64_t)TV_STORE_PARTS_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "an upload may have %u parts",
                       TV_STORE_PARTS_MOST);
    return TV_OK;
}

enum tv_code tv_upload_progress_check_end(const struct tv_upload_progress *progress, uint64_t bytes,
                                          struct tv_error *err)
{
    if ((uint64_t)progress->arrived == bytes &&
        (!progress->told || progress->told == progress->arrived))
        return TV_OK;
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                   "%llu bytes of the upload have arrived, of %llu",
                   (unsigned long long)progress->arrived,
                   (unsigned long long)(progress->told ? (uint64_t)progress->told : bytes));
}
