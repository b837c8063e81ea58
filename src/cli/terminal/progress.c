/*
 * One line of progress; see cli/terminal/progress.h. A task that is done within a third of a second
 * shows nothing, since a line that only flashes tells nobody anything.
 */
#include "cli/terminal/progress.h"

#include <unistd.h>

#include "cli/terminal/name_fit.h"
#include "cli/wording.h"
#include "os/clock.h"

/* A task shows its line after PATIENCE_NS, and renews it every PAUSE_NS at most. */
#define PATIENCE_NS 300000000u
#define PAUSE_NS 100000000u

/* Unpacking a trace takes about as long as reading it. */
#define UNPACKED_PERCENT 50u

void tv_progress_init(struct tv_progress *progress, const struct tv_cli *cli, const char *subject)
{
    *progress = (struct tv_progress){
        .cli = cli, .subject = subject, .phase = "", .to = 100, .begun_ns = tv_now_ns()};
}

void tv_progress_phase(struct tv_progress *progress, const char *phase, unsigned to)
{
    progress->phase = phase;
    progress->from = progress->reached;
    progress->to = to;
}

void tv_progress_unpacking(struct tv_progress *progress)
{
    tv_progress_phase(progress, "unpacking", UNPACKED_PERCENT);
}

void tv_progress_reading(struct tv_progress *progress)
{
    tv_progress_phase(progress, "reading", 100);
}

/* Makes "traceview: reading NAME  45 %", with as much of the name as there is room for. */
static void make_line(const struct tv_progress *progress, const struct tv_terminal *terminal,
                      struct tv_text *line)
{
    struct tv_text name;
    struct tv_text before;
    tv_text_init(&name, progress->cli->alloc);
    tv_text_init(&before, progress->cli->alloc);
    tv_text_add(&before, "traceview: %s ", progress->phase);
    tv_text_add_name(&name, tv_str_from(progress->subject));
    /* " 100 %" stands behind the name. The last column stays free: a terminal may go on to the next
     * line when it is written. */
    size_t room = terminal->width > 7 ? terminal->width - 7 : 0;
    size_t used = tv_text_width(tv_text_view(&before));
    if (used < room) {
        tv_text_add_str(line, tv_text_view(&before));
        tv_text_fit_end(line, terminal, tv_text_view(&name), room - used);
    }
    tv_text_add(line, "%s%3u %%", used < room ? " " : "", progress->reached);
    tv_text_release(&name);
    tv_text_release(&before);
}

/* Writes the line over the one before: \r goes to its beginning, ESC [ K clears what is left of it.
 */
static void show(const struct tv_progress *progress, const struct tv_terminal *terminal)
{
    struct tv_text line;
    tv_text_init(&line, progress->cli->alloc);
    tv_text_add_str(&line, TV_STR("\r"));
    make_line(progress, terminal, &line);
    tv_text_add_str(&line, TV_STR("\033[K"));
    struct tv_str text = tv_text_view(&line);
    (void)fwrite(text.at, 1, text.len, progress->cli->err);
    (void)fflush(progress->cli->err);
    tv_text_release(&line);
}

static void advance(struct tv_progress *progress, uint64_t done, uint64_t of)
{
    double share = of && done < of ? (double)done / (double)of : of ? 1.0 : 0.0;
    unsigned percent = progress->from + (unsigned)(share * (double)(progress->to - progress->from));
    if (percent > progress->reached)
        progress->reached = percent;
}

/* The terminal is asked for its width each time: it may have changed. */
bool tv_progress_tell(void *context, uint64_t done, uint64_t of)
{
    struct tv_progress *progress = context;
    struct tv_terminal terminal;
    advance(progress, done, of);
    if (!progress->cli->is_err_terminal)
        return true;
    uint64_t now_ns = tv_now_ns();
    if (now_ns - progress->begun_ns < PATIENCE_NS || now_ns - progress->shown_ns < PAUSE_NS)
        return true;
    tv_terminal_find(&terminal, STDERR_FILENO);
    if (terminal.is_dumb)
        return true;
    show(progress, &terminal);
    progress->shown_ns = now_ns;
    progress->is_shown = true;
    return true;
}

void tv_progress_clear(struct tv_progress *progress)
{
    if (progress->is_shown)
        (void)fputs("\r\033[K", progress->cli->err);
    progress->is_shown = false;
}
