/* The engine of pages, natively: loading, asking, exporting, and what goes wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "support/failing_alloc.h"
#include "support/trace_builder.h"

static const struct tv_engine_progress quiet = {.tell = NULL};
static struct trace_builder builder;
static struct tv_engine engine;
static struct tv_error err;

static int begin(void **state)
{
    (void)state;
    build_text(&builder, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&builder, MAIN, FOO, 0);
    enter(&builder, MAIN, BAR, 10);
    leave(&builder, MAIN, BAR, 40);
    leave(&builder, MAIN, FOO, 100);
    tv_engine_init(&engine, tv_alloc_libc(), &quiet);
    err = (struct tv_error){.code = TV_OK};
    return 0;
}

static int end(void **state)
{
    (void)state;
    tv_engine_release(&engine);
    build_release(&builder);
    return 0;
}

static enum tv_code load_bytes(const void *bytes, size_t len, enum tv_engine_file file)
{
    uint8_t *at;
    if (tv_engine_reserve(&engine, len, &at, &err) != TV_OK)
        return err.code;
    memcpy(at, bytes, len);
    return tv_engine_load(&engine, TV_STR("x.trace"), len, file, &err);
}

static enum tv_code load(void)
{
    return load_bytes(builder.bytes.bytes, builder.bytes.len, TV_ENGINE_FILE_WHOLE);
}

static bool answer_has(const char *text)
{
    return tv_str_find(tv_buffer_view(&engine.answer.body), tv_str_from(text), TV_CASE_EXACT) !=
           SIZE_MAX;
}

static void a_loaded_trace_answers_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(load(), TV_OK);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_OK);
    assert_int_equal(engine.answer.status, 200);
    assert_true(answer_has("{\"file\":\"x.trace\",\"format\":\"v3\""));
    assert_null(engine.bytes);
}

static enum tv_code take_mapping(const char *text, bool is_forced)
{
    uint8_t *at;
    size_t len = strlen(text);
    if (tv_engine_reserve(&engine, len, &at, &err) != TV_OK)
        return err.code;
    memcpy(at, text, len);
    return tv_engine_take_mapping(&engine, len, is_forced, &err);
}

static void a_mapping_renames_the_next_trace_and_no_other(void **state)
{
    (void)state;
    assert_int_equal(take_mapping("org.Source -> a.B:\n    void told() -> foo\n", true), TV_OK);
    assert_int_equal(load(), TV_OK);
    assert_true(answer_has("{\"by_id\":false,\"renamed\":"));
    assert_int_equal(tv_engine_ask(&engine, TV_STR("top"), TV_STR(""), &err), TV_OK);
    assert_true(answer_has("org.Source.told"));
    assert_int_equal(load(), TV_OK);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("top"), TV_STR(""), &err), TV_OK);
    assert_false(answer_has("org.Source"));
}

static void a_mapping_of_another_build_is_refused_unless_forced(void **state)
{
    static const char other[] = "org.Other -> x.Y:\n    void told() -> z\n";
    (void)state;
    assert_int_equal(take_mapping(other, false), TV_OK);
    assert_int_equal(load(), TV_ERR_ARGUMENT);
    assert_true(engine.mapping.is_refused);
    assert_non_null(strstr(err.text, "the mapping is of another program"));
    assert_int_equal(take_mapping(other, true), TV_OK);
    assert_int_equal(load(), TV_OK);
    assert_false(engine.mapping.is_refused);
}

static void what_is_no_mapping_is_refused(void **state)
{
    (void)state;
    assert_int_equal(take_mapping("nothing", true), TV_OK);
    assert_int_equal(load(), TV_ERR_FORMAT);
    assert_false(engine.mapping.is_refused);
    assert_int_equal(tv_engine_take_mapping(&engine, 1000, true, &err), TV_ERR_ARGUMENT);
    assert_int_equal(take_mapping("never.used -> a:\n", true), TV_OK); /* it goes at the end */
}

static void a_refusal_is_an_answer(void **state)
{
    (void)state;
    assert_int_equal(load(), TV_OK);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("moon"), TV_STR(""), &err), TV_OK);
    assert_int_equal(engine.answer.status, 404);
    assert_true(answer_has("there is no such route"));
}

