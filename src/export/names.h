/*
 * Names as exports write them. Every format takes names from here and from nowhere else, so that
 * what is decided about names holds for all of them.
 *
 * A text is any bytes of the trace: it may be invalid UTF-8 and have line ends in it. It lives as
 * long as the names and the index do.
 */
#ifndef TV_EXPORT_NAMES_H
#define TV_EXPORT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "export/redact.h"
#include "index/index.h"

struct tv_export_method {
    struct tv_str class_name; /* "com.example.Main"; empty where the trace tells none */
    struct tv_str name;      /* "onCreate"; "(0x1234)" of a method that the trace does not describe;
                                empty where the trace tells only a class */
    struct tv_str signature; /* "(I)V" */
    struct tv_str file;      /* of its source; empty where the trace tells none */
    int32_t line;            /* above 0: its first line; else not known */
};

struct tv_export_property {
    struct tv_str key, value;
};

struct tv_export_names {
    const struct tv_alloc *alloc;
    struct tv_arena texts;       /* of names that do not stand in the index */
    struct tv_redactor redactor; /* where names are redacted: of their replacements */
    struct tv_str file;          /* of the trace, for titles */
    uint64_t other_pid;          /* of threads whose process the trace does not tell; never 0 */
    struct tv_export_method *methods; /* one per method of the index */
    struct tv_str *threads;   /* one per thread of the index: its name, which may be empty */
    struct tv_str *processes; /* the same of processes */
    struct tv_export_property *properties; /* of the trace, in its order */
    uint32_t method_count;
    uint32_t thread_count;
    uint32_t process_count;
    uint32_t property_count; /* those that are exported */
    uint32_t property_room;
    bool
        is_redacted; /* names are replaced, and nothing else may tell who made the trace, or when */
};

void tv_export_names_init(struct tv_export_names *names, const struct tv_alloc *alloc);
void tv_export_names_release(struct tv_export_names *names);
/* `file` is the name of the trace's file. `redact` may be NULL: then names are those of the trace.
 * The texts of both are borrowed. */
enum tv_code tv_export_names_make(struct tv_export_names *names, const struct tv_index *index,
                                  struct tv_str file, const struct tv_redact_opts *redact,
                                  struct tv_error *err) TV_MUST_CHECK;

/* The id of the process that a thread is of: the trace's own, unless it tells several apart. Where
 * names are redacted it is a number from 1, whatever the trace says. */
uint64_t tv_export_pid(const struct tv_export_names *names, const struct tv_index *index,
                       uint32_t thread_ix);
/* The id of the process of a thread, for readers that need one: if the trace has none, the id of
 * the main thread, which on Linux is the id of the process, else 1. Never 0, which readers take for
 * the kernel's. */
uint64_t tv_export_shown_pid(const struct tv_export_names *names, const struct tv_index *index,
                             uint32_t thread_ix);
/* The name of a thread's process, and that of the trace's file where the trace tells none. */
struct tv_str tv_export_process_name(const struct tv_export_names *names,
                                     const struct tv_index *index, uint32_t thread_ix);

/* Replaces `out` by a thread's name, or where it has none by "thread 12", with its id. */
enum tv_code tv_export_thread_label(const struct tv_export_names *names,
                                    const struct tv_index *index, uint32_t thread_ix,
                                    struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;
/* Replaces `out` by "class.name": what tools show that do not tell overloads apart. */
enum tv_code tv_export_short_name(const struct tv_export_method *method, struct tv_buffer *out,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Replaces `out` by "class.name signature". */
enum tv_code tv_export_whole_name(const struct tv_export_method *method, struct tv_buffer *out,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
