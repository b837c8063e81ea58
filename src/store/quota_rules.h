/* What quotas are held against, whichever database has the sums. Any thread. */
#ifndef TV_STORE_QUOTA_RULES_H
#define TV_STORE_QUOTA_RULES_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "store/store_db.h"

/* The order in which quotas are reported: the narrowest one first, since the user can do something
 * about it. */
extern const enum tv_quota_of tv_quota_rules_order[TV_QUOTA_KINDS];

/* Whose sum a quota is about: what stands in their column of the rows; of the store "". */
struct tv_str tv_quota_rules_who(enum tv_quota_of of, const struct tv_trace_row *row);
/* Whether there is a quota to hold. */
bool tv_quota_rules_hold(const struct tv_quota *quota, enum tv_quota_of of, struct tv_str who);
bool tv_quota_rules_is_over(const struct tv_quota *quota, enum tv_quota_of of,
                            const struct tv_store_sums *sums);
/* TV_ERR_LIMIT, and whose quota in *over (may be NULL). */
enum tv_code tv_quota_rules_refuse(const struct tv_quota *quota, enum tv_quota_of of,
                                   struct tv_str who, enum tv_quota_of *over,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
