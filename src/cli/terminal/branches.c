/*
 * Branches of a tree; see cli/terminal/branches.h. Whether a line goes on below a row depends on
 * rows that come later, so all levels are collected first and looked through from the last row to
 * the first. Each row keeps one bit a level, so at most LEVELS_KEPT levels are drawn; deeper rows
 * have their level as a number.
 */
#include "cli/terminal/branches.h"

#include <stdbool.h>

/* The most outer levels for which branches are drawn. */
#define LEVELS_KEPT 63u

struct tv_branch_row {
    uint32_t level;
    /* Bit k: the row's ancestor at level k, or the row itself, has a sibling further down. */
    uint64_t goes_on;
};

/* What is drawn for a level, with and without UTF-8. */
struct drawing {
    const char *line; /* an ancestor has a sibling further down */
    const char *fork; /* the row itself has one */
    const char *end;  /* the row is the last of its siblings */
};

void tv_branches_init(struct tv_branches *branches, const struct tv_alloc *alloc)
{
    *branches = (struct tv_branches){.alloc = alloc};
}

void tv_branches_release(struct tv_branches *branches)
{
    tv_alloc_release(branches->alloc, &branches->rows, branches->cap, sizeof(*branches->rows));
    tv_branches_init(branches, branches->alloc);
}

/* Rows are told in the order in which they will be written. */
enum tv_code tv_branches_row(struct tv_branches *branches, uint32_t level, struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(branches->alloc, &branches->rows, &branches->cap, branches->count + 1,
                         sizeof(*branches->rows), err));
    branches->rows[branches->count++] = (struct tv_branch_row){.level = level};
    branches->deepest = level > branches->deepest ? level : branches->deepest;
    return TV_OK;
}

/* Goes from the last row to the first: `is_open` tells of each level whether a row of it is further
 * down, below the same parent. */
static void find_siblings(struct tv_branches *branches, uint8_t *is_open)
{
    uint32_t below = 0; /* the level of the row that follows */
    for (size_t i = branches->count; i-- > 0;) {
        struct tv_branch_row *row = &branches->rows[i];
        for (uint32_t level = row->level; level < below; level++)
            is_open[level + 1] = 0;
        for (uint32_t k = 0; k <= LEVELS_KEPT && k <= row->level; k++)
            row->goes_on |= (uint64_t)is_open[k] << k;
        is_open[row->level] = 1;
        below = row->level;
    }
}

/* is_open has one entry for each level: whether a later row continues it. */
enum tv_code tv_branches_find(struct tv_branches *branches, struct tv_error *err)
{
    size_t level_count = (size_t)branches->deepest + 1;
    uint8_t *is_open;
    TV_TRY(tv_alloc_new(branches->alloc, &is_open, level_count, sizeof(*is_open), err));
    find_siblings(branches, is_open);
    tv_alloc_release(branches->alloc, &is_open, level_count, sizeof(*is_open));
    return TV_OK;
}

static const struct drawing *drawing_of(const struct tv_terminal *terminal)
{
    static const struct drawing plain = {"| ", "|-", "`-"};
    static const struct drawing lines = {"\u2502 ", "\u251c\u2500", "\u2514\u2500"};
    return terminal->has_drawing ? &lines : &plain;
}

static unsigned digits_of(uint32_t number)
{
    unsigned digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* How many of a row's levels are drawn in `most` columns. If not all fit, room is left for the
 * level's number and a blank; the numbers of all rows are aligned. */
static uint32_t levels_shown(uint32_t level, unsigned digits, size_t most)
{
    size_t room = most / TV_BRANCH_WIDTH;
    if (level <= room && level <= LEVELS_KEPT)
        return level;
    room = most > digits + (size_t)1 ? (most - digits - 1) / TV_BRANCH_WIDTH : 0;
    return room < LEVELS_KEPT ? (uint32_t)room : LEVELS_KEPT;
}

/* Draws the branches before a row, in at most `most` columns. Without a terminal there are blanks
 * only, which other programs can count. */
size_t tv_branches_add(const struct tv_branches *branches, struct tv_text *out,
                       const struct tv_terminal *terminal, size_t row_ix, size_t most)
{
    const struct tv_branch_row *row = &branches->rows[row_ix];
    const struct drawing *drawing = drawing_of(terminal);
    unsigned digits = digits_of(branches->deepest);
    uint32_t shown = levels_shown(row->level, digits, most);
    size_t used = shown * (size_t)TV_BRANCH_WIDTH;
    if (!row->level)
        return 0;
    tv_text_add_str(out, tv_str_from(tv_terminal_style(terminal, TV_STYLE_BRANCH)));
    if (!terminal->width)
        tv_text_add_blanks(out, used);
    for (uint32_t level = 1; terminal->width && level <= shown; level++) {
        bool goes_on = (row->goes_on >> level & 1) != 0;
        if (level < row->level)
            tv_text_add_str(out, tv_str_from(goes_on ? drawing->line : "  "));
        else
            tv_text_add_str(out, tv_str_from(goes_on ? drawing->fork : drawing->end));
    }
    if (shown < row->level) {
        tv_text_add(out, "%*u ", (int)digits, row->level);
        used += digits + (size_t)1;
    }
    tv_text_add_str(out, tv_str_from(tv_terminal_style(terminal, TV_STYLE_PLAIN)));
    return used;
}
