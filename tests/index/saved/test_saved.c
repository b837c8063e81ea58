/* Saving an index and opening it: what is whole comes back, what is not is refused. */
#include "index/saved/saved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "index/made.h"
#include "support/failing_alloc.h"
#include "support/random_trace.h"

static const struct tv_saved_source made_of = {.identity = {0x1234, 0x5678}};

/* A saved index in memory. */
struct saved {
    uint8_t *bytes;
    size_t len;
};

static struct saved save(const struct tv_index *index)
{
    struct saved saved = {.len = TV_SAVED_HEAD_LEN + index->block_len};
    assert_int_equal(tv_alloc_new(tv_alloc_libc(), &saved.bytes, saved.len, 1, NULL), TV_OK);
    memcpy(saved.bytes + TV_SAVED_HEAD_LEN, index->block, index->block_len);
    assert_int_equal(
        tv_saved_seal(index, &made_of, tv_alloc_libc(), tv_pool_serial(), saved.bytes, NULL),
        TV_OK);
    return saved;
}

static void release(struct saved *saved)
{
    tv_alloc_release(tv_alloc_libc(), &saved->bytes, saved->len, 1);
}

static enum tv_code open_saved(const struct saved *saved, struct tv_index *index,
                               struct tv_error *err)
{
    struct tv_saved_source source = made_of;
    return tv_saved_open(index, (struct tv_saved_bytes){saved->bytes, saved->len}, &source,
                         tv_alloc_libc(), tv_pool_serial(), err);
}

/* Seals bytes that were changed behind the head: a forger can. */
static void reseal(const struct saved *saved)
{
    struct tv_index index;
    assert_int_equal(tv_block_view(&index, saved->bytes + TV_SAVED_HEAD_LEN,
                                   saved->len - TV_SAVED_HEAD_LEN, NULL),
                     TV_OK);
    assert_int_equal(
        tv_saved_seal(&index, &made_of, tv_alloc_libc(), tv_pool_serial(), saved->bytes, NULL),
        TV_OK);
}

static uint64_t expect_refused(const struct saved *saved, const char *part)
{
    struct tv_index index;
    struct tv_index fresh;
    struct tv_error err = {.code = TV_OK};
    tv_index_init(&fresh);
    assert_int_equal(open_saved(saved, &index, &err), TV_ERR_FORMAT);
    assert_memory_equal(&index, &fresh, sizeof(fresh));
    if (part && !strstr(err.text, part))
        fail_msg("refused with \"%s\", not with \"%s\"", err.text, part);
    return err.offset;
}

/* The check of everything, which is for files of others, after opening, which takes true checksums
 * for enough. */
static enum tv_code open_and_check(const struct saved *saved, struct tv_index *index,
                                   struct tv_error *err)
{
    assert_int_equal(open_saved(saved, index, err), TV_OK);
    return tv_saved_check(index, tv_alloc_libc(), tv_pool_serial(), err);
}

static void expect_misfit(const struct saved *saved, const char *what, const char *part)
{
    struct tv_index index;
    struct tv_error err = {.code = TV_OK};
    if (open_and_check(saved, &index, &err) != TV_ERR_FORMAT ||
        strncmp(err.text, part, strlen(part)) != 0)
        fail_msg("%s: \"%s\", expected \"%s\"", what, err.text, part);
}

static void make_random(struct tv_index *index, uint64_t seed, const char *clock, unsigned records)
{
    struct trace_builder t;
    build_text(&t, (struct build_opts){.version = 3,
                                       .clock = clock,
                                       .options = "elapsed-time-usec=9000000000\npid=7\n"});
    build_random(&t, (struct random_opts){.seed = seed,
                                          .records = records,
                                          .methods = 9,
                                          .depth_most = 9,
                                          .lost_enter = 20,
                                          .lost_exit = 20,
                                          .wrong_exit = 20,
                                          .unwind = 100,
                                          .zero = 5,
                                          .fall = 10,
                                          .wrap = seed % 3 ? 0 : 10});
    make_index(index, &t);
}

