/* server/state: what is shown while something else is loaded, and who holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "os/clock.h"
#include "server/state.h"

#define HOLDERS 4
#define ROUNDS 200

static struct tv_state_group group;

static void begin(struct tv_state *state)
{
    tv_state_group_init(&group);
    tv_state_init(state, tv_alloc_libc(), &group);
}

static void end(struct tv_state *state)
{
    tv_state_release(state);
    tv_state_group_release(&group);
}

/* As the table takes what is wanted (traces.c). */
static bool take_wanted(struct tv_state *state, struct tv_origin *origin)
{
    pthread_mutex_lock(&group.lock);
    bool is_wanted = tv_state_is_to_take(state);
    if (is_wanted)
        *origin = tv_state_take_wanted(state);
    pthread_mutex_unlock(&group.lock);
    return is_wanted;
}

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
    tv_state_let_go(shown);
    return label;
}

static void load(struct tv_state *state, const char *name)
{
    struct tv_origin origin;
    want(state, name);
    assert_true(take_wanted(state, &origin));
    show(state, &origin);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    tv_state_end_saving(state);
}

static void the_former_trace_answers_until_the_next_is_there(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    begin(&state);
    assert_null(tv_state_hold(&state));
    load(&state, "a");
    want(&state, "b");
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_WANTED);
    assert_string_equal(label_of(&state), "a");
    assert_true(take_wanted(&state, &origin));
    struct tv_shown *held = tv_state_hold(&state);
    show(&state, &origin);
    assert_true(tv_state_finish(&state, &origin, TV_OK, NULL));
    assert_string_equal(label_of(&state), "b");
    assert_string_equal(held->origin.label, "a"); /* still there for who holds it */
    tv_state_let_go(held);
    assert_int_equal(tv_state_look(&state).shown_no, 2);
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_SAVING);
    tv_state_end_saving(&state);
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_IDLE);
    end(&state);
}

static void a_failure_leaves_what_is_shown(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    const struct tv_error err = {.code = TV_ERR_FORMAT, .text = "odd"};
    (void)unused;
    begin(&state);
    load(&state, "a");
    want(&state, "b");
    assert_true(take_wanted(&state, &origin));
    assert_false(tv_state_finish(&state, &origin, err.code, &err));
    struct tv_state_view view = tv_state_look(&state);
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(view.failure_no, 1);
    assert_string_equal(view.failure.text, "odd");
    assert_string_equal(view.label, "b");
    assert_int_equal(view.phase, TV_PHASE_FAILED);
    assert_false(view.has_failed_at_first);
    end(&state);
}

/* Shows the beginning of a trace, and ends the load with that code. */
static void load_beginning(struct tv_state *state, const char *name, enum tv_code code)
{
    const struct tv_error err = {.code = code, .text = "why"};
    struct tv_origin origin;
    struct tv_index index;
    want(state, name);
    assert_true(take_wanted(state, &origin));
    tv_index_init(&index);
    assert_int_equal(tv_state_show(state, &index, &origin, 1, 2, NULL), TV_OK);
    assert_string_equal(label_of(state), name);
    if (code == TV_OK)
        show(state, &origin);
    if (tv_state_finish(state, &origin, code, &err))
        tv_state_end_saving(state);
}

static void a_failure_behind_a_beginning_brings_back_the_former(void **unused)
{
    struct tv_state state;
    (void)unused;
    begin(&state);
    load(&state, "a");
    struct tv_shown *held = tv_state_hold(&state);
    load_beginning(&state, "b", TV_OK);
    assert_string_equal(label_of(&state), "b");
    assert_int_equal(held->holder_count, 1); /* the state let go of the one before */
    tv_state_let_go(held);
    assert_int_equal(tv_state_look(&state).shown_no, 3);
    load_beginning(&state, "c", TV_ERR_SYSTEM);
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_FAILED);
    assert_string_equal(label_of(&state), "b");
    assert_int_equal(tv_state_look(&state).shown_no, 5); /* told as a trace that is new */
    end(&state);
}

static void cancelling_is_no_failure_and_keeps_what_is_shown(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    const struct tv_error err = {.code = TV_ERR_CANCELLED, .text = "cancelled"};
    (void)unused;
    begin(&state);
    load(&state, "a");
    want(&state, "b");
    assert_true(take_wanted(&state, &origin));
    assert_true(tv_state_tell(&state, "reading", 1, 2));
    uint64_t end_no = tv_state_look(&state).end_no;
    tv_state_cancel(&state);
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_CANCELLED);
    assert_int_equal(tv_state_look(&state).end_no, end_no + 1); /* at once, for the page */
    assert_false(tv_state_tell(&state, "reading", 2, 2));
    show(&state, &origin); /* too late */
    assert_false(tv_state_finish(&state, &origin, err.code, &err));
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_IDLE);
    assert_int_equal(tv_state_look(&state).end_no, end_no + 1);
    assert_int_equal(tv_state_look(&state).failure_no, 0);
    assert_int_equal(tv_state_look(&state).shown_no, 1);
    load(&state, "c"); /* and it goes on */
    assert_string_equal(label_of(&state), "c");
    end(&state);
}

