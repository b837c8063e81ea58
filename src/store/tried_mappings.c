/*
 * Which of the mappings that may be tried are tried; see store/tried_mappings.h. Their number and
 * bytes are bounded, since each of them is read for one trace.
 */
#include "store/tried_mappings.h"

#include <stdbool.h>
#include <string.h>

/* An id or a build names one mapping. By names, several are tried, within what reading them may
 * cost. */
static bool takes(const struct tv_tried_mappings *tried, enum tv_named_by by, const char *file,
                  uint64_t bytes)
{
    if (!tried->count)
        return true;
    return by == TV_NAMED_BY_NAMES && tried->list->by == by &&
           tried->count < TV_STORE_MAPPINGS_MOST && !strstr(tried->list->files, file) &&
           bytes <= TV_STORE_MAPPINGS_BYTES - tried->bytes;
}

void tv_tried_mappings_add(struct tv_tried_mappings *tried, enum tv_named_by by, const char *file,
                           uint64_t bytes)
{
    if (!takes(tried, by, file, bytes))
        return;
    tried->list->by = by;
    if (tried->count)
        tried->list->files[tried->len++] = ' ';
    memcpy(tried->list->files + tried->len, file, sizeof(struct tv_hash) - 1);
    tried->len += sizeof(struct tv_hash) - 1;
    tried->count++;
    tried->bytes += bytes < TV_STORE_MAPPINGS_BYTES - tried->bytes
                        ? bytes
                        : TV_STORE_MAPPINGS_BYTES - tried->bytes;
}
