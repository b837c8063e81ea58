/*
 * What R8 makes of classes and methods, as its mapping files tell it, and what a method of such a
 * build is called. The cases are those of R8's tests of retraced stack samples and of public
 * mapping files of other readers, each written anew: docs/retrace.md lists them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"
#include "retrace/retrace.h"

#define SYNTHESIZED "      # {\"id\":\"com.android.tools.r8.synthesized\"}\n"
#define RESIDUAL(signature)                                                                        \
    "      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"" signature "\"}"  \
    "\n"
#define SOURCE(name) "# {\"id\":\"sourceFile\",\"fileName\":\"" name "\"}\n"

/* A method of a trace, and what it is in the source: "class name signature", and how that is known.
 */
struct expected {
    const char *class_name, *name, *signature;
    enum tv_retrace_by by;
    bool is_synthesized;
    const char *found;
};

static void expect(const char *mapping, const struct expected *of, size_t count)
{
    struct tv_retracer retracer;
    tv_retracer_init(&retracer, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, tv_str_from(mapping), NULL), TV_OK);
    for (size_t i = 0; i < count; i++) {
        const struct tv_method_name written = {
            tv_str_from(of[i].class_name), tv_str_from(of[i].name), tv_str_from(of[i].signature)};
        struct tv_retraced found;
        char text[400];
        assert_int_equal(tv_retrace_method(&retracer, &written, &found, NULL), TV_OK);
        (void)snprintf(text, sizeof(text), "%.*s %.*s %.*s", (int)found.name.class_name.len,
                       found.name.class_name.at, (int)found.name.name.len, found.name.name.at,
                       (int)found.name.signature.len, found.name.signature.at);
        assert_string_equal(text, of[i].found);
        assert_int_equal(found.by, of[i].by);
        assert_int_equal(found.is_synthesized, of[i].is_synthesized);
    }
    tv_retracer_release(&retracer);
}
#define EXPECT(mapping, cases) expect(mapping, cases, TV_COUNT_OF(cases))