static void without_a_trace_nothing_is_answered(void **state)
{
    (void)state;
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "no trace is open");
}

static void a_trace_that_cannot_be_read_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(load(), TV_OK);
    assert_int_not_equal(load_bytes("no trace", 8, TV_ENGINE_FILE_WHOLE), TV_OK);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_ERR_NOT_FOUND);
    assert_null(engine.bytes);
}

static void packed_data_that_ended_early_is_named_first(void **state)
{
    (void)state;
    assert_int_not_equal(load_bytes("*version\n3\n", 11, TV_ENGINE_FILE_CUT), TV_OK);
    assert_memory_equal(err.text, "the packed data ends early: ", 28);
}

static void too_long_a_trace_is_refused_before_it_is_read(void **state)
{
    uint8_t *at;
    (void)state;
    assert_int_equal(tv_engine_reserve(&engine, (uint64_t)5 << 30, &at, &err), TV_ERR_LIMIT);
    assert_non_null(
        strstr(err.text, "a trace of 5120 MiB is too long for a page, which takes 1536 MiB"));
    assert_non_null(strstr(err.text, "traceview FILE"));
}

static void a_trace_has_the_room_that_the_other_one_leaves(void **state)
{
    uint8_t *at;
    (void)state;
    engine.meant = 1;
    assert_int_equal(load(), TV_OK);
    engine.meant = 0;
    assert_int_equal(tv_engine_reserve(&engine, TV_ENGINE_TRACE_MOST, &at, &err), TV_ERR_LIMIT);
    assert_non_null(strstr(err.text, "1537 MiB of traces are too long for one page, which takes "
                                     "1536 MiB"));
    engine.meant = 1;
    tv_engine_release(&engine);
    assert_int_equal(engine.traces[1].file_len, 0);
    engine.meant = 0;
}

static void room_that_grows_keeps_what_stands_in_it(void **state)
{
    uint8_t *at;
    (void)state;
    assert_int_equal(tv_engine_reserve(&engine, 10, &at, &err), TV_OK);
    memcpy(at, builder.bytes.bytes, 10);
    assert_int_equal(tv_engine_reserve(&engine, builder.bytes.len, &at, &err), TV_OK);
    memcpy(at + 10, builder.bytes.bytes + 10, builder.bytes.len - 10);
    assert_int_equal(
        tv_engine_load(&engine, TV_STR("y"), builder.bytes.len, TV_ENGINE_FILE_WHOLE, &err), TV_OK);
}

static void copy_hash(char hash[17])
{
    static const char key[] = "\"hash\":\"";
    const struct tv_str body = tv_buffer_view(&engine.answer.body);
    size_t at = tv_str_find(body, tv_str_from(key), TV_CASE_EXACT);
    assert_true(at < body.len - 30);
    memcpy(hash, body.at + at + sizeof(key) - 1, 16);
    hash[16] = '\0';
}

static void two_traces_are_asked_one_at_a_time(void **state)
{
    char first[17];
    char second[17];
    (void)state;
    assert_int_equal(load(), TV_OK);
    enter(&builder, MAIN, BAZ, 110);
    leave(&builder, MAIN, BAZ, 120);
    engine.meant = 1;
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_ERR_NOT_FOUND);
    assert_int_equal(load(), TV_OK);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_OK);
    assert_true(answer_has("\"calls\":3"));
    copy_hash(second);
    engine.meant = 0;
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_OK);
    assert_true(answer_has("\"calls\":2"));
    copy_hash(first);
    assert_string_not_equal(first, second);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("diff"), TV_STR("old=1"), &err), TV_OK);
    assert_true(answer_has("\"gone\":1,\"added\":0"));
    assert_int_equal(tv_engine_ask(&engine, TV_STR("flamediff"), TV_STR("old=1&width=100"), &err),
                     TV_OK);
    assert_memory_equal(engine.answer.body.bytes, "TVD1", 4);
    assert_int_equal(tv_engine_ask(&engine, TV_STR("before"), TV_STR("old=1&ranks=0"), &err),
                     TV_OK);
    assert_true(answer_has("\"methods\":["));
    assert_int_equal(tv_engine_ask(&engine, TV_STR("diff"), TV_STR("old=0"), &err), TV_OK);
    assert_int_equal(engine.answer.status, 400);
    engine.meant = 1;
    tv_engine_release(&engine);
    engine.meant = 0;
    assert_int_equal(tv_engine_ask(&engine, TV_STR("info"), TV_STR(""), &err), TV_OK);
}

