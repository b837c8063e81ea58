/*
 * One line on the terminal that is written over and over while something runs; see
 * cli/terminal/status_line.h. It is for people only: without a terminal on stderr, or on one that
 * cannot go back in a line, nothing is written.
 *
 * Whoever writes a message erases the line first (tv_status_line_clear), so that no message stands
 * behind it.
 */
#include "cli/terminal/status_line.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/terminal/name_fit.h"
#include "cli/terminal/terminal.h"
#include "cli/wording.h"

#define NAME_LEAST 4u /* columns: less of a name tells nothing */

/* Asked again each time: standard error may be a terminal that knows no control at all (TERM=dumb).
 */
bool tv_status_line_has_place(const struct tv_status_line *line)
{
    struct tv_terminal terminal;
    if (!line->cli->is_err_terminal)
        return false;
    tv_terminal_find(&terminal, STDERR_FILENO);
    return !terminal.is_dumb;
}

void tv_status_line_fit(struct tv_text *out, const struct tv_terminal *terminal, struct tv_str name,
                        struct tv_str text, size_t width)
{
    static const char head[] = "traceview: ";
    const size_t used = sizeof(head) - 1 + 2 + tv_text_width(text);
    struct tv_text shown;
    tv_text_init(&shown, out->buffer.alloc);
    tv_text_add_name(&shown, name);
    const size_t name_width = tv_text_width(tv_text_view(&shown));
    if (used + (name_width < NAME_LEAST ? name_width : NAME_LEAST) <= width) {
        tv_text_add(out, "%s", head);
        tv_text_fit_end(out, terminal, tv_text_view(&shown), width - used);
        tv_text_add(out, "  ");
        tv_text_add_str(out, text);
    } else {
        tv_text_fit(out, terminal, text, width);
    }
    tv_text_release(&shown);
}

/* \r goes to the beginning of the line before, ESC [ K clears what is left of it. The last column
 * stays free, since a terminal may go on to the next line when it is written. */
void tv_status_line_show(struct tv_status_line *line, struct tv_str name, struct tv_str text)
{
    struct tv_terminal terminal;
    struct tv_text shown;
    if (!tv_status_line_has_place(line))
        return;
    tv_terminal_find(&terminal, STDERR_FILENO); /* its width may have changed */
    tv_text_init(&shown, line->cli->alloc);
    tv_text_add_str(&shown, TV_STR("\r"));
    tv_status_line_fit(&shown, &terminal, name, text, terminal.width > 1 ? terminal.width - 1 : 0);
    tv_text_add_str(&shown, TV_STR("\033[K"));
    const struct tv_str bytes = tv_text_view(&shown);
    (void)fwrite(bytes.at, 1, bytes.len, line->cli->err);
    (void)fflush(line->cli->err);
    tv_text_release(&shown);
    line->is_shown = true;
}

void tv_status_line_clear(struct tv_status_line *line)
{
    if (line->is_shown)
        (void)fputs("\r\033[K", line->cli->err);
    line->is_shown = false;
}