static void what_is_not_begun_can_be_cancelled(void **unused)
{
    struct tv_state state;
    (void)unused;
    begin(&state);
    want(&state, "a");
    tv_state_cancel(&state);
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_IDLE);
    tv_state_end(&state);
    struct tv_origin origin;
    assert_false(take_wanted(&state, &origin));
    end(&state);
}

static void the_last_wish_counts(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    begin(&state);
    want(&state, "a");
    assert_true(take_wanted(&state, &origin));
    uint64_t end_no = tv_state_look(&state).end_no;
    want(&state, "b");
    want(&state, "c");
    assert_false(tv_state_tell(&state, "reading", 1, 2));
    const struct tv_error err = {.code = TV_ERR_FORMAT};
    assert_false(tv_state_finish(&state, &origin, err.code, &err)); /* nobody cares any more */
    assert_int_equal(tv_state_look(&state).end_no, end_no);
    assert_int_equal(tv_state_look(&state).failure_no, 0);
    assert_true(take_wanted(&state, &origin));
    assert_string_equal(origin.label, "c");
    end(&state);
}

/* A request may come while the program ends. */
static void nothing_is_loaded_after_the_end(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    begin(&state);
    tv_state_end(&state);
    want(&state, "a");
    tv_state_cancel(&state);
    want(&state, "b");
    assert_false(take_wanted(&state, &origin));
    end(&state);
}

/* A trace of a file, whose stamp is as that file stands. */
static void load_file(struct tv_state *state, uint64_t inode)
{
    struct tv_origin origin;
    want(state, "a");
    assert_true(take_wanted(state, &origin));
    origin.stamp.of[0].inode = inode;
    show(state, &origin);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    tv_state_end_saving(state);
}

/* As eviction does it. False: the trace cannot be closed. */
static bool close_trace(struct tv_state *state)
{
    struct tv_shown *shown = NULL;
    pthread_mutex_lock(&group.lock);
    bool can_close = tv_state_can_close(state);
    if (can_close)
        shown = tv_state_close(state);
    pthread_mutex_unlock(&group.lock);
    tv_state_let_go(shown);
    return can_close;
}

/* Loads what a question to a closed trace asks for. */
static void load_again(struct tv_state *state, uint64_t inode)
{
    struct tv_origin origin;
    tv_state_visit(state, 0);
    assert_true(take_wanted(state, &origin));
    assert_string_equal(origin.label, "a");
    assert_false(origin.is_first);
    origin.stamp.of[0].inode = inode;
    show(state, &origin);
    assert_true(tv_state_finish(state, &origin, TV_OK, NULL));
    tv_state_end_saving(state);
}

static void a_closed_trace_is_back_when_somebody_looks(void **unused)
{
    struct tv_state state;
    (void)unused;
    begin(&state);
    load_file(&state, 7);
    assert_true(close_trace(&state));
    assert_false(close_trace(&state));
    assert_string_equal(label_of(&state), "");
    assert_true(tv_state_has_trace(&state));
    load_again(&state, 7);
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(tv_state_look(&state).shown_no, 1); /* nobody has to ask anew */
    assert_true(close_trace(&state));
    load_again(&state, 8); /* the file was written anew meanwhile */
    assert_int_equal(tv_state_look(&state).shown_no, 2);
    end(&state);
}

static void a_trace_that_is_worked_on_or_cannot_come_back_is_not_closed(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    begin(&state);
    load_file(&state, 0); /* no file is there, as of a pipe */
    assert_false(close_trace(&state));
    load_file(&state, 7);
    want(&state, "b");
    assert_false(close_trace(&state));
    assert_true(take_wanted(&state, &origin));
    assert_false(close_trace(&state));
    origin.stamp.of[0].inode = 7;
    show(&state, &origin);
    assert_true(tv_state_finish(&state, &origin, TV_OK, NULL));
    assert_false(close_trace(&state)); /* its index is being saved */
    tv_state_end_saving(&state);
    assert_true(close_trace(&state));
    end(&state);
}

static void one_that_cannot_be_opened_again_is_not_tried_again(void **unused)
{
    const struct tv_error err = {.code = TV_ERR_NOT_FOUND, .text = "gone"};
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    begin(&state);
    load_file(&state, 7);
    assert_true(close_trace(&state));
    tv_state_visit(&state, 0);
    assert_true(take_wanted(&state, &origin));
    assert_false(tv_state_finish(&state, &origin, err.code, &err));
    tv_state_visit(&state, 0);
    assert_false(take_wanted(&state, &origin));
    assert_int_equal(tv_state_look(&state).phase, TV_PHASE_FAILED);
    assert_false(tv_state_has_trace(&state));
    assert_true(tv_state_want_if_empty(&state, &origin));
    end(&state);
}

