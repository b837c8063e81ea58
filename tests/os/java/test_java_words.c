/* What a Java virtual machine tells of itself, and what nobody vouches for. */
#include "os/java/java_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

#define HEAD_LEN 32u
#define ENTRY_LEN 20u

/* A file of counters as HotSpot writes it. */
struct counters {
    uint8_t bytes[512];
    size_t len;
};

static void begin(struct counters *file)
{
    static const uint8_t head[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    memset(file, 0, sizeof(*file));
    memcpy(file->bytes, head, sizeof(head));
    tv_store_le32(file->bytes + 24, HEAD_LEN);
    file->len = HEAD_LEN;
}

static uint8_t *add(struct counters *file, const char *name, const char *text, size_t room)
{
    const size_t name_len = strlen(name) + 1;
    uint8_t *entry = file->bytes + file->len;
    assert_true(file->len + ENTRY_LEN + name_len + room <= sizeof(file->bytes));
    tv_store_le32(entry, (uint32_t)(ENTRY_LEN + name_len + room));
    tv_store_le32(entry + 4, ENTRY_LEN);
    tv_store_le32(entry + 8, (uint32_t)room);
    entry[12] = 'B';
    tv_store_le32(entry + 16, (uint32_t)(ENTRY_LEN + name_len));
    memcpy(entry + ENTRY_LEN, name, name_len);
    memcpy(entry + ENTRY_LEN + name_len, text, strlen(text) < room ? strlen(text) : room);
    file->len += ENTRY_LEN + name_len + room;
    tv_store_le32(file->bytes + 28, tv_load_le32(file->bytes + 28) + 1);
    return entry;
}

static struct tv_str view(const struct counters *file)
{
    return (struct tv_str){(const char *)file->bytes, file->len};
}

static void assert_text(struct tv_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

static void a_counter_is_found_by_its_name(void **state)
{
    struct counters file;
    struct tv_str text;
    (void)state;
    begin(&file);
    add(&file, "sun.rt.javaCommand", "Main a b", 64);
    add(&file, "java.property.java.version", "17.0.13", 7); /* which has no NUL at its end */
    assert_true(tv_java_counter(view(&file), TV_STR("sun.rt.javaCommand"), &text));
    assert_text(text, "Main a b");
    assert_true(tv_java_counter(view(&file), TV_STR("java.property.java.version"), &text));
    assert_text(text, "17.0.13");
    assert_false(tv_java_counter(view(&file), TV_STR("java.property.java"), &text));
}

static void a_damaged_file_has_no_counter(void **state)
{
    static const struct {
        size_t at;
        uint32_t value;
    } cases[] = {
        {0, 0},                     /* the magic number */
        {4, 0x02020200},            /* the byte order */
        {4, 0x01000301},            /* the version */
        {24, 0xffffffff},           /* where the first entry is */
        {24, 500},                  /* the same, in the last bytes */
        {28, 0},                    /* how many there are */
        {HEAD_LEN, 0},              /* the length of an entry */
        {HEAD_LEN, 0xffffffff},     /* the same */
        {HEAD_LEN + 4, 0xffffffff}, /* where its name is */
        {HEAD_LEN + 12, 'J'},       /* its kind */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct counters file;
        struct tv_str text;
        begin(&file);
        add(&file, "name", "text", 8);
        tv_store_le32(file.bytes + cases[i].at, cases[i].value);
        assert_false(tv_java_counter(view(&file), TV_STR("name"), &text));
    }
}

static void a_text_ends_with_its_entry(void **state)
{
    struct counters file;
    struct tv_str text;
    (void)state;
    begin(&file);
    uint8_t *entry = add(&file, "name", "text", 8);
    add(&file, "other", "not to be read", 16);
    tv_store_le32(entry + 8, 0xffffffff);
    memset(entry + ENTRY_LEN + sizeof("name"), 'x', 8);
    assert_true(tv_java_counter(view(&file), TV_STR("name"), &text));
    assert_text(text, "xxxxxxxx");
    tv_store_le32(entry + 16, 0xffffffff);
    assert_true(tv_java_counter(view(&file), TV_STR("name"), &text));
    assert_int_equal(text.len, 0);
}

static void every_prefix_is_read_within_its_bounds(void **state)
{
    struct counters file;
    struct tv_str text;
    (void)state;
    begin(&file);
    add(&file, "first", "1", 4);
    add(&file, "name", "text", 8);
    const size_t whole = file.len;
    for (file.len = 0; file.len < whole; file.len++)
        assert_false(tv_java_counter(view(&file), TV_STR("name"), &text));
}

static void a_program_has_the_name_of_its_class_or_jar(void **state)
{
    const struct {
        struct tv_str words;
        const char *program;
    } cases[] = {
        {TV_STR("java\0-cp\0/a:/b\0-Xmx1g\0com.example.Main\0x\0"), "com.example.Main"},
        {TV_STR("/usr/bin/java\0-ea\0-jar\0/opt/app.jar\0-jar\0"), "app.jar"},
        {TV_STR("java\0--module-path\0mods\0-m\0app/com.example.Main\0"), "com.example.Main"},
        {TV_STR("java\0@options\0Main"), "Main"},
        {TV_STR("java\0-version\0"), "java"},
        {TV_STR("java\0-jar\0"), "java"},
        {TV_STR("/opt/own-launcher\0"), "own-launcher"},
        {TV_STR(""), ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_text(tv_java_program_of_words(cases[i].words), cases[i].program);
    assert_text(tv_java_program_of_command(TV_STR("/opt/app.jar x y")), "app.jar");
    assert_text(tv_java_program_of_command(TV_STR("app/com.example.Main")), "com.example.Main");
    assert_text(tv_java_program_of_command(TV_STR("")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_is_found_by_its_name),
        cmocka_unit_test(a_damaged_file_has_no_counter),
        cmocka_unit_test(a_text_ends_with_its_entry),
        cmocka_unit_test(every_prefix_is_read_within_its_bounds),
        cmocka_unit_test(a_program_has_the_name_of_its_class_or_jar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
