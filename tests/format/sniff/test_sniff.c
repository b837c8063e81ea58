/* What is no trace is named, with a word on what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/reading.h"

struct refused {
    const char *bytes;
    size_t len;
    enum tv_code code;
    uint64_t offset;
    const char *words;
};

#define REFUSED(bytes, code, offset, words)                                                        \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, code, offset, words                                              \
    }
#define FOREIGN(bytes, words) REFUSED(bytes, TV_ERR_FOREIGN, TV_NO_OFFSET, words)

static const struct refused refused[] = {
    FOREIGN("SIMPLEPERF\1", "callstack sample), not a method trace: open it in Android Studio"),
    FOREIGN("PERFILE2h", "perf"),
    FOREIGN("JAVA PROFILE 1.0.3", "heap dump"),
    FOREIGN("\n\5\22\3abc\n\2\10\1", "Perfetto"),
    FOREIGN("bplist00", "Instruments"),
    FOREIGN("\0\3\252\125rest", "ktrace"),
    FOREIGN("PK\3\4rest", "zip"),
    FOREIGN("\37\213\10rest", "gzip"),
    FOREIGN("\50\265\57\375rest", "Zstandard"),
    FOREIGN("\211PNG\r\n", "PNG"),
    FOREIGN("\177ELF\2", "ELF"),
    FOREIGN("SQLite format 3", "SQLite"),
    FOREIGN("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    FOREIGN("# tracer: nop\n", "ui.perfetto.dev"),
    FOREIGN("  \n<!doctype HTML><title>404</title>", "web page"),
    FOREIGN("<html>", "web page"),
    FOREIGN("<html><script>trace-viewer</script>", "systrace"),
    FOREIGN("<?xml version=\"1.0\"?><!DOCTYPE plist>", "property list"),
    FOREIGN("<?xml version=\"1.0\"?>", "XML"),
    FOREIGN("{\"traceEvents\":[]}", "Chrome"),
    FOREIGN("[{\"name\":\"a\",\"ph\":\"B\"}]", "Chrome"),
    FOREIGN("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}", "speedscope"),
    FOREIGN("{\"meta\":{\"version\":24}}", "Firefox"),
    FOREIGN("{}", "JSON"),
    FOREIGN("\n----- pid 12 at 2020-01-01 00:00:00 -----\nCmd line: a.b\n", "ANR"),
    FOREIGN("# compiler: R8\n# pg_map_id: 7d4b\napp.Store -> a.b:\n    int x -> a\n", "--mapping"),
    FOREIGN("app.Store -> a.b:\r\n", "--mapping"),
    REFUSED("app.Store -> a.b\n -> c:\n", TV_ERR_FORMAT, 0, "61 70 70 2e"),
    FOREIGN("\357\273\277*version\n3\n", "text editor"),
    REFUSED("", TV_ERR_FORMAT, 0, "empty"),
    REFUSED("*vers", TV_ERR_FORMAT, 5, "cut after 5 bytes"),
    REFUSED("SLOW", TV_ERR_FORMAT, 4, "cut"),
    REFUSED("SLOW\1\0\40\0", TV_ERR_FORMAT, 0, ".key"),
    REFUSED("SLOW\11\0\40\0", TV_ERR_UNSUPPORTED, 4, "0x9"),
    REFUSED("hello", TV_ERR_FORMAT, 0, "68 65 6c 6c"),
    REFUSED("\377", TV_ERR_FORMAT, 0, "ff 00 00 00"),
};

static void what_is_no_trace_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct reading reading;
        read_bytes(&reading, refused[i].bytes, refused[i].len, NULL);
        expect_error(&reading, refused[i].code, refused[i].offset, refused[i].words);
        reading_release(&reading);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_trace_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
