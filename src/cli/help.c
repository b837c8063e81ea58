/*
 * Help as text. Everything comes from the tables of verbs and options, so help cannot fall behind
 * the program; tests/checks/words.py holds the manual pages against it.
 */
#include "cli/help.h"

/* Width of the column of options and verbs. */
#define WIDTH 20

/* Prints "  -o, --output OUT      write to OUT". */
static void add_option(const struct tv_cli *cli, const struct tv_option *option)
{
    char words[64];
    int len = 0;
    if (option->letter)
        len = snprintf(words, sizeof(words), "-%c%s", option->letter, option->name ? ", " : "");
    if (option->name)
        len += snprintf(words + len, sizeof(words) - (size_t)len, "--%s", option->name);
    if (option->argument)
        (void)snprintf(words + len, sizeof(words) - (size_t)len, " %s", option->argument);
    (void)fprintf(cli->out, "  %-*s  %s\n", WIDTH, words, option->help);
}

static void add_list(const struct tv_cli *cli, struct tv_option_list list)
{
    for (size_t i = 0; i < list.count; i++)
        add_option(cli, &list.of[i]);
}

/* Prints the options of a verb's table, and those that many verbs have. */
static void add_options(const struct tv_cli *cli, const struct tv_verb *verb)
{
    struct tv_option_lists options = tv_verb_options(verb);
    add_list(cli, options.own);
    for (size_t i = 0; i < TV_COUNT_OF(options.shared); i++)
        add_list(cli, options.shared[i]);
    (void)fprintf(cli->out, "  %-*s  %s\n", WIDTH, "--help", "this text");
}

void tv_help_program(const struct tv_cli *cli)
{
    (void)fputs("Usage: traceview [FILE]          open the viewer\n"
                "       traceview VERB [OPTIONS] FILE\n"
                "\n"
                "Shows where an Android method trace spent its time.\n"
                "\n",
                cli->out);
    for (const struct tv_verb *const *verb = tv_verbs; *verb; verb++) {
        char words[64];
        (void)snprintf(words, sizeof(words), "%s %s", (*verb)->name, (*verb)->arguments);
        (void)fprintf(cli->out, "  %-*s  %s\n", WIDTH, words, (*verb)->summary);
    }
    (void)fputs(
        "\n"
        "FILE may be packed (.gz, .zst), '-' for standard input, NAME for NAME.trace, or NAME for\n"
        "NAME.key and NAME.data. 'traceview VERB --help' tells the options of a verb,\n"
        "'traceview --version' or -V the version.\n",
        cli->out);
}

void tv_help_verb(const struct tv_cli *cli, const struct tv_verb *verb)
{
    (void)fprintf(cli->out, "Usage: traceview %s %s%s\n\n", verb->name,
                  verb->options.count ? "[OPTIONS] " : "", verb->arguments);
    (void)fprintf(cli->out, "%c%s.\n\n",
                  verb->summary[0] >= 'a' ? verb->summary[0] - 32 : verb->summary[0],
                  verb->summary + 1);
    add_options(cli, verb);
    if (verb->notes)
        (void)fprintf(cli->out, "\n%s\n", verb->notes);
}

void tv_help_version(const struct tv_cli *cli)
{
    (void)fprintf(cli->out, "traceview %s\n", TV_VERSION);
}
