/*
 * Where in markup a byte stands, so that what is put there can be escaped as that place needs it.
 * The reader takes a strict HTML: names in ASCII letters, digits and dashes, values of attributes
 * in double quotes, no comments. What is not like that is broken from there on, and takes nothing.
 *
 * Text of others may stand
 *   - in the text of an element, but of none whose text is no text (a script, a style);
 *   - in a quoted attribute that is known to be text, or an address. Others are refused, since
 *     there is no end to what acts: style, onclick, srcdoc.
 * An address with text of others in it cannot lead to another site: it begins with a path of this
 * one, and each further text is one part of the path or of the query.
 */
#ifndef TV_SITE_DOCUMENT_ESCAPE_CONTEXT_H
#define TV_SITE_DOCUMENT_ESCAPE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text/out.h"

#define TV_ESCAPE_NAME_CAP 24u

enum tv_escape_context_state {
    TV_ESCAPE_TEXT,
    TV_ESCAPE_LINES,       /* text of a textarea, which keeps its lines */
    TV_ESCAPE_RAW,         /* of an element whose text is no text */
    TV_ESCAPE_DECLARATION, /* <!DOCTYPE */
    TV_ESCAPE_ELEMENT,     /* the name of a tag */
    TV_ESCAPE_TAG,         /* between attributes */
    TV_ESCAPE_ATTRIBUTE,   /* the name of one */
    TV_ESCAPE_EQUALS,      /* its value comes */
    TV_ESCAPE_VALUE,
    TV_ESCAPE_BROKEN,
};

/* All zero is the beginning of a file. Two places that are alike are equal byte by byte, but for
 * what they are broken by. */
struct tv_escape_context {
    enum tv_escape_context_state state;
    char element[TV_ESCAPE_NAME_CAP]; /* inside a tag, and in text that is raw; else "" */
    char attribute[TV_ESCAPE_NAME_CAP];
    bool is_end_tag;
    uint8_t matched; /* bytes of the end tag that ends raw text */
    /* Of an address: */
    bool has_hole;       /* something was put into it */
    bool leads_away;     /* it does not begin with one slash, "?" or "#" */
    uint8_t address_len; /* bytes of the template in it, at most 2 */
};

/* Goes over markup. */
void tv_escape_context_pass(struct tv_escape_context *place, struct tv_str markup);
bool tv_escape_context_is_equal(const struct tv_escape_context *a,
                                const struct tv_escape_context *b);
/* The name of an attribute without a value ends here, since `next` follows. */
void tv_escape_context_end_attribute(struct tv_escape_context *place, char next);
/* Why no text of others may stand here; NULL: it may. */
const char *tv_escape_context_fault(const struct tv_escape_context *place);
/* Puts text of others here, escaped; there is no fault. `out` NULL: only goes over it. */
void tv_escape_context_put(struct tv_escape_context *place, struct tv_out *out, struct tv_str text);

#endif
