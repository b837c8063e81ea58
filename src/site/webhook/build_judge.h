/*
 * Whether the newest build of each app is worse than the one before it, by the rules of
 * webhook-rules: traces of both that count for whoever has a link, compared as the page "Build
 * against build" compares them. What is worse becomes a delivery of the store, once.
 *
 * A build is judged by its first traces of the device that most of them are of: as many as
 * webhook-traces says, and again by 2, 4, 8 and 16 times as many, when these are there. So each
 * server finds the same, and chance is asked five times at most. One thread.
 */
#ifndef TV_SITE_WEBHOOK_BUILD_JUDGE_H
#define TV_SITE_WEBHOOK_BUILD_JUDGE_H

#include <stdatomic.h>

#include "base/memory/map.h"
#include "fleet/rows_db.h"
#include "site/config/config.h"
#include "site/webhook/judged_builds.h"
#include "store/store.h"

/* A build whose first trace came earlier is not judged any more: a site that gets a webhook tells
 * nothing of what has long been there. */
#define TV_JUDGED_FOR_S ((int64_t)7 * 86400)
/* Traces of the build before, the newest. */
#define TV_JUDGED_OLD_MOST 100u
/* Broken rules that one delivery tells. */
#define TV_JUDGED_RULES_TOLD 20u

struct tv_build_judge {
    const struct tv_alloc *alloc;
    const struct tv_site_config *config;
    struct tv_store *store;
    const struct tv_fleet_db *rows;
    enum tv_count_rule rule;        /* of the config, while a pass is under way */
    const atomic_bool *is_unwanted; /* judging ends early, with TV_ERR_CANCELLED; or NULL */
    struct tv_map judged; /* beginning of the id of two builds -> by how many traces they were */
    struct tv_judged_builds builds;
};

void tv_build_judge_init(struct tv_build_judge *judge, const struct tv_alloc *alloc);
void tv_build_judge_release(struct tv_build_judge *judge);
/* Judges what has come to more traces since the last time. Where `is_whole`, all traces are looked
 * at, else they are where new ones may change a judgement. A comparison that fails is told at the
 * end, when the other apps were judged. */
enum tv_code tv_build_judge_pass(struct tv_build_judge *judge, bool is_whole, int64_t now,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
