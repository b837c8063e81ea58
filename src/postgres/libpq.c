/*
 * Loading libpq; see postgres/libpq.h. The library stays loaded: it keeps what TLS has set up for
 * the whole process.
 */
#include "postgres/libpq.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "os/library.h"

#define LIBRARY "libpq.so.5"

enum tv_code tv_libpq_load(struct tv_libpq *libpq, struct tv_error *err)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_complete = handle != NULL;
#define LOAD(result, name, arguments)                                                              \
    is_complete = is_complete && tv_library_find(handle, #name, &libpq->at_##name);
    TV_LIBPQ_FUNCTIONS(LOAD)
#undef LOAD
    return is_complete ? TV_OK
                       : tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                                 "libpq is not installed (" LIBRARY "; Debian: libpq5)");
}
