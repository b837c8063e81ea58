/*
 * What a Java virtual machine keeps in /tmp, and its command line, of any bytes. What is found lies
 * within the bytes; a counter's text has no NUL; a program has a name where the first word has one.
 */
#include <string.h>

#include "check.h"
#include "os/java/java_words.h"

static bool lies_in(struct tv_str view, struct tv_str text)
{
    return view.len == 0 || (view.at >= text.at && view.len <= text.len &&
                             (size_t)(view.at - text.at) <= text.len - view.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const char *const names[] = {"java.property.java.version", "sun.rt.javaCommand", ""};
    const struct tv_str all = {len ? (const char *)bytes : "", len};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct tv_str text = {"", 0};
        if (tv_java_counter(all, tv_str_from(names[i]), &text))
            FUZZ_CHECK(lies_in(text, all) && (!text.len || !memchr(text.at, '\0', text.len)));
    }
    const struct tv_str program = tv_java_program_of_words(all);
    FUZZ_CHECK(lies_in(program, all) && (!program.len || !memchr(program.at, '/', program.len)));
    FUZZ_CHECK(lies_in(tv_java_program_of_command(all), all));
    return 0;
}
