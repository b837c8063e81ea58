/* What quotas are held against, whichever database has the sums. Any thread. */
#ifndef TV_STORE_QUOTA_RULES_H
#define TV_STORE_QUOTA_RULES_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "store/store_db.h"

/* Adds up what an owner has, of traces, and of files, too, where `with_files` is asked for. */
typedef enum tv_code (*tv_quota_rules_sum)(void *ctx, enum tv_quota_of of, struct tv_str who,
                                           bool with_files, struct tv_store_sums *sums,
                                           struct tv_error *err);

/* The order in which quotas are reported: the narrowest one first, since the user can do something
 * about it. */
extern const enum tv_quota_of tv_quota_rules_order[TV_QUOTA_KINDS];

/* Whose sum a quota is about: what stands in their column of the rows; of the store "". */
struct tv_str tv_quota_rules_who(enum tv_quota_of of, const struct tv_trace_row *row);
/* Whether there is a quota to hold. */
bool tv_quota_rules_hold(const struct tv_quota *quota, enum tv_quota_of of, struct tv_str who);
/* Holds all quotas, if there are any, against what `sum` adds up. TV_ERR_LIMIT: one is passed, and
 * whose it is stands in *over (may be NULL). */
enum tv_code tv_quota_rules_check(const struct tv_quota *quota, const struct tv_trace_row *who,
                                  tv_quota_rules_sum sum, void *ctx, enum tv_quota_of *over,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
