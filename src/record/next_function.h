/*
 * The function behind one of ours: the C library's, or another library's that is loaded after ours
 * and has the same name.
 */
#ifndef TV_RECORD_NEXT_FUNCTION_H
#define TV_RECORD_NEXT_FUNCTION_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"

/* What was found before; zeros at first. */
typedef _Atomic(void *) tv_next_function;

/* Sets a pointer to a function, of any type, to the one of that name. dlsym() takes longer than
 * most functions that stand here, so what it finds is kept in `kept`; NULL: it is asked each
 * time. */
TV_INLINE void tv_find_next(const char *name, tv_next_function *kept, void *function)
{
    void *found = kept ? atomic_load_explicit(kept, memory_order_relaxed) : NULL;
    if (!found)
        found = dlsym(RTLD_NEXT, name);
    if (kept)
        atomic_store_explicit(kept, found, memory_order_relaxed);
    memcpy(function, &found, sizeof(found));
}

#endif
