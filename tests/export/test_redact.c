/* Redaction: what stands for a name, what is kept, and that no format writes what was removed. */
#include "export/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/selection/names.h"
#include "base/error.h"
#include "export/export.h"
#include "export/names.h"
#include "export/probe.h"
#include "support/failing_alloc.h"

static void assert_text(struct tv_str text, const char *expected)
{
    if (!tv_str_equal(text, tv_str_from(expected)))
        fail_msg("'%.*s' is not '%s'", (int)text.len, text.at, expected);
}

static struct tv_redactor with(const char *keep, const char *key)
{
    struct tv_redactor redactor;
    tv_redactor_init(&redactor, tv_alloc_libc(),
                     &(struct tv_redact_opts){.keep = tv_str_from(keep), .key = tv_str_from(key)});
    return redactor;
}

struct expected {
    const char *class_name, *name, *signature;
    const char *new_class, *new_name, *new_signature;
};

static void check(struct tv_redactor *redactor, struct expected row)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_export_method method = {.class_name = tv_str_from(row.class_name),
                                      .name = tv_str_from(row.name),
                                      .signature = tv_str_from(row.signature),
                                      .file = TV_STR("Secret.java"),
                                      .line = 17};
    assert_int_equal(tv_redact_method(redactor, &method, &err), TV_OK);
    assert_text(method.class_name, row.new_class);
    assert_text(method.name, row.new_name);
    assert_text(method.signature, row.new_signature);
    assert_text(method.file, "");
    assert_int_equal(method.line, 0);
}

/* The digits are those of `printf com.app.Main | sha256sum`, and so on. */
static void test_hashes(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {"com.app.Main", "run", "(I[JZ)V", "pf9317e8b34.C2509cf1e3b", "mb542db03b0", "(I[JZ)V"},
        {"com/app/Main", "run", "", "pf9317e8b34.C2509cf1e3b", "mb542db03b0", ""},
        {"Lcom/app/Main;", "<init>", "", "pf9317e8b34.C2509cf1e3b", "<init>", ""},
        {"com.app.Main$1", "<clinit>", "()V", "pf9317e8b34.C526be34c62", "<clinit>", "()V"},
        {"x", "", "", "C2d711642b7", "", ""},
        {"", "Slice 17", "", "", "m551ecbee89", ""},
        {"com.lib.List", "<init>", "(Lcom/app/Main;[[Ljava/util/Map;)Lx;",
         "pf93a8b6183.C8497b59673", "<init>",
         "(Lpf9317e8b34/C2509cf1e3b;[[Ljava/util/Map;)LC2d711642b7;"},
        {"java.util.Map", "get", "(Lcom/app/Main;)I", "java.util.Map", "get",
         "(Lpf9317e8b34/C2509cf1e3b;)I"},
        {"java/util/Map$Entry", "get", "odd", "java/util/Map$Entry", "get", "(s990cb8ebd0)"},
    };
    struct tv_redactor redactor = with("java/util.Map,,android.", "");
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++)
        check(&redactor, rows[i]);
    tv_redactor_release(&redactor);
}

static void test_key(void **state)
{
    (void)state;
    struct tv_redactor redactor = with("", "secret");
    check(&redactor, (struct expected){"com.app.Main", "run", "", "p0076f3bf31.C8a8c84f812",
                                       "m2aec8adc4a", ""});
    tv_redactor_release(&redactor);
}

static bool is_kept(const char *keep, struct tv_str class_name)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_redactor redactor = with(keep, "");
    struct tv_export_method method = {.class_name = class_name, .name = TV_STR("run")};
    assert_int_equal(tv_redact_method(&redactor, &method, &err), TV_OK);
    bool is_same = tv_str_equal(method.class_name, class_name);
    assert_true(is_same == tv_str_equal(method.name, TV_STR("run")) || !class_name.len);
    tv_redactor_release(&redactor);
    return is_same && class_name.len > 0;
}