static struct saved save_random(uint64_t seed)
{
    struct tv_index index;
    make_random(&index, seed, "dual", 3000);
    struct saved saved = save(&index);
    tv_index_release(&index);
    return saved;
}

static void saved_index_comes_back(void **state)
{
    static const char *const clocks[] = {"dual", "wall", "thread-cpu"};
    (void)state;
    for (unsigned seed = 1; seed <= 60; seed++) {
        struct tv_index index;
        struct tv_index opened;
        struct tv_error err = {.code = TV_OK};
        struct tv_saved_source source = {.identity = {made_of.identity[0], made_of.identity[1]}};
        make_random(&index, seed, clocks[seed % 3], seed % 7 ? seed * 37 : 0);
        struct saved saved = save(&index);
        enum tv_code code = tv_saved_open(&opened, (struct tv_saved_bytes){saved.bytes, saved.len},
                                          &source, tv_alloc_libc(), tv_pool_serial(), &err);
        if (code != TV_OK)
            fail_msg("seed %u: %s", seed, err.text);
        if (tv_saved_check(&opened, tv_alloc_libc(), tv_pool_serial(), &err) != TV_OK)
            fail_msg("seed %u, checked: %s", seed, err.text);
        expect_same_block(&index, &opened, "saved and opened");
        expect_number("calls", opened.call_count, index.call_count);
        assert_null(opened.alloc);
        tv_index_release(&opened);
        tv_index_release(&index);
        release(&saved);
    }
}

/* Answers from a saved index are bounded as those from a new one. That a file is trusted is of one
 * run of the program. */
static void saved_index_knows_what_it_was_made_of(void **state)
{
    struct tv_index index;
    struct tv_index opened;
    struct tv_error err = {.code = TV_OK};
    struct trace_builder t;
    const struct tv_read_opts opts = {.packed_len = 77, .is_trusted = true};
    (void)state;
    build_text(&t, (struct build_opts){.version = 3, .clock = "dual"});
    assert_int_equal(build_index(&index, &t.bytes, &opts, NULL, tv_alloc_libc(), &err), TV_OK);
    struct saved saved = save(&index);
    assert_int_equal(open_saved(&saved, &opened, &err), TV_OK);
    expect_number("length", opened.made_of.len, t.bytes.len);
    expect_number("packed", opened.made_of.packed_len, 77);
    assert_false(opened.made_of.is_trusted);
    release(&saved);
    tv_index_release(&index);
    build_release(&t);
}

static void same_index_is_saved_as_the_same_bytes(void **state)
{
    (void)state;
    struct saved a = save_random(4);
    struct saved b = save_random(4);
    expect_number("length", b.len, a.len);
    assert_memory_equal(a.bytes, b.bytes, a.len);
    release(&a);
    release(&b);
}

static void every_damaged_byte_is_refused(void **state)
{
    (void)state;
    struct tv_index index;
    make_random(&index, 5, "dual", 40);
    struct saved saved = save(&index);
    tv_index_release(&index);
    for (size_t i = 0; i < saved.len; i++) {
        uint8_t flip = (uint8_t)(1u << i % 8);
        saved.bytes[i] ^= flip;
        (void)expect_refused(&saved, NULL);
        saved.bytes[i] ^= flip;
    }
    assert_int_equal(open_saved(&saved, &index, NULL), TV_OK);
    release(&saved);
}

static void damage_is_told_by_section(void **state)
{
    (void)state;
    struct saved saved = save_random(6);
    struct tv_block_head head;
    memcpy(&head, saved.bytes + TV_SAVED_HEAD_LEN, sizeof(head));
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++) {
        char text[40];
        if (!head.sections[i].count)
            continue;
        (void)snprintf(text, sizeof(text), "section %u is damaged", i);
        uint8_t *byte = saved.bytes + TV_SAVED_HEAD_LEN + head.sections[i].off;
        *byte ^= 0x40;
        expect_number("offset", expect_refused(&saved, text), (uint64_t)(byte - saved.bytes));
        *byte ^= 0x40;
    }
    release(&saved);
}

