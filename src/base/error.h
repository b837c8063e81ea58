/* Failing in one line; see traceview/error.h for the contract. */
#ifndef TV_BASE_ERROR_H
#define TV_BASE_ERROR_H

#include <stdint.h>

#include <traceview/error.h>

#include "base/compiler.h"

/* Fills err (may be NULL) and returns code. offset: bytes from the file's start or TV_NO_OFFSET. */
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
