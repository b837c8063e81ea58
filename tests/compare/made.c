#include "compare/made.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/build/build.h"

static void demand(enum tv_code code, const struct tv_error *err)
{
    if (code == TV_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    abort();
}

void made_begin(struct made *made, const char *methods)
{
    made_begin_with(made, methods, NULL);
}

void made_begin_with(struct made *made, const char *methods, const char *properties)
{
    *made = (struct made){.t = {.record_len = 0}};
    tv_trace_init(&made->trace, tv_alloc_libc());
    tv_index_init(&made->index);
    build_text(&made->t,
               (struct build_opts){
                   .version = 3, .clock = "dual", .options = properties, .methods = methods});
}

void made_call(struct made *made, uint32_t method, uint32_t from, uint32_t to)
{
    enter(&made->t, MAIN, method, from);
    leave(&made->t, MAIN, method, to);
}

void made_end(struct made *made)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_sums sums;
    demand(tv_trace_open(&made->trace, made->t.bytes.bytes, made->t.bytes.len,
                         &(struct tv_read_opts){.batch_len = 0, .renaming = made->renaming}, &err),
           &err);
    demand(tv_index_build(&made->index, &made->trace, &(struct tv_build_opts){.pool = NULL}, &err),
           &err);
    tv_sums_init(&sums, tv_alloc_libc());
    demand(tv_sums_compute(&sums, &made->index, &(struct tv_selection){.has_range = false}, NULL,
                           &err),
           &err);
    tv_profile_init(&made->profile, tv_alloc_libc());
    demand(tv_profile_of_sums(&made->profile, &sums, &err), &err);
    tv_sums_release(&sums);
}

void made_release(struct made *made)
{
    tv_profile_release(&made->profile);
    tv_index_release(&made->index);
    tv_trace_release(&made->trace);
    build_release(&made->t);
}
