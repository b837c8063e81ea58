/*
 * Help as text, for a terminal of 80 columns. Everything comes from the tables of verbs and
 * options, so help cannot fall behind the program; tests/checks/words.py holds the manual pages
 * against it.
 */
#include "cli/command/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/wording.h"
#include "export/export.h"
#ifndef __wasi__
#include "fleet/rows_version.h"
#endif
#include "index/saved/saved.h"
#ifndef __wasi__
#include "store/store.h"
#endif

#define HELP_WIDTH 80u
/* Where the column begins that says what an option or a verb is. */
#define MEANING 24

/* Adds "  --option VALUE      what it is", in as many lines as that takes. */
static void add_row(struct tv_text *out, const char *words, const char *meaning)
{
    struct tv_text row;
    tv_text_init(&row, out->buffer.alloc);
    tv_text_add(&row, "  %-*s", MEANING - 4, words);
    if (tv_text_width(tv_text_view(&row)) > MEANING - 2)
        tv_text_add(&row, "\n%*s", MEANING - 2, "");
    tv_text_add(&row, "  %s", meaning);
    tv_text_break(out, tv_text_view(&row), HELP_WIDTH, MEANING);
    tv_text_release(&row);
}

/* The left side of a row of help: both spellings and the argument as the manual page spells them (a
 * test compares both). */
static void add_option(struct tv_text *out, const struct tv_option *option)
{
    char words[64];
    int len = 0;
    if (option->letter)
        len = snprintf(words, sizeof(words), "-%c%s", option->letter, option->name ? ", " : "");
    if (option->name)
        len += snprintf(words + len, sizeof(words) - (size_t)len, "--%s", option->name);
    if (option->kind == TV_OPTION_SWITCH)
        (void)snprintf(words + len, sizeof(words) - (size_t)len, "[=yes|no]");
    else if (option->kind == TV_OPTION_MAYBE)
        (void)snprintf(words + len, sizeof(words) - (size_t)len, "[=%s]", option->argument);
    else if (option->argument)
        (void)snprintf(words + len, sizeof(words) - (size_t)len, " %s", option->argument);
    add_row(out, words, option->help);
}

/* Adds the options of a group, in the order of their tables, below a heading. */
static void add_group(struct tv_text *out, const struct tv_option_lists *options,
                      enum tv_option_group group, const char *heading)
{
    size_t count = 0;
    for (size_t i = 0; i < TV_OPTION_LISTS; i++) {
        struct tv_option_list list = options->of[i];
        for (size_t k = 0; k < list.count; k++) {
            if (list.of[k].group != group)
                continue;
            if (!count++ && heading)
                tv_text_add(out, "\n%s:\n", heading);
            add_option(out, &list.of[k]);
        }
    }
}

/* Whether the verb can be about a part of a trace; its options then have a heading of their own. */
static bool has_parts(const struct tv_verb *verb)
{
    for (size_t i = 0; i < verb->options.count; i++) {
        if (verb->options.of[i].group == TV_GROUP_PART)
            return true;
    }
    return false;
}

/* Adds all options of a verb. The few of a verb that is about the whole trace need no groups. */
static void add_options(struct tv_text *out, const struct tv_verb *verb)
{
    struct tv_option_lists options = tv_verb_options(verb);
    bool is_grouped = has_parts(verb);
    if (!is_grouped)
        tv_text_add(out, "\nOptions:\n");
    add_group(out, &options, TV_GROUP_WHAT, is_grouped ? "What is shown" : NULL);
    add_group(out, &options, TV_GROUP_PART, "Which part of the trace");
    add_group(out, &options, TV_GROUP_OUTPUT, is_grouped ? "How it is printed" : NULL);
    add_row(out, "--help", "this text");
    add_group(out, &options, TV_GROUP_PROGRAM, "Of a program on this machine");
    add_group(out, &options, TV_GROUP_DEVICE, "Of an app on an Android device");
}

/* The list comes from the table of formats, so a new format shows up here by itself. */
static void add_formats(struct tv_text *out)
{
    tv_text_add(out, "\nFormats, who opens them, and what names of their files end in:\n");
    for (size_t i = 0; tv_exports[i]; i++) {
        char meaning[128];
        (void)snprintf(meaning, sizeof(meaning), "%s (%s)", tv_exports[i]->summary,
                       tv_exports[i]->suffix);
        add_row(out, tv_exports[i]->name, meaning);
    }
}

static void add_paragraph(struct tv_text *out, const char *text)
{
    tv_text_add(out, "\n");
    tv_text_break(out, tv_str_from(text), HELP_WIDTH, 0);
}

static void add_examples(struct tv_text *out, const struct tv_verb *verb)
{
    tv_text_add(out, "\nExamples:\n");
    for (size_t i = 0; i < TV_EXAMPLES; i++)
        tv_text_add(out, "  %s\n      %s\n", verb->examples[i].command, verb->examples[i].meaning);
}

/* Prints what was added. Where memory was short, that is less than all. */
static void print(const struct tv_cli *cli, struct tv_text *out)
{
    struct tv_str text = tv_text_view(out);
    (void)fwrite(text.at, 1, text.len, cli->out);
    tv_text_release(out);
}

/* A group of verbs in the table of all; it ends where the next one begins. A build without the
 * first verb of a group has none of it. */
static const struct {
    const char *first;
    const char *heading;
} verb_groups[] = {
    {"view", "Look at a trace"},
    {"check", "Compare, and guard what CI records"},
    {"convert", "Write other files"},
    {"record", "Record"},
    {"join", "Files and names"},
    {"serve", "Share"},
    {"dmtracedump", "As other programs do"},
};

