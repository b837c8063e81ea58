/* See served/indexed.h. */
#include "indexed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/trace.h"
#include "index/build/build.h"
#include "support/trace_builder.h"

void indexed_init(struct indexed *indexed)
{
    const struct tv_read_opts opts = {.batch_len = 0};
    const struct tv_build_opts build_opts = {.pool = NULL};
    struct trace_builder builder;
    struct tv_trace trace;
    build_text(&builder, (struct build_opts){.version = 3, .clock = "dual"});
    enter(&builder, MAIN, FOO, 0);
    leave(&builder, MAIN, FOO, 100);
    tv_trace_init(&trace, tv_alloc_libc());
    tv_index_init(&indexed->index);
    assert_int_equal(tv_trace_open(&trace, builder.bytes.bytes, builder.bytes.len, &opts, NULL),
                     TV_OK);
    assert_int_equal(tv_index_build(&indexed->index, &trace, &build_opts, NULL), TV_OK);
    tv_trace_release(&trace);
    build_release(&builder);
    atomic_init(&indexed->holders, 0);
    tv_downloads_init(&indexed->downloads, tv_alloc_libc(), NULL);
}

void indexed_let_go(void *indexed, void *what)
{
    struct indexed *own = what;
    assert_ptr_equal(indexed, what);
    atomic_fetch_sub(&own->holders, 1);
}

void indexed_release(struct indexed *indexed)
{
    tv_downloads_end(&indexed->downloads);
    tv_downloads_release(&indexed->downloads);
    assert_int_equal(atomic_load(&indexed->holders), 0);
    tv_index_release(&indexed->index);
}
