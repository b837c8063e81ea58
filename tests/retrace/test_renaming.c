/* retrace/renaming: the methods of a trace get their names in the source. */
#include "retrace/renaming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"

#define HEAD "# pg_map_id: 7d4b2a1\n# pg_map_hash: SHA-256 7d4b2a10ff\n"
#define CLASSES                                                                                    \
    "app.Store -> a.b:\n    void save() -> a\n    void drop() -> b\n    void wipe() -> b\n"        \
    "app.Main -> app.Main:\n    void run() -> c\n"

/* Renames methods of the class a.b by these names; returns what the check says of the mapping. */
static enum tv_code rename_all(const char *mapping, const char *const *names, const char *file,
                               struct tv_error *err)
{
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, tv_str_from(mapping), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    for (; *names; names++) {
        struct tv_trace_method method = {.class_name = TV_STR("a/b"),
                                         .name = tv_str_from(*names),
                                         .signature = TV_STR("()V"),
                                         .file = tv_str_from(file)};
        assert_int_equal(tv_renaming_rename(&renaming, &method, &findings, NULL), TV_OK);
    }
    enum tv_code code = tv_renaming_check(&renaming, err);
    tv_retracer_release(&retracer);
    return code;
}

static void a_method_keeps_its_written_name_beside(void **state)
{
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    struct tv_trace_method methods[] = {
        {.class_name = TV_STR("La/b;"), .name = TV_STR("a"), .signature = TV_STR("()V")},
        {.class_name = TV_STR("a.b"), .name = TV_STR("b")},
        {.class_name = TV_STR("java/util/Map"), .name = TV_STR("get"), .signature = TV_STR("()V")},
    };
    (void)state;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(CLASSES), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++)
        assert_int_equal(tv_renaming_rename(&renaming, &methods[i], &findings, NULL), TV_OK);
    assert_true(tv_str_equal(methods[0].class_name, TV_STR("app.Store")));
    assert_true(tv_str_equal(methods[0].name, TV_STR("save")));
    assert_true(tv_str_equal(methods[0].written, TV_STR("a.b.a ()V")));
    assert_true(tv_str_equal(methods[1].name, TV_STR("drop | wipe")));
    assert_true(tv_str_equal(methods[1].written, TV_STR("a.b.b")));
    assert_true(tv_str_equal(methods[2].class_name, TV_STR("java/util/Map")));
    assert_int_equal(methods[2].written.len, 0);
    assert_int_equal(renaming.renamed, 2);
    assert_int_equal(findings.of[TV_FINDING_AMBIGUOUS_NAME].count, 1);
    tv_retracer_release(&retracer);
}

/* What a name of five or more lists not is told beside it. */
static void all_that_a_name_may_stand_for_is_told(void **state)
{
    static const char mapping[] = "app.Store -> a.b:\n"
                                  "    void p() -> a\n    void q() -> a\n    void r() -> a\n"
                                  "    void s() -> a\n    void app.Other.t() -> a\n"
                                  "    void p() -> b\n    void q() -> b\n    void r() -> b\n"
                                  "    void s() -> b\n";
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    struct tv_trace_method methods[] = {{.class_name = TV_STR("a.b"), .name = TV_STR("a")},
                                        {.class_name = TV_STR("a.b"), .name = TV_STR("b")}};
    (void)state;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++)
        assert_int_equal(tv_renaming_rename(&renaming, &methods[i], &findings, NULL), TV_OK);
    assert_true(tv_str_equal(methods[0].name, TV_STR("p | q | r | s | more")));
    assert_true(tv_str_equal(methods[0].alternatives, TV_STR("p | q | r | s | app.Other.t")));
    assert_true(tv_str_equal(methods[1].name, TV_STR("p | q | r | s")));
    assert_int_equal(methods[1].alternatives.len, 0);
    tv_retracer_release(&retracer);
}

/* Each once, of all lines of the method that was called and of no other method of its name. */
static void what_was_inlined_is_told_beside_the_method_that_it_runs_in(void **state)
{
    static const char mapping[] = "app.Store -> a.b:\n"
                                  "    1:1:void drop(int):9:9 -> a\n"
                                  "    1:1:void save():3 -> a\n"
                                  "    2:2:void app.Log.put(app.Store):4:4 -> a\n"
                                  "    2:2:void drop(int):9 -> a\n"
                                  "    2:2:void save():4 -> a\n"
                                  "    1:1:void wipe():1:1 -> a\n"
                                  "    1:1:void load(int):2 -> a\n";
    static const char *const inlined[] = {"app.Store.drop (I)V\napp.Log.put (Lapp/Store;)V",
                                          "app.Store.wipe ()V", ""};
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    struct tv_trace_method methods[] = {
        {.class_name = TV_STR("a.b"), .name = TV_STR("a"), .signature = TV_STR("()V")},
        {.class_name = TV_STR("a.b"), .name = TV_STR("a"), .signature = TV_STR("(I)V")},
        {.class_name = TV_STR("a.b"), .name = TV_STR("c"), .signature = TV_STR("()V")},
    };
    (void)state;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++) {
        assert_int_equal(tv_renaming_rename(&renaming, &methods[i], &findings, NULL), TV_OK);
        assert_true(tv_str_equal(methods[i].inlined, tv_str_from(inlined[i])));
    }
    tv_retracer_release(&retracer);
}

/* A function of C++ has no type of a result in its signature, and a namespace may be called as a
 * class of the build. */
