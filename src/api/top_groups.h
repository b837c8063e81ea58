/* The profile by class or package: what the route top answers with `group`. */
#ifndef TV_API_TOP_GROUPS_H
#define TV_API_TOP_GROUPS_H

#include "analysis/profile/groups.h"
#include "api/route.h"

struct tv_top_groups {
    struct tv_view view;
    enum tv_group_kind kind;
    uint32_t parts; /* of packages; 0: all */
    struct tv_profile_sort sort;
    uint64_t offset;
    uint64_t count; /* 0: all */
};

enum tv_code tv_top_groups_answer(struct tv_request *request, const struct tv_top_groups *question,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
