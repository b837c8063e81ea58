/* See os/library.h. */
#include "os/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* POSIX gives functions as data pointers. */
bool tv_library_find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}