static void functions_of_other_languages_keep_their_names(void **state)
{
    static const char mapping[] = "app.Sorting -> std:\n    void start() -> sort\n";
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    struct tv_trace_method methods[] = {
        {.class_name = TV_STR("std"), .name = TV_STR("sort"), .signature = TV_STR("()")},
        {.class_name = TV_STR("std"), .name = TV_STR("sort"), .signature = TV_STR("()V")},
    };
    (void)state;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++)
        assert_int_equal(tv_renaming_rename(&renaming, &methods[i], &findings, NULL), TV_OK);
    assert_true(tv_str_equal(methods[0].class_name, TV_STR("std")));
    assert_true(tv_str_equal(methods[0].name, TV_STR("sort")));
    assert_true(tv_str_equal(methods[1].name, TV_STR("start")));
    assert_int_equal(renaming.renamed, 1);
    tv_retracer_release(&retracer);
}

/* A name that is found although its method has another signature is told; a constructor's is none
 * that could be wrong, and a trace without signatures contradicts nothing. */
static void names_that_are_guessed_are_counted(void **state)
{
    static const char mapping[] = "app.Store -> a.b:\n    void save(int) -> a\n"
                                  "    void <init>(int) -> <init>\n";
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    struct tv_trace_method methods[] = {
        {.class_name = TV_STR("a.b"), .name = TV_STR("a"), .signature = TV_STR("(Z)V")},
        {.class_name = TV_STR("a.b"), .name = TV_STR("a"), .signature = TV_STR("(I)V")},
        {.class_name = TV_STR("a.b"), .name = TV_STR("<init>"), .signature = TV_STR("()V")},
        {.class_name = TV_STR("a.b"), .name = TV_STR("a")},
    };
    (void)state;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    for (size_t i = 0; i < TV_COUNT_OF(methods); i++)
        assert_int_equal(tv_renaming_rename(&renaming, &methods[i], &findings, NULL), TV_OK);
    assert_true(tv_str_equal(methods[0].name, TV_STR("save")));
    assert_true(tv_str_equal(methods[3].name, TV_STR("save")));
    assert_int_equal(findings.of[TV_FINDING_GUESSED_NAME].count, 1);
    tv_retracer_release(&retracer);
}

/* Two lines of classes and one of a member. */
static void bad_lines_of_a_mapping_are_found_once(void **state)
{
    static const char mapping[] = "no class\napp.Made -> a.b:\n"
                                  "# {\"id\":\"com.android.tools.r8.synthesized\"}\n"
                                  "    void run() -> a\n    void cut( -> b\n"
                                  "app.Twice -> a.b:\n    void other() -> b\napp.Cut -> \n";
    struct tv_retracer retracer;
    struct tv_renaming renaming;
    struct tv_findings findings;
    struct tv_trace_method method = {
        .class_name = TV_STR("a.b"), .name = TV_STR("a"), .signature = TV_STR("()V")};
    (void)state;
    tv_findings_init(&findings);
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(mapping), NULL), TV_OK);
    tv_renaming_init(&renaming, &retracer);
    assert_int_equal(tv_renaming_rename(&renaming, &method, &findings, NULL), TV_OK);
    assert_true(tv_str_equal(method.name, TV_STR("run")));
    assert_true(method.is_synthesized);
    assert_int_equal(findings.of[TV_FINDING_MAPPING_LINE].count, 3);
    assert_int_equal(tv_renaming_rename(&renaming, &method, &findings, NULL), TV_OK);
    assert_int_equal(findings.of[TV_FINDING_MAPPING_LINE].count, 3);
    tv_retracer_release(&retracer);
}

static void a_mapping_of_another_build_is_told(void **state)
{
    static const struct {
        const char *mapping;
        const char *names[5];
        const char *file;
        const char *reason; /* NULL: it fits */
    } cases[] = {
        {CLASSES, {"a", "b"}, "A.java", NULL},
        {CLASSES, {"a", "x"}, "", NULL},
        {CLASSES,
         {"x", "y", "a"},
         "",
         "is of another build: it knows 1 of the 3 methods whose classes it renames"},
        /* Constructors keep their names and say nothing. */
        {CLASSES, {"<init>", "<clinit>", "a"}, "", NULL},
        {"app.Other -> z:\n",
         {"a"},
         "",
         "is of another program: it renames no method of the trace"},
        /* Ids count for more than names. */
        {HEAD CLASSES, {"x", "y"}, "r8-map-id-7d4b2a10ff", NULL},
        {HEAD CLASSES, {"x", "y"}, "r8-map-id-7d4b2a1", NULL},
        {HEAD CLASSES,
         {"a"},
         "r8-map-id-7d4c",
         "is of another build: the trace names another mapping by its id"},
        {CLASSES, {"a"}, "r8-map-id-7d4c", NULL},
        {HEAD CLASSES, {"a"}, "r8-map-id-", NULL},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_error err = {.code = TV_OK};
        enum tv_code code = rename_all(cases[i].mapping, cases[i].names, cases[i].file, &err);
        assert_int_equal(code, cases[i].reason ? TV_ERR_ARGUMENT : TV_OK);
        assert_string_equal(err.text, cases[i].reason ? cases[i].reason : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_keeps_its_written_name_beside),
        cmocka_unit_test(all_that_a_name_may_stand_for_is_told),
        cmocka_unit_test(what_was_inlined_is_told_beside_the_method_that_it_runs_in),
        cmocka_unit_test(functions_of_other_languages_keep_their_names),
        cmocka_unit_test(names_that_are_guessed_are_counted),
        cmocka_unit_test(bad_lines_of_a_mapping_are_found_once),
        cmocka_unit_test(a_mapping_of_another_build_is_told),
    };
    return cmocka_run_group_tests_name("retrace/renaming", tests, NULL, NULL);
}
