/* The mappings that are tried on a trace, chosen from rows as a database gives them: the surest
 * first, and of those the latest first. Any thread. */
#ifndef TV_STORE_TRIED_MAPPINGS_H
#define TV_STORE_TRIED_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

#include "store/store_db.h"

/* Zero but for `list`, which is zero itself. */
struct tv_tried_mappings {
    struct tv_mapping_list *list;
    size_t len, count;
    uint64_t bytes;
};

/* Takes the next row, or leaves it out. `file` is the name of the mapping's file. */
void tv_tried_mappings_add(struct tv_tried_mappings *tried, enum tv_named_by by, const char *file,
                           uint64_t bytes);

#endif
