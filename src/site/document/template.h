/*
 * Templates: files of HTML with holes, which stand in the binary (html/, template_list.inc).
 *
 *   {{name}}                     a text, escaped as its place needs it
 * (site/document/escape_context.h)
 *   {{#name}} ... {{/name}}      only where something is so or a text is not empty; once for each
 *                                row, if the name is one of rows
 *   {{^name}} ... {{/name}}      only where it is not so, is empty, or has no rows
 *   {{>name}}                    another template
 *   {{! words }}                 a comment, which is in no document
 *
 * These are tags of Mustache (mustache(5)) without those that would not be escaped. A line that has
 * nothing but one of the last four is not in the document. Names are small letters and "_".
 *
 * Scopes give names their meaning: each scope is a row of some kind, and rows inside it are further
 * scopes. A name is looked up from the innermost scope on. Each part between a # or ^ and its end
 * begins and ends in the same place of the markup.
 */
#ifndef TV_SITE_DOCUMENT_TEMPLATE_H
#define TV_SITE_DOCUMENT_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/out.h"

/* The most names of a kind of row. */
#define TV_TEMPLATE_NAMES_MOST 32u
/* Room for a text that is made of numbers. */
#define TV_TEMPLATE_ROOM 64u

/* What a name stands for in one row. A member that is not set is empty, or false. */
struct tv_template_value {
    struct tv_str text;
    bool is_so;
    const void *rows; /* an array of structs of the kind */
    size_t row_count;
    char room[TV_TEMPLATE_ROOM]; /* `text` may stand here */
};

enum tv_template_means { TV_TEMPLATE_TEXT, TV_TEMPLATE_TRUTH, TV_TEMPLATE_ROWS };

struct tv_template_name {
    const char *name;
    enum tv_template_means means;
    const struct tv_template_kind *rows;
};

/* A kind of row: the struct of a row, and the names that templates have for its parts. */
struct tv_template_kind {
    const struct tv_template_name *names;
    size_t name_count;
    size_t row_size;
    /* Sets values[i] to what names[i] stands for; the values are empty before. */
    void (*fill)(const void *row, struct tv_template_value *values);
};

struct tv_template {
    const char *name;
    struct tv_str markup;
};

/* Templates, which may include each other. */
#define TV_TEMPLATES_MOST 32u
struct tv_templates {
    struct tv_template all[TV_TEMPLATES_MOST];
    size_t count;
};

/* The most outer scopes that a document can have. */
#define TV_TEMPLATE_SCOPES_MOST 4u

/* Writes the template of that name. rows[i] is the row of kinds[i], from the outermost scope on. A
 * template with a mistake fails with TV_ERR_FORMAT, and leaves half a document in `out`. */
enum tv_code tv_template_write(struct tv_out *out, const struct tv_templates *templates,
                               const char *name, const struct tv_template_kind *const *kinds,
                               const void *const *rows, size_t scope_count,
                               struct tv_error *err) TV_MUST_CHECK;
/* Checks a template and the templates inside it: every name has a meaning, and every hole stands in
 * a place where a text may be. A template that passes can be written with any rows. */
enum tv_code tv_template_check(const struct tv_templates *templates, const char *name,
                               const struct tv_template_kind *const *kinds, size_t scope_count,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
