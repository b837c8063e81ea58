/* See reading.h. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void keep(struct reading *reading, const struct tv_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        size_t at = reading->count++;
        assert_true(at < READING_MOST);
        reading->thread[at] = batch->thread_id[i];
        reading->key_action[at] = batch->key_action[i];
        reading->wall[at] = batch->time[TV_CLOCK_WALL][i];
        reading->cpu[at] = batch->time[TV_CLOCK_CPU][i];
        reading->offset[at] = tv_batch_offset(batch, i);
    }
}

void read_bytes(struct reading *reading, const void *bytes, size_t len,
                const struct tv_read_opts *opts)
{
    struct tv_batch batch;
    memset(reading, 0, sizeof(*reading));
    memset(&batch, 0x5a, sizeof(batch)); /* what a reader leaves unset shows */
    tv_trace_init(&reading->trace, tv_alloc_libc());
    reading->code = tv_trace_open(&reading->trace, bytes, len, opts, &reading->err);
    if (reading->code != TV_OK)
        return;
    do {
        reading->code = tv_trace_next(&reading->trace, &batch, &reading->err);
        if (reading->code == TV_OK)
            keep(reading, &batch);
    } while (reading->code == TV_OK && batch.count);
}

void read_built(struct reading *reading, const struct tv_buffer *bytes)
{
    read_bytes(reading, bytes->bytes, bytes->len, NULL);
}

void reading_release(struct reading *reading)
{
    tv_trace_release(&reading->trace);
}

void expect_ok(const struct reading *reading)
{
    if (reading->code != TV_OK)
        fail_msg("%s at %lld: %s", tv_code_name(reading->code), (long long)reading->err.offset,
                 reading->err.text);
}

void expect_error(const struct reading *reading, enum tv_code code, uint64_t offset,
                  const char *words)
{
    assert_string_equal(tv_code_name(reading->code), tv_code_name(code));
    assert_int_equal(reading->err.code, code);
    if (!strstr(reading->err.text, words))
        fail_msg("expected \"%s\" in \"%s\"", words, reading->err.text);
    assert_int_equal((long long)reading->err.offset, (long long)offset);
}

void expect_finding(const struct reading *reading, enum tv_finding_kind kind, uint64_t count,
                    uint64_t offset)
{
    const struct tv_finding *found = &reading->trace.findings.of[kind];
    if (found->count != count || (count && found->offset != offset))
        fail_msg("%s: expected %llu at %lld, found %llu at %lld", tv_finding_name(kind),
                 (unsigned long long)count, (long long)offset, (unsigned long long)found->count,
                 (long long)found->offset);
}

void expect_only(const struct reading *reading, ...)
{
    bool is_expected[TV_FINDING_KIND_COUNT] = {false};
    va_list list;
    va_start(list, reading);
    for (int kind = va_arg(list, int); kind < TV_FINDING_KIND_COUNT; kind = va_arg(list, int))
        is_expected[kind] = true;
    va_end(list);
    for (size_t kind = 0; kind < TV_FINDING_KIND_COUNT; kind++) {
        bool is_found = reading->trace.findings.of[kind].count > 0;
        if (is_found != is_expected[kind])
            fail_msg("%s is %s", tv_finding_name((enum tv_finding_kind)kind),
                     is_found ? "found" : "missing");
    }
}

void expect_str(struct tv_str text, const char *expected)
{
    if (text.len != strlen(expected) || (text.len && memcmp(text.at, expected, text.len) != 0))
        fail_msg("expected \"%s\", found \"%.*s\"", expected, (int)text.len, text.at);
}