/* The last place is a letter. */
static void several_traces_a_side_are_compared(void **state)
{
    static const size_t places[] = {0, 1, 2, TV_ENGINE_TRACES - 1};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(places); i++) {
        engine.meant = places[i];
        assert_int_equal(load(), TV_OK);
    }
    engine.meant = 2;
    assert_int_equal(tv_engine_ask(&engine, TV_STR("diff"), TV_STR("old=0,1&new=2,v"), &err),
                     TV_OK);
    assert_true(answer_has("\"runs\":2"));
    assert_int_equal(tv_engine_ask(&engine, TV_STR("before"), TV_STR("old=v&ranks=0"), &err),
                     TV_OK);
    assert_true(answer_has("\"methods\":["));
    assert_int_equal(tv_engine_ask(&engine, TV_STR("diff"), TV_STR("old=3"), &err), TV_OK);
    assert_int_equal(engine.answer.status, 404);
    assert_true(answer_has("no trace \\\"3\\\" is open here"));
    for (size_t i = 1; i < TV_COUNT_OF(places); i++) {
        engine.meant = places[i];
        tv_engine_release(&engine);
    }
    engine.meant = 0;
}

static void more_than_the_room_is_not_read(void **state)
{
    uint8_t *at;
    (void)state;
    assert_int_equal(tv_engine_reserve(&engine, 10, &at, &err), TV_OK);
    assert_int_equal(tv_engine_load(&engine, TV_STR("y"), 11, TV_ENGINE_FILE_WHOLE, &err),
                     TV_ERR_ARGUMENT);
}

static bool say_no(void *ctx, uint64_t done, uint64_t of)
{
    (void)ctx;
    (void)done;
    (void)of;
    return false;
}

static void progress_that_says_no_cancels(void **state)
{
    (void)state;
    engine.progress.tell = say_no;
    assert_int_equal(load(), TV_ERR_CANCELLED);
    assert_false(tv_engine_meant(&engine)->has_index);
}

static void an_export_goes_to_the_sink_and_tells_its_name(void **state)
{
    struct tv_buffer file;
    (void)state;
    tv_buffer_init(&file, tv_alloc_libc());
    assert_int_equal(load(), TV_OK);
    assert_int_equal(
        tv_engine_export(&engine, TV_STR("format=folded&gzip=1"), tv_buffer_sink(&file), &err),
        TV_OK);
    assert_int_equal(engine.answer.status, 200);
    assert_true(
        answer_has("{\"name\":\"x.folded.gz\",\"type\":\"application/gzip\",\"gzip\":true"));
    assert_true(answer_has("\"changes\":["));
    assert_true(file.len > 0);
    tv_buffer_release(&file);
}

static void an_export_that_is_only_checked_tells_its_name_alone(void **state)
{
    struct tv_buffer file;
    (void)state;
    tv_buffer_init(&file, tv_alloc_libc());
    assert_int_equal(load(), TV_OK);
    assert_int_equal(
        tv_engine_export(&engine, TV_STR("format=folded&check=1"), tv_buffer_sink(&file), &err),
        TV_OK);
    assert_int_equal(engine.answer.status, 200);
    assert_int_equal(file.len, 0);
    assert_true(
        tv_str_equal(tv_buffer_view(&engine.answer.body), TV_STR("{\"name\":\"x.folded\"}\n")));
}

static void an_unknown_format_is_refused(void **state)
{
    struct tv_buffer file;
    (void)state;
    tv_buffer_init(&file, tv_alloc_libc());
    assert_int_equal(load(), TV_OK);
    assert_int_equal(tv_engine_export(&engine, TV_STR("format=moon"), tv_buffer_sink(&file), &err),
                     TV_OK);
    assert_int_equal(engine.answer.status, 404);
    assert_int_equal(file.len, 0);
    tv_buffer_release(&file);
}

