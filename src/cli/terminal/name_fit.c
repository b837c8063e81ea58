/*
 * Cutting names of methods to a width; see cli/terminal/name_fit.h. What people know a method by is
 * its class and its own name, so these stay longest: first packages go from the left, then
 * parameters become an ellipsis, then the classes around a class go, and only then the name itself
 * is cut, from the left.
 *
 * Widths are columns of the terminal, not bytes or characters: each cut is at the edge of a
 * character (tv_text_next()).
 */
#include "cli/terminal/name_fit.h"

#include "base/names/java_names.h"

/* A name in its parts, each with the separator behind it. */
struct parts {
    struct tv_str package; /* "java.util." */
    struct tv_str own;     /* "FutureTask.run" */
    struct tv_str params;  /* "(Callable)" */
};

/* Where the last point of a text stands, or SIZE_MAX. */
static size_t last_point(struct tv_str text)
{
    size_t at = text.len;
    while (at && text.at[at - 1] != '.')
        at--;
    return at ? at - 1 : SIZE_MAX;
}

static struct tv_str from(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at + at, text.len - at};
}

static struct tv_str up_to(struct tv_str text, size_t at)
{
    return (struct tv_str){text.at, at};
}

/* A name without its parameters. */
static struct tv_str path_of(struct tv_str name)
{
    size_t bracket = tv_str_find(name, TV_STR("("), TV_CASE_EXACT);
    return bracket == SIZE_MAX || !bracket ? name : up_to(name, bracket);
}

/* The ".0x00007f0594001850" of "Outer$$Lambda$7.0x00007f0594001850.run()", by which a virtual
 * machine tells hidden classes apart; empty: the name has none. */
static struct tv_str address_of(struct tv_str name)
{
    size_t end = last_point(path_of(name));
    struct tv_str class_name = up_to(name, end == SIZE_MAX ? 0 : end);
    return from(class_name, tv_java_class_named_len(class_name));
}

/* A name without points is its own part whole. An address belongs to the class before it. */
static struct parts split(struct tv_str name)
{
    struct tv_str path = path_of(name);
    struct tv_str address = address_of(name);
    struct parts parts = {.params = from(name, path.len)};
    size_t method = address.len ? (size_t)(address.at - name.at) : last_point(path);
    size_t class = method == SIZE_MAX ? SIZE_MAX : last_point(up_to(path, method));
    size_t package_len = class == SIZE_MAX ? 0 : class + 1;
    parts.package = up_to(path, package_len);
    parts.own = from(path, package_len);
    return parts;
}

static struct tv_str ellipsis(const struct tv_terminal *terminal)
{
    return terminal->has_drawing ? TV_STR("\u2026") : TV_STR("..");
}

