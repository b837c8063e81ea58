/*
 * Parsing options by their table; see cli/options.h.
 *
 * A value is stored by memcpy at the field's place in the verb's options struct: the table knows
 * the place and the kind, and the kind says which type the field has. Options come in several
 * lists, the verb's own first; the others are shared and go to `arguments->shared`. The lists are
 * searched in order, so a verb's own option wins.
 *
 * Parsing stops at the first word that is wrong, and opens nothing. Options and arguments may be
 * mixed up to "--". Values point into the words, which must outlive them.
 *
 * Options that several verbs share are macros of rows in the headers of their rooms; a verb's table
 * has those rows among its own, so `--help`, completion and parsing know them without a second
 * list.
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numbers/duration.h"
#include "base/str.h"

#define NAME_LIMIT 64u
/* More than any verb has. */
#define OPTION_LIMIT 128u

static const char *const switch_words[] = {"yes", "no", NULL};
static const char *const color_words[] = {"auto", "always", "never", NULL};

static const struct tv_option file_options[] = {
    {.name = "unpack-all",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tv_shared_options, unpack_all),
     .help = "trust FILE: no limit to what is made of it",
     .group = TV_GROUP_OUTPUT},
};
const struct tv_option_list tv_file_options = {file_options, TV_COUNT_OF(file_options)};

static const struct tv_option index_options[] = {
    {.name = "no-cache",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tv_shared_options, no_cache),
     .help = "read the trace itself: no saved index is used or kept",
     .group = TV_GROUP_OUTPUT},
};
const struct tv_option_list tv_index_options = {index_options, TV_COUNT_OF(index_options)};

static const struct tv_option mapping_options[] = {
    {.name = "mapping",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct tv_shared_options, mapping),
     .argument = "MAPPING",
     .help = "names of the source, by a mapping file of R8 or ProGuard",
     .group = TV_GROUP_WHAT},
    {.name = "mappings",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct tv_shared_options, mappings),
     .argument = "MAPPINGS",
     .help = "the same by the one of a folder that fits the trace",
     .group = TV_GROUP_WHAT},
    {.name = "force-mapping",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tv_shared_options, force_mapping),
     .help = "take MAPPING although it seems to be of another build",
     .group = TV_GROUP_WHAT},
};
const struct tv_option_list tv_mapping_options = {mapping_options, TV_COUNT_OF(mapping_options)};

static const struct tv_option name_options[] = {
    {.name = "full",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tv_shared_options, full),
     .help = "raw signatures, with all packages and the result",
     .group = TV_GROUP_OUTPUT},
};
const struct tv_option_list tv_name_options = {name_options, TV_COUNT_OF(name_options)};

static const struct tv_option layout_options[] = {
    {.name = "color",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct tv_shared_options, color),
     .argument = "WHEN",
     .help = "auto, always or never (auto: on a terminal)",
     .choices = color_words,
     .group = TV_GROUP_OUTPUT},
    {.name = "no-pager",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct tv_shared_options, no_pager),
     .help = "a long answer runs through, instead of into a pager",
     .group = TV_GROUP_OUTPUT},
};
const struct tv_option_list tv_layout_options = {layout_options, TV_COUNT_OF(layout_options)};

/* One run over the words of a command line. */
struct parsing {
    const struct tv_option_lists *options;
    char *const *words;
    size_t word_count;
    size_t next;
    uint8_t *own_values;
    uint8_t *values; /* the struct of the option that was found last */
    struct tv_arguments *arguments;
    struct tv_error *err;
    const uint8_t *given[OPTION_LIMIT]; /* fields that take one value, and have it */
    size_t given_count;
};

/* 8388608, 64k, 64m or 1g, in either case; each a 1024 times the one before. */
static bool parse_size(const char *text, uint64_t *bytes)
{
    static const char letters[] = "kmg";
    size_t digits = strspn(text, "0123456789");
    char last = text[digits];
    const char *letter = last ? strchr(letters, last | 0x20) : NULL;
    unsigned shift = letter ? 10 * (unsigned)(letter - letters + 1) : 0;
    if (last && (!letter || text[digits + 1]))
        return false;
    return tv_str_to_u64((struct tv_str){text, digits}, 10, bytes) &&
           !__builtin_mul_overflow(*bytes, (uint64_t)1 << shift, bytes);
}

