/*
 * Reading folded stacks; see export/flame/folded_stacks.h.
 *
 * The text is read twice: first to learn whether all lines have two numbers and whether numbers
 * have decimals, then to add the stacks. Neighbouring lines mostly begin alike, so the steps of the
 * last stack are kept, and only those that differ are looked up.
 */
#include "export/flame/folded_stacks.h"

#include "base/error.h"

/* What all stacks together may add up to, so that sums never reach the end of 64 bits. */
#define MOST_TOTAL ((uint64_t)1 << 62)
/* Digits of a number that is read; nothing that is counted needs more. */
#define MOST_DIGITS 18u
#define DECIMALS 3u

/* A line taken apart. */
struct line {
    struct tv_str stack;
    struct tv_str number;
    struct tv_str first_number; /* of two; empty: there is one */
};

/* A frame of the line before, by which the next line is read: most lines begin alike. */
struct step {
    struct tv_str text;
    uint32_t frame; /* merged */
};

struct reader {
    const struct tv_folded_opts *opts;
    struct tv_stack_tree *tree;
    struct tv_folded *found;
    struct step *steps;
    size_t count;
    size_t cap;
    uint64_t total;
};

static struct tv_str without_blanks_at_end(struct tv_str text)
{
    while (text.len && tv_is_blank(text.at[text.len - 1]))
        text.len--;
    return text;
}

/* A point is allowed, since some tools write seconds; a sign is not. */
static bool is_number(struct tv_str text)
{
    size_t points = 0;
    for (size_t i = 0; i < text.len; i++) {
        points += text.at[i] == '.';
        if (text.at[i] != '.' && (text.at[i] < '0' || text.at[i] > '9'))
            return false;
    }
    return points <= 1 && text.len > points && text.at[0] != '.';
}

/* Takes a number off the end of a text, and the blanks before it. */
static bool take_number(struct tv_str *text, struct tv_str *number)
{
    struct tv_str rest = *text;
    while (rest.len && !tv_is_blank(rest.at[rest.len - 1]))
        rest.len--;
    *number = (struct tv_str){text->at + rest.len, text->len - rest.len};
    struct tv_str before = without_blanks_at_end(rest);
    if (before.len == rest.len || !is_number(*number))
        return false;
    *text = before;
    return true;
}

/* Two numbers at the end may be two values or a name that ends with a number; which of both it is,
 * is decided when all lines were seen (add_line). */
static bool split_line(struct tv_str text, struct line *line)
{
    line->first_number = (struct tv_str){NULL, 0};
    line->stack = without_blanks_at_end(text);
    if (!take_number(&line->stack, &line->number) || !line->stack.len)
        return false;
    struct tv_str stack = line->stack;
    if (take_number(&stack, &line->first_number) && stack.len)
        line->stack = stack;
    else
        line->first_number.len = 0;
    return true;
}

static bool is_empty_or_comment(struct tv_str line)
{
    return !without_blanks_at_end(line).len || tv_str_starts_with(line, TV_STR("# "));
}

/* The next line that is neither empty nor a comment; false at the end of the text. */
static bool next_line(struct tv_str *rest, struct tv_str *text, uint64_t *line_number)
{
    while (tv_str_split(rest, '\n', text)) {
        ++*line_number;
        if (!is_empty_or_comment(*text))
            return true;
    }
    return false;
}

/* Stacks may begin with "[unknown]", and with "{closure}", but not as JSON does. */
static bool is_json(struct tv_str text)
{
    struct tv_str insides = TV_STR("{[\" 0123456789");
    bool is_open = text.len > 1 && (text.at[0] == '{' || text.at[0] == '[');
    return is_open &&
           tv_str_find(insides, (struct tv_str){&text.at[1], 1}, TV_CASE_EXACT) != SIZE_MAX;
}

/* The length of the first line; SIZE_MAX: a byte in it is none of text. Looks no further than that
 * byte, since a file of zeros can be large beyond all memory. */
