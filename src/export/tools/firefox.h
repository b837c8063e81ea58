/*
 * A profile of the Firefox Profiler while it is written: what its parts share. Inside the folder
 * alone; see export/tools/firefox.c.
 */
#ifndef TV_EXPORT_TOOLS_FIREFOX_H
#define TV_EXPORT_TOOLS_FIREFOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/memory/text_map.h"
#include "base/str.h"
#include "base/text/out.h"
#include "export/export_context.h"
#include "export/tools/firefox_categories.h"
#include "export/tools/shown_methods.h"
#include "export/walk/longest_calls.h"
#include "export/walk/segment_walk.h"

struct tv_firefox {
    struct tv_export_context *context;
    struct tv_out *out;
    struct tv_shown_methods methods;
    struct tv_segment_walk walk;
    struct tv_longest_calls longest;
    struct tv_firefox_categories categories;
    struct tv_text_map file_of_name; /* number of a source file */
    struct tv_str *files;            /* file_count of them, room for one per method */
    uint32_t *stack_of;              /* one per node of the index: its number; TV_NONE: not shown */
    uint32_t file_count;
    uint32_t stack_count;
    enum tv_clock axis;
    bool has_cpu; /* beside the axis */
};

static inline void tv_firefox_put(struct tv_firefox *profiling, struct tv_str text)
{
    tv_out_text(profiling->out, text);
}

static inline void tv_firefox_put_comma(struct tv_firefox *profiling, bool is_first)
{
    if (!is_first)
        tv_firefox_put(profiling, TV_STR(","));
}

/* The category of a method of the index. */
static inline unsigned tv_firefox_category_of(const struct tv_firefox *profiling,
                                              uint32_t method_ix)
{
    return tv_firefox_category(&profiling->categories,
                               &profiling->context->names.methods[method_ix]);
}

enum tv_code tv_firefox_put_quoted(struct tv_firefox *profiling, struct tv_str text,
                                   struct tv_error *err) TV_MUST_CHECK;
/* A column that has the same value in all rows. */
void tv_firefox_put_same(struct tv_firefox *profiling, struct tv_str key, struct tv_str value,
                         uint32_t count);
/* The number of a table's rows, and the end of the table. */
void tv_firefox_put_length(struct tv_firefox *profiling, uint32_t count);

/* What all threads share: strings, functions and stacks (firefox_shared.c). The source files of the
 * methods and the stacks have numbers before anything is written. */
enum tv_code tv_firefox_number_files(struct tv_firefox *profiling,
                                     struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_firefox_number_stacks(struct tv_firefox *profiling,
                                      struct tv_error *err) TV_MUST_CHECK;
enum tv_code tv_firefox_put_shared(struct tv_firefox *profiling,
                                   struct tv_error *err) TV_MUST_CHECK;
/* The threads with their samples and markers (firefox_threads.c). */
enum tv_code tv_firefox_put_threads(struct tv_firefox *profiling,
                                    struct tv_error *err) TV_MUST_CHECK;

#endif
