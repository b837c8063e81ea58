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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_written_as_class_files_do),
    };
    return cmocka_run_group_tests_name("retrace/types", tests, NULL, NULL);
}