static size_t line_len(struct tv_str text)
{
    size_t len = 0;
    for (; len < text.len && text.at[len] != '\n'; len++) {
        if ((uint8_t)text.at[len] < ' ' && !tv_is_blank(text.at[len]))
            return SIZE_MAX;
    }
    return len;
}

/* Looks at the first line that is not empty or a comment. JSON is excluded first, since a line of
 * it may end with a number. */
bool tv_folded_begins(struct tv_str text)
{
    while (!is_json(text)) {
        struct line line;
        size_t len = line_len(text);
        if (len == SIZE_MAX)
            return false;
        if (!is_empty_or_comment((struct tv_str){text.at, len}))
            return split_line((struct tv_str){text.at, len}, &line);
        if (len == text.len)
            return false;
        text = (struct tv_str){text.at + len + 1, text.len - len - 1};
    }
    return false;
}

/* Looks at all lines once: whether numbers have decimals, and whether all lines have two. */
static void look(struct tv_str text, struct tv_folded *found)
{
    struct tv_str each;
    struct line line;
    uint64_t line_number = 0;
    *found = (struct tv_folded){.is_comparison = true};
    while (next_line(&text, &each, &line_number)) {
        if (!split_line(each, &line)) {
            found->first_bad_line = found->bad_lines++ ? found->first_bad_line : line_number;
            continue;
        }
        found->lines++;
        found->is_comparison = found->is_comparison && line.first_number.len;
        found->has_decimals =
            found->has_decimals || tv_str_find(line.number, TV_STR("."), TV_CASE_EXACT) != SIZE_MAX;
    }
    found->is_comparison = found->is_comparison && found->lines;
}

/* The value of a number with at most DECIMALS decimals; further ones are cut off. False: it has too
 * many digits. */
static bool value_of(struct tv_str number, bool has_decimals, uint64_t *value)
{
    unsigned decimals = 0;
    bool is_behind_point = false;
    unsigned digits = 0;
    *value = 0;
    for (size_t i = 0; i < number.len && decimals < DECIMALS; i++) {
        if (number.at[i] == '.') {
            is_behind_point = true;
            continue;
        }
        decimals += is_behind_point;
        digits += *value > 0;
        *value = *value * 10 + (uint64_t)(number.at[i] - '0');
        if (digits + 1 > MOST_DIGITS)
            return false;
    }
    for (; has_decimals && decimals < DECIMALS; decimals++) {
        if (++digits > MOST_DIGITS)
            return false;
        *value *= 10;
    }
    return true;
}

/* What the line's stack is: where the root cuts it, without empty frames at its end. False: the
 * root is not in it. */
static bool cut_stack(const struct reader *reader, struct tv_str *stack)
{
    struct tv_str rest = *stack;
    struct tv_str text;
    while (stack->len && stack->at[stack->len - 1] == ';')
        stack->len--;
    if (!reader->opts->root.len)
        return true;
    for (;;) {
        struct tv_str from = rest;
        if (!tv_str_split(&rest, ';', &text))
            return false;
        if (!tv_str_equal(text, reader->opts->root))
            continue;
        stack->len -= (size_t)(from.at - stack->at);
        stack->at = from.at;
        return true;
    }
}

/* Adds frames from the step `depth` on: those before are the same as in the line before. */
static enum tv_code add_step(struct reader *reader, size_t depth, struct tv_str text,
                             struct tv_error *err)
{
    struct tv_stack_tree *tree = reader->tree;
    uint32_t below = depth ? reader->steps[depth - 1].frame : TV_STACK_ROOT;
    uint32_t name;
    struct step step = {.text = text, .frame = TV_STACK_ROOT};
    TV_TRY(tv_stack_tree_name(tree, text, &name, err));
    TV_TRY(tv_alloc_grow(tree->alloc, &reader->steps, &reader->cap, depth + 1,
                         sizeof(*reader->steps), err));
    if (reader->opts->is_in_order)
        TV_TRY(tv_stack_tree_open(tree, name, 0, err));
    else
        TV_TRY(tv_stack_tree_child(tree, below, name, &step.frame, err));
    reader->steps[depth] = step;
    reader->count = depth + 1;
    return TV_OK;
}

