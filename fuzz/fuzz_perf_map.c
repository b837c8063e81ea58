/*
 * A map for perf of any bytes: its pieces of code stand in order, and what an address is named by
 * lies in the text, or is one of the fixed words of whoever parts the name.
 */
#include "check.h"
#include "cli/record/record_perf_map.h"

static void check_in(struct tv_str text, struct tv_str part)
{
    FUZZ_CHECK(!part.len || part.at < text.at || part.at >= text.at + text.len ||
               part.len <= (size_t)(text.at + text.len - part.at));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct tv_str text = {(const char *)bytes, len};
    struct tv_perf_map map = {.alloc = tv_alloc_libc()};
    struct tv_error err;
    FUZZ_CHECK(tv_perf_map_parse(&map, text, &err) == TV_OK);
    for (size_t i = 0; i < map.count; i++) {
        const struct tv_perf_code *code = &map.codes[i];
        struct tv_trace_method method = {.id = 0};
        FUZZ_CHECK(!i || map.codes[i - 1].start <= code->start);
        FUZZ_CHECK(code->name.at >= text.at && code->name.len <= len);
        const bool is_last = i + 1 == map.count || map.codes[i + 1].start > code->start;
        const bool is_found = tv_perf_map_find(&map, code->start, &method);
        FUZZ_CHECK(!is_last || is_found == (code->len > 0));
        if (!is_found)
            continue;
        FUZZ_CHECK(method.class_name.len || method.name.len);
        check_in(text, method.class_name);
        check_in(text, method.name);
        check_in(text, method.file);
    }
    tv_perf_map_release(&map);
    return 0;
}
