/* retrace/metadata: what R8 says in comments. */
#include "retrace/metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"

static void known_ids_are_understood(void **state)
{
    static const struct {
        const char *line;
        enum tv_metadata_kind kind;
        const char *text;
    } cases[] = {
        {"# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"2.2\"}", TV_METADATA_VERSION,
         "2.2"},
        {"{\"id\":\"com.android.tools.r8.synthesized\"}", TV_METADATA_SYNTHESIZED, ""},
        {"  # { \"signature\" : \"(La/b;)V\" , \"id\":\"com.android.tools.r8.residualsignature\" "
         "} ",
         TV_METADATA_RESIDUAL_SIGNATURE, "(La/b;)V"},
        {"# {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(La;)\"],"
         "\"actions\":[\"removeInnerFrames(1)\"]}",
         TV_METADATA_REWRITE_FRAME, ""},
        {"# {\"id\":\"com.android.tools.r8.outline\"}", TV_METADATA_OUTLINE, ""},
        {"# {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":4,\"2\":5},"
         "\"outline\":\"La;a()V\"}",
         TV_METADATA_OUTLINE_CALLSITE, ""},
        {"# {\"id\":\"sourceFile\",\"fileName\":\"A \\\"b\\\".kt\"}", TV_METADATA_OTHER, ""},
        /* As R8's documentation and its tests write it. */
        {"# {'id':'com.android.tools.r8.mapping','version':'1.0'}", TV_METADATA_VERSION, "1.0"},
        {"# { id: 'com.android.tools.r8.residualsignature', signature:'(La/b;)V' }",
         TV_METADATA_RESIDUAL_SIGNATURE, "(La/b;)V"},
        {"# {id:\"com.android.tools.r8.synthesized\",a:{b:['}']}}", TV_METADATA_SYNTHESIZED, ""},
        {"# {\"id\":\"com.android.tools.r8.mergedClasses\",\"kind\":\"horizontal\"}",
         TV_METADATA_OTHER, ""},
        {"# {\"x\":[[],{},[{\"id\":\"no\"}],true,null,-1.5e3],\"id\":\"y\"}", TV_METADATA_OTHER,
         ""},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_metadata found;
        if (!tv_metadata_parse(tv_str_from(cases[i].line), &found))
            fail_msg("not understood: %s", cases[i].line);
        assert_int_equal(found.kind, cases[i].kind);
        assert_true(tv_str_equal(found.text, tv_str_from(cases[i].text)));
    }
}

static void other_comments_are_no_metadata(void **state)
{
    static const char *const lines[] = {
        "",
        "#",
        "# compiler: R8",
        "# {",
        "# {}",
        "# {\"id\"}",
        "# {id}",
        "# {'id\":\"x\"}",
        "# {:\"x\"}",
        "# {\"id\":}",
        "# {\"id\":\"x\"",
        "# {\"id\":\"x\",}",
        "# {\"id\":\"x\"} more",
        "# {\"id\":7}",
        "# {\"version\":\"2.2\"}",
        "# {\"id\":\"x\",\"a\":[1,2}",
        "# {\"id\":\"x\",\"a\":\"cut",
        "# {\"id\":\"x\",\"a\":\"cut\\",
        "# {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(\\u004c;)V\"}",
        "# {\"id\":\"com.android.tools.r8.resid",
        "# [\"id\"]",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(lines); i++) {
        struct tv_metadata found;
        if (tv_metadata_parse(tv_str_from(lines[i]), &found))
            fail_msg("taken for metadata: %s", lines[i]);
    }
}

/* However deep a value nests, it costs no stack. */
static void deep_values_are_refused(void **state)
{
    enum { DEEP = 100000, KEPT = 63 };
    static char line[2 * DEEP + 64];
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        size_t depth = round ? KEPT : DEEP;
        size_t len = 0;
        struct tv_metadata found;
        memcpy(line, "{\"id\":\"x\",\"a\":", 14);
        len = 14;
        memset(line + len, '[', depth);
        memset(line + len + depth, ']', depth);
        len += 2 * depth;
        line[len++] = '}';
        assert_int_equal(tv_metadata_parse((struct tv_str){line, len}, &found), round);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ids_are_understood),
        cmocka_unit_test(other_comments_are_no_metadata),
        cmocka_unit_test(deep_values_are_refused),
    };
    return cmocka_run_group_tests_name("retrace/metadata", tests, NULL, NULL);
}
