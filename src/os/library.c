/*
 * Functions of libraries that are loaded at run time; see os/library.h. The only place that turns
 * what dlsym() returns into a pointer to a function.
 */
#include "os/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* POSIX gives the address of a function as a pointer to data, so it is copied into the pointer to a
 * function. */
bool tv_library_find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}