/* The steps of the line before are kept, so only the part of the stack that differs is looked up:
 * lines that stand together mostly share their beginning. */
static enum tv_code add_stack(struct reader *reader, struct tv_str stack, uint64_t value,
                              struct tv_error *err)
{
    struct tv_str text;
    size_t depth = 0;
    bool is_same = true;
    while (tv_str_split(&stack, ';', &text)) {
        is_same = is_same && depth < reader->count && tv_str_equal(text, reader->steps[depth].text);
        if (!is_same) {
            if (reader->opts->is_in_order && depth < reader->count)
                tv_stack_tree_close(reader->tree, depth);
            TV_TRY(add_step(reader, depth, text, err));
        }
        depth++;
    }
    if (reader->opts->is_in_order) {
        tv_stack_tree_close(reader->tree, depth);
        tv_stack_tree_spend(reader->tree, value);
    } else {
        tv_stack_tree_add(reader->tree, depth ? reader->steps[depth - 1].frame : TV_STACK_ROOT,
                          value, 0);
    }
    reader->count = depth;
    return TV_OK;
}

/* A value that does not fit, or would overflow the total, turns the line into a bad one after all.
 */
static enum tv_code add_line(struct reader *reader, struct tv_str text, uint64_t line_number,
                             struct tv_error *err)
{
    struct tv_folded *found = reader->found;
    struct line line;
    uint64_t value;
    if (!split_line(text, &line))
        return TV_OK;
    /* A number before the last belongs to the name where not all lines have two. */
    if (line.first_number.len && !found->is_comparison)
        line.stack.len = (size_t)(line.first_number.at + line.first_number.len - line.stack.at);
    if (!value_of(line.number, found->has_decimals, &value) || value > MOST_TOTAL - reader->total) {
        found->first_bad_line = !found->bad_lines || line_number < found->first_bad_line
                                    ? line_number
                                    : found->first_bad_line;
        found->bad_lines++;
        found->lines--;
        return TV_OK;
    }
    if (!cut_stack(reader, &line.stack))
        return TV_OK;
    reader->total += value;
    return add_stack(reader, line.stack, value, err);
}

/* A file in which nothing was spent has no picture; that is told here, where it is known whether a
 * root was asked for. */
static enum tv_code add_lines(struct reader *reader, struct tv_str text, struct tv_error *err)
{
    struct tv_str each;
    uint64_t line_number = 0;
    TV_TRY(tv_stack_tree_begin(reader->tree, err));
    while (next_line(&text, &each, &line_number))
        TV_TRY(add_line(reader, each, line_number, err));
    if (!reader->total && reader->opts->root.len)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no stack has the frame '%.*s': give a name as the stacks have it",
                       tv_str_shown_len(reader->opts->root), reader->opts->root.at);
    if (!reader->total)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                       "no line of these folded stacks has anything spent in it");
    if (!reader->opts->is_in_order)
        return tv_stack_tree_end(reader->tree, err);
    tv_stack_tree_end_in_order(reader->tree);
    return TV_OK;
}

enum tv_code tv_folded_read(struct tv_str text, const struct tv_folded_opts *opts,
                            struct tv_stack_tree *tree, struct tv_folded *found,
                            struct tv_error *err)
{
    struct reader reader = {.opts = opts, .tree = tree, .found = found};
    look(text, found);
    enum tv_code code = add_lines(&reader, text, err);
    tv_alloc_release(tree->alloc, &reader.steps, reader.cap, sizeof(*reader.steps));
    return code;
}