/* The words do not take damage for another version where that is known. */
static void damage_of_a_head_is_told_as_such(void **state)
{
    static const struct {
        size_t at;
        const char *text;
        uint64_t offset;
    } cases[] = {
        {0, "it does not begin as a saved index", 0},
        {8, "it is damaged, or of another version or machine", 8},
        {offsetof(struct tv_saved_head, section_sums), "its head is damaged", 0},
        {TV_SAVED_HEAD_LEN - 1, "its head is damaged", 0},
        {TV_SAVED_HEAD_LEN, "the head of its block is damaged", TV_SAVED_HEAD_LEN},
    };
    (void)state;
    struct saved saved = save_random(6);
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        saved.bytes[cases[i].at] ^= 1;
        expect_number("offset", expect_refused(&saved, cases[i].text), cases[i].offset);
        saved.bytes[cases[i].at] ^= 1;
    }
    release(&saved);
}

static void wrong_length_is_refused(void **state)
{
    (void)state;
    struct saved saved = save_random(7);
    struct saved part = saved;
    for (part.len = 0; part.len < saved.len; part.len += 61)
        expect_number("end", expect_refused(&part, "it is cut short"), part.len);
    part.len = saved.len - 1;
    expect_number("end", expect_refused(&part, "it is cut short"), part.len);
    struct saved longer = {.len = saved.len + 8};
    assert_int_equal(tv_alloc_new(tv_alloc_libc(), &longer.bytes, longer.len, 1, NULL), TV_OK);
    memcpy(longer.bytes, saved.bytes, saved.len);
    expect_number("end", expect_refused(&longer, "it goes on behind its end"), saved.len);
    release(&longer);
    release(&saved);
}

static void index_of_another_trace_is_refused(void **state)
{
    (void)state;
    struct saved saved = save_random(8);
    struct tv_index index;
    struct tv_error err = {.code = TV_OK};
    struct tv_saved_source source = made_of;
    source.identity[1]++;
    assert_int_equal(tv_saved_open(&index, (struct tv_saved_bytes){saved.bytes, saved.len}, &source,
                                   tv_alloc_libc(), tv_pool_serial(), &err),
                     TV_ERR_FORMAT);
    assert_non_null(strstr(err.text, "another trace"));
    release(&saved);
}

static void index_with_names_from_elsewhere_is_another(void **state)
{
    (void)state;
    struct saved saved = save_random(8);
    struct tv_index index;
    struct tv_error err = {.code = TV_OK};
    struct tv_saved_source source = made_of;
    source.names = 7;
    assert_int_equal(tv_saved_open(&index, (struct tv_saved_bytes){saved.bytes, saved.len}, &source,
                                   tv_alloc_libc(), tv_pool_serial(), &err),
                     TV_ERR_FORMAT);
    assert_non_null(strstr(err.text, "another trace"));
    release(&saved);
}

static void every_failed_allocation_is_no_memory(void **state)
{
    (void)state;
    struct saved saved = save_random(9);
    enum tv_code code = TV_ERR_MEMORY;
    for (size_t n = 0; code != TV_OK; n++) {
        struct failing_alloc failing;
        struct tv_index index;
        struct tv_saved_source source = made_of;
        failing_alloc_init(&failing, n);
        code = tv_saved_open(&index, (struct tv_saved_bytes){saved.bytes, saved.len}, &source,
                             &failing.alloc, tv_pool_serial(), NULL);
        if (code == TV_OK)
            code = tv_saved_check(&index, &failing.alloc, tv_pool_serial(), NULL);
        assert_true(code == TV_OK || code == TV_ERR_MEMORY);
        expect_number("live", failing.live, 0);
        assert_false(failing.was_lied_to);
        assert_true(n < 30);
    }
    release(&saved);
}

