/*
 * Loading libcurl; see os/network/libcurl.h. The library stays loaded: it keeps what it has set up
 * for the whole process.
 */
#include "os/network/libcurl.h"

#ifdef TV_HAS_CURL

#include <dlfcn.h>
#include <stdbool.h>

#include "os/library.h"

#define LIBRARY "libcurl.so.4"

enum tv_code tv_libcurl_load(struct tv_libcurl *libcurl, struct tv_error *err)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_complete = handle != NULL;
#define LOAD(result, name, arguments)                                                              \
    is_complete = is_complete && tv_library_find(handle, #name, &libcurl->at_##name);
    TV_LIBCURL_FUNCTIONS(LOAD)
#undef LOAD
    if (is_complete && libcurl->at_curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        return TV_OK;
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET, "libcurl is not installed (" LIBRARY ")");
}

#endif
