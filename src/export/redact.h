/*
 * Names that may not leave, replaced by hashes: what --redact does to everything that is written.
 *
 * A class in a kept package keeps its name, and its methods theirs. Of all others the package
 * becomes "p" and ten hexadecimal digits, the class "C" and ten, the method "m" and ten, so that
 * groups by package and by class stay what they were. The digits are the first of the SHA-256 of
 * the name (a package: "com.app"; a class: "com.app.Main"; a method: "com.app.Main.run"), or of its
 * HMAC with a key. So a name has the same hash in every file. Where two names of one file have the
 * same ten digits, the second one has more. Signatures keep their shape, and have the hashes of
 * their classes in them. Files and lines go, and names of threads but "main".
 *
 * A method that a mapping could not settle lists methods of other classes, too: of a kept class,
 * "run | com.app.Main.run" is hashed where com.app.Main is not kept.
 *
 * docs/export.md, "Redaction" says what this does not hide.
 */
#ifndef TV_EXPORT_REDACT_H
#define TV_EXPORT_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/map.h"
#include "base/str.h"
#include "format/write/write.h"

struct tv_export_method;

struct tv_redact_opts {
    /* Packages, separated by commas: "java.,android/". A package has the classes whose names begin
     * with it, up to the end of a part: "com.app" has com.app.Main, but not com.apple.Main. */
    struct tv_str keep;
    struct tv_str key; /* of the hashes; empty: whoever guesses a name can see that it is right */
};

struct tv_redactor {
    const struct tv_alloc *alloc;
    struct tv_redact_opts opts;
    struct tv_arena texts;         /* of replacements: they live as long as the redactor */
    struct tv_buffer class_name;   /* as Java writes it */
    struct tv_buffer name;         /* class and method, while they are hashed */
    struct tv_buffer signature;    /* while it is put together */
    struct tv_map hash_of_digits;  /* ordinal by kind and digits */
    struct tv_redact_hash *hashes; /* of all names so far */
    size_t hash_count, hash_cap;
};

/* The texts of the options are borrowed. */
void tv_redactor_init(struct tv_redactor *redactor, const struct tv_alloc *alloc,
                      const struct tv_redact_opts *opts);
void tv_redactor_release(struct tv_redactor *redactor);

/* Replaces what the method's parts may not say. */
enum tv_code tv_redact_method(struct tv_redactor *redactor, struct tv_export_method *method,
                              struct tv_error *err) TV_MUST_CHECK;
/* Replaces the name of a thread by what it is and its id: "thread 12". */
enum tv_code tv_redact_thread(struct tv_redactor *redactor, uint32_t id, struct tv_str *name,
                              struct tv_error *err) TV_MUST_CHECK;
/* Replaces the name of a process by what it is and a number. */
enum tv_code tv_redact_process(struct tv_redactor *redactor, uint32_t number, struct tv_str *name,
                               struct tv_error *err) TV_MUST_CHECK;
/* The redacted names that `convert` writes; they borrow the redactor. */
struct tv_write_names tv_redact_written(struct tv_redactor *redactor);
/* Whether a property of the trace is about its clocks, and says what such properties do. */
bool tv_redact_keeps_property(struct tv_str key, struct tv_str value);

#endif