/* A style around nothing would only be bytes. */
static void add_styled(struct tv_text *out, const struct tv_terminal *terminal, enum tv_style style,
                       struct tv_str text)
{
    if (!text.len)
        return;
    tv_text_add(out, "%s", tv_terminal_style(terminal, style));
    tv_text_add_str(out, text);
    tv_text_add(out, "%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
}

/* Takes whole packages from the left until the rest fits beside the ellipsis; empty where nothing
 * fits. */
static struct tv_str shorter_package(struct tv_str package, size_t width, size_t ellipsis_width)
{
    while (package.len && tv_text_width(package) + ellipsis_width > width)
        package = from(package, tv_str_find(package, TV_STR("."), TV_CASE_EXACT) + 1);
    return package;
}

/* Takes the classes around a class from the left, "Outer$" of "Outer$Inner.run", until the rest
 * fits; the text itself where it does not. */
static struct tv_str inner_class(struct tv_str own, size_t width)
{
    struct tv_str rest = own;
    while (tv_text_width(rest) > width) {
        size_t at = tv_str_find(rest, TV_STR("$"), TV_CASE_EXACT);
        size_t point = last_point(rest);
        if (at == SIZE_MAX || point == SIZE_MAX || at + 1 >= point)
            return own;
        rest = from(rest, at + 1);
    }
    return rest;
}

/* The longest end of a text that takes at most `width` columns. It begins with a character that has
 * a width: no accent of a letter that was cut away is left over. */
static struct tv_str end_of(struct tv_str text, size_t width)
{
    size_t used = tv_text_width(text);
    while (text.len && used > width) {
        size_t len = tv_text_next(text);
        used -= tv_text_width(up_to(text, len));
        text = from(text, len);
    }
    while (text.len && !tv_text_width(up_to(text, tv_text_next(text))))
        text = from(text, tv_text_next(text));
    return text;
}

/* Adds a name whose own part fits only cut, or only without its parameters. With room for "(...)"
 * behind the own part, the parameters are marked as left out. */
static void add_bare(struct tv_text *out, const struct tv_terminal *terminal,
                     const struct parts *parts, size_t width)
{
    struct tv_str dots = ellipsis(terminal);
    size_t dots_width = tv_text_width(dots);
    size_t own_width = tv_text_width(parts->own);
    if (parts->params.len && own_width + dots_width + 2 <= width) {
        tv_text_add_str(out, parts->own);
        tv_text_add(out, "%s(", tv_terminal_style(terminal, TV_STYLE_FAINT));
        tv_text_add_str(out, dots);
        tv_text_add(out, ")%s", tv_terminal_style(terminal, TV_STYLE_PLAIN));
    } else if (own_width <= width || width <= dots_width) {
        tv_text_fit_end(out, terminal, parts->own, width);
    } else {
        struct tv_str inner = inner_class(parts->own, width - dots_width);
        tv_text_add_str(out, dots);
        tv_text_add_str(out, end_of(inner, width - dots_width));
    }
}

/* Adds a name whose hidden class, if it has one, has no address any more. */
static void add_fitting(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str name,
                        size_t width)
{
    struct parts parts = split(name);
    size_t rest_width = tv_text_width(parts.own) + tv_text_width(parts.params);
    if (width && rest_width > width) {
        add_bare(out, terminal, &parts, width);
        return;
    }
    if (width && tv_text_width(parts.package) + rest_width > width) {
        struct tv_str dots = ellipsis(terminal);
        parts.package = shorter_package(parts.package, width - rest_width, tv_text_width(dots));
        if (parts.package.len)
            add_styled(out, terminal, TV_STYLE_FAINT, dots);
    }
    add_styled(out, terminal, TV_STYLE_FAINT, parts.package);
    tv_text_add_str(out, parts.own);
    add_styled(out, terminal, TV_STYLE_FAINT, parts.params);
}

/* The address of a hidden class tells nothing, so it goes before anything else of a name that is
 * too long. */
void tv_name_fit(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str name,
                 size_t width)
{
    struct tv_str address = address_of(name);
    struct tv_text shorter;
    if (!width || !address.len || tv_text_width(name) <= width) {
        add_fitting(out, terminal, name, width);
        return;
    }
    size_t at = (size_t)(address.at - name.at);
    tv_text_init(&shorter, out->buffer.alloc);
    tv_text_add_str(&shorter, up_to(name, at));
    tv_text_add_str(&shorter, from(name, at + address.len));
    tv_text_take_code(out, &shorter);
    add_fitting(out, terminal, tv_text_view(&shorter), width);
    tv_text_release(&shorter);
}

/* For paths and names whose end says more: the beginning goes. */
void tv_text_fit_end(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str text,
                     size_t width)
{
    struct tv_str dots = ellipsis(terminal);
    size_t dots_width = tv_text_width(dots);
    bool is_cut = tv_text_width(text) > width;
    if (is_cut && width > dots_width) {
        tv_text_add_str(out, dots);
        width -= dots_width;
    }
    tv_text_add_str(out, is_cut ? end_of(text, width) : text);
}

/* Cuts by columns of the terminal, not by bytes: a character is shown whole or not at all. */
void tv_text_fit(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str text,
                 size_t width)
{
    struct tv_str dots = ellipsis(terminal);
    size_t dots_width = tv_text_width(dots);
    if (width == SIZE_MAX || tv_text_width(text) <= width) {
        tv_text_add_str(out, text);
        return;
    }
    size_t room = width > dots_width ? width - dots_width : width;
    size_t used = 0;
    size_t at = 0;
    bool is_full = false;
    /* Styles behind the cut are kept, since one of them ends the style before the cut. */
    while (at < text.len) {
        size_t len = tv_text_next(from(text, at));
        struct tv_str piece = up_to(from(text, at), len);
        size_t piece_width = tv_text_width(piece);
        bool is_style = text.at[at] == '\033';
        is_full = is_full || used + piece_width > room;
        if (!is_full || is_style)
            tv_text_add_str(out, piece);
        used += is_full ? 0 : piece_width;
        at += len;
    }
    if (room < width)
        tv_text_add_str(out, dots);
}