/* Whether the spool has its bytes still. */
static bool can_read(const struct tv_spool *spool)
{
    char byte;
    size_t got;
    return tv_spool_read_at(spool, 0, &byte, 1, &got, NULL) == TV_OK && got == 1 && byte == 'x';
}

static void what_was_dropped_keeps_its_bytes_while_it_is_here(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    (void)unused;
    begin(&state);
    for (unsigned round = 0; round < 2; round++) { /* the second takes the place of the first */
        tv_origin_init(&origin, TV_ORIGIN_DROPPED, "/x", TV_STR("a"));
        assert_int_equal(tv_spool_open(&origin.spool, 0, NULL), TV_OK);
        assert_int_equal(tv_spool_append(&origin.spool, "x", 1, NULL), TV_OK);
        tv_state_want(&state, &origin);
        assert_int_equal(origin.spool.fd, -1);
        assert_true(take_wanted(&state, &origin));
        show(&state, &origin);
        assert_true(tv_state_finish(&state, &origin, TV_OK, NULL));
        tv_origin_release(&origin);
        tv_state_end_saving(&state);
        assert_true(can_read(&state.spool));
    }
    assert_true(close_trace(&state));
    load_again(&state, 0);
    assert_true(can_read(&state.spool));
    assert_int_equal(tv_state_look(&state).shown_no, 2);
    assert_false(tv_state_file(&state, &origin)); /* there is nothing new to be read */
    end(&state);
}

static struct tv_origin_mapping mapping_of(const char *label)
{
    struct tv_origin_mapping mapping;
    tv_origin_mapping_init(&mapping);
    assert_int_equal(tv_spool_open(&mapping.spool, 0, NULL), TV_OK);
    assert_int_equal(tv_spool_append(&mapping.spool, "x", 1, NULL), TV_OK);
    tv_spool_path(&mapping.spool, mapping.path);
    (void)snprintf(mapping.label, sizeof(mapping.label), "%s", label);
    return mapping;
}

/* Ends the load of what a mapping renames. */
static void load_renamed(struct tv_state *state, enum tv_code code)
{
    const struct tv_error err = {.code = code, .text = "of another build"};
    struct tv_origin origin;
    assert_true(take_wanted(state, &origin));
    if (code == TV_OK)
        show(state, &origin);
    assert_int_equal(tv_state_finish(state, &origin, code, &err), code == TV_OK);
    tv_origin_release(&origin);
    if (code == TV_OK)
        tv_state_end_saving(state);
}

static void a_mapping_keeps_its_bytes_while_the_trace_has_its_names(void **unused)
{
    struct tv_state state;
    (void)unused;
    begin(&state);
    struct tv_origin_mapping mapping = mapping_of("m");
    assert_int_equal(tv_state_rename(&state, &mapping, NULL), TV_ERR_NOT_FOUND);
    load_file(&state, 7);
    assert_int_equal(tv_state_rename(&state, &mapping, NULL), TV_OK);
    assert_int_equal(mapping.spool.fd, -1); /* taken over */
    struct tv_origin_mapping other = mapping_of("other");
    assert_int_equal(tv_state_rename(&state, &other, NULL), TV_ERR_CONFLICT); /* it is read */
    load_renamed(&state, TV_OK);
    assert_true(can_read(&state.mapping));
    assert_int_equal(tv_state_look(&state).shown_no, 2);
    assert_true(close_trace(&state));
    load_again(&state, 7);
    assert_int_equal(tv_state_look(&state).shown_no, 2); /* it is back with the same names */
    assert_true(close_trace(&state));
    assert_int_equal(tv_state_rename(&state, &other, NULL), TV_OK);
    load_renamed(&state, TV_ERR_ARGUMENT);
    assert_true(tv_state_look(&state).has_refused_mapping);
    assert_true(can_read(&state.mapping));
    load_again(&state, 7); /* what was closed is still to be had, as it was */
    assert_int_equal(tv_state_look(&state).shown_no, 2);
    struct tv_origin_mapping none;
    tv_origin_mapping_init(&none);
    assert_int_equal(tv_state_rename(&state, &none, NULL), TV_OK);
    load_renamed(&state, TV_OK);
    assert_int_equal(state.mapping.fd, -1);
    assert_int_equal(tv_state_look(&state).shown_no, 3);
    end(&state);
}