/* A value that a forger puts over another: `at` bytes into a section, as many bytes as `len`. */
struct forgery {
    const char *what;
    enum tv_section section;
    size_t at;
    size_t len;
    uint64_t value;
    const char *refusal;
};

#define OF(type, field) offsetof(struct type, field), sizeof(((struct type *)NULL)->field)

static const struct forgery forgeries[] = {
    {"unit of 0", TV_SECTION_INFO, OF(tv_index_info, unit_ns), 0, "counts"},
    {"no clock", TV_SECTION_INFO, OF(tv_index_info, has_clock), 0, "counts"},
    {"more properties than there are", TV_SECTION_INFO, OF(tv_index_info, property_count), 99,
     "counts"},
    {"more ranks than methods", TV_SECTION_INFO, OF(tv_index_info, ranked_count), 99, "counts"},
    {"name of the VM outside of the text", TV_SECTION_INFO, OF(tv_index_info, vm_off), UINT64_MAX,
     "counts"},
    {"axis of more than 63 bits", TV_SECTION_INFO, OF(tv_index_info, axis_len), UINT64_MAX / 2,
     "counts"},
    {"axis that calls outlast", TV_SECTION_INFO, OF(tv_index_info, axis_len), 1, "calls"},
    {"total", TV_SECTION_INFO, OF(tv_index_info, total), 1, "totals"},
    {"key outside of the text", TV_SECTION_PROPERTIES, OF(tv_index_property, key_len),
     UINT64_MAX - 3, "threads"},
    {"thread's name outside of the text", TV_SECTION_THREADS, OF(tv_index_thread, name_len),
     1u << 30, "threads"},
    {"thread's rows elsewhere", TV_SECTION_THREADS, OF(tv_index_thread, row_first), 1, "threads"},
    {"thread deeper than there are rows", TV_SECTION_THREADS, OF(tv_index_thread, max_depth),
     UINT32_MAX, "threads"},
    {"thread's calls elsewhere", TV_SECTION_THREADS, OF(tv_index_thread, call_first), 1, "threads"},
    {"more open calls than rows", TV_SECTION_THREADS, OF(tv_index_thread, open_depth), 1000,
     "threads"},
    {"times outside", TV_SECTION_THREADS, OF(tv_index_thread, time_off), 1u << 30, "threads"},
    {"times not aligned", TV_SECTION_THREADS, OF(tv_index_thread, time_off), 4, "threads"},
    {"durations of 3 bytes", TV_SECTION_THREADS, OF(tv_index_thread, duration_len), 3, "threads"},
    {"durations wider than starts", TV_SECTION_THREADS, OF(tv_index_thread, duration_len), 8,
     "threads"},
    {"starts wider than durations", TV_SECTION_THREADS, OF(tv_index_thread, is_wide), 1, "threads"},
    {"long calls elsewhere", TV_SECTION_THREADS, OF(tv_index_thread, long_first), 1, "threads"},
    {"long calls that are not there", TV_SECTION_THREADS, OF(tv_index_thread, long_count), 1,
     "threads"},
    {"levels of segment groups", TV_SECTION_THREADS, OF(tv_index_thread, group_level_count), 77,
     "threads"},
    {"segment groups of another thread", TV_SECTION_THREADS, OF(tv_index_thread, group_count),
     1u << 20, "threads"},
    {"first record beyond the axis", TV_SECTION_THREADS, OF(tv_index_thread, first), UINT64_MAX,
     "calls"},
    {"process that is not there", TV_SECTION_THREADS, OF(tv_index_thread, process), 0, "threads"},
    {"root's time", TV_SECTION_THREADS, OF(tv_index_thread, root_total), 3, "totals"},
    {"class outside of the text", TV_SECTION_METHODS, OF(tv_index_method, class_off), 1u << 30,
     "methods"},
    {"rank of no method", TV_SECTION_METHODS, OF(tv_index_method, rank), 5000, "methods"},
    {"calls of a method", TV_SECTION_METHODS, OF(tv_index_method, calls), 12345678,
     "times of methods"},
    {"rank without its method", TV_SECTION_METHOD_OF_RANK, 0, 4, 5000, "methods"},
    {"row's calls elsewhere", TV_SECTION_ROWS, OF(tv_index_row, call_first), 1, "threads"},
    {"row without calls", TV_SECTION_ROWS, OF(tv_index_row, call_count), 0, "threads"},
    {"row of too many calls", TV_SECTION_ROWS, OF(tv_index_row, call_count), UINT64_MAX, "threads"},
    {"levels elsewhere", TV_SECTION_ROWS, OF(tv_index_row, mipmap_first), 1, "threads"},
    {"method of a node", TV_SECTION_NODE_METHOD, 0, 4, 5000, "methods or nodes"},
    {"node that is its own caller", TV_SECTION_NODE_PARENT, 0, 4, 0, "methods or nodes"},
    {"depth of a node", TV_SECTION_NODE_DEPTH, 0, 4, 5000, "methods or nodes"},
    {"calls of a node", TV_SECTION_NODE_CALLS, 0, 4, 1u << 30, "times of nodes"},
    {"time of a node", TV_SECTION_NODE_INCLUSIVE_CPU, 0, 4, 1u << 30, "times of nodes"},
    {"own time of a node", TV_SECTION_NODE_EXCLUSIVE_WALL, 0, 4, 1u << 30, "times of nodes"},
    {"node of a call", TV_SECTION_CALL_NODE, 0, 4, UINT32_MAX, "calls"},
    {"start of a level", TV_SECTION_MIPMAP_STARTS, 0, 4, 1u << 30, "calls"},
    {"longest of a level", TV_SECTION_MIPMAP_LENS, 0, 4, 1u << 30, "calls"},
    {"segment group's depth", TV_SECTION_SEGMENT_GROUPS, OF(tv_index_segment_group, first_depth),
     5000, "calls"},
    {"segment group's call", TV_SECTION_SEGMENT_GROUPS, OF(tv_index_segment_group, longest_call),
     1u << 30, "calls"},
    {"segment group's start", TV_SECTION_SEGMENT_GROUPS, OF(tv_index_segment_group, start),
     UINT64_MAX, "calls"},
};