/* A package ends where a part of the name ends: nothing stays because it begins alike. */
static void test_kept_packages(void **state)
{
    (void)state;
    assert_true(is_kept("com.app", TV_STR("com.app.Main")));
    assert_true(is_kept("com.app.", TV_STR("com.app.Main")));
    assert_true(is_kept("a,com/app", TV_STR("com/app/Main")));
    assert_true(is_kept("com.app.Main", TV_STR("com.app.Main$1")));
    assert_true(is_kept("com.app.Main", TV_STR("[Lcom/app/Main;")));
    assert_true(is_kept("com.app.Main", TV_STR("com.app.Main")));
    assert_false(is_kept("com.app", TV_STR("com.apple.Main")));
    assert_false(is_kept("com.app.Main", TV_STR("com.app.MainSecret")));
    assert_false(is_kept("com.app", TV_STR("com.app\0secret")));
    assert_false(is_kept("com.app.", TV_STR("com.app")));
    assert_false(is_kept("", TV_STR("com.app.Main")));
    assert_false(is_kept(",", TV_STR("com.app.Main")));
    assert_false(is_kept("com.app", TV_STR("")));
}

/* What becomes of the name of a method of com.app.Main. */
static bool is_kept_name(const char *keep, const char *name)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_redactor redactor = with(keep, "");
    struct tv_export_method method = {.class_name = TV_STR("com.app.Main"),
                                      .name = tv_str_from(name)};
    assert_int_equal(tv_redact_method(&redactor, &method, &err), TV_OK);
    assert_text(method.class_name, "com.app.Main");
    bool is_same = tv_str_equal(method.name, tv_str_from(name));
    assert_true(is_same || (method.name.len == 11 && method.name.at[0] == 'm'));
    tv_redactor_release(&redactor);
    return is_same;
}

/* A mapping that cannot tell which method is meant lists all of them, with their classes. */
static void test_listed_methods(void **state)
{
    (void)state;
    assert_true(is_kept_name("com.app", "run"));
    assert_true(is_kept_name("com.app", "run | open"));
    assert_true(is_kept_name("com.app", "run | com.app.Main.run | com.app.io.File.close"));
    assert_false(is_kept_name("com.app", "run | com.bank.Score.compute"));
    assert_false(is_kept_name("com.app", "com.bank.Score.compute | run"));
    assert_false(is_kept_name("com.app", "run | com.bank.Score.compute | open"));
    assert_false(is_kept_name("com.app", "run | com.apple.Main.run"));
    assert_false(is_kept_name("com.app", "run | Secret.run"));
    assert_true(is_kept_name("com.app,com.bank", "run | com.bank.Score.compute"));
    /* Which these are is not said. */
    assert_false(is_kept_name("com.app", "a | b | c | d | more"));
    assert_true(is_kept_name("com.app", "more"));
    assert_true(is_kept_name("com.app", "a method of Kotlin | "));
}

/* The SHA-256 of these two begin with the same forty bits: 188a57cc43. */
static void test_equal_digits(void **state)
{
    (void)state;
    struct tv_redactor redactor = with("", "");
    check(&redactor, (struct expected){"x.C1460986", "", "", "p2d711642b7.C188a57cc43", "", ""});
    check(&redactor,
          (struct expected){"x.C2455209", "", "", "p2d711642b7.C188a57cc43b67a45338c", "", ""});
    check(&redactor, (struct expected){"x.C1460986", "", "", "p2d711642b7.C188a57cc43", "", ""});
    check(&redactor,
          (struct expected){"x.C2455209", "", "", "p2d711642b7.C188a57cc43b67a45338c", "", ""});
    tv_redactor_release(&redactor);
}

