/*
 * Whether a file was recorded anew: its stamp differs from when it was read, and has stayed the
 * same for a second, since a recorder writes a file in many pieces. There are no files and no clock
 * in here: the caller looks at the file now and then, and passes what it saw.
 */
#ifndef TV_SERVER_WATCH_H
#define TV_SERVER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "os/file/stamp.h"

#define TV_WATCH_SETTLED_NS TV_NS_PER_S

struct tv_watch {
    struct tv_stamp known; /* when the file was read, or a change was last reported */
    struct tv_stamp seen;  /* at the last look */
    uint64_t seen_ns;      /* since when the stamp is `seen` */
};

void tv_watch_init(struct tv_watch *watch, const struct tv_stamp *when_read);
/* True once for each new recording in the file. A file that is gone may come back. */
bool tv_watch_look(struct tv_watch *watch, const struct tv_stamp *now, uint64_t now_ns);

#endif
