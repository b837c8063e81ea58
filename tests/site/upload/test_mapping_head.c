/* site/upload/mapping_head: what is no mapping is told by its first bytes, and what one says of
 * itself is kept where it can be shown. */
#include "site/upload/mapping_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"

#define CLASS "app.Store -> a.b:\n    void save() -> a\n"

static void a_mapping_says_its_id_and_its_hash(void **state)
{
    static const struct {
        const char *text, *id, *hash;
    } mappings[] = {
        {CLASS, "", ""},
        {"# pg_map_id: 7d4b2c1\n# pg_map_hash: SHA-256 7d4b2c1ff\n" CLASS, "7d4b2c1", "7d4b2c1ff"},
        {"# pg_map_id: 7d4b\r\n# pg_map_hash: abc\r\napp.A -> a:\r\n", "7d4b", "abc"},
        {"# pg_map_id: \x1b[2J\xff\n" CLASS, "", ""},
        {CLASS "app.Cut -> b:\n    void sa", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(mappings); i++) {
        struct tv_mapping_head head;
        struct tv_error err = {.code = TV_OK};
        if (tv_mapping_head_read(&head, tv_alloc_libc(), tv_str_from(mappings[i].text), &err) !=
            TV_OK)
            fail_msg("%s: %s", mappings[i].text, err.text);
        assert_string_equal(head.id, mappings[i].id);
        assert_string_equal(head.hash, mappings[i].hash);
    }
}

static void an_id_of_any_length_is_one_or_none(void **state)
{
    char text[400];
    struct tv_mapping_head head;
    (void)state;
    for (int len = 127; len < 131; len++) {
        (void)snprintf(text, sizeof(text), "# pg_map_id: %0*d\n" CLASS, len, 7);
        assert_int_equal(tv_mapping_head_read(&head, tv_alloc_libc(), tv_str_from(text), NULL),
                         TV_OK);
        assert_int_equal(strlen(head.id), len > 128 ? 0 : len);
    }
}

static void other_files_are_told(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *told;
    } files[] = {
        {"", 0, "no mapping"},
        {"hello\n", 6, "no mapping"},
        {"\xff\xfe"
         "a\0",
         4, "UTF-16"},
        {"\x1f\x8b\x08\0\0\0\0\0", 8, "unpacked"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(files); i++) {
        struct tv_mapping_head head;
        struct tv_error err = {.code = TV_OK};
        const struct tv_str text = {files[i].bytes, files[i].len};
        assert_int_equal(tv_mapping_head_read(&head, tv_alloc_libc(), text, &err), TV_ERR_FOREIGN);
        if (!strstr(err.text, files[i].told))
            fail_msg("\"%s\" does not tell \"%s\"", err.text, files[i].told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_says_its_id_and_its_hash),
        cmocka_unit_test(an_id_of_any_length_is_one_or_none),
        cmocka_unit_test(other_files_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