/* Spells an option as the user would: "--name", or "-l" where it has no name. */
static void spell(char out[NAME_LIMIT], const struct tv_option *option)
{
    if (option->name)
        (void)snprintf(out, NAME_LIMIT, "--%s", option->name);
    else
        (void)snprintf(out, NAME_LIMIT, "-%c", option->letter);
}

/* Says which option was given what, and what it takes: the form of every value that is refused. */
static enum tv_code bad_value(const struct parsing *parsing, const struct tv_option *option,
                              const char *allowed, const char *value)
{
    char spelled[NAME_LIMIT];
    spell(spelled, option);
    return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s '%.*s': must be %s", spelled,
                   tv_str_shown_len(tv_str_from(value)), value, allowed);
}

/* The message names the limit, since a number that is refused is mostly too large. */
static enum tv_code bad_count(const struct parsing *parsing, const struct tv_option *option,
                              const char *value)
{
    char allowed[NAME_LIMIT] = "a whole number";
    if (option->most)
        (void)snprintf(allowed, sizeof(allowed), "a whole number up to %llu",
                       (unsigned long long)option->most);
    return bad_value(parsing, option, allowed, value);
}

unsigned tv_choice_position(const char *const *choices, const char *choice)
{
    unsigned position = 0;
    for (; choices[position] != choice; position++)
        tv_assert(choices[position]);
    return position;
}

/* Stores the table's own text of the choice, not the user's: tv_choice_position() compares
 * pointers. */
static enum tv_code store_choice(const struct parsing *parsing, const struct tv_option *option,
                                 const char *const *choices, const char *value)
{
    char allowed[160]; /* "one of a, b, c" */
    size_t used = (size_t)snprintf(allowed, sizeof(allowed), "one of");
    for (const char *const *choice = choices; *choice; choice++) {
        if (strcmp(*choice, value) == 0) {
            memcpy(parsing->values + option->field, choice, sizeof(*choice));
            return TV_OK;
        }
        if (used < sizeof(allowed))
            used += (size_t)snprintf(allowed + used, sizeof(allowed) - used, "%s %s",
                                     choice == choices ? "" : ",", *choice);
    }
    return bad_value(parsing, option, allowed, value);
}

/* Adds one more text to those of an option. */
static enum tv_code store_text(const struct parsing *parsing, const struct tv_option *option,
                               const char *value)
{
    struct tv_texts texts;
    char spelled[NAME_LIMIT];
    memcpy(&texts, parsing->values + option->field, sizeof(texts));
    spell(spelled, option);
    if (texts.count == TV_TEXT_LIMIT)
        return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s is given more than %u times", spelled, TV_TEXT_LIMIT);
    texts.of[texts.count++] = value;
    memcpy(parsing->values + option->field, &texts, sizeof(texts));
    return TV_OK;
}

static enum tv_code store_step(const struct parsing *parsing, const struct tv_option *option,
                               const char *value)
{
    struct tv_option_steps steps;
    memcpy(&steps, parsing->values + option->field, sizeof(steps));
    if (steps.count == TV_STEPS_LIMIT)
        return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "more than %u options that name calls", TV_STEPS_LIMIT);
    steps.of[steps.count++] = (struct tv_step_word){option, value};
    memcpy(parsing->values + option->field, &steps, sizeof(steps));
    return TV_OK;
}

static bool may_lack_value(const struct tv_option *option)
{
    return (option->kind == TV_OPTION_STEPS && !option->argument) ||
           option->kind == TV_OPTION_FLAG || option->kind == TV_OPTION_SWITCH ||
           option->kind == TV_OPTION_MAYBE;
}