#define TEMPLATE "<title><!--tv:title--></title><!--tv:still-->|<!--tv:data-->|"

/* Puts a template and two packed pieces into the room, as a page does. */
static enum tv_code put_pieces(struct tv_engine *into, struct tv_engine_pieces *pieces)
{
    static const char all[] = TEMPLATE "wasmtrace";
    uint8_t *at;
    *pieces = (struct tv_engine_pieces){sizeof(TEMPLATE) - 1, 4, 5};
    enum tv_code code = tv_engine_report_reserve(into, sizeof(all) - 1, &at, &err);
    if (code == TV_OK)
        memcpy(at, all, sizeof(all) - 1);
    return code;
}

static void a_page_is_made_of_the_part_that_was_cut_out(void **state)
{
    static const char form[] = "from=10000&title=%3Cb%3E&link=mark%3D0.02-0.03ms%7Chere";
    struct tv_engine_pieces pieces;
    struct tv_buffer part, page;
    (void)state;
    tv_buffer_init(&part, tv_alloc_libc());
    tv_buffer_init(&page, tv_alloc_libc());
    assert_int_equal(load(), TV_OK);
    assert_int_equal(tv_engine_report_cut(&engine, tv_str_from(form), tv_buffer_sink(&part), &err),
                     TV_OK);
    assert_int_equal(engine.answer.status, 200);
    assert_true(answer_has("{\"name\":\"x-0.01-0.1ms.html\"}"));
    assert_int_equal(put_pieces(&engine, &pieces), TV_OK);
    assert_int_equal(
        tv_engine_report_write(&engine, tv_str_from(form), &pieces, tv_buffer_sink(&page), &err),
        TV_OK);
    assert_int_equal(engine.answer.status, 200);
    assert_null(engine.pieces);
    assert_int_equal(tv_buffer_append(&page, "", 1, &err), TV_OK);
    const char *text = (const char *)page.bytes;
    assert_memory_equal(text, "<title>&lt;b&gt;</title><h1>&lt;b&gt;</h1>", 42);
    assert_non_null(strstr(text, "<li>0.01 – 0.02 ms here</li>"));
    assert_non_null(strstr(text, "id=\"tv-engine\">,~\"^.<"));
    assert_non_null(strstr(text, "\"link\":\"mark=0.01-0.02ms|here\""));
    assert_non_null(strstr(text, "id=\"tv-trace\" hidden>\n<script type=\"text/plain\">lTKlig!<"));
    assert_int_equal(load_bytes(part.bytes, part.len, TV_ENGINE_FILE_WHOLE), TV_OK);
    tv_buffer_release(&page);
    tv_buffer_release(&part);
}

static void a_page_needs_its_part_and_its_pieces(void **state)
{
    struct tv_engine_pieces pieces;
    struct tv_buffer file;
    (void)state;
    tv_buffer_init(&file, tv_alloc_libc());
    const struct tv_sink sink = tv_buffer_sink(&file);
    assert_int_equal(tv_engine_report_cut(&engine, TV_STR(""), sink, &err), TV_ERR_NOT_FOUND);
    assert_int_equal(load(), TV_OK);
    assert_int_equal(put_pieces(&engine, &pieces), TV_OK);
    assert_int_equal(tv_engine_report_write(&engine, TV_STR(""), &pieces, sink, &err),
                     TV_ERR_ARGUMENT);
    assert_int_equal(tv_engine_report_cut(&engine, TV_STR("redact=2"), sink, &err), TV_OK);
    assert_int_equal(engine.answer.status, 400);
    assert_int_equal(file.len, 0);
    assert_int_equal(tv_engine_report_cut(&engine, TV_STR(""), sink, &err), TV_OK);
    assert_int_equal(put_pieces(&engine, &pieces), TV_OK);
    pieces.trace_len++;
    assert_int_equal(tv_engine_report_write(&engine, TV_STR(""), &pieces, sink, &err),
                     TV_ERR_ARGUMENT);
    pieces.trace_len = SIZE_MAX;
    assert_int_equal(tv_engine_report_write(&engine, TV_STR(""), &pieces, sink, &err),
                     TV_ERR_ARGUMENT);
    tv_buffer_release(&file);
}

