/*
 * Messages to people on stderr, and the answer on stdout; see cli/cli.h. A message is one line,
 * whatever is in it: names and reasons come from files and from the user, so they are escaped like
 * names in tables (cli/wording.h).
 *
 * Three functions print to people: a misuse names what is wrong with the words and makes status 2,
 * a failure names the file and makes status 1, and a note changes no status.
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/terminal/log_commands.h"
#include "cli/terminal/pager.h"
#include "cli/wording.h"

/* A message is made in room of its own, since what it says may be that memory has run out. */
struct message_room {
    char bytes[16384]; /* two escaped paths and a reason */
};

/* The allocator of the one block that a message takes; see base/alloc.h. */
static void *resize_in_room(void *ctx, void *block, size_t old_len, size_t new_len)
{
    struct message_room *room = ctx;
    (void)block;
    (void)old_len;
    return new_len && new_len <= sizeof(room->bytes) ? room->bytes : NULL;
}

/* Blanks before what goes on in the next line. */
#define GOING_ON 4u

/* The columns of the terminal that messages go to; 0: they go to none. */
static size_t message_width(const struct tv_cli *cli)
{
    struct tv_terminal terminal = {.width = 0};
    if (cli->is_err_terminal)
        tv_terminal_find(&terminal, fileno(cli->err));
    return terminal.width;
}

/* Writes text to people, without what a job's log would obey where it goes into one. Where there is
 * no memory for that, nothing is written but that: the text may be a command. */
static void write_text(const struct tv_cli *cli, FILE *to, const struct tv_alloc *alloc,
                       struct tv_str text)
{
    struct tv_text escaped;
    if (!cli->is_in_log) {
        if (text.len)
            (void)fwrite(text.at, 1, text.len, to);
        return;
    }
    tv_text_init(&escaped, alloc);
    tv_log_add(&escaped, text);
    if (escaped.code == TV_OK)
        (void)fwrite(escaped.buffer.bytes, 1, escaped.buffer.len, to);
    else
        (void)fputs("traceview: out of memory: the text for the log is left out\n", cli->err);
    tv_text_release(&escaped);
}

/* Writes a message, on a terminal broken between words; one that was cut goes out as it is. */
static void write_message(const struct tv_cli *cli, const struct tv_text *line)
{
    const size_t width = message_width(cli);
    struct tv_text broken;
    struct message_room rooms[2];
    const struct tv_alloc allocs[] = {{.resize = resize_in_room, .ctx = &rooms[0]},
                                      {.resize = resize_in_room, .ctx = &rooms[1]}};
    tv_text_init(&broken, &allocs[0]);
    if (width && line->code == TV_OK)
        tv_text_break(&broken, tv_text_view(line), width, GOING_ON);
    bool is_broken = broken.buffer.len && broken.code == TV_OK;
    write_text(cli, cli->err, &allocs[1], tv_text_view(is_broken ? &broken : line));
    if (!is_broken)
        (void)fputs(line->code == TV_OK ? "\n" : "...\n", cli->err);
    tv_text_release(&broken);
}

/* Prints a line. What is longer than the room is cut: a message must not fail. */
static void print_message(const struct tv_cli *cli, const char *subject, const char *message,
                          uint64_t offset)
{
    struct tv_text line;
    struct message_room room;
    const struct tv_alloc alloc = {.resize = resize_in_room, .ctx = &room};
    tv_text_init(&line, &alloc);
    tv_text_add_str(&line, TV_STR("traceview: "));
    if (subject) {
        tv_text_add_name(&line, tv_str_from(subject));
        tv_text_add_str(&line, TV_STR(": "));
    }
    tv_text_add_name(&line, tv_str_from(message));
    if (offset != TV_NO_OFFSET)
        tv_text_add(&line, " (offset %llu)", (unsigned long long)offset);
    write_message(cli, &line);
    tv_text_release(&line);
}

