/*
 * What a benchmark has written beside its traces, of any bytes: JSON is read to its end or refused
 * in one line, each string of it decodes or is refused, and each trace has a file. The same bytes
 * are a path: the name of its benchmark is the beginning of it.
 */
#include <stdlib.h>

#include "base/text/json_read.h"
#include "check.h"
#include "compare/benchmark.h"

/* Tokens come to an end, within the text, with the levels that they open and close. */
static void read_tokens(struct tv_str text)
{
    struct tv_json_reader reader = tv_json_reader_of(text);
    enum tv_json_token token = TV_JSON_WORD;
    size_t before = 0;
    while (token != TV_JSON_END && tv_json_read(&reader, &token, NULL) == TV_OK) {
        FUZZ_CHECK(reader.pos <= text.len && reader.levels <= TV_JSON_LEVELS_MOST);
        FUZZ_CHECK(reader.pos > before || token == TV_JSON_END);
        before = reader.pos;
        if (token == TV_JSON_STRING) {
            char *out = malloc(reader.raw.len + 1);
            size_t out_len;
            FUZZ_CHECK(out);
            if (tv_json_unescape(reader.raw, out, &out_len, NULL) == TV_OK)
                FUZZ_CHECK(out_len <= reader.raw.len);
            free(out);
        }
    }
    FUZZ_CHECK(token != TV_JSON_END || reader.levels == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct tv_str text = {(const char *)bytes, len};
    struct tv_benchmark_traces traces;
    struct tv_error err = {.code = TV_OK};
    read_tokens(text);
    tv_benchmark_traces_init(&traces, tv_alloc_libc());
    if (tv_benchmark_traces_read(&traces, text, &err) != TV_OK)
        FUZZ_CHECK(err.text[0] && !traces.count);
    for (size_t i = 0; i < traces.count; i++)
        FUZZ_CHECK(traces.of[i].file.len && traces.of[i].file.len <= len);
    tv_benchmark_traces_release(&traces);
    const struct tv_str name = tv_benchmark_of_path(text);
    FUZZ_CHECK(name.at == text.at && name.len <= text.len);
    return 0;
}
