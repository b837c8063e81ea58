/*
 * The categories that the Firefox Profiler colours the time of a thread by, as its own importer of
 * method traces gives them: what a thread does while it is idle, what it waits in, code of the
 * platform by package, and the package that most methods of the trace are of, which mostly is the
 * app's own.
 */
#ifndef TV_EXPORT_TOOLS_FIREFOX_CATEGORIES_H
#define TV_EXPORT_TOOLS_FIREFOX_CATEGORIES_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/json.h"
#include "export/names.h"

struct tv_firefox_categories {
    struct tv_str own; /* a part of a package's name: "example"; empty: no method has one */
};

/* Finds the package that most methods are of. The categories borrow their texts from the names. */
enum tv_code tv_firefox_categories_find(struct tv_firefox_categories *categories,
                                        const struct tv_export_names *names,
                                        const struct tv_alloc *alloc,
                                        struct tv_error *err) TV_MUST_CHECK;
/* The number of a method's category. */
unsigned tv_firefox_category(const struct tv_firefox_categories *categories,
                             const struct tv_export_method *method);
/* Writes the list of the categories. */
void tv_firefox_categories_put(const struct tv_firefox_categories *categories,
                               struct tv_json *json);

#endif