static void what_came_through_a_pipe_cannot_be_renamed(void **unused)
{
    struct tv_state state;
    struct tv_origin origin;
    struct tv_origin_mapping mapping;
    (void)unused;
    begin(&state);
    tv_origin_mapping_init(&mapping);
    tv_origin_init(&origin, TV_ORIGIN_INPUT, "-", TV_STR("-"));
    tv_state_want(&state, &origin);
    load_renamed(&state, TV_OK);
    assert_int_equal(tv_state_rename(&state, &mapping, NULL), TV_ERR_CONFLICT);
    end(&state);
}

static void only_an_empty_address_takes_another_trace(void **unused)
{
    struct tv_state state;
    struct tv_origin origin = origin_of("a");
    (void)unused;
    begin(&state);
    assert_true(tv_state_want_if_empty(&state, &origin));
    origin = origin_of("b");
    assert_false(tv_state_want_if_empty(&state, &origin)); /* one is on its way */
    assert_string_equal(tv_state_look(&state).label, "a");
    tv_state_cancel(&state);
    assert_true(tv_state_want_if_empty(&state, &origin));
    tv_state_cancel(&state);
    load_file(&state, 7);
    assert_false(tv_state_want_if_empty(&state, &origin));
    assert_true(close_trace(&state));
    assert_false(tv_state_want_if_empty(&state, &origin)); /* it can be opened again */
    end(&state);
}

#define LONG_NS 60000000000u

static void *load_late(void *arg)
{
    struct tv_state *state = arg;
    struct tv_origin origin;
    const struct timespec pause = {.tv_nsec = 20000000};
    (void)nanosleep(&pause, NULL);
    assert_true(take_wanted(state, &origin));
    show(state, &origin);
    return NULL;
}

static void waiting_for_the_first_trace_ends_when_it_is_there(void **unused)
{
    struct tv_state state;
    pthread_t loader;
    (void)unused;
    begin(&state);
    tv_state_wait_while_loading(&state, LONG_NS); /* nothing is loaded */
    want(&state, "a");
    tv_state_wait_while_loading(&state, 1000); /* the time is over */
    assert_string_equal(label_of(&state), "");
    assert_int_equal(pthread_create(&loader, NULL, load_late, &state), 0);
    uint64_t begun_ns = tv_now_ns();
    tv_state_wait_while_loading(&state, LONG_NS);
    assert_true(tv_now_ns() - begun_ns < LONG_NS / 2);
    assert_string_equal(label_of(&state), "a");
    assert_int_equal(pthread_join(loader, NULL), 0);
    tv_state_wait_while_loading(&state, LONG_NS); /* there is one, and more is loaded */
    end(&state);
}

static void *hold_often(void *arg)
{
    struct tv_state *state = arg;
    for (unsigned i = 0; i < ROUNDS * 10; i++) {
        struct tv_shown *shown = tv_state_hold(state);
        if (shown && shown->read_len != shown->len)
            return arg; /* released memory, or a half-made one */
        tv_state_let_go(shown);
    }
    return NULL;
}

static void traces_change_under_many_who_ask(void **unused)
{
    struct tv_state state;
    pthread_t holders[HOLDERS];
    (void)unused;
    begin(&state);
    for (unsigned i = 0; i < HOLDERS; i++)
        assert_int_equal(pthread_create(&holders[i], NULL, hold_often, &state), 0);
    for (unsigned i = 0; i < ROUNDS; i++)
        load(&state, i % 2 ? "a" : "b");
    for (unsigned i = 0; i < HOLDERS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(holders[i], &wrong), 0);
        assert_null(wrong);
    }
    end(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_former_trace_answers_until_the_next_is_there),
        cmocka_unit_test(a_failure_leaves_what_is_shown),
        cmocka_unit_test(a_failure_behind_a_beginning_brings_back_the_former),
        cmocka_unit_test(cancelling_is_no_failure_and_keeps_what_is_shown),
        cmocka_unit_test(what_is_not_begun_can_be_cancelled),
        cmocka_unit_test(the_last_wish_counts),
        cmocka_unit_test(a_closed_trace_is_back_when_somebody_looks),
        cmocka_unit_test(a_trace_that_is_worked_on_or_cannot_come_back_is_not_closed),
        cmocka_unit_test(one_that_cannot_be_opened_again_is_not_tried_again),
        cmocka_unit_test(what_was_dropped_keeps_its_bytes_while_it_is_here),
        cmocka_unit_test(a_mapping_keeps_its_bytes_while_the_trace_has_its_names),
        cmocka_unit_test(what_came_through_a_pipe_cannot_be_renamed),
        cmocka_unit_test(only_an_empty_address_takes_another_trace),
        cmocka_unit_test(nothing_is_loaded_after_the_end),
        cmocka_unit_test(waiting_for_the_first_trace_ends_when_it_is_there),
        cmocka_unit_test(traces_change_under_many_who_ask),
    };
    return cmocka_run_group_tests_name("server/state", tests, NULL, NULL);
}
