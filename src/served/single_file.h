/*
 * A trace as one page (docs/report.md): for `traceview report`, and for the viewer's "Save as one
 * page". The template and the engine are those that are in the program.
 */
#ifndef TV_SERVED_SINGLE_FILE_H
#define TV_SERVED_SINGLE_FILE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/memory/pool.h"
#include "base/sink.h"
#include "base/str.h"
#include "export/single_file/single_file.h"
#include "export/single_file/single_file_part.h"

struct tv_viewer_file {
    const struct tv_alloc *alloc;
    const struct tv_pool *pool; /* may be NULL */
    struct tv_buffer page;      /* the template */
    struct tv_single_file_part part;
    struct tv_buffer packed; /* the bytes of the part */
    struct tv_str decoder;   /* what the page is to have to unpack them; empty: nothing */
};

/* False where the build left out the page or its engine. */
bool tv_viewer_file_can(void);

void tv_viewer_file_init(struct tv_viewer_file *one, const struct tv_alloc *alloc,
                         const struct tv_pool *pool);
void tv_viewer_file_release(struct tv_viewer_file *one);

/* Cuts out and packs what the page is to have in it. */
enum tv_code tv_viewer_file_take(struct tv_viewer_file *one, const struct tv_index *index,
                                 const struct tv_export_opts *opts,
                                 struct tv_error *err) TV_MUST_CHECK;
/* Writes the page of what was taken; `page`, `engine`, `trace`, `unpacked_len` and, where the trace
 * wants it, `decoder` of the report are filled in. */
enum tv_code tv_viewer_file_write(const struct tv_viewer_file *one,
                                  const struct tv_single_file *report, struct tv_sink sink,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
