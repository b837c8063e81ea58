/*
 * From the names of a released build back to those of its source, for methods of a trace.
 *
 * A method trace has signatures, so overloads that a stack trace cannot tell apart are told apart
 * here: first by the residual signatures that R8 writes since version 2.2 of its files, then by the
 * signature in names of the source, and only where neither fits and the file does not tell all
 * signatures by the name alone. What was inlined
 * into a method is never entered, so no trace has it, and it is told beside the method that it runs
 * in; how lines were rewritten says nothing.
 *
 * For one thread at a time.
 */
#ifndef TV_RETRACE_RETRACE_H
#define TV_RETRACE_RETRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "retrace/name_mapping.h"

/* What a name rests on. */
enum tv_retrace_by {
    TV_RETRACE_BY_NOTHING,   /* the mapping does not know the class: nothing changes */
    TV_RETRACE_BY_CLASS,     /* it knows the class, and the method kept its name */
    TV_RETRACE_BY_SIGNATURE, /* one method has that name and signature */
    /* The trace has no signature, or the mapping does not tell all, and one method has that name.
     */
    TV_RETRACE_BY_NAME,
    TV_RETRACE_AMBIGUOUS /* several have that name: "save | load" */
};

/* A method as a trace has it. The class is written with points. */
struct tv_method_name {
    struct tv_str class_name, name, signature;
};

struct tv_retraced {
    enum tv_retrace_by by;
    bool is_synthesized;        /* the compiler made the method, so it is in no source */
    struct tv_method_name name; /* valid as long as the retracer, its file and what was asked */
    /* As an ambiguous name, but with all that it may be, where the name lists not all; else empty.
     */
    struct tv_str alternatives;
    /* The methods that were inlined into it, where the retracer tells them: lines of
     * "class.name signature", each once, sorted; else empty. */
    struct tv_str inlined;
};

/* Candidates that an ambiguous name lists; that there are more is said behind them. */
#define TV_RETRACE_MOST_NAMES 4u
/* Candidates that are listed beside an ambiguous name. R8 merges at most 30 classes into one. */
#define TV_RETRACE_MOST_ALTERNATIVES 32u

struct tv_retracer {
    const struct tv_alloc *alloc;
    struct tv_name_mapping mapping;
    struct tv_arena texts;
    struct tv_buffer scratch;
    bool tells_inlined; /* which costs, and is needed of a mapping that is chosen alone */
    /* Bytes that were told so: no more than twice the mapping has, since methods of a trace that
     * differ in nothing would repeat them. */
    uint64_t inlined_len;
    uint64_t
        bad_members; /* lines of members that could not be read, in classes that were asked for */
};

void tv_retracer_init(struct tv_retracer *retracer, const struct tv_alloc *alloc);
void tv_retracer_release(struct tv_retracer *retracer);
/* Opens a mapping file, whose text must outlive the retracer; fails as tv_name_mapping_open. */
enum tv_code tv_retracer_open(struct tv_retracer *retracer, struct tv_str text,
                              struct tv_error *err) TV_MUST_CHECK;
/* Releases the members of a class, of which no text may be in use. */
void tv_retracer_forget_members(struct tv_mapping_class *of);
/* Releases the names that were made so far; the mapping stays open. */
void tv_retracer_forget_names(struct tv_retracer *retracer);
/* The names of a method in the source. */
enum tv_code tv_retrace_method(struct tv_retracer *retracer, const struct tv_method_name *written,
                               struct tv_retraced *found, struct tv_error *err) TV_MUST_CHECK;
/* A signature with the classes' names in the source; what is no descriptor stays as it is. Valid as
 * long as the retracer and `written`. */
enum tv_code tv_retrace_signature(struct tv_retracer *retracer, struct tv_str written,
                                  struct tv_str *signature, struct tv_error *err) TV_MUST_CHECK;
/* The members of a class, which are read when they are first asked for. */
enum tv_code tv_retracer_members(struct tv_retracer *retracer, struct tv_mapping_class *of,
                                 const struct tv_class_members **members,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
