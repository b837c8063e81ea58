/*
 * Loads libdw when it is needed, so that the program runs where elfutils is not installed; see
 * os/symbols/libdw.h.
 */
#include "os/symbols/libdw.h"

#include <dlfcn.h>
#include <stddef.h>

#include "os/library.h"

#define LIBRARY "libdw.so.1"

bool tv_libdw_open(struct tv_libdw *libdw)
{
    *libdw = (struct tv_libdw){.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    bool is_complete = libdw->handle != NULL;
#define LOAD(result, name, arguments)                                                              \
    is_complete = is_complete && tv_library_find(libdw->handle, #name, &libdw->name);
    TV_LIBDW_FUNCTIONS(LOAD)
#undef LOAD
    if (libdw->handle && !is_complete)
        tv_libdw_close(libdw);
    return is_complete;
}

void tv_libdw_close(struct tv_libdw *libdw)
{
    dlclose(libdw->handle);
    libdw->handle = NULL;
}
