/* server/phase: which move leads where, and which cannot be made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "server/phase.h"
#include "server/state.h"

static const char *const phases[] = {"IDLE",      "FAILED",   "WANTED", "LOADING", "SAVING",
                                     "CANCELLED", "REPLACED", "ENDING", "ENDED"};
static const char *const moves[] = {"want",  "cancel", "end",  "take",
                                    "shown", "failed", "over", "saved"};

/* The arrows of the drawing, and those that lead from a phase to itself. */
static const char *const arrows[] = {
    "IDLE want WANTED",        "IDLE cancel IDLE",           "IDLE end ENDED",
    "IDLE saved IDLE",         "FAILED want WANTED",         "FAILED cancel FAILED",
    "FAILED end ENDED",        "WANTED want WANTED",         "WANTED cancel IDLE",
    "WANTED end ENDED",        "WANTED take LOADING",        "WANTED saved WANTED",
    "LOADING want REPLACED",   "LOADING cancel CANCELLED",   "LOADING end ENDING",
    "LOADING shown SAVING",    "LOADING failed FAILED",      "SAVING want WANTED",
    "SAVING cancel SAVING",    "SAVING end ENDED",           "SAVING saved IDLE",
    "CANCELLED want REPLACED", "CANCELLED cancel CANCELLED", "CANCELLED end ENDING",
    "CANCELLED over IDLE",     "REPLACED want REPLACED",     "REPLACED cancel CANCELLED",
    "REPLACED end ENDING",     "REPLACED over WANTED",       "ENDING want ENDING",
    "ENDING cancel ENDING",    "ENDING end ENDING",          "ENDING over ENDED",
    "ENDED want ENDED",        "ENDED cancel ENDED",         "ENDED end ENDED",
    "ENDED saved ENDED",
};

static bool is_arrow(const char *wanted)
{
    for (size_t i = 0; i < TV_COUNT_OF(arrows); i++) {
        if (strcmp(arrows[i], wanted) == 0)
            return true;
    }
    return false;
}

static void moves_lead_where_the_drawing_says(void **state)
{
    size_t count = 0;
    (void)state;
    for (size_t phase = 0; phase < TV_COUNT_OF(phases); phase++) {
        for (size_t move = 0; move < TV_COUNT_OF(moves); move++) {
            char arrow[64];
            if (!tv_phase_allows((enum tv_phase)phase, (enum tv_move)move))
                continue;
            enum tv_phase next = tv_phase_after((enum tv_phase)phase, (enum tv_move)move);
            (void)snprintf(arrow, sizeof(arrow), "%s %s %s", phases[phase], moves[move],
                           phases[next]);
            if (!is_arrow(arrow))
                fail_msg("%s is not in the drawing", arrow);
            count++;
        }
    }
    assert_int_equal(count, TV_COUNT_OF(arrows));
}

static void what_is_loaded_and_read_is_told_by_the_phase(void **state)
{
    static const struct {
        enum tv_phase phase;
        bool is_loading;
        bool is_busy;
    } cases[] = {{TV_PHASE_IDLE, false, false},   {TV_PHASE_FAILED, false, false},
                 {TV_PHASE_WANTED, true, false},  {TV_PHASE_LOADING, true, true},
                 {TV_PHASE_SAVING, false, false}, {TV_PHASE_CANCELLED, false, true},
                 {TV_PHASE_REPLACED, true, true}, {TV_PHASE_ENDING, false, true},
                 {TV_PHASE_ENDED, false, false}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        assert_int_equal(tv_phase_is_loading(cases[i].phase), cases[i].is_loading);
        assert_int_equal(tv_phase_is_busy(cases[i].phase), cases[i].is_busy);
    }
}

/* Moves that only a mistake of ours makes, each on a state that has done nothing. */
static void finish_what_was_not_taken(struct tv_state *shared)
{
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_FILE, "a", TV_STR("a"));
    (void)tv_state_finish(shared, &origin, TV_OK, NULL);
}

static void save_what_is_being_read(struct tv_state *shared)
{
    struct tv_origin origin;
    tv_origin_init(&origin, TV_ORIGIN_FILE, "a", TV_STR("a"));
    tv_state_want(shared, &origin);
    origin = tv_state_take_wanted(shared);
    tv_state_end_saving(shared);
}

static void show_what_was_not_taken(struct tv_state *shared)
{
    struct tv_origin origin;
    struct tv_index index;
    tv_index_init(&index);
    tv_origin_init(&origin, TV_ORIGIN_FILE, "a", TV_STR("a"));
    if (tv_state_show(shared, &index, &origin, 1, 1, NULL) != TV_OK)
        return;
}

/* Whether a child that does so is stopped. */
static bool is_stopped(void (*mistake)(struct tv_state *shared))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct tv_state_group group;
        struct tv_state shared;
        tv_state_group_init(&group);
        tv_state_init(&shared, tv_alloc_libc(), &group);
        (void)signal(SIGILL, SIG_DFL); /* which the test runner would catch */
        (void)signal(SIGTRAP, SIG_DFL);
        (void)close(STDERR_FILENO); /* a sanitizer would tell of it at length */
        mistake(&shared);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void a_move_that_cannot_be_made_stops_the_program(void **state)
{
    (void)state;
#ifndef TV_ASSERTS
    print_message("skipped: built without asserts\n");
    skip();
#endif
    assert_true(is_stopped(finish_what_was_not_taken));
    assert_true(is_stopped(save_what_is_being_read));
    assert_true(is_stopped(show_what_was_not_taken));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_lead_where_the_drawing_says),
        cmocka_unit_test(what_is_loaded_and_read_is_told_by_the_phase),
        cmocka_unit_test(a_move_that_cannot_be_made_stops_the_program),
    };
    return cmocka_run_group_tests_name("server/phase", tests, NULL, NULL);
}
