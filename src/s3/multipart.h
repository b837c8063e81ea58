/* Sending a long file in parts, several at once. */
#ifndef TV_S3_MULTIPART_H
#define TV_S3_MULTIPART_H

#include "s3/bucket.h"
#include "s3/request_errand.h"

/* Parts of a file, sent or brought. S3 takes 10,000 of 5 MiB to 5 GiB. */
uint64_t tv_s3_part_len(uint64_t len);

/* The object is there as a whole, or not at all; the parts of a sending that failed are given up.
 */
enum tv_code tv_s3_send_in_parts(struct tv_errands *errands, const struct tv_s3_asker *asker,
                                 const char *key, int fd, uint64_t len,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Makes an object of objects that exist: the server copies them, and no byte passes through here.
 * TV_ERR_UNSUPPORTED, and nothing was asked: S3 takes no parts like these. TV_ERR_NOT_FOUND: one of
 * the objects is not there. TV_ERR_SYSTEM also: one has another length than was told. */
enum tv_code tv_s3_join_pieces(struct tv_errands *errands, const struct tv_s3_asker *asker,
                               const char *key, const struct tv_s3_piece *pieces, size_t count,
                               struct tv_error *err) TV_MUST_CHECK;
/* Gives up the parts of other sendings that began before that moment. */
void tv_s3_give_up_parts(struct tv_errands *errands, const struct tv_s3_asker *asker,
                         const char *before);

#endif
