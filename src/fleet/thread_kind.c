/*
 * Kinds of threads by name; see fleet/thread_kind.h. A pool is told by what the libraries of
 * Android and Java call their threads, whatever number stands behind it.
 */
#include "fleet/thread_kind.h"

#include <stddef.h>

#include "base/compiler.h"

/* What names of threads begin with. */
static const struct {
    const char *beginning;
    enum tv_thread_kind kind;
} rules[] = {
    {"RenderThread", TV_THREAD_RENDER},
    {"GLThread", TV_THREAD_RENDER},
    {"1.raster", TV_THREAD_RENDER},
    {"Binder:", TV_THREAD_BINDER},
    {"Binder_", TV_THREAD_BINDER},
    {"HwBinder:", TV_THREAD_BINDER},
    {"binder:", TV_THREAD_BINDER},
    {"pool-", TV_THREAD_POOL},
    {"AsyncTask #", TV_THREAD_POOL},
    {"ModernAsyncTask #", TV_THREAD_POOL},
    {"DefaultDispatcher-", TV_THREAD_POOL},
    {"CommonPool-", TV_THREAD_POOL},
    {"ForkJoinPool", TV_THREAD_POOL},
    {"OkHttp ", TV_THREAD_POOL},
    {"RxComputation", TV_THREAD_POOL},
    {"RxCached", TV_THREAD_POOL},
    {"RxIo", TV_THREAD_POOL},
    {"arch_disk_io_", TV_THREAD_POOL},
    {"glide-", TV_THREAD_POOL},
    {"WM.task-", TV_THREAD_POOL},
    {"ThreadPoolForeg", TV_THREAD_POOL},
    {"kotlinx.coroutines", TV_THREAD_POOL},
};

enum tv_thread_kind tv_thread_kind_of(struct tv_str name, bool is_main)
{
    if (is_main || tv_str_equal(name, TV_STR("main")))
        return TV_THREAD_MAIN;
    for (size_t i = 0; i < TV_COUNT_OF(rules); i++) {
        if (tv_str_starts_with(name, tv_str_from(rules[i].beginning)))
            return rules[i].kind;
    }
    return TV_THREAD_OTHER;
}

const char *tv_thread_kind_word(enum tv_thread_kind kind)
{
    static const char *const words[] = {[TV_THREAD_MAIN] = "main",
                                        [TV_THREAD_RENDER] = "render",
                                        [TV_THREAD_BINDER] = "binder",
                                        [TV_THREAD_POOL] = "pool",
                                        [TV_THREAD_OTHER] = "other"};
    return words[kind];
}
