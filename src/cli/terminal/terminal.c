/*
 * The terminal of the answer; see cli/terminal/terminal.h. The width is asked for as git asks:
 * COLUMNS comes first, then the terminal itself.
 */
#include "cli/terminal/terminal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

/* Of a terminal that does not tell its size. */
#define USUAL_WIDTH 80u
/* No screen is wider; a larger number is a mistake. */
#define LARGEST_SIZE 10000u

/* The shares of the total from which on a number is hot, and warm; below the last share it is
 * faint. */
#define HOT_SHARE 0.10
#define WARM_SHARE 0.02
#define FAINT_SHARE 0.005

/* A variable that is no number, or a senseless one, counts as unset. */
static unsigned number_in(const char *name)
{
    const char *text = getenv(name);
    uint64_t number;
    if (!text || !tv_str_to_u64(tv_str_from(text), 10, &number) || number > LARGEST_SIZE)
        return 0;
    return (unsigned)number;
}

/* Whether text is UTF-8 here, by the first of the variables that is set, as in setlocale. */
static bool shows_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        if (value && value[0]) {
            struct tv_str locale = tv_str_from(value);
            return tv_str_find(locale, TV_STR("utf-8"), TV_CASE_FOLD) != SIZE_MAX ||
                   tv_str_find(locale, TV_STR("utf8"), TV_CASE_FOLD) != SIZE_MAX;
        }
    }
    return false;
}

#ifdef __wasi__
/* Nobody can be asked: whoever runs the module sets COLUMNS. */
struct winsize {
    unsigned ws_col;
    unsigned ws_row;
};

static struct winsize size_of(int fd)
{
    (void)fd;
    return (struct winsize){.ws_col = 0};
}
#else
/* The columns and lines that the terminal itself tells; zero: it does not. */
static struct winsize size_of(int fd)
{
    struct winsize size = {.ws_col = 0};
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){.ws_col = 0};
    return size;
}
#endif

/* COLUMNS comes before what the terminal says, so that a user or a test can set the width. What is
 * no terminal has no width, no colours and no drawing. */
void tv_terminal_find(struct tv_terminal *terminal, int fd)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    *terminal = (struct tv_terminal){.is_dumb = !kind || strcmp(kind, "dumb") == 0};
    if (isatty(fd) != 1)
        return;
    const struct winsize size = size_of(fd);
    terminal->width = number_in("COLUMNS");
    if (!terminal->width)
        terminal->width = size.ws_col ? size.ws_col : USUAL_WIDTH;
    terminal->height = size.ws_row;
    terminal->has_drawing = shows_utf8();
    terminal->has_colour = !terminal->is_dumb && !(no_colour && no_colour[0]);
}

bool tv_terminal_is_job_log(void)
{
    static const char *const names[] = {"GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"};
    bool is_set = false;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        is_set = is_set || (value && value[0]);
    }
    return is_set;
}

/* C.UTF-8 is the same everywhere, so the user's own locale changes nothing in an answer. */
void tv_terminal_know_widths(void)
{
    (void)setlocale(LC_CTYPE, "C.UTF-8");
}

/* The sixteen colours of the user's own theme, but those that cannot be read on every background:
 * yellow on white is below 2:1 in most light themes. */
const char *tv_terminal_style(const struct tv_terminal *terminal, enum tv_style style)
{
    static const char *const styles[TV_STYLE_COUNT] = {
        [TV_STYLE_PLAIN] = "\033[0m", [TV_STYLE_HEADER] = "\033[1m",
        [TV_STYLE_FAINT] = "\033[2m", [TV_STYLE_HOT] = "\033[1;31m",
        [TV_STYLE_WARM] = "\033[35m", [TV_STYLE_BRANCH] = "\033[36;2m",
        [TV_STYLE_BAR] = "\033[36m",
    };
    return terminal->has_colour ? styles[style] : "";
}

/* The three limits are those of the page (docs/terminal.md, shares). */
enum tv_style tv_style_of_share(double share)
{
    if (share >= HOT_SHARE)
        return TV_STYLE_HOT;
    if (share >= WARM_SHARE)
        return TV_STYLE_WARM;
    return share < FAINT_SHARE ? TV_STYLE_FAINT : TV_STYLE_PLAIN;
}
