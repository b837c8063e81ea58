/*
 * Hints for words that cannot be run; see cli/command/hints.h. A word is looked up among what other
 * tools call a verb or an option, then compared with ours by the number of edits between them; one
 * or two edits count as a slip. A new word of another tool is a row of one of the two tables.
 *
 * People copy a hint, so a whole command is proposed only after its words were parsed by the table
 * of its verb (say_meant()). No hint runs anything by itself, and the status is always that of a
 * misuse.
 */
#include "cli/command/hints.h"

#include <string.h>

#include "base/numbers/duration.h"
#include "base/str.h"
#include "cli/wording.h"
#include "os/file/paths.h"

#define NAME_LIMIT 64u
#define WORD_LIMIT 64u

/* What other tools call a verb: perf, pprof, uftrace, and viewers in general. */
static const struct {
    const char *word;
    const char *verb;
} verb_synonyms[] = {
    {"annotate", "callers"},    {"browse", "view"},        {"calltree", "tree"},
    {"dump", "convert"},        {"flame", "view"},         {"flamegraph", "view"},
    {"graph", "tree"},          {"gui", "view"},           {"hotspots", "top"},
    {"http", "view"},           {"licence", "--licenses"}, {"license", "--licenses"},
    {"licenses", "--licenses"}, {"lint", "check"},         {"list", "info"},
    {"merge", "join"},          {"methods", "top"},        {"open", "view"},
    {"peek", "callers"},        {"profile", "top"},        {"regression", "-r"},
    {"replay", "tree"},         {"report", "top"},         {"script", "convert"},
    {"show", "view"},           {"stat", "info"},          {"stats", "info"},
    {"summary", "info"},        {"text", "top"},           {"threads", "info"},
    {"traces", "tree"},         {"tui", "view"},           {"ui", "view"},
    {"validate", "check"},      {"verify", "check"},       {"version", "--version"},
    {"viewer", "view"},         {"web", "view"},
};

/* What other tools call an option. The first row whose option the verb takes is the hint. */
static const struct {
    const char *word;
    const char *option; /* with its value, where the word says it */
} option_synonyms[] = {
    {"as", "--as"},
    {"asc", "--order asc"},
    {"ascending", "--order asc"},
    {"begin", "--from"},
    {"bottom-up", "--inverted"},
    {"colour", "--color"},
    {"comm", "--thread"},
    {"count", "-n"},
    {"cpu", "--clock cpu"},
    {"cum", "--sort inclusive"},
    {"cumulative", "--sort inclusive"},
    {"end", "--to"},
    {"exclude", "--hide"},
    {"exclusive", "--sort exclusive"},
    {"filter", "--match"},
    {"flat", "--sort exclusive"},
    {"format", "--as"},
    {"grep", "--match"},
    {"head", "-n"},
    {"headless", "--no-browser"},
    {"ignore", "--hide"},
    {"inclusive", "--sort inclusive"},
    {"invert", "--inverted"},
    {"invert-call-tree", "--inverted"},
    {"lines", "-n"},
    {"limit", "-n"},
    {"max-depth", "--depth"},
    {"max-stack", "--depth"},
    {"max-time", "--duration"},
    {"no-open", "--no-browser"},
    {"nodecount", "-n"},
    {"nodefraction", "--percent-limit"},
    {"real", "--clock wall"},
    {"reverse", "--order asc"},
    {"rows", "-n"},
    {"self", "--sort exclusive"},
    {"since", "--from"},
    {"start", "--from"},
    {"stdio", "--no-pager"},
    {"threads", "--thread"},
    {"threshold", "--percent-limit"},
    {"tid", "--thread"},
    {"time-limit", "--duration"},
    {"time-range", "--from"},
    {"timeout", "--duration"},
    {"top", "-n"},
    {"total", "--sort inclusive"},
    {"until", "--to"},
    {"wall", "--clock wall"},
};