static void test_threads_and_properties(void **state)
{
    (void)state;
    struct tv_error err = {.code = TV_OK};
    struct tv_redactor redactor = with("", "");
    struct tv_str name = TV_STR("secret worker");
    assert_int_equal(tv_redact_thread(&redactor, 7, &name, &err), TV_OK);
    assert_text(name, "thread 7");
    name = TV_STR("main");
    assert_int_equal(tv_redact_thread(&redactor, 7, &name, &err), TV_OK);
    assert_text(name, "main");
    name = TV_STR("com.secret.app");
    assert_int_equal(tv_redact_process(&redactor, 70, &name, &err), TV_OK);
    assert_text(name, "process 70");
    assert_true(tv_redact_keeps_property(TV_STR("clock"), TV_STR("dual")));
    assert_true(tv_redact_keeps_property(TV_STR("elapsed-time-usec"), TV_STR("17")));
    assert_true(tv_redact_keeps_property(TV_STR("ring-is-full"), TV_STR("true")));
    assert_true(tv_redact_keeps_property(TV_STR("depth-limit"), TV_STR("3")));
    assert_true(tv_redact_keeps_property(TV_STR("records-lost"), TV_STR("4")));
    assert_true(tv_redact_keeps_property(TV_STR("classes-left-out"),
                                         TV_STR("boot, chosen, failed, hidden")));
    assert_false(tv_redact_keeps_property(TV_STR("classes-left-out"), TV_STR("boot, secret")));
    assert_true(tv_redact_keeps_property(TV_STR("file-limit"), TV_STR("1024")));
    assert_true(tv_redact_keeps_property(TV_STR("recording-cut"), TV_STR("true")));
    assert_true(tv_redact_keeps_property(TV_STR("classes-left-out"), TV_STR("boot, chosen")));
    assert_false(tv_redact_keeps_property(TV_STR("classes-left-out"), TV_STR("com.secret")));
    assert_true(tv_redact_keeps_property(TV_STR("last-seen-nsec"), TV_STR("1:2:3;4:5:6")));
    assert_false(tv_redact_keeps_property(TV_STR("last-seen-nsec"), TV_STR("1:2:3;com.secret")));
    assert_true(tv_redact_keeps_property(TV_STR("cut-threads"), TV_STR("1:2:3:4:5")));
    assert_false(tv_redact_keeps_property(TV_STR("cut-threads"), TV_STR("com.secret")));
    assert_true(tv_redact_keeps_property(TV_STR("source-findings"), TV_STR("packed_cut:1")));
    assert_false(tv_redact_keeps_property(TV_STR("source-findings"), TV_STR("com.secret")));
    assert_false(tv_redact_keeps_property(TV_STR("clock"), TV_STR("com.secret")));
    assert_false(tv_redact_keeps_property(TV_STR("vm"), TV_STR("true")));
    assert_false(tv_redact_keeps_property(TV_STR("pid"), TV_STR("17")));
    tv_redactor_release(&redactor);
}

static enum tv_code redact_a_method(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_redactor redactor;
    struct tv_error err = {.code = TV_OK};
    struct tv_export_method method = {.class_name = TV_STR("com/app/Main"),
                                      .name = TV_STR("run"),
                                      .signature = TV_STR("(Lcom/lib/List;)V")};
    (void)ctx;
    tv_redactor_init(&redactor, alloc, &(struct tv_redact_opts){.key = TV_STR("k")});
    enum tv_code code = tv_redact_method(&redactor, &method, &err);
    tv_redactor_release(&redactor);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    (void)failing_alloc_each(redact_a_method, NULL);
}

/* Everything in this trace that may not leave when java. is kept. */
static const char *const secrets[] = {
    "zebra",     "Quagga",    "okapi", "tapir", "Ibex", "Gnu.java", "Kudu.kt",
    "elandWork", "art-eland", "21474", "bongo", "gnob", "Topi",     "zebu",
};

