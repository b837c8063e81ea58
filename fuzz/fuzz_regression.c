/*
 * The old viewer's regression dump of any bytes: records in large and in small batches give the
 * same dump. What it says is text of whole lines, and a trace that it does not take is refused in
 * one line.
 */
#include <string.h>

#include "check.h"

#include "base/memory/buffer.h"
#include "format/trace.h"
#include "oldviewer/regression.h"

/* Appends the dump, and returns how that ended. */
static enum tv_code dump(const uint8_t *bytes, size_t len, size_t batch_len, struct tv_buffer *out,
                         struct tv_regression_result *result)
{
    const struct tv_read_opts opts = {.batch_len = batch_len};
    const struct tv_sink sink = tv_buffer_sink(out);
    struct tv_error err = {.code = TV_OK};
    struct tv_trace trace;
    tv_trace_init(&trace, tv_alloc_libc());
    enum tv_code code = tv_trace_open(&trace, bytes, len, &opts, &err);
    if (code == TV_OK)
        code = tv_regression_dump(&trace, &sink, UINT64_MAX, result, &err);
    tv_trace_release(&trace);
    FUZZ_CHECK(code == err.code && (code == TV_OK || (err.text[0] && !strchr(err.text, '\n'))));
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct tv_regression_result result = {.refused = 0};
    struct tv_regression_result again = {.refused = 0};
    struct tv_buffer whole;
    struct tv_buffer pieces;
    tv_buffer_init(&whole, tv_alloc_libc());
    tv_buffer_init(&pieces, tv_alloc_libc());
    const enum tv_code code = dump(bytes, len, 0, &whole, &result);
    FUZZ_CHECK(dump(bytes, len, 3, &pieces, &again) == code);
    if (code == TV_OK) {
        FUZZ_CHECK(tv_str_equal(tv_buffer_view(&whole), tv_buffer_view(&pieces)));
        FUZZ_CHECK(result.refused == again.refused &&
                   result.refused_offset == again.refused_offset);
        FUZZ_CHECK(whole.len && whole.bytes[whole.len - 1] == '\n' &&
                   !memchr(whole.bytes, '\0', whole.len));
    }
    tv_buffer_release(&pieces);
    tv_buffer_release(&whole);
    return 0;
}
