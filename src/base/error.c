/*
 * Failures and the names of their codes, which come from the list in base/error.h. A failure
 * without a place for its text (err is NULL) still returns its code.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *tv_code_name(enum tv_code code)
{
    switch (code) {
#define CASE(name)                                                                                 \
    case name:                                                                                     \
        return #name;
        TV_CODES(CASE)
#undef CASE
    }
    return "?";
}

/* What a user wrote is repeated in texts, and may have line ends in it. */
static void keep_one_line(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
    }
}

/* Without `err` nobody wants to know why, and the code alone says that it failed. */
enum tv_code tv_fail(struct tv_error *err, enum tv_code code, uint64_t offset, const char *format,
                     ...)
{
    if (!err)
        return code;
    err->code = code;
    err->offset = offset;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    keep_one_line(err->text);
    return code;
}

enum tv_code tv_fail_memory(struct tv_error *err, uint64_t len)
{
    return tv_fail(err, TV_ERR_MEMORY, TV_NO_OFFSET, "no memory for %llu bytes",
                   (unsigned long long)len);
}
