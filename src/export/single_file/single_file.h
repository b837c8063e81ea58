/*
 * A trace as a single file, or several that are compared: the viewer, its engine and the traces in
 * one HTML file that opens from a disk and from a mail, without a program and without a network
 * (docs/report.md).
 *
 * The page is a template that the build of the page leaves, with a mark where each of these
 * belongs: the title, what is shown where no script runs, and the data. The trace in it, packed,
 * is the caller's to make, so that whoever packs may be the system or a browser; the index is
 * of these bytes, so that what is shown without a script is what the page has in it.
 */
#ifndef TV_EXPORT_SINGLE_FILE_SINGLE_FILE_H
#define TV_EXPORT_SINGLE_FILE_SINGLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/question/scope_wording.h"
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "base/sink.h"
#include "base/str.h"
#include "export/export.h"
#include "export/flame/flame.h"
#include "export/single_file/single_file_link.h"
#include "index/index.h"

/* One more run of a side, as `trace` and `name` of a report are. */
struct tv_single_file_run {
    bool is_old;
    struct tv_str trace;
    struct tv_str name;
};

struct tv_single_file {
    struct tv_str page;    /* the template */
    struct tv_str engine;  /* the module, packed by gzip; empty: the template contains it */
    struct tv_str trace;   /* packed by gzip, or by zstd: the page looks */
    uint64_t unpacked_len; /* of the trace; of gzip, which says it itself, 0 will do */
    /* libzstd's decoder, a module packed by gzip. With it, traces by zstd are unpacked by it, and
     * while the page comes; empty: as wholes, by a script that takes some five times as long. */
    struct tv_str decoder;
    struct tv_str name;  /* of the trace's file */
    struct tv_str title; /* empty: the name */
    struct tv_str note;  /* lines of text; may be empty */
    /* Of the tables that are shown without a script; another one if the trace lacks it. */
    enum tv_clock clock;
    struct tv_str link; /* the view that the page opens at: what stands behind the # of a link to
                           the trace that the part was cut out of */
    struct tv_single_file_cut cut;
    struct tv_scope_part part; /* what of the traces the page has; its lists are borrowed */
    /* The trace that the other one is compared with, as `trace` and `name` are; empty: none is. */
    struct tv_str old_trace;
    struct tv_str old_name;
    const struct tv_single_file_run *more; /* runs beside these two, in the order of their sides */
    size_t more_count;
    struct tv_str changes; /* markup of what changed, which is shown without a script; no style */
};

/* Fills name, clock, cut and part of a report of the part that `opts` ask for. */
void tv_single_file_init(struct tv_single_file *report, const struct tv_export_opts *opts);

/* The longest packed trace, or all of several: a browser holds a text of 512 MiB, and the trace
 * becomes 22 percent longer as text. */
#define TV_PAGE_TRACE_MOST ((size_t)380 << 20)

/* How pictures of it look where no script runs: they are little beside the trace. */
struct tv_flame_look tv_single_file_look(void);

/* Writes the page. TV_ERR_LIMIT where no browser could open it, TV_ERR_ARGUMENT where the template
 * lacks a mark or has one twice. pool may be NULL. */
enum tv_code tv_single_file_write(const struct tv_single_file *report, const struct tv_index *index,
                                  const struct tv_alloc *alloc, const struct tv_pool *pool,
                                  struct tv_sink sink, struct tv_error *err) TV_MUST_CHECK;

#endif
