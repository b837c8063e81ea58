/* Functions of a shared library that is loaded only when it is used (dlopen). Any thread. */
#ifndef TV_OS_LIBRARY_H
#define TV_OS_LIBRARY_H

#include <stdbool.h>

/* Puts the function of that name, or NULL, into *function, a pointer to a function of any type.
 * False: the library lacks it. */
bool tv_library_find(void *handle, const char *name, void *function);

#endif