static enum tv_code make_page(struct tv_engine *by, struct tv_sink sink)
{
    struct tv_engine_pieces pieces;
    enum tv_code code = tv_engine_report_cut(by, TV_STR(""), sink, &err);
    if (code == TV_OK)
        code = put_pieces(by, &pieces);
    return code == TV_OK ? tv_engine_report_write(by, TV_STR(""), &pieces, sink, &err) : code;
}

/* Loads, asks, exports and makes a page with one allocation that fails; how far it came. */
static enum tv_code go_through(const struct tv_alloc *alloc)
{
    struct tv_buffer file;
    uint8_t *at;
    struct tv_engine other;
    tv_engine_init(&other, alloc, &quiet);
    tv_buffer_init(&file, tv_alloc_libc());
    enum tv_code code = tv_engine_reserve(&other, builder.bytes.len, &at, &err);
    if (code == TV_OK)
        memcpy(at, builder.bytes.bytes, builder.bytes.len);
    if (code == TV_OK)
        code = tv_engine_load(&other, TV_STR("x"), builder.bytes.len, TV_ENGINE_FILE_WHOLE, &err);
    if (code == TV_OK)
        code = tv_engine_ask(&other, TV_STR("top"), TV_STR("n=3"), &err);
    if (code == TV_OK)
        code = tv_engine_export(&other, TV_STR("format=speedscope"), tv_buffer_sink(&file), &err);
    if (code == TV_OK)
        code = make_page(&other, tv_buffer_sink(&file));
    tv_buffer_release(&file);
    tv_engine_release(&other);
    return code;
}

static void memory_that_is_refused_fails_in_a_line_and_leaks_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0;; i++) {
        struct failing_alloc failing;
        failing_alloc_init(&failing, i);
        enum tv_code code = go_through(&failing.alloc);
        assert_int_equal(failing.live, 0);
        assert_false(failing.was_lied_to);
        if (!failing.has_failed) {
            assert_int_equal(code, TV_OK);
            assert_true(i > 10);
            break;
        }
        if (code == TV_OK)
            continue; /* what failed was not needed */
        assert_int_equal(code, TV_ERR_MEMORY);
        assert_int_not_equal(err.text[0], '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_loaded_trace_answers_by_its_name, begin, end),
        cmocka_unit_test_setup_teardown(a_refusal_is_an_answer, begin, end),
        cmocka_unit_test_setup_teardown(without_a_trace_nothing_is_answered, begin, end),
        cmocka_unit_test_setup_teardown(a_trace_that_cannot_be_read_leaves_nothing, begin, end),
        cmocka_unit_test_setup_teardown(packed_data_that_ended_early_is_named_first, begin, end),
        cmocka_unit_test_setup_teardown(too_long_a_trace_is_refused_before_it_is_read, begin, end),
        cmocka_unit_test_setup_teardown(a_trace_has_the_room_that_the_other_one_leaves, begin, end),
        cmocka_unit_test_setup_teardown(room_that_grows_keeps_what_stands_in_it, begin, end),
        cmocka_unit_test_setup_teardown(several_traces_a_side_are_compared, begin, end),
        cmocka_unit_test_setup_teardown(two_traces_are_asked_one_at_a_time, begin, end),
        cmocka_unit_test_setup_teardown(more_than_the_room_is_not_read, begin, end),
        cmocka_unit_test_setup_teardown(progress_that_says_no_cancels, begin, end),
        cmocka_unit_test_setup_teardown(an_export_goes_to_the_sink_and_tells_its_name, begin, end),
        cmocka_unit_test_setup_teardown(an_export_that_is_only_checked_tells_its_name_alone, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_mapping_renames_the_next_trace_and_no_other, begin, end),
        cmocka_unit_test_setup_teardown(a_mapping_of_another_build_is_refused_unless_forced, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_is_no_mapping_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_format_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_page_is_made_of_the_part_that_was_cut_out, begin, end),
        cmocka_unit_test_setup_teardown(a_page_needs_its_part_and_its_pieces, begin, end),
        cmocka_unit_test_setup_teardown(memory_that_is_refused_fails_in_a_line_and_leaks_nothing,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
