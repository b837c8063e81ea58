/* The functions of libcurl, which is loaded when it is first used: the program runs where it is not
 * installed. There is nothing here in a build without libcurl. Any thread. */
#ifndef TV_OS_NETWORK_LIBCURL_H
#define TV_OS_NETWORK_LIBCURL_H

#include "base/compiler.h"
#include "base/error.h"

#define TV_NO_LIBCURL                                                                              \
    "this traceview was built without libcurl: scripts/install build, then make build"

#ifdef TV_HAS_CURL

#include <curl/curl.h>

/* X(result, name, arguments) */
#define TV_LIBCURL_FUNCTIONS(X)                                                                    \
    X(CURLcode, curl_global_init, (long))                                                          \
    X(CURL *, curl_easy_init, (void))                                                              \
    X(void, curl_easy_cleanup, (CURL *))                                                           \
    X(void, curl_easy_reset, (CURL *))                                                             \
    X(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...))                                       \
    X(CURLcode, curl_easy_perform, (CURL *))                                                       \
    X(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...))                                        \
    X(time_t, curl_getdate, (const char *, const time_t *))                                        \
    X(const char *, curl_easy_strerror, (CURLcode))                                                \
    X(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *))                 \
    X(void, curl_slist_free_all, (struct curl_slist *))

#define TV_LIBCURL_FIELD(result, name, arguments) result(*at_##name) arguments;
struct tv_libcurl {
    TV_LIBCURL_FUNCTIONS(TV_LIBCURL_FIELD)
};
#undef TV_LIBCURL_FIELD

/* TV_ERR_UNSUPPORTED: it is not installed. It stays loaded. */
enum tv_code tv_libcurl_load(struct tv_libcurl *libcurl, struct tv_error *err) TV_MUST_CHECK;

#endif
#endif