/* Prints "what is wrong (offset N): what to do". The text of an error has its advice behind its
 * last colon, if it has any, so the offset goes before that colon. */
static void print_failure(const struct tv_cli *cli, const char *subject, const struct tv_error *err)
{
    char text[sizeof(err->text) + 40];
    const char *advice = NULL;
    for (const char *at = err->text; *at; at++) {
        if (at[0] == ':' && at[1] == ' ')
            advice = at;
    }
    if (err->offset == TV_NO_OFFSET || !advice) {
        print_message(cli, subject, err->text, err->offset);
        return;
    }
    (void)snprintf(text, sizeof(text), "%.*s (offset %llu)%s", (int)(advice - err->text), err->text,
                   (unsigned long long)err->offset, advice);
    print_message(cli, subject, text, TV_NO_OFFSET);
}

int tv_cli_status(enum tv_code code)
{
    if (code == TV_OK)
        return TV_STATUS_FINE;
    return code == TV_ERR_ARGUMENT ? TV_STATUS_MISUSED : TV_STATUS_FAILED;
}

int tv_cli_fail(const struct tv_cli *cli, const char *subject, const struct tv_error *err)
{
    print_failure(cli, subject, err);
    if (cli->lacks_memory && err->code == TV_ERR_MEMORY)
        *cli->lacks_memory = true;
    return TV_STATUS_FAILED;
}

/* A message that is longer than the room is cut: it is one line for people. */
int tv_cli_misuse(const struct tv_cli *cli, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    print_message(cli, NULL, text, TV_NO_OFFSET);
    return TV_STATUS_MISUSED;
}

/* `subject` is the file, app or device that the note is about; it goes first, so that notes of
 * several files can be told apart. */
void tv_cli_note(const struct tv_cli *cli, const char *subject, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    print_message(cli, subject, text, TV_NO_OFFSET);
}

/* Without memory the lines go out as they are, and the terminal breaks them. */
void tv_cli_tell_lines(const struct tv_cli *cli, struct tv_str lines)
{
    const size_t width = message_width(cli);
    struct tv_text broken;
    tv_text_init(&broken, cli->alloc);
    tv_text_break(&broken, lines, width ? width : SIZE_MAX, 2 * GOING_ON);
    write_text(cli, cli->err, cli->alloc, broken.code == TV_OK ? tv_text_view(&broken) : lines);
    tv_text_release(&broken);
}

/* How many lines of its terminal a text takes. */
static size_t line_count(struct tv_str text, size_t width)
{
    struct tv_str line;
    size_t count = 0;
    while (text.len && tv_str_split(&text, '\n', &line)) {
        size_t used = tv_text_width(line);
        count += 1 + (used ? (used - 1) / width : 0);
    }
    return count;
}

/* Whether the answer is longer than the screen, with a line for the next prompt, and the user lets
 * a pager show it. */
static bool wants_pager(const struct tv_cli *cli, struct tv_str text)
{
    const struct tv_terminal *terminal = &cli->terminal;
    return terminal->width && terminal->height && !terminal->is_dumb && !cli->shared.no_pager &&
           line_count(text, terminal->width) >= terminal->height;
}

void tv_cli_answer(const struct tv_cli *cli, struct tv_str bytes)
{
    if (wants_pager(cli, bytes) && tv_pager_show(bytes))
        return;
    write_text(cli, cli->out, cli->alloc, bytes);
}

/* Long lines are broken at blanks and go on further in, so that a table's columns stay where they
 * are. */
void tv_cli_answer_text(const struct tv_cli *cli, struct tv_str text)
{
    struct tv_text broken;
    tv_text_init(&broken, cli->alloc);
    if (cli->terminal.width)
        tv_text_break(&broken, text, cli->terminal.width, GOING_ON);
    /* Where memory is short, the terminal breaks the lines. */
    bool is_broken = cli->terminal.width && broken.code == TV_OK;
    tv_cli_answer(cli, is_broken ? tv_text_view(&broken) : text);
    tv_text_release(&broken);
}
