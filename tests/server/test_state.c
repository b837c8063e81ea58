/* server/state: what is shown while something else is loaded, and who holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/state.h"

#define HOLDERS 4
#define ROUNDS 200

static struct tv_origin origin_of(const char *name)
{
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_FILE, name, tv_str_from(name));
    return origin;
}

static void want(struct tv_state *state, const char *name)
{
    struct tv_origin origin = origin_of(name);
    tv_state_want(state, &origin);
}

static void show(struct tv_state *state, const struct tv_origin *origin)
{
    struct tv_index index;
    tv_index_init(&index);
    assert_int_equal(tv_state_show(state, &index, origin, 1, 1, NULL), TV_OK);
}

/* The label of what is shown, "" for nothing. */
static const char *label_of(struct tv_state *state)
{
    static char label[TV_LABEL_CAP];
    struct tv_shown *shown = tv_state_hold(state);
    (void)snprintf(label, sizeof(label), "%s", shown ? shown->origin.label : "");
    tv_state_let_go(state, shown);
    return label;
}

static void load(struct tv_state *state, const char *name)
{
    struct tv_origin origin;
    want(state, name);
    assert_true(tv_state_take_wanted(state, &origin));
    show(state, &origin);
    tv_state_finish(state, &origin, TV_OK, NULL);
}

static void the_former_trace_answers_until_the_next_is_there(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    assert_null(tv_state_hold(&state));
    load(&state, "a");
    want(&state, "b");
    assert_true(tv_state_look(&state).is_loading);
    assert_string_equal(label_of(&state), "a");
    assert_true(tv_state_take_wanted(&state, &origin));
    struct tv_shown *held = tv_state_hold(&state);
    show(&state, &origin);
    tv_state_finish(&state, &origin, TV_OK, NULL);
    assert_string_equal(label_of(&state), "b");
    assert_string_equal(held->origin.label, "a"); /* still there for who holds it */
    tv_state_let_go(&state, held);
    assert_int_equal(tv_state_look(&state).shown_no, 2);
    assert_false(tv_state_look(&state).is_loading);
    tv_state_release(&state);
}

static void a_failure_leaves_what_is_shown(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    const struct tv_error err = {.code = TV_ERR_FORMAT, .text = "odd"};
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    load(&state, "a");
    want(&state, "b");
    assert_true(tv_state_take_wanted(&state, &origin));
    tv_state_finish(&state, &origin, err.code, &err);
    struct tv_state_view view = tv_state_look(&state);
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(view.failure_no, 1);
    assert_string_equal(view.failure.text, "odd");
    assert_string_equal(view.label, "b");
    assert_true(view.has_failed);
    assert_false(view.has_failed_at_first);
    tv_state_release(&state);
}

static void cancelling_is_no_failure_and_keeps_what_is_shown(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    const struct tv_error err = {.code = TV_ERR_CANCELLED, .text = "cancelled"};
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    load(&state, "a");
    want(&state, "b");
    assert_true(tv_state_take_wanted(&state, &origin));
    assert_true(tv_state_tell(&state, "reading", 1, 2));
    tv_state_cancel(&state);
    assert_false(tv_state_look(&state).is_loading); /* at once, for the page */
    assert_false(tv_state_tell(&state, "reading", 2, 2));
    show(&state, &origin); /* too late */
    tv_state_finish(&state, &origin, err.code, &err);
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(tv_state_look(&state).failure_no, 0);
    assert_int_equal(tv_state_look(&state).shown_no, 1);
    load(&state, "c"); /* and it goes on */
    assert_string_equal(label_of(&state), "c");
    tv_state_release(&state);
}

static void what_is_not_begun_can_be_cancelled(void **unused)
{
    struct tv_state state;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    want(&state, "a");
    tv_state_cancel(&state);
    assert_false(tv_state_look(&state).is_loading);
    tv_state_end(&state);
    struct tv_origin origin;
    assert_false(tv_state_take_wanted(&state, &origin));
    tv_state_release(&state);
}

static void the_last_wish_counts(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    want(&state, "a");
    assert_true(tv_state_take_wanted(&state, &origin));
    uint64_t end_no = tv_state_look(&state).end_no;
    want(&state, "b");
    want(&state, "c");
    assert_false(tv_state_tell(&state, "reading", 1, 2));
    const struct tv_error err = {.code = TV_ERR_FORMAT};
    tv_state_finish(&state, &origin, err.code, &err); /* nobody cares any more */
    assert_int_equal(tv_state_look(&state).end_no, end_no);
    assert_int_equal(tv_state_look(&state).failure_no, 0);
    assert_true(tv_state_take_wanted(&state, &origin));
    assert_string_equal(origin.label, "c");
    tv_state_release(&state);
}

