/*
 * Names of a mapping looked up by people who write filters: from the build to the source, and from
 * the source to the build.
 */
#ifndef TV_RETRACE_NAME_LOOKUP_H
#define TV_RETRACE_NAME_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/str.h"
#include "retrace/retrace.h"

enum tv_found_kind {
    TV_FOUND_CLASS,
    TV_FOUND_METHOD,
    TV_FOUND_INLINED,     /* into the method of that written name: no trace shows it */
    TV_FOUND_SYNTHESIZED, /* the compiler made the method, so it is in no source */
};

/* A class or a method; texts are valid as long as the retracer and its file. */
struct tv_found_name {
    enum tv_found_kind kind;
    struct tv_str written_class, written_name; /* in the build; of a class the name is empty */
    struct tv_method_name source;              /* with a descriptor, in names of the source */
};

struct tv_found_names {
    const struct tv_alloc *alloc;
    struct tv_found_name *of; /* by class in the order of the file */
    size_t count, cap;
};

void tv_found_names_init(struct tv_found_names *names, const struct tv_alloc *alloc);
void tv_found_names_release(struct tv_found_names *names);
/* Adds what a name stands for, in either direction: a class, or a method with its class before it.
 * A method may have its signature behind it, after a blank or none, in any spelling that a verb
 * shows: as the build or the source has it, or "(int, Item)". Where no class of that whole name has
 * such a method, the class may be the end of a name of the source: "Store.save". */
enum tv_code tv_found_names_add(struct tv_found_names *names, struct tv_retracer *retracer,
                                struct tv_str name, struct tv_error *err) TV_MUST_CHECK;

#endif
