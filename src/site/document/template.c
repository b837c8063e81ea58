/*
 * One pass over a template; see site/document/template.h.
 *
 * The pass copies markup to the output, follows the place that it is in (escape_context.h), and at
 * each tag fills a hole, enters or leaves a section, or goes into another template. Sections and
 * templates inside others are levels of a stack of fixed size, so nothing is allocated. Names are
 * looked up from the innermost row outwards. A check is the same pass without rows, in which every
 * section is entered once: what a check accepts cannot fail with rows.
 */
#include "site/document/template.h"

#include <string.h>

#include "site/document/escape_context.h"

#define LEVELS_MOST 12u
#define SCOPES_MOST (TV_TEMPLATE_SCOPES_MOST + 3u)

struct scope {
    const struct tv_template_kind *kind;
    struct tv_template_value values[TV_TEMPLATE_NAMES_MOST];
};

/* A template, or a section of one. */
struct level {
    const struct tv_template *file; /* the file that goes on after this template; NULL: a section */
    size_t back;        /* where that file goes on, or where the section's body begins */
    struct tv_str name; /* of a section */
    struct tv_escape_context place;      /* where a section begins */
    size_t scope_count;                  /* outside */
    const struct tv_template_kind *kind; /* of rows; NULL: a condition */
    const char *row;
    size_t rows_left; /* behind this one */
};

struct tag {
    char sign; /* # ^ / > ! or a space for a hole */
    struct tv_str name;
    size_t begin, end; /* with the line that it has alone */
};

struct walk {
    struct tv_out *out; /* NULL: a check */
    const struct tv_templates *templates;
    const struct tv_template *file;
    size_t at;
    struct tv_escape_context place;
    struct level levels[LEVELS_MOST];
    size_t level_count;
    struct scope scopes[SCOPES_MOST];
    size_t scope_count;
    struct tv_error *err;
};

static enum tv_code fail(struct walk *walk, const char *why, struct tv_str what)
{
    unsigned line = 1;
    for (size_t i = 0; i < walk->at && i < walk->file->markup.len; i++)
        line += walk->file->markup.at[i] == '\n';
    return tv_fail(walk->err, TV_ERR_FORMAT, TV_NO_OFFSET, "%s.html, line %u: %s: %.*s",
                   walk->file->name, line, why, tv_str_shown_len(what), what.at ? what.at : "");
}

/* Without an output the template is only checked, and there is no row that could fill the scope. */
static void fill_scope(struct walk *walk, struct scope *scope, const struct tv_template_kind *kind,
                       const void *row)
{
    tv_assert(kind->name_count <= TV_TEMPLATE_NAMES_MOST);
    scope->kind = kind;
    if (!walk->out)
        return;
    memset(scope->values, 0, kind->name_count * sizeof(scope->values[0]));
    kind->fill(row, scope->values);
}

/* From the innermost section outwards, as names in a program are found. */
static const struct tv_template_name *find(const struct walk *walk, struct tv_str name,
                                           const struct tv_template_value **value)
{
    for (size_t i = walk->scope_count; i-- > 0;) {
        const struct scope *scope = &walk->scopes[i];
        for (size_t j = 0; j < scope->kind->name_count; j++) {
            *value = &scope->values[j];
            if (tv_str_equal(tv_str_from(scope->kind->names[j].name), name))
                return &scope->kind->names[j];
        }
    }
    return NULL;
}

static const struct tv_template *find_template(const struct tv_templates *templates,
                                               struct tv_str name)
{
    for (size_t i = 0; i < templates->count; i++) {
        if (tv_str_equal(tv_str_from(templates->all[i].name), name))
            return &templates->all[i];
    }
    return NULL;
}

/* --- tags --- */

static bool is_name(struct tv_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if ((name.at[i] < 'a' || name.at[i] > 'z') && name.at[i] != '_')
            return false;
    }
    return name.len > 0;
}

/* A tag that is no hole and stands alone on its line takes the whole line with it, so that no empty
 * lines are written. */
static void take_line(struct tv_str markup, struct tag *tag)
{
    size_t begin = tag->begin;
    while (begin && markup.at[begin - 1] == ' ')
        begin--;
    if ((begin && markup.at[begin - 1] != '\n') || tag->end == markup.len ||
        markup.at[tag->end] != '\n')
        return;
    tag->begin = begin;
    tag->end++;
}

/* A tag that stands alone on its line takes the line with it, so that documents have no empty
 * lines. */
