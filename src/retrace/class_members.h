/*
 * The methods of one class of a mapping file, sorted by their names in the released build, so that
 * a method is found in steps of a binary search, however many methods have one name.
 */
#ifndef TV_RETRACE_CLASS_MEMBERS_H
#define TV_RETRACE_CLASS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/arena.h"
#include "base/str.h"

struct tv_mapping_class;

struct tv_mapped_method {
    struct tv_str written;    /* its name in the released build */
    struct tv_str class_name; /* the class that it comes from; empty: the class that it stands in */
    struct tv_str name;       /* in the source */
    struct tv_str signature;  /* a descriptor, in names of the source */
    struct tv_str residual; /* a descriptor in names of the released build, where the file has it */
    /* Whether it was inlined into the method whose line stands below. */
    bool is_inlined;
    bool is_synthesized; /* the compiler made the method, so it is in no source */
    bool is_dropped;     /* while a class is read: lines of a method that is there already */
    /* The last of what was inlined into it, from 1: a place in the members' `inlined`; 0: nothing
     * was. */
    uint32_t last_inlined;
};

/* A method of the source that runs as a part of another one of the build, too. */
struct tv_inlined_method {
    struct tv_str class_name; /* empty: the class that the lines stand in */
    struct tv_str name, signature;
    uint32_t before; /* the one before it in the same method, from 1; 0: it is the first */
};

struct tv_class_members {
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    /* Sorted by written name, then those without a residual signature first; then by the signature
     * that a trace is compared with, then those that were not inlined first, then by class and
     * name in the source. Each stands there once, however many lines the file has of it. */
    struct tv_mapped_method *methods;
    size_t count, cap;
    struct tv_inlined_method *inlined; /* by method, as chains; some stand there more than once */
    size_t inlined_count, inlined_cap;
    uint64_t bad_lines;
    bool is_synthesized; /* the class: the compiler made it */
};

/* Reads the bodies of a class. The members are views of these, which must outlive them. */
enum tv_code tv_class_members_new(struct tv_class_members **members,
                                  const struct tv_mapping_class *of, const struct tv_alloc *alloc,
                                  struct tv_error *err) TV_MUST_CHECK;
void tv_class_members_free(struct tv_class_members *members);

/* The methods of that written name, from *first on; returns how many. */
size_t tv_class_members_named(const struct tv_class_members *members, struct tv_str written,
                              size_t *first);
/* Which signature a method is looked up by: as the trace has it, or in names of the source. */
enum tv_signature_of { TV_SIGNATURE_OF_SOURCE, TV_SIGNATURE_OF_BUILD };
/* The first method of that written name and signature that can be entered; NULL: there is none. */
const struct tv_mapped_method *tv_class_members_find(const struct tv_class_members *members,
                                                     struct tv_str written,
                                                     enum tv_signature_of which,
                                                     struct tv_str signature);
/* The next one of the same name and signature that can be entered; NULL: there is none. */
const struct tv_mapped_method *tv_class_members_next(const struct tv_class_members *members,
                                                     const struct tv_mapped_method *method);

#endif