static void make_secret_trace(struct world *w)
{
    world_begin(w);
    build_release(&w->t);
    build_text(&w->t, (struct build_opts){
                          .version = 3,
                          .clock = "dual",
                          .start_usec = 0x626f6e6700,
                          .options = "vm=art-eland\npid=21474\nvendor=bongo\n"
                                     "cut-from-nsec=zebu\nelapsed-time-usec=900\n",
                          .threads = "1\tmain\n2\telandWorker\n",
                          .methods = "0x4\tcom/zebra/Quagga\tokapi\t(Ltapir/Ibex;I)V\tGnu.java\t7\n"
                                     "0x8\tjava/util/List\tget\t(Lcom/zebra/Quagga;)I\tKudu.kt\n"
                                     "0x10\tjava/util/Map\tput | com.zebra.Quagga.okapi\t()V\n"
                                     "0xc\tcom/zebra/Quagga$Topi\t<init>\t(zebu)\n"});
    enter(&w->t, MAIN, 0x4, 10);
    enter(&w->t, MAIN, 0x8, 20);
    enter(&w->t, MAIN, 0xc, 30);
    leave(&w->t, MAIN, 0xc, 40);
    enter(&w->t, MAIN, 0x10, 42);
    leave(&w->t, MAIN, 0x10, 44);
    enter(&w->t, WORKER, 0x8, 45);
    leave(&w->t, MAIN, 0x8, 50);
    leave(&w->t, WORKER, 0x8, 60);
    for (size_t i = 0; i < TV_COUNT_OF(secrets); i++)
        assert_true(tv_str_find(tv_buffer_view(&w->t.bytes), tv_str_from(secrets[i]),
                                TV_CASE_EXACT) != SIZE_MAX);
    world_read(w);
}

static void export_redacted(const struct world *w, const struct tv_export *format,
                            const struct tv_redact_opts *redact, enum tv_export_table table,
                            struct tv_buffer *out)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_export_result result;
    struct tv_export_opts opts = {.file = TV_STR("zebra-okapi.trace"),
                                  .redact = redact,
                                  .table = table,
                                  .database = probe_database()};
    tv_scope_init(&opts.scope, &w->index);
    if (tv_export_run(format, &w->index, &opts, tv_alloc_libc(), NULL, tv_buffer_sink(out), &result,
                      &err) != TV_OK)
        fail_msg("%s: %s", format->name, err.text);
}

static void assert_no_secret(const struct tv_export *format, struct tv_str written)
{
    for (size_t i = 0; i < TV_COUNT_OF(secrets); i++) {
        if (tv_str_find(written, tv_str_from(secrets[i]), TV_CASE_EXACT) != SIZE_MAX)
            fail_msg("%s tells '%s'", format->name, secrets[i]);
    }
}

/* The bytes are looked through as they are; tests/acceptance/redact.py unpacks what is packed. */
static void test_no_format_tells(void **state)
{
    (void)state;
    static struct world w;
    const struct tv_redact_opts redact = {.keep = TV_STR("java.")};
    make_secret_trace(&w);
    for (size_t i = 0; tv_exports[i]; i++) {
        const struct tv_export *format = tv_exports[i];
        for (size_t table = 0; table == 0 || (format->has_tables && tv_export_table_words[table]);
             table++) {
            struct tv_buffer out;
            tv_buffer_init(&out, tv_alloc_libc());
            export_redacted(&w, format, &redact, (enum tv_export_table)table, &out);
            assert_no_secret(format, tv_buffer_view(&out));
            tv_buffer_release(&out);
        }
    }
    world_release(&w);
}

static void convert_redacted(const struct world *w, const char *as, struct tv_buffer *out)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_redactor redactor = with("java.", "");
    const struct tv_write_names names = tv_redact_written(&redactor);
    const struct tv_write_opts opts = {.as = tv_str_from(as), .names = &names};
    assert_int_equal(tv_write_trace(tv_alloc_libc(), w->t.bytes.bytes, w->t.bytes.len, &opts,
                                    tv_buffer_sink(out), &err),
                     TV_OK);
    tv_redactor_release(&redactor);
}

