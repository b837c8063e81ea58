/* What kind of thread a name belongs to, so that traces of different devices and versions can be
 * added up: numbers of threads and of pools differ from run to run. */
#ifndef TV_FLEET_THREAD_KIND_H
#define TV_FLEET_THREAD_KIND_H

#include <stdbool.h>

#include "base/str.h"

/* Numbers are kept in stores: a kind that is added stands at the end. */
enum tv_thread_kind {
    TV_THREAD_MAIN,
    TV_THREAD_RENDER, /* draws what the main thread has laid out */
    TV_THREAD_BINDER, /* answers calls of other processes */
    TV_THREAD_POOL,   /* one of several that take work in turns */
    TV_THREAD_OTHER,
};
#define TV_THREAD_KIND_COUNT 5u

/* "main" and the like. */
const char *tv_thread_kind_word(enum tv_thread_kind kind);
/* `is_main`: it is known to be a main thread, whatever it is called. */
enum tv_thread_kind tv_thread_kind_of(struct tv_str name, bool is_main);

#endif