static void add_verb(struct tv_text *out, const struct tv_verb *verb)
{
    char words[64];
    for (size_t i = 0; i < TV_COUNT_OF(verb_groups); i++) {
        if (strcmp(verb->name, verb_groups[i].first) == 0)
            tv_text_add(out, "\n%s:\n", verb_groups[i].heading);
    }
    (void)snprintf(words, sizeof(words), "%s %s", verb->name, verb->arguments);
    add_row(out, words, verb->summary);
}

/* A verb has one line here, and its options are told by its own help. */
void tv_help_program(const struct tv_cli *cli)
{
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    tv_text_add(&out, "Usage: traceview [FILE]          open the viewer\n"
                      "       traceview OLD NEW         the viewer of NEW, with what changed\n"
                      "       traceview VERB [OPTIONS] FILE\n"
                      "\n"
                      "Shows where an Android method trace spent its time.\n");
    for (const struct tv_verb *const *verb = tv_verbs; *verb; verb++)
        add_verb(&out, *verb);
    add_paragraph(&out, "FILE may be packed (.gz, .zst), '-' for standard input, NAME for "
                        "NAME.trace, or NAME for NAME.key and NAME.data. 'traceview VERB --help' "
                        "tells the options of a verb, 'traceview --version' or -V the version, "
                        "'traceview --licenses' what others wrote of it.");
    tv_text_add(&out, "\nExamples:\n"
                      "  traceview app.trace\n"
                      "      the trace in a browser\n"
                      "  traceview top app.trace.gz\n"
                      "      its most expensive methods in the terminal\n");
    print(cli, &out);
}

/* All of it comes from the verb's table, so help, parsing and completion cannot disagree. */
void tv_help_verb(const struct tv_cli *cli, const struct tv_verb *verb)
{
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    tv_text_add(&out, "Usage: traceview %s%s%s%s\n\n", verb->name,
                verb->options.count ? " [OPTIONS]" : "", verb->arguments[0] ? " " : "",
                verb->arguments);
    tv_text_add(&out, "%c%s.\n", verb->summary[0] >= 'a' ? verb->summary[0] - 32 : verb->summary[0],
                verb->summary + 1);
    add_options(&out, verb);
    if (verb->lists_formats)
        add_formats(&out);
    if (verb->notes)
        add_paragraph(&out, verb->notes);
    add_examples(&out, verb);
    print(cli, &out);
}

/* A part that a build may lack, and the group of scripts/install that brings what the part takes.
 */
struct part {
    const char *what;
    int is_built;
    const char *group;
};

static const struct part parts[] = {
    {"the viewer in a browser", TV_BUILT_PAGE, "page"},
    {"reports and Save as one page", TV_BUILT_PAGE &&TV_BUILT_ENGINE, "engine"},
    {"names and stacks of recorded functions (libdw)", TV_BUILT_DW, "build"},
    {"recording Java programs", TV_BUILT_JVM, "java"},
    {"rewriting classes of any Java that is recorded (ASM), and not of Java 15 to 23 alone",
     TV_BUILT_JVM &&TV_BUILT_ASM, "java"},
    {"push and open (libcurl)", TV_BUILT_CURL, "build"},
    {"sites, and export to SQLite", TV_BUILT_SQLITE, "build"},
    {"sites over PostgreSQL (libpq)", TV_BUILT_POSTGRES, "build"},
    {"a filter of the system calls that reading an upload takes (libseccomp)", TV_BUILT_SECCOMP,
     "build"},
};

#ifdef __wasi__
static void tell_data(const struct tv_cli *cli)
{
    (void)fprintf(cli->out, "data     indexes %d\n", TV_INDEX_VERSION);
}

/* What is WebAssembly cannot be built with more. */
static void tell_lacking(const struct tv_cli *cli, const struct part *part)
{
    (void)fprintf(cli->out, "without  %s: only traceview on Linux has it\n", part->what);
}
#else
static void tell_data(const struct tv_cli *cli)
{
    const struct tv_store_schemas store = tv_store_schemas();
    (void)fprintf(cli->out, "data     indexes %d, rows of all traces %s", TV_INDEX_VERSION,
                  TV_ROWS_VERSION_NAME);
    if (store.sqlite)
        (void)fprintf(cli->out, ", store in SQLite %zu", store.sqlite);
    if (store.postgres)
        (void)fprintf(cli->out, ", store in PostgreSQL %zu", store.postgres);
    (void)fputc('\n', cli->out);
}

static void tell_lacking(const struct tv_cli *cli, const struct part *part)
{
    (void)fprintf(cli->out, "without  %s: scripts/install %s, then make build\n", part->what,
                  part->group);
}
#endif

/* The versions of what it keeps, what this build has and lacks, and which line installs what it
 * lacks: the first thing to ask for in a report of a fault, and before an upgrade. */
void tv_help_version(const struct tv_cli *cli)
{
    (void)fprintf(cli->out, "traceview %s\n", TV_VERSION);
    tell_data(cli);
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (parts[i].is_built)
            (void)fprintf(cli->out, "with     %s\n", parts[i].what);
        else
            tell_lacking(cli, &parts[i]);
    }
}

/* What notices.S put into the program. */
extern const char tv_notices[];

void tv_help_licenses(const struct tv_cli *cli)
{
    (void)fputs(tv_notices, cli->out);
}