/* Reads the value as the option's kind says, and stores it in the option's field. */
static enum tv_code store(const struct parsing *parsing, const struct tv_option *option,
                          const char *value)
{
    uint8_t *field = parsing->values + option->field;
    struct tv_time_value time = {.is_given = true};
    uint64_t count;
    double percent;
    const bool is_set = true;
    switch (option->kind) {
    case TV_OPTION_FLAG:
        memcpy(field, &is_set, sizeof(is_set));
        return TV_OK;
    case TV_OPTION_SWITCH:
        return store_choice(parsing, option, switch_words, value ? value : switch_words[0]);
    case TV_OPTION_TEXT:
        memcpy(field, &value, sizeof(value));
        return TV_OK;
    case TV_OPTION_MAYBE:
        value = value ? value : "";
        memcpy(field, &value, sizeof(value));
        return TV_OK;
    case TV_OPTION_TEXTS:
        return store_text(parsing, option, value);
    case TV_OPTION_STEPS:
        return store_step(parsing, option, value);
    case TV_OPTION_WORDS: /* takes several values */
        return TV_OK;
    case TV_OPTION_COUNT:
        if (!tv_str_to_u64(tv_str_from(value), 10, &count) ||
            (option->most && count > option->most))
            return bad_count(parsing, option, value);
        memcpy(field, &count, sizeof(count));
        return TV_OK;
    case TV_OPTION_SIZE:
        if (!parse_size(value, &count))
            return bad_value(parsing, option, "a size: 8388608, 64k, 64m or 1g", value);
        memcpy(field, &count, sizeof(count));
        return TV_OK;
    case TV_OPTION_CHOICE:
        return store_choice(parsing, option, option->choices, value);
    case TV_OPTION_TIME:
        if (!tv_duration_ns(tv_str_from(value), &time.time_ns))
            return bad_value(parsing, option, "a time: 1min, 1.5s, 200ms, 35us or 40ns", value);
        memcpy(field, &time, sizeof(time));
        return TV_OK;
    case TV_OPTION_SHARE:
        if (!tv_str_to_decimal(tv_str_from(value), &percent) || percent > 100)
            return bad_value(parsing, option, "a percentage up to 100", value);
        percent /= 100;
        memcpy(field, &percent, sizeof(percent));
        return TV_OK;
    }
    return TV_OK;
}

/* "--name=value" and "-n" are looked up here; what follows the name is the parser's business. */
const struct tv_option *tv_option_of_word(struct tv_option_list list, const char *word)
{
    bool is_name = word[1] == '-';
    struct tv_str name = {word + 2, is_name ? strcspn(word + 2, "=") : 0};
    for (size_t i = 0; i < list.count; i++) {
        const struct tv_option *option = &list.of[i];
        if (is_name ? option->name && tv_str_equal(tv_str_from(option->name), name)
                    : option->letter == word[1])
            return option;
    }
    return NULL;
}

/* Looks for the option in all lists, and remembers whose values it sets. */
static const struct tv_option *find(struct parsing *parsing, const char *word)
{
    for (size_t i = 0; i < TV_OPTION_LISTS; i++) {
        const struct tv_option *option = tv_option_of_word(parsing->options->of[i], word);
        if (!option)
            continue;
        parsing->values = i ? (uint8_t *)&parsing->arguments->shared : parsing->own_values;
        return option;
    }
    return NULL;
}

/* What stands behind "=" or the letter in a word, or NULL. */
static const char *value_in(const char *word)
{
    if (word[1] != '-')
        return word[2] ? word + 2 : NULL;
    const char *equals = strchr(word, '=');
    return equals ? equals + 1 : NULL;
}

/* For completion: whether the word before the cursor is an option whose value comes next. One that
 * may stand alone does not wait. */
const struct tv_option *tv_options_awaiting(const struct tv_option_lists *options, const char *word)
{
    const struct tv_option *option = NULL;
    if (word[0] != '-' || !word[1] || value_in(word))
        return NULL;
    for (size_t i = 0; i < TV_OPTION_LISTS && !option; i++)
        option = tv_option_of_word(options->of[i], word);
    return option && !may_lack_value(option) ? option : NULL;
}

/* Keeps the word, for cli/command/hints.h to tell what may have been meant. */
static enum tv_code unknown_option(const struct parsing *parsing, const char *word)
{
    parsing->arguments->unknown = word;
    return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "unknown option '%s'", word);
}

/* Refuses an option whose field has its value already. */
static enum tv_code note_given(struct parsing *parsing, const char *spelled, const uint8_t *field)
{
    for (size_t i = 0; i < parsing->given_count; i++) {
        if (parsing->given[i] == field)
            return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s is given twice",
                           spelled);
    }
    if (parsing->given_count == OPTION_LIMIT)
        return tv_fail(parsing->err, TV_ERR_LIMIT, TV_NO_OFFSET, "%s: more than %u options",
                       spelled, OPTION_LIMIT);
    parsing->given[parsing->given_count++] = field;
    return TV_OK;
}

