/*
 * Completion of command lines; see cli/command/complete.h. What an argument or a value is comes
 * from the word that the tables of verbs and options have for it: FILE, METHOD, THREAD. So a new
 * verb or option is completed without a change here.
 *
 * The shell's script gets one candidate a line, or a line that says which files fit. Nothing is
 * opened but a saved index (cli/command/complete_names.h).
 */
#include "cli/command/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command/complete_names.h"
#include "cli/command/hints.h"
#include "cli/verb.h"
#include "os/file/paths.h"

/* What stands in a place of the command line. */
enum place {
    PLACE_NOTHING,
    PLACE_ANY_FILE,
    PLACE_FOLDER,
    PLACE_TRACE,
    PLACE_KEY,
    PLACE_DATA,
    PLACE_THREAD,
    PLACE_PROCESS,
    PLACE_METHOD,
    PLACE_PACKAGES
};

/* A command line that is being typed. */
struct line {
    const struct tv_cli *cli;
    const struct tv_verb *verb;
    struct tv_option_lists options;
    char *const *words; /* behind the verb */
    size_t word_count;
    size_t current;     /* the word that is being typed */
    struct tv_str text; /* the word as far as it is typed */
    /* What the words before the current one say. */
    const struct tv_option *awaited; /* the option whose value the current word is, or NULL */
    size_t position;                 /* how many arguments stand before it */
    bool is_past_options;
    const char *file;                /* the trace on the line, before or behind; NULL: none yet */
    struct tv_shared_options shared; /* which names methods have, as far as it is typed */
};

/* The names that usages give to arguments and values say what may stand there; so completion needs
 * no table of its own. */
static enum place place_of(struct tv_str word)
{
    static const struct {
        const char *word;
        enum place place;
    } places[] = {
        {"FILE", PLACE_TRACE},      {"FILE...", PLACE_TRACE},   {"IN", PLACE_TRACE},
        {"OLD", PLACE_TRACE},       {"NEW", PLACE_TRACE},       {"KEY", PLACE_KEY},
        {"DATA", PLACE_DATA},       {"OUT", PLACE_ANY_FILE},    {"PATH", PLACE_ANY_FILE},
        {"RULES", PLACE_ANY_FILE},  {"SYSTEM", PLACE_ANY_FILE}, {"MAPPING", PLACE_ANY_FILE},
        {"MAPPINGS", PLACE_FOLDER}, {"FOLDER", PLACE_FOLDER},   {"DIR", PLACE_FOLDER},
        {"LAST", PLACE_FOLDER},     {"PLACE", PLACE_FOLDER},    {"METHOD", PLACE_METHOD},
        {"THREAD", PLACE_THREAD},   {"PROCESS", PLACE_PROCESS}, {"PACKAGES", PLACE_PACKAGES},
    };
    for (size_t i = 0; i < TV_COUNT_OF(places); i++) {
        if (tv_str_equal(word, tv_str_from(places[i].word)))
            return places[i].place;
    }
    return PLACE_NOTHING;
}

/* What kind of value an option takes. A value that is called FILE is any file rather than a trace:
 * an output, a list, a secret. */
static enum place value_place(const struct tv_option *option)
{
    if (option->kind != TV_OPTION_TEXT && option->kind != TV_OPTION_TEXTS &&
        option->kind != TV_OPTION_STEPS && option->kind != TV_OPTION_WORDS)
        return PLACE_NOTHING;
    return strcmp(option->argument, "FILE") == 0 ? PLACE_ANY_FILE
                                                 : place_of(tv_str_from(option->argument));
}

/* What the argument at a position is, by the verb's usage: "[FILE]", "FILE METHOD", "FILE...". */
static enum place argument_place(const struct tv_verb *verb, size_t position)
{
    struct tv_str rest = tv_str_from(verb->arguments);
    struct tv_str word = {NULL, 0};
    size_t i = 0;
    for (; i <= position && tv_str_split(&rest, ' ', &word); i++) {
        while (word.len && (word.at[0] == '[' || word.at[0] == '.'))
            word = (struct tv_str){word.at + 1, word.len - 1};
        while (word.len && (word.at[word.len - 1] == ']' || word.at[word.len - 1] == '.'))
            word.len--;
    }
    bool repeats = verb->repeats_last;
    return i > position || repeats ? place_of(word) : PLACE_NOTHING;
}