static void test_no_version_tells(void **state)
{
    (void)state;
    static struct world w;
    make_secret_trace(&w);
    for (size_t i = 0; tv_write_format_name(i); i++) {
        struct tv_buffer out;
        const struct tv_export named = {.name = tv_write_format_name(i)};
        tv_buffer_init(&out, tv_alloc_libc());
        convert_redacted(&w, named.name, &out);
        assert_no_secret(&named, tv_buffer_view(&out));
        assert_true(tv_str_find(tv_buffer_view(&out), TV_STR("java/util/List"), TV_CASE_EXACT) !=
                    SIZE_MAX);
        tv_buffer_release(&out);
    }
    world_release(&w);
}

static enum tv_code convert_within(const struct tv_alloc *alloc, void *ctx)
{
    const struct world *w = ctx;
    struct tv_redactor redactor;
    struct tv_buffer out;
    struct tv_error err = {.code = TV_OK};
    tv_redactor_init(&redactor, alloc, &(struct tv_redact_opts){.key = TV_STR("k")});
    const struct tv_write_names names = tv_redact_written(&redactor);
    const struct tv_write_opts opts = {.as = TV_STR("v3"), .names = &names};
    tv_buffer_init(&out, tv_alloc_libc());
    enum tv_code code =
        tv_write_trace(alloc, w->t.bytes.bytes, w->t.bytes.len, &opts, tv_buffer_sink(&out), &err);
    tv_buffer_release(&out);
    tv_redactor_release(&redactor);
    return code;
}

static void test_converting_without_memory(void **state)
{
    (void)state;
    static struct world w;
    make_secret_trace(&w);
    (void)failing_alloc_each(convert_within, &w);
    world_release(&w);
}

/* Converting and exporting give a name the same hash. */
static void test_same_hashes(void **state)
{
    (void)state;
    static struct world w, converted, exported;
    const struct tv_redact_opts redact = {.keep = TV_STR("java.")};
    struct tv_buffer out;
    tv_buffer_init(&out, tv_alloc_libc());
    make_secret_trace(&w);
    convert_redacted(&w, "stream", &out);
    world_begin(&converted);
    converted.t.bytes.len = 0;
    build_bytes(&converted.t, out.bytes, out.len);
    world_read(&converted);
    out.len = 0;
    export_redacted(&w, tv_export_of_name(TV_STR("trace")), &redact, TV_EXPORT_CALLS, &out);
    world_begin(&exported);
    exported.t.bytes.len = 0;
    build_bytes(&exported.t, out.bytes, out.len);
    world_read(&exported);
    assert_int_equal(converted.index.method_count, exported.index.method_count);
    for (uint32_t i = 0; i < exported.index.method_count; i++) {
        uint32_t k = tv_index_method_of_id(&converted.index, exported.index.methods[i].id);
        assert_true(tv_str_equal(tv_method_class(&converted.index, k),
                                 tv_method_class(&exported.index, i)));
        assert_true(
            tv_str_equal(tv_method_name(&converted.index, k), tv_method_name(&exported.index, i)));
        assert_true(tv_str_equal(tv_method_signature(&converted.index, k),
                                 tv_method_signature(&exported.index, i)));
    }
    assert_int_equal(converted.index.info->start_time_ns, 0);
    assert_int_equal(exported.index.info->start_time_ns, 0);
    world_release(&w);
    world_release(&converted);
    world_release(&exported);
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),           cmocka_unit_test(test_key),
        cmocka_unit_test(test_kept_packages),    cmocka_unit_test(test_listed_methods),
        cmocka_unit_test(test_equal_digits),     cmocka_unit_test(test_threads_and_properties),
        cmocka_unit_test(test_no_memory),        cmocka_unit_test(test_no_format_tells),
        cmocka_unit_test(test_no_version_tells), cmocka_unit_test(test_converting_without_memory),
        cmocka_unit_test(test_same_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