/* Takes the words behind an option: as many as it has, or all up to the next option. */
static enum tv_code take_words(struct parsing *parsing, const struct tv_option *option,
                               const char *value)
{
    char spelled[NAME_LIMIT];
    struct tv_word_list list = {.of = parsing->words + parsing->next};
    spell(spelled, option);
    if (value)
        return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s takes the words that follow it: %s %s", spelled, spelled,
                       option->argument);
    while (parsing->next < parsing->word_count && (!option->most || list.count < option->most)) {
        const char *word = parsing->words[parsing->next];
        if (word[0] == '-' && word[1])
            break;
        parsing->next++;
        list.count++;
    }
    if (!list.count || list.count < option->most)
        return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s needs more words: %s",
                       spelled, option->argument);
    memcpy(parsing->values + option->field, &list, sizeof(list));
    return TV_OK;
}

/* Takes an option and its value: the value in the word itself, or NULL, then the next word. An
 * option that takes one value is refused the second time, since the user may have meant either. */
static enum tv_code take_option(struct parsing *parsing, const struct tv_option *option,
                                const char *value)
{
    char spelled[NAME_LIMIT];
    spell(spelled, option);
    if (option->kind == TV_OPTION_FLAG && value)
        return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s '%.*s': takes no value",
                       spelled, tv_str_shown_len(tv_str_from(value)), value);
    bool has_words = option->kind == TV_OPTION_WORDS;
    if (!may_lack_value(option) && !value && !has_words) {
        if (parsing->next == parsing->word_count)
            return tv_fail(parsing->err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s needs a value: %s",
                           spelled, option->argument);
        value = parsing->words[parsing->next++];
    }
    if (option->kind != TV_OPTION_FLAG && option->kind != TV_OPTION_TEXTS &&
        option->kind != TV_OPTION_STEPS)
        TV_TRY(note_given(parsing, spelled, parsing->values + option->field));
    if (has_words)
        return take_words(parsing, option, value);
    return store(parsing, option, value);
}

/* "-k", "-t5", or letters that stand together, "-kt5": all but the last take no value. */
static enum tv_code take_letters(struct parsing *parsing, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct tv_option *option = find(parsing, (const char[]){'-', *letter, '\0'});
        if (!option)
            return unknown_option(parsing, word);
        const char *value = !may_lack_value(option) && letter[1] ? letter + 1 : NULL;
        TV_TRY(take_option(parsing, option, value));
        if (!may_lack_value(option))
            break;
    }
    return TV_OK;
}

static enum tv_code take_option_word(struct parsing *parsing, const char *word)
{
    if (word[1] != '-')
        return take_letters(parsing, word);
    const struct tv_option *option = find(parsing, word);
    return option ? take_option(parsing, option, value_in(word)) : unknown_option(parsing, word);
}

/* -h is help, too, unless the verb has another use for the letter. */
static bool asks_for_help(const struct tv_option_lists *options, const char *word)
{
    bool is_letter = strcmp(word, "-h") == 0;
    return strcmp(word, "--help") == 0 || (is_letter && !tv_option_of_word(options->of[0], word));
}

/* Goes over the words once. --help wins over everything behind it, but not over a mistake before
 * it. */
enum tv_code tv_options_parse(const struct tv_option_lists *options, char *const *words,
                              size_t word_count, void *values, struct tv_arguments *arguments,
                              struct tv_error *err)
{
    struct parsing parsing = {.options = options,
                              .words = words,
                              .word_count = word_count,
                              .own_values = values,
                              .arguments = arguments,
                              .err = err};
    bool is_past_options = false;
    while (parsing.next < word_count) {
        const char *word = words[parsing.next++];
        bool is_option = !is_past_options && word[0] == '-' && word[1];
        if (is_option && asks_for_help(options, word)) {
            arguments->has_help = true;
            return TV_OK;
        }
        if (is_option && strcmp(word, "--") == 0)
            is_past_options = arguments->has_dashes = true;
        else if (is_option)
            TV_TRY(take_option_word(&parsing, word));
        else
            arguments->of[arguments->count++] = word;
    }
    return TV_OK;
}
