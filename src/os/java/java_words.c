/*
 * What a Java virtual machine tells of itself; see os/java/java_words.h. Bytes of files and command
 * lines become names here, by functions that ask the system for nothing; every offset and length in
 * them may be a lie.
 */
#include "os/java/java_words.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/compiler.h"

/* The file of counters: PerfDataPrologue and PerfDataEntry of HotSpot's perfMemory.hpp. */
#define HEAD_LEN 32u
#define HEAD_ORDER 4u
#define HEAD_MAJOR 5u
#define HEAD_FIRST 24u /* offset of the first entry */
#define HEAD_COUNT 28u
#define LITTLE_ENDIAN_ORDER 1u
#define MAJOR_VERSION 2u
#define ENTRY_LEN 20u
#define ENTRY_NAME 4u
#define ENTRY_TEXT_LEN 8u
#define ENTRY_KIND 12u
#define ENTRY_TEXT 16u

static const uint8_t magic[] = {0xca, 0xfe, 0xc0, 0xc0};

/* The text from `at` up to a NUL, within `len` bytes and within `bytes`. */
static struct tv_str text_at(struct tv_str bytes, size_t at, size_t len)
{
    if (at >= bytes.len)
        return (struct tv_str){"", 0};
    size_t most = len < bytes.len - at ? len : bytes.len - at;
    const char *end = memchr(bytes.at + at, '\0', most);
    return (struct tv_str){bytes.at + at, end ? (size_t)(end - (bytes.at + at)) : most};
}

bool tv_java_counter(struct tv_str file, struct tv_str name, struct tv_str *text)
{
    const uint8_t *head = (const uint8_t *)file.at;
    if (file.len < HEAD_LEN || memcmp(head, magic, sizeof(magic)) != 0 ||
        head[HEAD_ORDER] != LITTLE_ENDIAN_ORDER || head[HEAD_MAJOR] != MAJOR_VERSION)
        return false;
    size_t at = tv_load_le32(head + HEAD_FIRST);
    uint32_t left = tv_load_le32(head + HEAD_COUNT);
    /* Each entry is at least ENTRY_LEN bytes long, so the file's end ends the loop. */
    for (; left && at <= file.len && file.len - at >= ENTRY_LEN; left--) {
        const uint8_t *entry = head + at;
        const size_t entry_len = tv_load_le32(entry);
        if (entry_len < ENTRY_LEN || entry_len > file.len - at)
            return false;
        const struct tv_str own = {file.at + at, entry_len};
        if (entry[ENTRY_KIND] == 'B' &&
            tv_str_equal(text_at(own, tv_load_le32(entry + ENTRY_NAME), SIZE_MAX), name)) {
            *text = text_at(own, tv_load_le32(entry + ENTRY_TEXT),
                            tv_load_le32(entry + ENTRY_TEXT_LEN));
            return true;
        }
        at += entry_len;
    }
    return false;
}

/* The program of a counter: a jar without its folder, "module/Main" without its module. */
struct tv_str tv_java_program_of_command(struct tv_str command)
{
    struct tv_str program = {"", 0};
    (void)tv_str_split(&command, ' ', &program);
    return tv_str_file_name(program);
}

/* Whether the option takes the word behind it as its value. */
static bool takes_a_word(struct tv_str option)
{
    static const char *const options[] = {
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--upgrade-module-path",
        "--add-modules",
        "--add-exports",
        "--add-opens",
        "--add-reads",
        "--patch-module",
        "--limit-modules",
        "--source",
        "--enable-native-access",
    };
    for (size_t i = 0; i < TV_COUNT_OF(options); i++) {
        if (tv_str_equal(option, tv_str_from(options[i])))
            return true;
    }
    return false;
}

/* Options behind which the program is named. */
static bool names_the_program(struct tv_str option)
{
    return tv_str_equal(option, TV_STR("-jar")) || tv_str_equal(option, TV_STR("-m")) ||
           tv_str_equal(option, TV_STR("--module"));
}

/* The first word that is no option and no option's value is the main class; options behind it are
 * the program's own. */
struct tv_str tv_java_program_of_words(struct tv_str words)
{
    struct tv_str word, launcher = {"", 0};
    (void)tv_str_split(&words, '\0', &launcher);
    while (tv_str_split(&words, '\0', &word)) {
        if (takes_a_word(word))
            (void)tv_str_split(&words, '\0', &word);
        else if (word.len && word.at[0] != '-' && word.at[0] != '@')
            return tv_str_file_name(word);
        else if (names_the_program(word) && tv_str_split(&words, '\0', &word) && word.len)
            return tv_str_file_name(word);
    }
    return tv_str_file_name(launcher);
}