/* Takes the value of an option that says which names methods have. */
static void take_mapping(struct line *line, const struct tv_option *option, const char *value)
{
    if (option->name && strcmp(option->name, "mapping") == 0)
        line->shared.mapping = value;
    if (option->name && strcmp(option->name, "mappings") == 0)
        line->shared.mappings = value;
}

/* Takes --mapping=VALUE, and --force-mapping, which has no value. */
static void take_option(struct line *line, const char *word)
{
    const char *equals = strchr(word, '=');
    const struct tv_option *option = NULL;
    char name[64];
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    if (equals)
        option = tv_options_awaiting(&line->options, name);
    if (option)
        take_mapping(line, option, equals + 1);
    if (strcmp(word, "--force-mapping") == 0)
        line->shared.force_mapping = true;
}

/* Goes over the words: which of them are arguments, and whether the current one is a value. */
static void read_line(struct line *line)
{
    size_t position = 0;
    bool is_past_options = false;
    const struct tv_option *awaited = NULL;
    for (size_t i = 0; i < line->word_count; i++) {
        const char *word = line->words[i];
        if (i == line->current) {
            line->awaited = awaited;
            line->position = position;
            line->is_past_options = is_past_options;
        }
        bool is_value = awaited != NULL;
        bool is_option = !is_value && !is_past_options && word[0] == '-' && word[1];
        if (is_value && i != line->current)
            take_mapping(line, awaited, word);
        awaited = NULL;
        if (is_option && i != line->current)
            take_option(line, word);
        if (is_option && strcmp(word, "--") == 0)
            is_past_options = true;
        else if (is_option)
            awaited = tv_options_awaiting(&line->options, word);
        else if (!is_value && argument_place(line->verb, position++) == PLACE_TRACE &&
                 i != line->current && !line->file)
            line->file = word;
    }
}

/* A word is offered only where it begins with what was typed; `before` is what stands before it in
 * the same word, as "--clock=". */
static void add_word(const struct line *line, struct tv_str before, const char *word,
                     const char *meaning)
{
    struct tv_str typed = line->text;
    struct tv_str whole = tv_str_from(word);
    if (typed.len < before.len || whole.len < typed.len - before.len ||
        memcmp(whole.at, typed.at + before.len, typed.len - before.len) != 0)
        return;
    (void)fprintf(line->cli->out, "%.*s%s%s%s\n", (int)before.len, before.at, word,
                  meaning ? "\t" : "", meaning ? meaning : "");
}

/* Both spellings are offered, with the help as a description for shells that show it. */
static void add_option_list(const struct line *line, struct tv_option_list list)
{
    for (size_t i = 0; i < list.count; i++) {
        const struct tv_option *option = &list.of[i];
        char word[64];
        (void)snprintf(word, sizeof(word), "--%s", option->name ? option->name : "");
        if (option->name)
            add_word(line, TV_STR(""), word, option->help);
        (void)snprintf(word, sizeof(word), "-%c", option->letter);
        if (option->letter)
            add_word(line, TV_STR(""), word, option->help);
    }
}

/* The verbs are words of the program itself: -r looks like an option. */
static void add_verbs(const struct line *line)
{
    for (const struct tv_verb *const *verb = tv_verbs; *verb; verb++)
        add_word(line, TV_STR(""), (*verb)->name, (*verb)->summary);
    if (!line->text.len || line->text.at[0] != '-')
        return;
    add_word(line, TV_STR(""), "--version", "print the version");
    add_word(line, TV_STR(""), "--licenses", "print the licences of what the program contains");
}

static void add_options(const struct line *line)
{
    for (size_t i = 0; i < TV_OPTION_LISTS; i++)
        add_option_list(line, line->options.of[i]);
    add_word(line, TV_STR(""), "--help", "print a summary");
}