static void forged_index_is_refused(void **state)
{
    (void)state;
    struct saved saved = save_random(10);
    struct tv_block_head head;
    memcpy(&head, saved.bytes + TV_SAVED_HEAD_LEN, sizeof(head));
    for (size_t i = 0; i < TV_COUNT_OF(forgeries); i++) {
        const struct forgery *forgery = &forgeries[i];
        uint8_t *at =
            saved.bytes + TV_SAVED_HEAD_LEN + head.sections[forgery->section].off + forgery->at;
        uint8_t old[64];
        assert_true(head.sections[forgery->section].count && forgery->len <= sizeof(old));
        memcpy(old, at, forgery->len);
        /* Of an array of fields all get the value. */
        size_t step = forgery->len > 8 ? 8 : forgery->len;
        step =
            forgery->section == TV_SECTION_INFO && !forgery->value && forgery->len == 8 ? 4 : step;
        for (size_t j = 0; j < forgery->len; j += step)
            memcpy(at + j, &forgery->value, step);
        assert_memory_not_equal(at, old, forgery->len);
        reseal(&saved);
        expect_misfit(&saved, forgery->what, forgery->refusal);
        memcpy(at, old, forgery->len);
    }
    reseal(&saved);
    struct tv_index index;
    assert_int_equal(open_and_check(&saved, &index, NULL), TV_OK);
    release(&saved);
}

