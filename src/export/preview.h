/*
 * What redaction will do to a part of a trace, for its owner to look at before anything leaves:
 * which packages keep their names, what the others become, and what is left out.
 *
 * Only methods with calls in the part are counted. The preview itself shows every original name.
 */
#ifndef TV_EXPORT_PREVIEW_H
#define TV_EXPORT_PREVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/pool.h"
#include "base/str.h"
#include "export/export.h"
#include "export/names.h"
#include "index/index.h"

/* The methods of one package; "" has the methods without a package, and names without a class. A
 * package of which only some methods keep their names has two rows. */
struct tv_preview_package {
    struct tv_str name;
    bool is_kept;
    uint32_t methods;
    uint32_t example; /* the method of lowest ordinal: names.methods[example] is what it becomes */
};

struct tv_preview {
    const struct tv_alloc *alloc;
    struct tv_export_names names;        /* redacted, of the whole index */
    struct tv_preview_package *packages; /* kept ones first, then by number of methods, by name */
    size_t package_count, package_cap;
    uint32_t methods_kept, methods_replaced;
    uint32_t files_left_out; /* methods that tell their source file */
    uint32_t threads_kept, threads_replaced;
    uint32_t processes_replaced;
    uint32_t properties_kept, properties_left_out;
};

void tv_preview_init(struct tv_preview *preview, const struct tv_alloc *alloc);
void tv_preview_release(struct tv_preview *preview);
/* opts->redact must be set; the index and the texts of opts are borrowed. pool may be NULL. */
enum tv_code tv_preview_make(struct tv_preview *preview, const struct tv_index *index,
                             const struct tv_export_opts *opts, const struct tv_pool *pool,
                             struct tv_error *err) TV_MUST_CHECK;

#endif
