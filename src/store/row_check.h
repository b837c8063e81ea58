/* Whether what is to become a row keeps the limits of store/store_db.h, whichever database stands
 * behind it. TV_ERR_ARGUMENT says what does not. */
#ifndef TV_STORE_ROW_CHECK_H
#define TV_STORE_ROW_CHECK_H

#include "base/compiler.h"
#include "base/error.h"
#include "store/store_db.h"

enum tv_code tv_row_check_trace(const struct tv_trace_row *row, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_row_check_change(const struct tv_trace_change *change,
                                 struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_row_check_program_token(const struct tv_program_token *token,
                                        struct tv_error *err) TV_MUST_CHECK;
/* Whether a text is one that databases take: UTF-8 without U+0000. */
bool tv_row_is_text(struct tv_str text);
enum tv_code tv_row_check_delivery(const struct tv_delivery *delivery,
                                   struct tv_error *err) TV_MUST_CHECK;
/* A reason, cut so that it fits: what is no UTF-8 becomes "". */
struct tv_str tv_row_cut_reason(struct tv_str reason);
enum tv_code tv_row_check_hash(const struct tv_hash *hash, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_row_check_map_id(struct tv_str id, struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_row_check_job(const struct tv_hash *raw, const char *build, const char *worker,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