/* Callers whose calls do not span their callees would lead a search past the end of a row. */
static void call_outside_of_its_caller_is_refused(void **state)
{
    (void)state;
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "wall"});
    enter(&t, MAIN, FOO, 0);
    enter(&t, MAIN, BAR, 10);
    leave(&t, MAIN, BAR, 20);
    leave(&t, MAIN, FOO, 30);
    enter(&t, MAIN, FOO, 100);
    leave(&t, MAIN, FOO, 200);
    make_index(&index, &t);
    struct saved saved = save(&index);
    const struct tv_index_thread *thread = thread_of(&index, MAIN);
    size_t off = (size_t)((const uint8_t *)index.times - index.block) + thread->time_off[0];
    uint32_t starts[3];
    memcpy(starts, saved.bytes + TV_SAVED_HEAD_LEN + off, sizeof(starts));
    expect_number("start of bar", starts[2], 10);
    starts[2] = 25; /* for 10 more than foo has left */
    memcpy(saved.bytes + TV_SAVED_HEAD_LEN + off, starts, sizeof(starts));
    reseal(&saved);
    expect_misfit(&saved, "longer than its caller", "calls");
    starts[2] = 10;
    starts[1] = 20; /* before the first foo has ended */
    memcpy(saved.bytes + TV_SAVED_HEAD_LEN + off, starts, sizeof(starts));
    reseal(&saved);
    expect_misfit(&saved, "before the one before it has ended", "calls");
    tv_index_release(&index);
    release(&saved);
}

/* Sums take long calls for granted that their column calls long. */
static void forged_long_call_is_refused(void **state)
{
    (void)state;
    static const struct tv_index_long_call forged[] = {
        {40, 80000}, {39, 80000}, {100, 80000}, {41, 65534}};
    struct trace_builder t;
    struct tv_index index;
    build_text(&t, (struct build_opts){.version = 3, .clock = "wall"});
    for (uint32_t i = 0; i < 64; i++) {
        enter(&t, MAIN, FOO, i + (i > 40 ? 70000 : 0) + (i > 41 ? 80000 : 0));
        leave(&t, MAIN, FOO, i + (i >= 40 ? 70000 : 0) + (i >= 41 ? 80000 : 0));
    }
    make_index(&index, &t);
    expect_number("long calls", index.long_count, 2);
    assert_int_equal(tv_saved_check(&index, tv_alloc_libc(), tv_pool_serial(), NULL), TV_OK);
    size_t off = TV_SAVED_HEAD_LEN + (size_t)((const uint8_t *)&index.long_calls[1] - index.block);
    for (size_t i = 0; i < TV_COUNT_OF(forged); i++) {
        struct saved saved = save(&index);
        memcpy(saved.bytes + off, &forged[i], sizeof(forged[i]));
        reseal(&saved);
        expect_misfit(&saved, "long call", "threads");
        release(&saved);
    }
    tv_index_release(&index);
}

static void versions_have_a_name(void **state)
{
    char name[TV_SAVED_NAME_CAP];
    char begin[24];
    (void)state;
    tv_saved_name(name);
    (void)snprintf(begin, sizeof(begin), "%d.%u-", TV_INDEX_VERSION, TV_SAVED_VERSION);
    assert_memory_equal(name, begin, strlen(begin));
    assert_int_equal(strlen(name), strlen(begin) + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_have_a_name),
        cmocka_unit_test(saved_index_comes_back),
        cmocka_unit_test(saved_index_knows_what_it_was_made_of),
        cmocka_unit_test(same_index_is_saved_as_the_same_bytes),
        cmocka_unit_test(every_damaged_byte_is_refused),
        cmocka_unit_test(damage_is_told_by_section),
        cmocka_unit_test(damage_of_a_head_is_told_as_such),
        cmocka_unit_test(wrong_length_is_refused),
        cmocka_unit_test(index_of_another_trace_is_refused),
        cmocka_unit_test(index_with_names_from_elsewhere_is_another),
        cmocka_unit_test(every_failed_allocation_is_no_memory),
        cmocka_unit_test(forged_index_is_refused),
        cmocka_unit_test(call_outside_of_its_caller_is_refused),
        cmocka_unit_test(forged_long_call_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