static void waiting_for_the_loader_has_an_end(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    assert_true(tv_state_wait_until_idle(&state, 1000));
    want(&state, "a");
    assert_true(tv_state_take_wanted(&state, &origin));
    assert_false(tv_state_wait_until_idle(&state, 1000000));
    tv_state_finish(&state, &origin, TV_ERR_CANCELLED, NULL);
    assert_true(tv_state_wait_until_idle(&state, 1000));
    tv_state_release(&state);
}

#define LONG_NS 60000000000u

static void *load_late(void *arg)
{
    struct tv_state *state = arg;
    struct tv_origin origin;
    const struct timespec pause = {.tv_nsec = 20000000};
    (void)nanosleep(&pause, NULL);
    assert_true(tv_state_take_wanted(state, &origin));
    show(state, &origin);
    return NULL;
}

static void waiting_for_the_first_trace_ends_when_it_is_there(void **unused)
{
    struct tv_state state;
    pthread_t loader;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    tv_state_wait_while_loading(&state, LONG_NS); /* nothing is loaded */
    want(&state, "a");
    tv_state_wait_while_loading(&state, 1000); /* the time is over */
    assert_string_equal(label_of(&state), "");
    assert_int_equal(pthread_create(&loader, NULL, load_late, &state), 0);
    tv_state_wait_while_loading(&state, LONG_NS);
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(pthread_join(loader, NULL), 0);
    tv_state_wait_while_loading(&state, LONG_NS); /* there is one, and more is loaded */
    tv_state_release(&state);
}

static void promise(struct tv_state *state)
{
    struct tv_kept kept;
    tv_kept_init(&kept, tv_alloc_libc());
    tv_kept_set(&kept.info, TV_STR("info"));
    tv_kept_set(&kept.query, TV_STR("query"));
    tv_kept_set(&kept.window, TV_STR("window"));
    tv_state_promise(state, &kept);
    assert_int_equal(kept.info.len, 0);
    tv_kept_release(&kept);
}

static void what_is_promised_answers_until_it_is_there(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    struct tv_buffer info;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    tv_buffer_init(&info, tv_alloc_libc());
    want(&state, "a");
    assert_true(tv_state_take_wanted(&state, &origin));
    assert_false(tv_state_copy_promised(&state, &info, NULL, NULL));
    promise(&state);
    tv_state_wait_while_loading(&state, LONG_NS); /* there is something to say */
    assert_true(tv_state_copy_promised(&state, &info, NULL, NULL));
    assert_true(tv_str_equal(tv_buffer_view(&info), TV_STR("info")));
    show(&state, &origin);
    assert_false(tv_state_copy_promised(&state, &info, NULL, NULL));
    promise(&state); /* too late */
    assert_false(tv_state_copy_promised(&state, &info, NULL, NULL));
    tv_buffer_release(&info);
    tv_state_release(&state);
}

static void a_promise_is_dropped_where_nothing_comes_of_it(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    const struct tv_error err = {.code = TV_ERR_FORMAT};
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    for (unsigned i = 0; i < 3; i++) {
        want(&state, "a");
        assert_true(tv_state_take_wanted(&state, &origin));
        promise(&state);
        uint64_t promised_no = tv_state_look(&state).shown_no + 1; /* as the page is told */
        assert_true(tv_state_copy_promised(&state, NULL, NULL, NULL));
        if (i == 0)
            tv_state_cancel(&state);
        else if (i == 1)
            tv_state_finish(&state, &origin, err.code, &err);
        else
            want(&state, "b");
        assert_false(tv_state_copy_promised(&state, NULL, NULL, NULL));
        assert_true(tv_state_look(&state).shown_no > promised_no);
    }
    tv_state_release(&state);
}

static void whether_there_is_a_promise_is_waited_for_until_it_is_known(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    tv_state_wait_while_looking(&state, LONG_NS); /* there is nothing to promise */
    tv_origin_init(&origin, TV_ORIGIN_FILE, "/somewhere/a", TV_STR("a"));
    origin.is_first = true;
    tv_state_want(&state, &origin);
    tv_state_wait_while_looking(&state, 1000); /* the time is over */
    assert_true(tv_state_take_wanted(&state, &origin));
    promise(&state);
    tv_state_wait_while_looking(&state, LONG_NS);
    uint64_t promised_no = tv_state_look(&state).shown_no + 1;
    tv_state_promise(&state, NULL); /* it has to be read after all */
    assert_false(tv_state_copy_promised(&state, NULL, NULL, NULL));
    assert_true(tv_state_look(&state).shown_no > promised_no);
    assert_true(tv_state_look(&state).is_loading);
    tv_state_need(&state, LONG_NS); /* nobody waits for it any more */
    tv_state_release(&state);
}