static enum tv_code read_tag(struct walk *walk, size_t begin, struct tag *tag)
{
    struct tv_str markup = walk->file->markup;
    struct tv_str rest = {markup.at + begin + 2, markup.len - begin - 2};
    size_t len = tv_str_find(rest, TV_STR("}}"), TV_CASE_EXACT);
    if (len == SIZE_MAX)
        return fail(walk, "a tag has no end", TV_STR(""));
    *tag = (struct tag){' ', {rest.at, len}, begin, begin + len + 4};
    if (len && rest.at[0] && strchr("#^/>!", rest.at[0])) {
        tag->sign = rest.at[0];
        tag->name = (struct tv_str){rest.at + 1, len - 1};
        take_line(markup, tag);
    }
    if (tag->sign != '!' && !is_name(tag->name))
        return fail(walk, "this is no name", tag->name);
    return TV_OK;
}

/* The next tag at or behind `from`. is_there is false at the end of the template. */
static enum tv_code next_tag(struct walk *walk, size_t from, struct tag *tag, bool *is_there)
{
    struct tv_str markup = walk->file->markup;
    struct tv_str rest = {markup.at + from, markup.len - from};
    size_t at = tv_str_find(rest, TV_STR("{{"), TV_CASE_EXACT);
    *is_there = at != SIZE_MAX;
    return *is_there ? read_tag(walk, from + at, tag) : TV_OK;
}

/* --- levels --- */

static enum tv_code push(struct walk *walk, const struct level *level)
{
    if (walk->level_count == LEVELS_MOST)
        return fail(walk, "this is too deep", level->name);
    walk->levels[walk->level_count++] = *level;
    return TV_OK;
}

/* A part may stand only between elements: its own markup is checked as if it began a document. */
static enum tv_code enter_template(struct walk *walk, struct tv_str name)
{
    const struct tv_template *file = find_template(walk->templates, name);
    if (!file)
        return fail(walk, "no template has this name", name);
    if (walk->place.state != TV_ESCAPE_TEXT)
        return fail(walk, "a template stands between elements", name);
    TV_TRY(push(walk, &(struct level){.file = walk->file, .back = walk->at, .name = name}));
    walk->file = file;
    walk->at = 0;
    return TV_OK;
}

/* At the end of a template, the file that named it goes on. */
static enum tv_code leave_template(struct walk *walk)
{
    const struct level *level = &walk->levels[walk->level_count - 1];
    if (!level->file)
        return fail(walk, "this part has no end", level->name);
    if (walk->place.state != TV_ESCAPE_TEXT)
        return fail(walk, "the template ends inside of a tag", level->name);
    walk->file = level->file;
    walk->at = level->back;
    walk->level_count--;
    return TV_OK;
}

/* Passes over a section; of what is in it, only the tags are looked at. */
static enum tv_code skip(struct walk *walk, struct tv_str name)
{
    struct tag tag;
    size_t depth = 1;
    while (depth) {
        bool is_there;
        TV_TRY(next_tag(walk, walk->at, &tag, &is_there));
        if (!is_there)
            return fail(walk, "this part has no end", name);
        walk->at = tag.end;
        depth += tag.sign == '#' || tag.sign == '^';
        depth -= tag.sign == '/';
    }
    return TV_OK;
}

/* Whether a section is entered: a text that is not empty, a truth, or rows that there are; the sign
 * ^ turns it round. A check enters all. */
static bool is_shown(const struct walk *walk, char sign, const struct tv_template_name *name,
                     const struct tv_template_value *value)
{
    bool is_so = false;
    if (!walk->out)
        return true;
    switch (name->means) {
    case TV_TEMPLATE_TEXT:
        is_so = value->text.len > 0;
        break;
    case TV_TEMPLATE_TRUTH:
        is_so = value->is_so;
        break;
    case TV_TEMPLATE_ROWS:
        is_so = value->row_count > 0;
        break;
    }
    return is_so == (sign == '#');
}

/* Enters a section. Its place is noted, since a section must end where it began: it may be left
 * out, or repeated. */
static enum tv_code enter_section(struct walk *walk, const struct tag *tag)
{
    const struct tv_template_value *value = NULL;
    const struct tv_template_name *name = find(walk, tag->name, &value);
    if (!name)
        return fail(walk, "nothing has this name", tag->name);
    if (!is_shown(walk, tag->sign, name, value))
        return skip(walk, tag->name);
    struct level level = {.back = walk->at,
                          .name = tag->name,
                          .place = walk->place,
                          .scope_count = walk->scope_count};
    if (name->means == TV_TEMPLATE_ROWS && tag->sign == '#') {
        level.kind = name->rows;
        level.row = walk->out ? value->rows : NULL;
        level.rows_left = walk->out ? value->row_count - 1 : 0;
        if (walk->scope_count == SCOPES_MOST)
            return fail(walk, "this is too deep", tag->name);
        fill_scope(walk, &walk->scopes[walk->scope_count++], level.kind, level.row);
    }
    return push(walk, &level);
}

