/*
 * A verb's options as a table: parsing, --help and completion all come from it.
 *
 * An option is given as "--name VALUE", "--name=VALUE", "-l VALUE" or "-lVALUE", before or after
 * the arguments; "--" ends the options. A switch has its value behind "=" alone, and so has an
 * option whose value may be missing. An option that takes one value is refused when it is given
 * twice: the second value would replace the first without a word. Its value lands in the verb's own
 * options struct, in the field that the table names, so each verb reads its options as plain
 * fields.
 */
#ifndef TV_CLI_OPTIONS_H
#define TV_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

/* What a value is, and the type of its field. */
enum tv_option_kind {
    TV_OPTION_FLAG,   /* bool */
    TV_OPTION_SWITCH, /* const char *, "yes" or "no": "--name" is "--name=yes" */
    TV_OPTION_TEXT,   /* const char *, NULL when not given */
    TV_OPTION_TEXTS,  /* struct tv_texts: the option may be given several times */
    TV_OPTION_STEPS,  /* struct tv_option_steps: several options share the field, in the order given
                       */
    TV_OPTION_COUNT,  /* uint64_t */
    TV_OPTION_SIZE,   /* uint64_t, bytes: "64m" is 67108864 */
    TV_OPTION_MAYBE,  /* const char *: "" where it is given without "=VALUE" */
    TV_OPTION_CHOICE, /* const char *, one of the choices */
    TV_OPTION_TIME,   /* struct tv_time_value, as base/numbers/duration.h reads it */
    TV_OPTION_WORDS,  /* struct tv_word_list: `most` words that follow, or where that is 0 all up to
                         the next option */
    TV_OPTION_SHARE,  /* double, 0 to 1, given in percent: "2.5" is 0.025 */
};

struct tv_time_value {
    bool is_given;
    uint64_t time_ns;
};

#define TV_TEXT_LIMIT 128u

struct tv_texts {
    size_t count;
    const char *of[TV_TEXT_LIMIT];
};

#define TV_STEPS_LIMIT 256u

struct tv_option;

/* Options whose order matters, and their values. */
struct tv_option_steps {
    size_t count;
    struct tv_step_word {
        const struct tv_option *option;
        const char *value;
    } of[TV_STEPS_LIMIT];
};

/* Words of the command line that follow an option. */
struct tv_word_list {
    char *const *of;
    size_t count;
};

/* Under which heading help has an option. */
enum tv_option_group {
    TV_GROUP_WHAT,
    TV_GROUP_PART,
    TV_GROUP_OUTPUT,
    TV_GROUP_PROGRAM, /* of programs on this machine, where a verb has them and apps */
    TV_GROUP_DEVICE,  /* of apps on devices */
};

struct tv_option {
    const char *name; /* without dashes; NULL when it has only a letter */
    char letter;      /* 0: it has none */
    enum tv_option_kind kind;
    size_t field;               /* offset in the options struct */
    const char *argument;       /* what help calls the value; NULL for a flag */
    const char *help;           /* one line */
    const char *const *choices; /* ends with NULL */
    uint64_t most;              /* the largest count, or the number of words; 0: no limit */
    enum tv_option_group group;
};

/* Options that many verbs have. Which of them a verb takes stands in its struct tv_verb. */
struct tv_shared_options {
    bool unpack_all;     /* of verbs that read a trace */
    bool no_cache;       /* of verbs that need an index */
    const char *mapping; /* these of verbs that need or save an index; NULL: not given */
    const char *mappings;
    bool force_mapping;
    bool full; /* these of verbs that print tables */
    bool no_pager;
    const char *color; /* "auto", "always", "never"; NULL: not given */
};

struct tv_arguments {
    const char **of; /* has room for as many as there are words */
    size_t count;
    bool has_dashes;     /* "--" was met: what follows is no option */
    bool has_help;       /* --help or -h was met; parsing ended there */
    const char *unknown; /* the word that is no option of the verb, where parsing failed at one */
    struct tv_shared_options shared;
};

struct tv_option_list {
    const struct tv_option *of;
    size_t count;
};

/* What a verb takes: first its own options, then lists of those that many verbs have. */
#define TV_OPTION_LISTS 6u
struct tv_option_lists {
    struct tv_option_list of[TV_OPTION_LISTS];
};

/* The option of every verb that reads a trace. */
extern const struct tv_option_list tv_file_options;
/* The option of every verb that needs an index. */
extern const struct tv_option_list tv_index_options;
/* The options of every verb that needs or saves an index: which names methods have. */
extern const struct tv_option_list tv_mapping_options;
/* The option of every verb that names methods. */
extern const struct tv_option_list tv_name_options;
/* The options of every verb that prints tables. */
extern const struct tv_option_list tv_layout_options;

/*
 * Parses words into `values` (the verb's options struct, already at its defaults) and `arguments`.
 * TV_ERR_ARGUMENT says what was wrong.
 */
enum tv_code tv_options_parse(const struct tv_option_lists *options, char *const *words,
                              size_t word_count, void *values, struct tv_arguments *arguments,
                              struct tv_error *err) TV_MUST_CHECK;

/* The option of a list that a word names: "--name", "--name=value", "-l" or "-lvalue"; NULL: none.
 * A name must be given whole: an abbreviation could mean another option in the next version. */
const struct tv_option *tv_option_of_word(struct tv_option_list list, const char *word);
/* The option that a word names, "--name" or "-l", if its value is the next word; NULL: there is no
 * such option, or it takes no value, or has it in the word. */
const struct tv_option *tv_options_awaiting(const struct tv_option_lists *options,
                                            const char *word);

/* The position of the value of a TV_OPTION_CHOICE, which points to one of the choices itself. */
unsigned tv_choice_position(const char *const *choices, const char *choice);

#endif