static void *need(void *arg)
{
    tv_state_need(arg, LONG_NS);
    return NULL;
}

static void the_loader_goes_on_when_more_is_asked_for(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    pthread_t asker;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    want(&state, "a");
    assert_true(tv_state_take_wanted(&state, &origin));
    assert_false(tv_state_wait_until_needed(&state, LONG_NS)); /* nothing is promised */
    promise(&state);
    assert_true(tv_state_wait_until_needed(&state, 1000)); /* nobody asks */
    assert_int_equal(pthread_create(&asker, NULL, need, &state), 0);
    assert_true(tv_state_wait_until_needed(&state, LONG_NS));
    show(&state, &origin);
    assert_int_equal(pthread_join(asker, NULL), 0); /* it waited until then */
    tv_state_need(&state, LONG_NS);
    tv_state_release(&state);
}

static void the_first_window_behind_the_info_is_noted_once(void **unused)
{
    struct tv_state state;
    struct tv_kept noted;
    struct tv_origin origin;
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    load(&state, "a");
    struct tv_shown *shown = tv_state_hold(&state);
    tv_state_note_window(&state, shown, TV_STR("0"), TV_STR("before")); /* not a page that begins */
    tv_state_note_info(&state, shown, TV_STR("info"));
    tv_state_note_window(&state, shown, TV_STR("1"), TV_STR("first"));
    tv_state_note_window(&state, shown, TV_STR("2"), TV_STR("second"));
    assert_false(tv_state_take_noted(&state, &noted, &origin)); /* the index itself is not saved */
    tv_state_end_keeping(&state);
    assert_true(tv_state_take_noted(&state, &noted, &origin));
    assert_string_equal(origin.label, "a");
    assert_true(tv_str_equal(tv_buffer_view(&noted.query), TV_STR("1")));
    assert_true(tv_str_equal(tv_buffer_view(&noted.window), TV_STR("first")));
    tv_kept_release(&noted);
    assert_false(tv_state_take_noted(&state, &noted, &origin));
    tv_state_note_info(&state, shown, TV_STR("info"));
    load(&state, "b");
    tv_state_end_keeping(&state);
    tv_state_note_window(&state, shown, TV_STR("1"), TV_STR("of a former trace"));
    assert_false(tv_state_take_noted(&state, &noted, &origin));
    tv_state_let_go(&state, shown);
    tv_state_release(&state);
}

static void *hold_often(void *arg)
{
    struct tv_state *state = arg;
    for (unsigned i = 0; i < ROUNDS * 10; i++) {
        struct tv_shown *shown = tv_state_hold(state);
        if (shown && shown->read_len != shown->len)
            return arg; /* released memory, or a half-made one */
        tv_state_let_go(state, shown);
    }
    return NULL;
}

static void traces_change_under_many_who_ask(void **unused)
{
    struct tv_state state;
    pthread_t holders[HOLDERS];
    (void)unused;
    tv_state_init(&state, tv_alloc_libc());
    for (unsigned i = 0; i < HOLDERS; i++)
        assert_int_equal(pthread_create(&holders[i], NULL, hold_often, &state), 0);
    for (unsigned i = 0; i < ROUNDS; i++)
        load(&state, i % 2 ? "a" : "b");
    for (unsigned i = 0; i < HOLDERS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(holders[i], &wrong), 0);
        assert_null(wrong);
    }
    tv_state_release(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_former_trace_answers_until_the_next_is_there),
        cmocka_unit_test(a_failure_leaves_what_is_shown),
        cmocka_unit_test(cancelling_is_no_failure_and_keeps_what_is_shown),
        cmocka_unit_test(what_is_not_begun_can_be_cancelled),
        cmocka_unit_test(the_last_wish_counts),
        cmocka_unit_test(waiting_for_the_loader_has_an_end),
        cmocka_unit_test(waiting_for_the_first_trace_ends_when_it_is_there),
        cmocka_unit_test(what_is_promised_answers_until_it_is_there),
        cmocka_unit_test(a_promise_is_dropped_where_nothing_comes_of_it),
        cmocka_unit_test(whether_there_is_a_promise_is_waited_for_until_it_is_known),
        cmocka_unit_test(the_loader_goes_on_when_more_is_asked_for),
        cmocka_unit_test(the_first_window_behind_the_info_is_noted_once),
        cmocka_unit_test(traces_change_under_many_who_ask),
    };
    return cmocka_run_group_tests_name("server/state", tests, NULL, NULL);
}
