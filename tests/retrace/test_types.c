/* retrace/types: Java's types as descriptors. */
#include "retrace/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"

static void signatures_are_written_as_class_files_do(void **state)
{
    static const struct {
        const char *parameters, *type, *wanted;
    } cases[] = {
        {"", "void", "()V"},
        {"int,java.lang.String[][], boolean", "char[]", "(I[[Ljava/lang/String;Z)[C"},
        {"byte,short,long,float,double", "a", "(BSJFD)La;"},
        {"a.b.Outer$Inner", "void[]", "(La/b/Outer$Inner;)[V"},
    };
    struct tv_buffer out;
    (void)state;
    tv_buffer_init(&out, tv_alloc_libc());
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        out.len = 0;
        assert_int_equal(tv_signature_add(&out, tv_str_from(cases[i].parameters),
                                          tv_str_from(cases[i].type), NULL),
                         TV_OK);
        assert_true(tv_str_equal(tv_buffer_view(&out), tv_str_from(cases[i].wanted)));
    }
    tv_buffer_release(&out);
}

static void only_whole_signatures_are_signatures(void **state)
{
    static const char *const whole[] = {"()V", "(I[[La/b;J)La;", "([I)[[Z"};
    static const char *const others[] = {"",      "I",     "VOLAPYK", "(",    "()",   "(I)",
                                         "(I)V ", "(La)V", "I)V",     "()VV", "(I V", "()La;)"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(whole); i++)
        assert_true(tv_signature_is_whole(tv_str_from(whole[i])));
    for (size_t i = 0; i < TV_COUNT_OF(others); i++)
        assert_false(tv_signature_is_whole(tv_str_from(others[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_written_as_class_files_do),
        cmocka_unit_test(only_whole_signatures_are_signatures),
    };
    return cmocka_run_group_tests_name("retrace/types", tests, NULL, NULL);
}
