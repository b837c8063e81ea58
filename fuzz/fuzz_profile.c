/*
 * What a device answers to commands, of any bytes: the part before the first NUL is a word of the
 * user's, the rest is an answer of `am`, a dump, or a table of processes. What is found lies within
 * the answer; a process that is found has the name or the number that was asked for; a command is
 * one line whatever its words are.
 */
#include <stdio.h>
#include <string.h>

#include "adb/profile.h"
#include "base/alloc.h"
#include "check.h"

static bool lies_in(struct tv_str view, struct tv_str text)
{
    return view.len == 0 || (view.at >= text.at && view.len <= text.len &&
                             (size_t)(view.at - text.at) <= text.len - view.len);
}

static void check_answers(struct tv_str text)
{
    struct tv_str package, file;
    enum tv_profile_answer answer = tv_profile_answer_of(text, 0);
    FUZZ_CHECK(tv_profile_answer_of(text, 1) != TV_PROFILE_DONE);
    FUZZ_CHECK(answer <= TV_PROFILE_OTHER_FAILURE);
    struct tv_str reason = tv_profile_reason(text);
    FUZZ_CHECK(lies_in(reason, text) && !memchr(reason.at, '\n', reason.len));
    if (tv_profile_under_way(text, &package, &file))
        FUZZ_CHECK(package.len && lies_in(package, text) && lies_in(file, text));
}

static void check_processes(struct tv_str text, struct tv_str word)
{
    struct tv_str name;
    char number[24];
    char numbers[TV_PROFILE_NUMBERS_CAP];
    uint64_t pid, again;
    const unsigned count = tv_profile_count_processes(text, word, numbers);
    FUZZ_CHECK(strlen(numbers) < sizeof(numbers) && (count > 0) == (numbers[0] != '\0'));
    const bool is_found = tv_profile_find_process(text, word, &pid, &name);
    FUZZ_CHECK(is_found || !count);
    if (!is_found)
        return;
    int len = snprintf(number, sizeof(number), "%llu", (unsigned long long)pid);
    FUZZ_CHECK(len > 0 && lies_in(name, text));
    uint64_t value;
    bool is_number = tv_str_to_u64(word, 10, &value) && value == pid;
    FUZZ_CHECK(is_number || tv_str_starts_with(name, word));
    if (tv_profile_find_process(text, name, &again, &name))
        FUZZ_CHECK(lies_in(name, text));
}

static void check_commands(struct tv_str word, struct tv_str other)
{
    struct tv_buffer command;
    const struct tv_profile_wish wish = {.sampling_us = 1, .clock = TV_PROFILE_CLOCK_WALL};
    tv_buffer_init(&command, tv_alloc_libc());
    FUZZ_CHECK(tv_profile_start(&command, &wish, word, other, NULL) == TV_OK);
    FUZZ_CHECK(command.len >= word.len + other.len);
    /* Outside of single quotes stands nothing that sh obeys. */
    bool is_inside = false;
    for (size_t i = 0; i < command.len; i++) {
        if (command.bytes[i] == '\'')
            is_inside = !is_inside;
        else if (!is_inside && command.bytes[i] == '\\')
            i++;
        else
            FUZZ_CHECK(is_inside || !memchr(";&|<>$`\n\"*?()", command.bytes[i], 13));
    }
    FUZZ_CHECK(!is_inside);
    tv_buffer_release(&command);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct tv_str rest = {(const char *)bytes, len}, word = {"", 0};
    (void)tv_str_split(&rest, '\0', &word);
    if (memchr(rest.at ? rest.at : "", '\0', rest.len))
        return 0; /* a device's text has no NUL */
    if (!rest.at)
        rest.at = "";
    check_answers(rest);
    check_processes(rest, word);
    check_commands(word, rest);
    (void)tv_profile_is_package(word);
    return 0;
}