/* Says which files can stand in a place. */
static void add_files(const struct line *line, enum place place)
{
    static const char *const files[] = {
        [PLACE_ANY_FILE] = "any",
        [PLACE_FOLDER] = "folders",
        [PLACE_TRACE] = "ending .trace .trace.gz .trace.zst .gz .zst .key .data",
        [PLACE_KEY] = "ending .key",
        [PLACE_DATA] = "ending .data",
        [PLACE_PACKAGES] = NULL,
    };
    (void)fprintf(line->cli->out, "%s\n", files[place] ? files[place] : "none");
}

/* Adds what can stand in a place, behind `before`, which is typed already. */
static void add_place(const struct line *line, enum place place, struct tv_str before)
{
    struct tv_names_wanted wanted = {
        .cli = line->cli,
        .file = line->file,
        .shared = line->shared,
        .before = before,
        .typed = {line->text.at + before.len, line->text.len - before.len},
    };
    if (place == PLACE_THREAD)
        tv_complete_threads(&wanted);
    else if (place == PLACE_PROCESS)
        tv_complete_processes(&wanted);
    else if (place == PLACE_METHOD)
        tv_complete_methods(&wanted, TV_NAMES_OF_METHODS);
    else if (place == PLACE_PACKAGES)
        tv_complete_methods(&wanted, TV_NAMES_OF_PACKAGES);
}

/* Adds the values of an option. In a list, only the last of them is being typed. */
static void add_values(const struct line *line, const struct tv_option *option,
                       struct tv_str before)
{
    const enum place place = value_place(option);
    add_files(line, place);
    if (place == PLACE_PACKAGES) {
        for (size_t i = before.len; i < line->text.len; i++)
            before.len = line->text.at[i] == ',' ? i + 1 : before.len;
    }
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        add_word(line, before, *choice, NULL);
    add_place(line, place, before);
}

/* Adds what the current word can become. */
static void add_next(const struct line *line)
{
    struct tv_str text = line->text;
    size_t equals = tv_str_find(text, TV_STR("="), TV_CASE_EXACT);
    bool is_option = !line->is_past_options && text.len && text.at[0] == '-';
    if (line->awaited) {
        add_values(line, line->awaited, (struct tv_str){text.at, 0});
    } else if (is_option && equals != SIZE_MAX) {
        char name[64];
        (void)snprintf(name, sizeof(name), "%.*s", (int)equals, text.at);
        const struct tv_option *option = tv_options_awaiting(&line->options, name);
        if (option)
            add_values(line, option, (struct tv_str){text.at, equals + 1});
        else
            add_files(line, PLACE_NOTHING);
    } else if (is_option) {
        add_files(line, PLACE_NOTHING);
        add_options(line);
    } else {
        enum place place = argument_place(line->verb, line->position);
        add_files(line, place);
        add_place(line, place, (struct tv_str){text.at, 0});
    }
}

/* Called by the shell's script with the words so far. Without a verb the words may begin with a
 * file, which is the viewer's, so its options are offered as well as the verbs. */
int tv_complete(const struct tv_cli *cli, char *const *words, size_t word_count)
{
    uint64_t current;
    if (word_count < 2 || !tv_str_to_u64(tv_str_from(words[0]), 10, &current) ||
        current >= word_count - 1)
        return tv_cli_misuse(cli, "--complete needs the number of a word, and the words");
    words++;
    word_count--;
    const struct tv_verb *verb = current ? tv_find_verb(words[0]) : NULL;
    size_t skipped = verb ? 1 : 0;
    struct line line = {.cli = cli,
                        .verb = verb ? verb : &tv_verb_view,
                        .words = words + skipped,
                        .word_count = word_count - skipped,
                        .current = (size_t)current - skipped,
                        .text = tv_str_from(words[current])};
    line.options = tv_verb_options(line.verb);
    read_line(&line);
    add_next(&line);
    if (!current)
        add_verbs(&line);
    return TV_STATUS_FINE;
}
