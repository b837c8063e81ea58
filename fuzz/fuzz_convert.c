/* What is written from any trace that can be read is a trace again, with as many records and
 * nothing odd. */
#include "check.h"

#include "base/buffer.h"
#include "format/write.h"

static const struct tv_read_opts as_it_is = {.batch_len = 0};

/* Findings that come from the source or from what the source leaves unsaid. */
static bool is_excused(enum tv_finding_kind kind)
{
    return kind == TV_FINDING_OVERFLOW || kind == TV_FINDING_BAD_LINE ||
           kind == TV_FINDING_DUPLICATE_METHOD || kind == TV_FINDING_DUPLICATE_THREAD ||
           kind == TV_FINDING_TRAILING_BYTES;
}

static void check_written(const struct tv_buffer *output, uint64_t records_most)
{
    struct fuzz_reading reading;
    fuzz_read(output->bytes, output->len, &as_it_is, &reading);
    FUZZ_CHECK(reading.code == TV_OK);
    FUZZ_CHECK(reading.records <= records_most);
    for (size_t kind = 0; kind < TV_FINDING_KIND_COUNT; kind++)
        FUZZ_CHECK(is_excused((enum tv_finding_kind)kind) || !reading.findings.of[kind].count);
}

/* Packets do not say their layout: without known methods, or with action 3, it cannot be told. */
static bool is_told_by_content_alone(size_t ix, const struct fuzz_reading *source)
{
    return tv_str_equal(tv_str_from(tv_write_format_name(ix)), TV_STR("packets")) &&
           (source->unknown_methods || source->reserved_actions);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_reading source;
    fuzz_read(bytes, len, &as_it_is, &source);
    if (source.code != TV_OK)
        return 0;
    for (size_t ix = 0; tv_write_format_name(ix); ix++) {
        if (is_told_by_content_alone(ix, &source))
            continue;
        struct tv_buffer output;
        struct tv_error err;
        struct tv_write_opts opts = {.as = tv_str_from(tv_write_format_name(ix))};
        tv_buffer_init(&output, tv_alloc_libc());
        if (tv_write_trace(tv_alloc_libc(), bytes, len, &opts, tv_buffer_sink(&output), &err) ==
            TV_OK)
            check_written(&output, source.records);
        tv_buffer_release(&output);
    }
    return 0;
}
