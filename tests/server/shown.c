/* See server/shown.h. */
#include "shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/trace.h"
#include "index/build/build.h"
#include "support/trace_builder.h"

struct tv_origin take_wanted(struct tv_state *state)
{
    pthread_mutex_lock(&state->group->lock);
    assert_true(tv_state_is_to_take(state));
    struct tv_origin origin = tv_state_take_wanted(state);
    pthread_mutex_unlock(&state->group->lock);
    return origin;
}

void show_part(struct tv_state *state, const char *label, uint64_t read_len, uint64_t len)
{
    const struct tv_read_opts opts = {.batch_len = 0};
    const struct tv_build_opts build_opts = {.pool = NULL};
    struct trace_builder builder;
    struct tv_trace trace;
    struct tv_index index;
    struct tv_origin origin;
    build_text(&builder, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&builder, MAIN, FOO, 0);
    leave(&builder, MAIN, FOO, 100);
    tv_trace_init(&trace, tv_alloc_libc());
    tv_index_init(&index);
    assert_int_equal(tv_trace_open(&trace, builder.bytes.bytes, builder.bytes.len, &opts, NULL),
                     TV_OK);
    assert_int_equal(tv_index_build(&index, &trace, &build_opts, NULL), TV_OK);
    tv_origin_init(&origin, TV_ORIGIN_FILE, "/x", tv_str_from(label));
    tv_state_want(state, &origin);
    origin = take_wanted(state);
    assert_int_equal(tv_state_show(state, &index, &origin, read_len, len, NULL), TV_OK);
    tv_trace_release(&trace);
    build_release(&builder);
}
