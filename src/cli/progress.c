/*
 * One line of progress; see cli/progress.h. A step that is done within a third of a second shows
 * nothing, since a line that only flashes tells nobody anything.
 */
#include "cli/progress.h"

#include "cli/wording.h"
#include "os/clock.h"

/* A step shows its line after so long, and renews it so often. */
#define PATIENCE_NS 300000000u
#define PAUSE_NS 100000000u

void tv_progress_init(struct tv_progress *progress, const struct tv_cli *cli, const char *subject,
                      const char *step)
{
    *progress =
        (struct tv_progress){.cli = cli, .subject = subject, .step = step, .begun_ns = tv_now_ns()};
}

/* Writes the line over the one before: \r goes to its beginning, ESC [ K clears what is left of it.
 */
static void show(const struct tv_progress *progress, uint64_t done, uint64_t of)
{
    struct tv_text line;
    tv_text_init(&line, progress->cli->alloc);
    tv_text_add(&line, "\rtraceview: %s ", progress->step);
    tv_text_add_name(&line, tv_str_from(progress->subject));
    tv_text_add(&line, " %3.0f %%\033[K", of ? 100.0 * (double)done / (double)of : 0.0);
    struct tv_str text = tv_text_view(&line);
    (void)fwrite(text.at, 1, text.len, progress->cli->err);
    (void)fflush(progress->cli->err);
    tv_text_release(&line);
}

bool tv_progress_tell(void *context, uint64_t done, uint64_t of)
{
    struct tv_progress *progress = context;
    if (!progress->cli->is_err_terminal)
        return true;
    uint64_t now_ns = tv_now_ns();
    if (now_ns - progress->begun_ns < PATIENCE_NS || now_ns - progress->shown_ns < PAUSE_NS)
        return true;
    show(progress, done, of);
    progress->shown_ns = now_ns;
    progress->is_shown = true;
    return true;
}

void tv_progress_end(struct tv_progress *progress)
{
    if (progress->is_shown)
        (void)fputs("\r\033[K", progress->cli->err);
    progress->is_shown = false;
}
