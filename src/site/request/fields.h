/*
 * What an uploader says of a trace: its title, labels, expiry and so on. They are fields of a form,
 * or parameters of a query, by the same names; docs/site-api.md lists them. Nothing in a value is
 * trusted: texts are cut to what the store takes and lose what would spoil a terminal or a header,
 * and a name is never a path.
 */
#ifndef TV_SITE_REQUEST_FIELDS_H
#define TV_SITE_REQUEST_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "store/store_db.h"

/* A text whose `at` is NULL, and whatever its has_ denies, was not given. */
struct tv_fields {
    struct tv_arena *arena; /* of the texts; not owned */
    struct tv_str file, title, note;
    struct tv_label labels[TV_STORE_LABELS_MOST]; /* an empty value takes a label away */
    size_t label_count;
    bool has_expires;
    uint64_t expires_in_s; /* TV_NEVER: it stays */
    bool has_raw_shared, is_raw_shared;
    bool has_listed, is_listed;
    bool has_rows;
    enum tv_counting counting;
    bool has_names, keeps_names;  /* of a trace: its names are those of its file */
    bool is_mapping;              /* what is uploaded is a mapping of names */
    bool has_for_all, is_for_all; /* of a mapping: it is for the traces of all */
    bool wants_page;              /* a browser's form: the answer is a page, not a redirect */
    bool has_bytes;               /* the length of an upload that begins */
    uint64_t bytes;
    struct tv_str secret, owner_token; /* of a form, which can send no header */
    struct tv_str action;              /* the button of the owner's form */
};

void tv_fields_init(struct tv_fields *fields, struct tv_arena *arena);
/* Takes the value of one field. TV_ERR_NOT_FOUND: no field has that name. TV_ERR_ARGUMENT: the
 * value makes no sense. */
enum tv_code tv_fields_take(struct tv_fields *fields, struct tv_str name, struct tv_str value,
                            struct tv_error *err) TV_MUST_CHECK;
/* Takes all of a query, or of a body of application/x-www-form-urlencoded. An unknown name is
 * TV_ERR_ARGUMENT: misspelt, it would change nothing, and nobody would see it. */
enum tv_code tv_fields_take_query(struct tv_fields *fields, struct tv_str query,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Takes the name of a file as a client gave it: what stands behind the last slash or backslash. It
 * counts only where `file` was not given. */
enum tv_code tv_fields_take_file_name(struct tv_fields *fields, struct tv_str name,
                                      struct tv_error *err) TV_MUST_CHECK;

/* When a trace expires by what was asked for and by what the site allows; 0: never. */
int64_t tv_fields_expiry(const struct tv_fields *fields, uint64_t usual_s, uint64_t most_s,
                         int64_t now);

#endif
