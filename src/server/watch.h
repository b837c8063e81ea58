/*
 * Whether a file was recorded anew: it stands otherwise than when it was read, and has not changed
 * any more for a second. No files and no clock in here.
 */
#ifndef TV_SERVER_WATCH_H
#define TV_SERVER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "os/stamp.h"

#define TV_WATCH_SETTLED_NS 1000000000u

struct tv_watch {
    struct tv_stamp known; /* when it was read, or told of last */
    struct tv_stamp seen;
    uint64_t seen_ns; /* since when it stands so */
};

void tv_watch_init(struct tv_watch *watch, const struct tv_stamp *when_read);
/* True once for each time that the file was recorded anew. A file that is gone is waited for. */
bool tv_watch_look(struct tv_watch *watch, const struct tv_stamp *now, uint64_t now_ns);

#endif