/* Three methods are inlined into one another: a thread enters the outermost alone. */
static void a_method_with_inlined_ones_keeps_its_name(void **state)
{
    static const char mapping[] = "shop.Main -> shop.a:\n" SOURCE(
        "Main.java") "    1:1:void weigh():20:20 -> a\n"
                     "    1:1:void pack():11 -> a\n"
                     "    2:2:void label():31:31 -> a\n"
                     "    2:2:void weigh():21 -> a\n"
                     "    2:2:void pack():11 -> a\n"
                     "    1:4:void main(java.lang.String[]):5:5 -> main\n";
    static const struct expected cases[] = {
        {"shop.a", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Main pack ()V"},
        {"shop.a", "a", "", TV_RETRACE_BY_NAME, false, "shop.Main pack "},
        {"shop.a", "main", "([Ljava/lang/String;)V", TV_RETRACE_BY_SIGNATURE, false,
         "shop.Main main ([Ljava/lang/String;)V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* R8 took an argument away, before it wrote residual signatures, and what it inlined has the
 * build's signature. */
static void what_was_inlined_is_not_the_method_that_was_called(void **state)
{
    static const char mapping[] = "# compiler: R8\n# compiler_version: 2.0.74\n"
                                  "shop.Ctx -> c:\nshop.Store -> a:\n"
                                  "    1:1:void shop.Log.help():5:5 -> a\n"
                                  "    1:1:void run(shop.Ctx):9 -> a\n"
                                  "    2:2:void run(shop.Ctx):10 -> a\n"
                                  "    9:9:void help(int):3:3 -> b\n"
                                  "    9:9:void call(shop.Ctx,int) -> b\n"
                                  "    7:7:void shop.Log.help(long) -> e\n"
                                  "    7:7:void call(shop.Ctx,long) -> e\n";
    static const struct expected cases[] = {
        {"a", "a", "()V", TV_RETRACE_BY_NAME, false, "shop.Store run ()V"},
        {"a", "b", "(I)V", TV_RETRACE_BY_NAME, false, "shop.Store call (I)V"},
        {"a", "e", "(J)V", TV_RETRACE_BY_NAME, false, "shop.Store call (J)V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* Two classes became one: a method of both is either. */
static void classes_that_were_merged_have_methods_of_either(void **state)
{
    static const char mapping[] = "shop.Cash -> shop.a:\n" SOURCE(
        "Pay.java") "    int $r8$classId -> a\n" SYNTHESIZED
                    "    1:1:void <init>(int):0:0 -> <init>\n" SYNTHESIZED
                    "    1:1:void shop.Card.pay():30:30 -> a\n"
                    "    2:2:void pay():20:20 -> a\n"
                    "    1:8:void shop.Card.check():40:40 -> b\n"
                    "    1:8:void count():50:50 -> c\n"
                    "shop.Payment -> shop.b:\n"
                    "    void pay() -> a\n";
    static const struct expected cases[] = {
        {"shop.a", "a", "()V", TV_RETRACE_AMBIGUOUS, false, "shop.Cash pay | shop.Card.pay ()V"},
        {"shop.a", "b", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Card check ()V"},
        {"shop.a", "c", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Cash count ()V"},
        {"shop.a", "<init>", "(I)V", TV_RETRACE_BY_SIGNATURE, true, "shop.Cash <init> (I)V"},
        {"shop.b", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Payment pay ()V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* R8 names the class of some members of a merged class that are its own. */
static void the_own_class_of_a_method_is_no_other_class(void **state)
{
    static const char mapping[] = "shop.Cash -> shop.a:\n"
                                  "    1:1:void shop.Cash.pay():20:20 -> a\n"
                                  "    2:2:void shop.Card.pay():30:30 -> a\n"
                                  "    1:1:void stop():10:10 -> b\n"
                                  "    2:2:void shop.Cash.stop():11:11 -> b\n";
    static const struct expected cases[] = {
        {"shop.a", "a", "()V", TV_RETRACE_AMBIGUOUS, false, "shop.Cash pay | shop.Card.pay ()V"},
        {"shop.a", "b", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Cash stop ()V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* Lambdas of Kotlin that were merged: as many as a name lists, and that there are more. */
static void many_merged_lambdas_are_listed_as_far_as_a_name_may(void **state)
{
    static const char mapping[] = "ui.Border$draw$1 -> a1.y:\n" SOURCE(
        "Border.kt") "    10:11:java.lang.Object ui.Text$layout$1.invoke(java.lang.Object):2:2 -> "
                     "j\n"
                     "    34:35:java.lang.Object ui.Cursor$handle$1.invoke(java.lang.Object):5:5 "
                     "-> j\n"
                     "    62:63:java.lang.Object disk.Cache$sink$1.invoke(java.lang.Object):7:7 -> "
                     "j\n"
                     "    74:75:java.lang.Object ui.Layer$list$1.invoke(java.lang.Object):3:3 -> "
                     "j\n"
                     "    76:77:java.lang.Object ui.Layer$list$1.invoke(java.lang.Object):4:4 -> "
                     "j\n"
                     "    87:88:java.lang.Object invoke(java.lang.Object):1:1 -> j\n";
    static const struct expected cases[] = {
        {"a1.y", "j", "(Ljava/lang/Object;)Ljava/lang/Object;", TV_RETRACE_AMBIGUOUS, false,
         "ui.Border$draw$1 invoke | disk.Cache$sink$1.invoke | ui.Cursor$handle$1.invoke | "
         "ui.Layer$list$1.invoke | more (Ljava/lang/Object;)Ljava/lang/Object;"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* A class became part of its subclass, and is gone. */
static void a_class_that_was_merged_into_its_subclass_keeps_its_methods(void **state)
{
    static const char mapping[] =
        "shop.Base -> R8$$REMOVED$$CLASS$$0:\n" SOURCE("Shop.java") "shop.Sub -> a:\n" SOURCE(
            "Shop.java") "    2:5:void <init>():42:42 -> <init>\n"
                         "    6:6:void shop.Base.<init>():42:42 -> <init>\n" RESIDUAL(
                             "(I)V") "    1:3:void open():47:47 -> a\n"
                                     "    4:11:void open():48:48 -> a\n"
                                     "    1:8:void shop.Base.open():52:52 -> b\n"
                                     "    1:8:void shop.Base.shut():57:57 -> c\n";
    static const struct expected cases[] = {
        {"a", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Sub open ()V"},
        {"a", "b", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Base open ()V"},
        {"a", "c", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Base shut ()V"},
        {"a", "<init>", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Sub <init> ()V"},
        {"a", "<init>", "(I)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Base <init> ()V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* ProGuard merged a class into another, and writes each with the same name; the mark of one is none
 * of the other. A class that a file has twice is one. */
static void classes_of_one_name_have_the_methods_of_all(void **state)
{
    static const char mapping[] = "shop.A -> a:\n"
                                  "    10:10:void only() -> a\n"
                                  "    11:11:void both() -> b\n"
                                  "    12:12:void <init>() -> <init>\n"
                                  "shop.B -> a:\n" SYNTHESIZED "    10:10:void own(shop.B) -> c\n"
                                  "    11:11:void both() -> b\n"
                                  "    20:20:void shop.A.late() -> d\n"
                                  "    21:21:void shop.C.far() -> e\n"
                                  "shop.A -> a:\n"
                                  "    10:10:void only() -> a\n"
                                  "    30:30:void more() -> f\n";
    static const struct expected cases[] = {
        {"a", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.A only ()V"},
        {"a", "b", "()V", TV_RETRACE_AMBIGUOUS, false, "shop.A both | shop.B.both ()V"},
        {"a", "c", "(Lshop/B;)V", TV_RETRACE_BY_SIGNATURE, false, "shop.B own (Lshop/B;)V"},
        {"a", "d", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.A late ()V"},
        {"a", "e", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.C far ()V"},
        {"a", "f", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.A more ()V"},
        {"a", "<init>", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.A <init> ()V"},
        {"a", "z", "()V", TV_RETRACE_BY_CLASS, false, "shop.A z ()V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* Overloads by the result alone, kept or renamed; a stack trace shows both as one. */
static void results_tell_overloads_apart(void **state)
{
    static const char mapping[] = "shop.Words -> b:\n"
                                  "    1:4:void <init>():42:42 -> <init>\n"
                                  "    1:5:java.lang.Object get():42:42 -> get\n"
                                  "    6:6:java.lang.String get():46:46 -> get\n"
                                  "    1:5:java.lang.Object find():42:42 -> a\n"
                                  "    1:3:java.lang.String find():46:46 -> b\n";
    static const struct expected cases[] = {
        {"b", "get", "()Ljava/lang/Object;", TV_RETRACE_BY_SIGNATURE, false,
         "shop.Words get ()Ljava/lang/Object;"},
        {"b", "get", "()Ljava/lang/String;", TV_RETRACE_BY_SIGNATURE, false,
         "shop.Words get ()Ljava/lang/String;"},
        {"b", "get", "", TV_RETRACE_BY_NAME, false, "shop.Words get "},
        {"b", "a", "()Ljava/lang/Object;", TV_RETRACE_BY_SIGNATURE, false,
         "shop.Words find ()Ljava/lang/Object;"},
        {"b", "b", "()Ljava/lang/String;", TV_RETRACE_BY_SIGNATURE, false,
         "shop.Words find ()Ljava/lang/String;"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* An argument went, or the receiver became one; lines behind the first do not repeat the residual
 * signature. */
static void signatures_that_were_changed_are_those_of_the_source(void **state)
{
    static const char mapping[] =
        "shop.Main -> a:\n"
        "    1:1:void test(java.lang.Object):50:50 -> a\n" RESIDUAL(
            "()V") "    2:3:void test(java.lang.Object):51:51 -> a\n"
                   "    1:1:void other(java.lang.Object):60:60 -> a\n" RESIDUAL(
                       "(I)V") "shop.Item -> c:\n"
                               "    1:5:int price():9:9 -> b\n" RESIDUAL(
                                   "(Lc;)I") "    1:5:int count():9:9 -> b\n";
    static const struct expected cases[] = {
        {"a", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Main test (Ljava/lang/Object;)V"},
        {"a", "a", "(I)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Main other (Ljava/lang/Object;)V"},
        {"a", "a", "", TV_RETRACE_AMBIGUOUS, false, "shop.Main test | other "},
        {"c", "b", "(Lc;)I", TV_RETRACE_BY_SIGNATURE, false, "shop.Item price ()I"},
        {"c", "b", "()I", TV_RETRACE_BY_SIGNATURE, false, "shop.Item count ()I"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* Methods between the first line of a method and its last ones, as many as a compiler inlines. */
static void a_residual_signature_is_of_all_lines_however_many_stand_between(void **state)
{
    enum { MOST_INLINED = 40, LINE = 96 };
    static char text[2 * MOST_INLINED * LINE + 512];
    static const struct expected cases[] = {
        {"a", "a", "(I)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Store save (ILshop/Ctx;)V"},
        {"a", "a", "(ILc;)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Store load (ILshop/Ctx;)V"},
        {"a", "a", "(Z)V", TV_RETRACE_BY_NAME, false, "shop.Store load (Z)V"},
    };
    (void)state;
    for (unsigned inlined = 0; inlined <= MOST_INLINED; inlined++) {
        size_t len =
            (size_t)snprintf(text, sizeof(text),
                             "shop.Ctx -> c:\nshop.Store -> a:\n"
                             "    1:1:void save(int,shop.Ctx):10:10 -> a\n" RESIDUAL("(I)V"));
        for (unsigned i = 0; i < inlined; i++)
            len += (size_t)snprintf(text + len, 2 * LINE,
                                    "    2%u:2%u:void shop.Util.help%u():5:5 -> a\n"
                                    "    2%u:2%u:void save(int,shop.Ctx):11 -> a\n",
                                    i, i, i, i, i);
        len += (size_t)snprintf(text + len, 2 * LINE,
                                "    3:3:void load(int,shop.Ctx):40:42 -> a\n"
                                "    4:4:void save(int,shop.Ctx):10:10 -> a\n");
        EXPECT(text, cases);
    }
}

/* From version 2.2 on R8 tells each signature that it changed. */
static void a_mapping_that_tells_all_signatures_has_no_method_of_another(void **state)
{
#define SAVE "shop.Store -> a:\n    1:1:void save(int):10:10 -> a\n"
#define VERSION(text) "# {\"id\":\"com.android.tools.r8.mapping\",\"version\":\"" text "\"}\n"
    static const char *const told[] = {VERSION("2.2") SAVE, VERSION("2.10") SAVE,
                                       VERSION("3.0") SAVE};
    static const char *const untold[] = {SAVE, VERSION("2.1") SAVE, VERSION("1.9") SAVE,
                                         VERSION("experimental") SAVE, VERSION("2.") SAVE};
    static const struct expected of_told[] = {
        {"a", "a", "(I)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Store save (I)V"},
        {"a", "a", "(Z)V", TV_RETRACE_BY_CLASS, false, "shop.Store a (Z)V"},
        {"a", "a", "", TV_RETRACE_BY_NAME, false, "shop.Store save "},
    };
    static const struct expected of_untold[] = {
        {"a", "a", "(I)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Store save (I)V"},
        {"a", "a", "(Z)V", TV_RETRACE_BY_NAME, false, "shop.Store save (Z)V"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(told); i++)
        EXPECT(told[i], of_told);
    for (size_t i = 0; i < TV_COUNT_OF(untold); i++)
        EXPECT(untold[i], of_untold);
}

/* Of a field, of no kind, of a type that is none: the method is found as without. */
static void residual_signatures_of_nothing_are_passed_over(void **state)
{
    static const char mapping[] =
        "# { id: 'com.android.tools.r8.mapping', version: '2.2' }\n"
        "some.Class -> b:\n"
        "  int f -> a\n  # { id:'com.android.tools.r8.residualsignature',signature:'()V' }\n"
        "  int first() -> a\n  # { id:'com.android.tools.r8.residualsignature',signature:'I' }\n"
        "  1:2:int second(int):3:4 -> a\n"
        "  # { id:'com.android.tools.r8.residualsignature',signature:'VOLAPYK' }\n"
        "  1:2:int third(long):3:4 -> a\n"
        "  # { id:'com.android.tools.r8.residualsignature',signature:'(Z)I' }\n";
    static const struct expected cases[] = {
        {"b", "a", "()I", TV_RETRACE_BY_SIGNATURE, false, "some.Class first ()I"},
        {"b", "a", "(I)I", TV_RETRACE_BY_SIGNATURE, false, "some.Class second (I)I"},
        {"b", "a", "(Z)I", TV_RETRACE_BY_SIGNATURE, false, "some.Class third (J)I"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* R8 has the mark of a method on one of its lines. */
static void what_was_synthesized_is_marked_on_any_line(void **state)
{
    static const char mapping[] =
        "# {'id':'com.android.tools.r8.mapping','version':'1.0'}\n"
        "shop.Order$Builder -> foo.bar:\n"
        "    1:1:void add(java.util.Collection):0:0 -> add$synthetic\n"
        "    1:1:void add$synthetic(java.util.Collection):0:0 -> add$synthetic\n"
        "    2:2:void add(java.util.Collection):206:206 -> add$synthetic\n"
        "    2:2:void add$synthetic(java.util.Collection):0:0 -> add$synthetic\n" SYNTHESIZED
        "    4:4:void add(java.util.Collection):208:208 -> add$synthetic\n"
        "    4:4:void add$synthetic(java.util.Collection):0 -> add$synthetic\n"
        "shop.Foo$$ExternalSyntheticLambda0 -> a.b:\n"
        "    4:4:void shop.Foo.lambda$main$0():225 -> a\n"
        "    4:4:void run(shop.Foo):0 -> a\n      # {'id':'com.android.tools.r8.synthesized'}\n"
        "shop.Foo -> a.a:\n"
        "    5:5:void lambda$main$0():225 -> a\n";
    static const struct expected cases[] = {
        {"foo.bar", "add$synthetic", "(Ljava/util/Collection;)V", TV_RETRACE_BY_SIGNATURE, true,
         "shop.Order$Builder add$synthetic (Ljava/util/Collection;)V"},
        {"a.b", "a", "(La/a;)V", TV_RETRACE_BY_SIGNATURE, true,
         "shop.Foo$$ExternalSyntheticLambda0 run (Lshop/Foo;)V"},
        {"a.a", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Foo lambda$main$0 ()V"},
        /* Without a line of their own, classes that D8 made have the name of the class beside. */
        {"a.a$$ExternalSyntheticLambda7", "run", "()V", TV_RETRACE_BY_CLASS, false,
         "shop.Foo$$ExternalSyntheticLambda7 run ()V"},
        {"a.a$$Lambda$3.0x00007f0594001850", "run", "()V", TV_RETRACE_BY_CLASS, false,
         "shop.Foo$$Lambda$3.0x00007f0594001850 run ()V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* Outlines are methods that R8 made; which lines they were taken from, and which frames of a stack
 * trace are left out, says nothing about methods. */
static void outlines_and_rewritten_frames_change_no_name(void **state)
{
    static const char mapping[] =
        "shop.Kt$$ExternalSyntheticOutline0 -> ev.h:\n"
        "# {\"id\":\"sourceFile\",\"fileName\":\"R8$$SyntheticClass\"}\n"
        "# {\"id\":\"com.android.tools.r8.synthesized\"}\n"
        "    1:2:void ev.Kt$$ExternalSyntheticOutline0.m(java.lang.String):0:0 -> b\n" SYNTHESIZED
        "      # {\"id\":\"com.android.tools.r8.outline\"}\n"
        "shop.Flow -> a:\n"
        "    10:10:void shop.Inliner.first(shop.Flow):60:60 -> start\n"
        "    10:10:void start(shop.Flow):42 -> start\n"
        "    # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":"
        "[\"throws(Ljava/lang/NullPointerException;)\"],\"actions\":[\"removeInnerFrames(1)\"]}\n"
        "    15:15:void resume():55 -> start\n"
        "    1:1:void lambda$bar$0(shop.Flow):0:0 -> lambda$bar$0\n"
        "      # {'id':'com.android.tools.r8.outlineCallsite','positions':{'23':724,'24':725},"
        "'outline':'Lshop/Kt;outline(JJJ)V'}\n"
        "    724:724:void lambda$bar$0(shop.Flow):720:720 -> lambda$bar$0\n"
        "    725:725:shop.Maps shop.Maps.builder():52:52 -> lambda$bar$0\n"
        "    725:725:void lambda$bar$0(shop.Flow):720 -> lambda$bar$0\n";
    static const struct expected cases[] = {
        {"ev.h", "b", "(Ljava/lang/String;)V", TV_RETRACE_BY_SIGNATURE, true,
         "ev.Kt$$ExternalSyntheticOutline0 m (Ljava/lang/String;)V"},
        {"a", "start", "(La;)V", TV_RETRACE_BY_SIGNATURE, false, "shop.Flow start (Lshop/Flow;)V"},
        {"a", "start", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Flow resume ()V"},
        {"a", "lambda$bar$0", "(La;)V", TV_RETRACE_BY_SIGNATURE, false,
         "shop.Flow lambda$bar$0 (Lshop/Flow;)V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* Stack traces show these as alternatives, since a line is all that they have. */
static void overloads_of_one_name_are_told_apart_by_signatures(void **state)
{
    static const char mapping[] = "some.Class -> A:\n"
                                  "    java.util.List select(java.util.List) -> a\n"
                                  "    3:3:void sync():425:425 -> a\n"
                                  "    4:5:void sync():427:428 -> a\n"
                                  "    void cancel(java.lang.String[]) -> a\n"
                                  "    10:10:void foo(int):10:10 -> z\n"
                                  "    11:11:void foo(int, int):11:11 -> z\n"
                                  "    12:12:void foo(int, boolean):12:12 -> z\n"
                                  "    13:13:boolean foo(int, int):13:13 -> z\n"
                                  "    1:1:void overload():7:7 -> o\n"
                                  "    1:1:void overload(java.lang.String):13:13 -> o\n"
                                  "    1:1:void overload(int):15:15 -> o\n"
                                  "    0:2:void zero():1:1 -> n\n"
                                  "    0:0:void <clinit>() -> <clinit>\n";
    static const struct expected cases[] = {
        {"A", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "some.Class sync ()V"},
        {"A", "a", "([Ljava/lang/String;)V", TV_RETRACE_BY_SIGNATURE, false,
         "some.Class cancel ([Ljava/lang/String;)V"},
        {"A", "a", "", TV_RETRACE_AMBIGUOUS, false, "some.Class sync | select | cancel "},
        {"A", "z", "(II)Z", TV_RETRACE_BY_SIGNATURE, false, "some.Class foo (II)Z"},
        {"A", "z", "(IZ)V", TV_RETRACE_BY_SIGNATURE, false, "some.Class foo (IZ)V"},
        {"A", "z", "", TV_RETRACE_BY_NAME, false, "some.Class foo "},
        {"A", "o", "()V", TV_RETRACE_BY_SIGNATURE, false, "some.Class overload ()V"},
        {"A", "o", "(I)V", TV_RETRACE_BY_SIGNATURE, false, "some.Class overload (I)V"},
        {"A", "n", "()V", TV_RETRACE_BY_SIGNATURE, false, "some.Class zero ()V"},
        {"A", "<clinit>", "()V", TV_RETRACE_BY_SIGNATURE, false, "some.Class <clinit> ()V"},
    };
    (void)state;
    EXPECT(mapping, cases);
}

/* R8 gives a long method a line for each of its positions. */
static void a_method_of_many_lines_is_one(void **state)
{
    enum { LINES = 1000, LINE = 48 };
    static char text[LINES * LINE + 32];
    static const struct expected cases[] = {
        {"a", "a", "()V", TV_RETRACE_BY_SIGNATURE, false, "shop.Long run ()V"},
        {"a", "a", "", TV_RETRACE_BY_NAME, false, "shop.Long run "},
    };
    size_t len = (size_t)snprintf(text, sizeof(text), "shop.Long -> a:\n");
    (void)state;
    for (unsigned i = 0; i < LINES; i++)
        len += (size_t)snprintf(text + len, LINE, "    %u:%u:void run():%u:%u -> a\n", i, i, i, i);
    EXPECT(text, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_with_inlined_ones_keeps_its_name),
        cmocka_unit_test(what_was_inlined_is_not_the_method_that_was_called),
        cmocka_unit_test(classes_that_were_merged_have_methods_of_either),
        cmocka_unit_test(the_own_class_of_a_method_is_no_other_class),
        cmocka_unit_test(many_merged_lambdas_are_listed_as_far_as_a_name_may),
        cmocka_unit_test(a_class_that_was_merged_into_its_subclass_keeps_its_methods),
        cmocka_unit_test(classes_of_one_name_have_the_methods_of_all),
        cmocka_unit_test(results_tell_overloads_apart),
        cmocka_unit_test(signatures_that_were_changed_are_those_of_the_source),
        cmocka_unit_test(a_residual_signature_is_of_all_lines_however_many_stand_between),
        cmocka_unit_test(a_mapping_that_tells_all_signatures_has_no_method_of_another),
        cmocka_unit_test(residual_signatures_of_nothing_are_passed_over),
        cmocka_unit_test(what_was_synthesized_is_marked_on_any_line),
        cmocka_unit_test(outlines_and_rewritten_frames_change_no_name),
        cmocka_unit_test(overloads_of_one_name_are_told_apart_by_signatures),
        cmocka_unit_test(a_method_of_many_lines_is_one),
    };
    return cmocka_run_group_tests_name("retrace/released_builds", tests, NULL, NULL);
}