/* The exact word alone: what is only similar is a hint, and nothing that is run. */
const struct tv_verb *tv_find_verb(const char *word)
{
    for (const struct tv_verb *const *verb = tv_verbs; *verb; verb++) {
        if (strcmp((*verb)->name, word) == 0)
            return *verb;
    }
    return NULL;
}

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edits from a to b: letters put in, taken out, replaced, or two neighbours in each other's place.
 * Words that are too long are far from everything. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][NAME_LIMIT + 1] = {{0}}; /* of a's letters: this one, the last, and before */
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    if (a_len > NAME_LIMIT || b_len > NAME_LIMIT)
        return NAME_LIMIT;
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *last = rows[(i + 2) % 3];
        const unsigned *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] =
                least_of(last[j - 1] + (a[i - 1] != b[j - 1]), least_of(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least_of(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

/* How many edits a slip may have: one in a short word, else every short word would fit. */
static unsigned slip_of(const char *word)
{
    return strlen(word) < 5 ? 1 : 2;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && strcmp(word, "--") != 0;
}

static bool is_file(const char *word)
{
    char path[TV_PATH_CAP];
    return strcmp(word, "-") == 0 || tv_path_of_file(path, word);
}

/* What the word of another tool is called here, or NULL. */
static const char *verb_by_synonym(const char *word)
{
    for (size_t i = 0; i < TV_COUNT_OF(verb_synonyms); i++) {
        if (strcmp(verb_synonyms[i].word, word) == 0)
            return verb_synonyms[i].verb;
    }
    return NULL;
}

/* What a word that is no verb means, or NULL. Another tool's word comes before a slip; of verbs
 * that are equally near the first of the table is taken. */
static const char *meant_verb(const char *word)
{
    const char *nearest = verb_by_synonym(word);
    unsigned least = slip_of(word) + 1;
    for (const struct tv_verb *const *verb = tv_verbs; !nearest && *verb; verb++)
        least = least_of(least, distance(word, (*verb)->name));
    for (const struct tv_verb *const *verb = tv_verbs; !nearest && *verb; verb++) {
        if (least <= slip_of(word) && distance(word, (*verb)->name) == least)
            nearest = (*verb)->name;
    }
    return nearest;
}

/* Whether the verb takes these words, as far as that can be told without reading a file. */
static bool takes_words(const struct tv_verb *verb, char *const *words, size_t count,
                        struct tv_arguments *arguments)
{
    uint64_t values[TV_VERB_VALUES / sizeof(uint64_t)] = {0};
    struct tv_option_lists options = tv_verb_options(verb);
    struct tv_error err;
    if (verb->defaults)
        memcpy(values, verb->defaults, verb->values_len);
    if (tv_options_parse(&options, words, count, values, arguments, &err) != TV_OK)
        return false;
    return arguments->has_help || arguments->count <= verb->argument_count || verb->repeats_last;
}

/* Whether a verb needs no more than these arguments: others want an option, or a link. */
static bool needs_no_option(const struct tv_verb *verb, size_t arguments)
{
    if (verb == &tv_verb_query) /* --schema may stand for its statement */
        return arguments == verb->argument_count;
    return verb->prints_tables || verb == &tv_verb_view || verb->saves_index ||
           verb == &tv_verb_regression || verb == &tv_verb_dmtracedump ||
           verb == &tv_verb_convert || verb == &tv_verb_join;
}

/* Says why the words cannot be run, and the command that was meant: `name` before the words, but
 * for the one at `left_out`. A command that would be refused is not proposed: what it lacks is
 * told, or its help. Words that no line can show, or very many, are left for the user to fill in.
 */
static int say_meant(const struct tv_cli *cli, const char *why, const char *name,
                     char *const *words, size_t count, size_t left_out)
{
    const struct tv_verb *verb = tv_find_verb(name);
    const char *of[WORD_LIMIT];
    char *meant[WORD_LIMIT];
    size_t meant_count = 0;
    bool is_told = count < WORD_LIMIT;
    struct tv_arguments arguments = {.of = of};
    for (size_t i = 0; is_told && verb && i < count; i++) {
        if (i != left_out)
            meant[meant_count++] = words[i];
    }
    if (is_told && verb && !takes_words(verb, meant, meant_count, &arguments))
        return tv_cli_misuse(cli, "%s: see 'traceview %s --help'", why, name);
    bool is_short =
        arguments.count + (verb ? verb->may_lack : 0) < (verb ? verb->argument_count : 0);
    if (is_told && verb && !arguments.has_help &&
        (is_short || !needs_no_option(verb, arguments.count)))
        return tv_cli_misuse(cli, "%s: did you mean 'traceview %s', which takes %s?", why, name,
                             verb->arguments);
    struct tv_text line;
    tv_text_init(&line, cli->alloc);
    tv_text_add(&line, "traceview %s", name);
    for (size_t i = 0; is_told && i < meant_count; i++)
        is_told = tv_text_can_quote(tv_str_from(meant[i]));
    for (size_t i = 0; is_told && i < meant_count; i++) {
        tv_text_add(&line, " ");
        tv_text_add_quoted(&line, tv_str_from(meant[i]));
    }
    if (!is_told)
        tv_text_add(&line, " ...");
    struct tv_str command = tv_text_view(&line);
    bool has_quotes = tv_str_find(command, TV_STR("'"), TV_CASE_EXACT) != SIZE_MAX;
    int status =
        tv_cli_misuse(cli, has_quotes ? "%s: did you mean: %.*s" : "%s: did you mean '%.*s'?", why,
                      (int)command.len, command.at);
    tv_text_release(&line);
    return status;
}

/* "'WORD' is neither a verb nor a file" */
static void tell_neither(char out[2 * NAME_LIMIT], const char *word)
{
    (void)snprintf(out, 2 * NAME_LIMIT, "'%.*s' is neither a verb nor a file",
                   tv_str_shown_len(tv_str_from(word)), word);
}

/* The name in an option's word: --name=VALUE, and -name as pprof writes it. */
static void take_name(char name[NAME_LIMIT], const char *word)
{
    const char *begin = word + 1 + (word[1] == '-');
    (void)snprintf(name, NAME_LIMIT, "%.*s", (int)strcspn(begin, "="), begin);
}

/* The option of the verb, or NULL. */
static const struct tv_option *option_of(const struct tv_verb *verb, const char *word)
{
    struct tv_option_lists lists = tv_verb_options(verb);
    const struct tv_option *option = NULL;
    for (size_t i = 0; !option && i < TV_OPTION_LISTS; i++)
        option = tv_option_of_word(lists.of[i], word);
    return option;
}

/* Says what a first word means that is neither a verb nor a file; a later word that is a verb tells
 * that the order is wrong. A word with a slash or a point is a path, and the viewer says what is
 * wrong with that. */
int tv_hint_first_word(const struct tv_cli *cli, char *const *words, size_t count)
{
    char why[2 * NAME_LIMIT];
    bool is_other = false;
    if (strcmp(words[0], "--") == 0)
        return TV_STATUS_FINE; /* a file stands behind it, whatever its name is */
    tell_neither(why, words[0]);
    if (!is_option(words[0]) && !is_file(words[0])) {
        bool is_path = strchr(words[0], '/') || strchr(words[0], '.');
        const char *meant = is_path ? NULL : meant_verb(words[0]);
        if (meant)
            return say_meant(cli, why, meant, words + 1, count - 1, count);
        is_other = !is_path;
    }
    for (size_t i = 1; i < count && strcmp(words[i], "--") != 0; i++) {
        const struct tv_verb *verb = tv_find_verb(words[i]);
        if (verb && !is_file(words[i]))
            return say_meant(cli, "the verb comes first", verb->name, words, count, i);
        if (is_other && !is_option(words[i]))
            return tv_cli_misuse(cli, "%s: see 'traceview --help'", why);
    }
    return TV_STATUS_FINE;
}

int tv_hint_help(const struct tv_cli *cli, const char *word)
{
    const char *meant = meant_verb(word);
    if (meant)
        return tv_cli_misuse(cli, "there is no verb '%s': did you mean '%s'?", word, meant);
    return tv_cli_misuse(cli, "there is no verb '%s': see 'traceview --help'", word);
}

/* The option whose name is nearest to `name`, or NULL. */
static const struct tv_option *nearest_option(const struct tv_verb *verb, const char *name)
{
    struct tv_option_lists lists = tv_verb_options(verb);
    const struct tv_option *nearest = NULL;
    unsigned least = slip_of(name) + 1;
    for (size_t i = 0; i < TV_OPTION_LISTS; i++) {
        struct tv_option_list list = lists.of[i];
        for (size_t k = 0; k < list.count; k++) {
            unsigned edits = list.of[k].name ? distance(name, list.of[k].name) : NAME_LIMIT;
            if (edits < least) {
                least = edits;
                nearest = &list.of[k];
            }
        }
    }
    return nearest;
}

/* What the verb calls the option of another tool, or NULL. */
static const char *option_by_synonym(const struct tv_verb *verb, const char *name,
                                     const struct tv_option **found)
{
    for (size_t i = 0; i < TV_COUNT_OF(option_synonyms); i++) {
        char option[NAME_LIMIT];
        const char *with_value = option_synonyms[i].option;
        (void)snprintf(option, sizeof(option), "%.*s", (int)strcspn(with_value, " "), with_value);
        *found = strcmp(option_synonyms[i].word, name) == 0 ? option_of(verb, option) : NULL;
        if (*found)
            return with_value;
    }
    return NULL;
}

/* Proposes an option, and what its value is called where it needs one that is not told. */
static int say_option(const struct tv_cli *cli, const char *why, const char *spelled,
                      const struct tv_option *option)
{
    bool needs_value = option->argument && option->kind != TV_OPTION_SWITCH &&
                       option->kind != TV_OPTION_MAYBE && !strchr(spelled, ' ');
    return tv_cli_misuse(cli, "%s: did you mean '%s%s%s'?", why, spelled, needs_value ? " " : "",
                         needs_value ? option->argument : "");
}

/* The verb that takes the same arguments as `verb`, or is meant where no verb is given, and has
 * the option. Most options are those of top. dmtracedump is left out: its letters mean what another
 * program made of them. NULL: there is none. */
static const struct tv_verb *verb_with_option(const struct tv_verb *verb, const char *word,
                                              char *const *words, size_t count)
{
    const struct tv_verb *found = NULL;
    const char *of[WORD_LIMIT];
    if (count >= WORD_LIMIT)
        return NULL;
    for (const struct tv_verb *const *other = tv_verbs; *other; other++) {
        bool is_of_file = *other == &tv_verb_convert ||
                          ((*other)->uses_index && strncmp((*other)->arguments, "FILE", 4) == 0);
        bool fits = (verb == &tv_verb_view && is_of_file) ||
                    strcmp((*other)->arguments, verb->arguments) == 0;
        fits = fits && *other != verb && *other != &tv_verb_dmtracedump;
        struct tv_arguments arguments = {.of = of};
        if (fits && tv_option_of_word((*other)->options, word) &&
            (!found || *other == &tv_verb_top) && takes_words(*other, words, count, &arguments))
            found = *other;
    }
    return found;
}

/* Tries, in this order: another tool's word for an option; a number for -n; a verb written as an
 * option, or another tool's word for one; another verb that has the option; a slip. */
int tv_hint_option(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                   size_t count, const char *unknown)
{
    char name[NAME_LIMIT];
    char why[3 * NAME_LIMIT];
    size_t at = 0;
    take_name(name, unknown);
    (void)snprintf(why, sizeof(why), "%s: unknown option '%.*s'", verb->name,
                   tv_str_shown_len(tv_str_from(unknown)), unknown);
    while (at < count && words[at] != unknown)
        at++;
    const struct tv_option *option;
    const char *spelled = option_by_synonym(verb, name, &option);
    if (spelled)
        return say_option(cli, why, spelled, option);
    if (name[strspn(name, "0123456789")] == 0 && option_of(verb, "-n"))
        return tv_cli_misuse(cli, "%s: did you mean '-n %s'?", why, name);
    const struct tv_verb *other = tv_find_verb(name);
    const char *by_synonym = verb_by_synonym(name);
    if (other && other != verb)
        return say_meant(cli, why, other->name, words, count, at);
    if (by_synonym)
        return say_meant(cli, why, by_synonym, words, count, at);
    other = verb_with_option(verb, unknown, words, count);
    if (other && other->prints_tables)
        return say_meant(cli, why, other->name, words, count, count);
    /* Options of these go together, so it cannot be told what they would refuse. */
    if (other)
        return tv_cli_misuse(cli, "%s: did you mean 'traceview %s', which has it?", why,
                             other->name);
    option = nearest_option(verb, name);
    if (option) {
        (void)snprintf(name, sizeof(name), "--%s", option->name);
        return say_option(cli, why, name, option);
    }
    return tv_cli_misuse(cli, "%s: see 'traceview %s --help'", why, verb->name);
}

/* The place of a unit of time that stands alone behind its number, as in "--from 10 ms"; `count`
 * when there is none. */
static size_t find_lone_unit(char *const *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        char joined[NAME_LIMIT];
        uint64_t time_ns;
        int len = snprintf(joined, sizeof(joined), "%s%s", words[i - 1], words[i]);
        bool has_digit = words[i][strcspn(words[i], "0123456789")] != 0;
        if (words[i][0] && !has_digit && len < (int)sizeof(joined) &&
            tv_duration_ns(tv_str_from(words[i - 1]), &time_ns) &&
            tv_duration_ns(tv_str_from(joined), &time_ns) && !is_file(words[i]))
            return i;
    }
    return count;
}

/* Says that FILE and METHOD stand in each other's place. */
static int say_swapped(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                       size_t count, const struct tv_arguments *arguments)
{
    char *ordered[WORD_LIMIT];
    char why[3 * NAME_LIMIT];
    size_t places[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        ordered[i] = words[i];
        for (size_t k = 0; k < TV_COUNT_OF(places); k++)
            places[k] = words[i] == arguments->of[k] ? i : places[k];
    }
    ordered[places[0]] = words[places[1]];
    ordered[places[1]] = words[places[0]];
    (void)snprintf(why, sizeof(why), "%s: '%.*s' is no file", verb->name,
                   tv_str_shown_len(tv_str_from(arguments->of[0])), arguments->of[0]);
    return say_meant(cli, why, verb->name, ordered, count, count);
}

/* Checks the number of arguments and their order, before the verb runs. An argument too much may be
 * a unit of time that was written apart from its number. */
int tv_hint_arguments(const struct tv_cli *cli, const struct tv_verb *verb, char *const *words,
                      size_t count, const struct tv_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const bool is_of_program = i && arguments->has_dashes && verb->runs_program;
        if (!arguments->of[i][0] && !is_of_program)
            return tv_cli_misuse(cli, "%s: an argument is empty: it takes %s", verb->name,
                                 verb->arguments);
    }
    if (arguments->count + verb->may_lack < verb->argument_count)
        return tv_cli_misuse(cli, "%s needs %s: see 'traceview %s --help'", verb->name,
                             verb->arguments, verb->name);
    bool is_too_much = arguments->count > verb->argument_count && !verb->repeats_last;
    size_t unit = is_too_much ? find_lone_unit(words, count) : count;
    if (unit < count)
        return tv_cli_misuse(cli, "%s: '%s %s' is two words: did you mean '%s%s'?", verb->name,
                             words[unit - 1], words[unit], words[unit - 1], words[unit]);
    if (is_too_much && !verb->argument_count)
        return tv_cli_misuse(cli, "%s takes options alone: '%s' is too much", verb->name,
                             arguments->of[0]);
    if (is_too_much)
        return tv_cli_misuse(cli, "%s takes %s: '%s' is too much", verb->name, verb->arguments,
                             arguments->of[verb->argument_count]);
    if (strcmp(verb->arguments, "FILE METHOD") == 0 && count < WORD_LIMIT &&
        !is_file(arguments->of[0]) && is_file(arguments->of[1]))
        return say_swapped(cli, verb, words, count, arguments);
    return TV_STATUS_FINE;
}
