/*
 * What can go wrong, and how it is told.
 *
 * A function that can fail returns enum tv_code, 0 for success, and fills a struct tv_error that
 * the caller may leave out (NULL). Codes and their names come from one list. Thread-safe:
 * nothing is shared.
 */
#ifndef TV_BASE_ERROR_H
#define TV_BASE_ERROR_H

#include <stdint.h>

#include "base/compiler.h"

/* X(name): every kind of failure. */
#define TV_CODES(X)                                                                                \
    X(TV_OK)                                                                                       \
    X(TV_ERR_MEMORY)      /* out of memory */                                                      \
    X(TV_ERR_FORMAT)      /* not a readable trace */                                               \
    X(TV_ERR_FOREIGN)     /* another kind of file */                                               \
    X(TV_ERR_UNSUPPORTED) /* not supported */                                                      \
    X(TV_ERR_ARGUMENT)    /* bad argument */                                                       \
    X(TV_ERR_NOT_FOUND)   /* nothing has this name */                                              \
    X(TV_ERR_SYSTEM)      /* the system refused */                                                 \
    X(TV_ERR_LIMIT)       /* over a limit */                                                       \
    X(TV_ERR_CANCELLED)   /* cancelled */                                                          \
    X(TV_ERR_CONFLICT)    /* somebody else was faster, or the state is another one */              \
    X(TV_ERR_AWAY)        /* a server that is needed does not answer now, and may later */

#define TV_CODE_NAME(name) name,
enum tv_code { TV_CODES(TV_CODE_NAME) };
#undef TV_CODE_NAME

/* The place in the file is unknown, or there is none. */
#define TV_NO_OFFSET UINT64_MAX

struct tv_error {
    enum tv_code code;
    uint64_t offset; /* bytes from the start of the unpacked file, or TV_NO_OFFSET */
    char text[232];  /* one line without a newline: what was expected and what was found */
};

/* The name of a code, "TV_ERR_FORMAT": static, never NULL. */
const char *tv_code_name(enum tv_code code);

/* Fills err (may be NULL) and returns code. offset: bytes from the file's start or TV_NO_OFFSET.
 * Control characters in what the format repeats become question marks. */
enum tv_code tv_fail(struct tv_error *err, enum tv_code code, uint64_t offset, const char *format,
                     ...) TV_PRINTF(4, 5);

/* tv_fail for a failed allocation of len bytes. */
enum tv_code tv_fail_memory(struct tv_error *err, uint64_t len);

/* Passes a failure up unchanged. */
#define TV_TRY(call)                                                                               \
    do {                                                                                           \
        enum tv_code tv_try_code_ = (call);                                                        \
        if (tv_try_code_ != TV_OK)                                                                 \
            return tv_try_code_;                                                                   \
    } while (0)

#endif