/* Ends a section, or begins it again with the next row. */
static enum tv_code leave_section(struct walk *walk, const struct tag *tag)
{
    struct level *level = &walk->levels[walk->level_count - 1];
    struct tv_str markup = walk->file->markup;
    if (level->file || !tv_str_equal(level->name, tag->name))
        return fail(walk, "this ends nothing", tag->name);
    tv_escape_context_end_attribute(&walk->place,
                                    tag->end < markup.len ? markup.at[tag->end] : '\0');
    if (!tv_escape_context_is_equal(&walk->place, &level->place))
        return fail(walk, "this part ends in another place than it begins in", tag->name);
    if (level->rows_left) {
        level->rows_left--;
        level->row += level->kind->row_size;
        fill_scope(walk, &walk->scopes[level->scope_count], level->kind, level->row);
        walk->at = level->back;
        return TV_OK;
    }
    walk->scope_count = level->scope_count;
    walk->level_count--;
    return TV_OK;
}

/* --- the pass --- */

/* The context decides how the text is escaped; whoever writes templates cannot choose, and so
 * cannot forget it. */
static enum tv_code fill_hole(struct walk *walk, const struct tag *tag)
{
    const struct tv_template_value *value = NULL;
    const struct tv_template_name *name = find(walk, tag->name, &value);
    const char *fault = tv_escape_context_fault(&walk->place);
    if (!name || name->means != TV_TEMPLATE_TEXT)
        return fail(walk, name ? "this is no text" : "nothing has this name", tag->name);
    if (fault)
        return fail(walk, fault, tag->name);
    tv_escape_context_put(&walk->place, walk->out, value->text);
    return TV_OK;
}

/* The next character that is read is the one behind the tag. */
static enum tv_code take_tag(struct walk *walk, const struct tag *tag)
{
    walk->at = tag->end;
    switch (tag->sign) {
    case '#':
    case '^':
        return enter_section(walk, tag);
    case '/':
        return leave_section(walk, tag);
    case '>':
        return enter_template(walk, tag->name);
    case '!':
        return TV_OK;
    default:
        return fill_hole(walk, tag);
    }
}

static void pass(struct walk *walk, size_t end)
{
    struct tv_str markup = {walk->file->markup.at + walk->at, end - walk->at};
    if (walk->out)
        tv_out_text(walk->out, markup);
    tv_escape_context_pass(&walk->place, markup);
    walk->at = end;
}

/* The outermost rows are the scopes that every name is found in at last. The template is entered
 * from an empty one, so that its end is the end of the last level. */
static enum tv_code run(struct walk *walk, const char *name,
                        const struct tv_template_kind *const *kinds, const void *const *rows,
                        size_t scope_count)
{
    static const struct tv_template none = {"page", {"", 0}};
    tv_assert(scope_count <= TV_TEMPLATE_SCOPES_MOST);
    while (walk->scope_count < scope_count) {
        size_t i = walk->scope_count++;
        fill_scope(walk, &walk->scopes[i], kinds[i], rows ? rows[i] : NULL);
    }
    walk->file = &none;
    TV_TRY(enter_template(walk, tv_str_from(name)));
    while (walk->level_count) {
        struct tag tag;
        bool is_there;
        TV_TRY(next_tag(walk, walk->at, &tag, &is_there));
        pass(walk, is_there ? tag.begin : walk->file->markup.len);
        TV_TRY(is_there ? take_tag(walk, &tag) : leave_template(walk));
    }
    return TV_OK;
}

enum tv_code tv_template_write(struct tv_out *out, const struct tv_templates *templates,
                               const char *name, const struct tv_template_kind *const *kinds,
                               const void *const *rows, size_t scope_count, struct tv_error *err)
{
    struct walk walk = {.out = out, .templates = templates, .err = err};
    return run(&walk, name, kinds, rows, scope_count);
}

enum tv_code tv_template_check(const struct tv_templates *templates, const char *name,
                               const struct tv_template_kind *const *kinds, size_t scope_count,
                               struct tv_error *err)
{
    struct walk walk = {.templates = templates, .err = err};
    return run(&walk, name, kinds, NULL, scope_count);
}
