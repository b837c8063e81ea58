/*
 * Commands that look closer, printed below a sentence of an answer; see cli/answers/drill_down.h. A
 * command is to be copied and run as it is: it has the thread, the range with all digits, the clock
 * and the depth that lead to the call, and is broken with "\" where the terminal is narrower. For a
 * trace from standard input, or one whose name cannot be quoted, no command is printed.
 */
#include "cli/answers/drill_down.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"

#define INDENT "    "
/* Of a tree below the call that it is about. */
#define LEVELS_BELOW 3u

/* A command while its words are written. */
struct command {
    struct tv_text *out;
    size_t width; /* of the terminal; 0: none */
    size_t used;
};

/* Adds a word, or an option with its value. Room stays for " \". */
static void add_words(struct command *command, struct tv_str words)
{
    size_t width = tv_text_width(words);
    if (command->width && command->used + 1 + width + 2 > command->width) {
        tv_text_add(command->out, " \\\n" INDENT INDENT);
        command->used = 2 * (sizeof(INDENT) - 1);
    } else {
        tv_text_add(command->out, " ");
        command->used++;
    }
    tv_text_add_str(command->out, words);
    command->used += width;
}

/* Adds an option with a time in milliseconds: all its digits, so that a range holds its call. */
static void add_time(struct command *command, const char *option, uint64_t time_ns)
{
    char words[64];
    int len = snprintf(words, sizeof(words), "%s %" PRIu64 ".%06u", option, time_ns / TV_NS_PER_MS,
                       (unsigned)(time_ns % TV_NS_PER_MS));
    while (words[len - 1] == '0' && words[len - 4] != '.')
        len--;
    add_words(command, (struct tv_str){words, (size_t)len});
}

/* What the command line says of mappings; NULL: nothing. Those that are remembered, or stand in the
 * environment, are looked for by every command. */
static const char *mapping_of(const struct tv_asking *asking)
{
    const struct tv_shared_options *shared = &asking->cli->shared;
    return shared->mapping ? shared->mapping : shared->mappings;
}

static bool can_tell(const char *file)
{
    return strcmp(file, "-") != 0 && tv_text_can_quote(tv_str_from(file));
}

bool tv_drill_down_is_told(const struct tv_asking *asking)
{
    const char *mapping = mapping_of(asking);
    return can_tell(asking->file) && (!mapping || can_tell(mapping));
}

/* Adds the file, and a word behind it unless that is empty, and ends the line. */
static void add_file_and(struct command *command, const struct tv_asking *asking,
                         struct tv_str word)
{
    struct tv_text quoted;
    tv_text_init(&quoted, asking->cli->alloc);
    tv_text_add_quoted(&quoted, tv_str_from(asking->file));
    if (asking->file[0] == '-')
        add_words(command, TV_STR("--"));
    add_words(command, tv_text_view(&quoted));
    if (word.len)
        add_words(command, word);
    tv_text_add(command->out, "\n");
    /* A command without its file would be told as if it were whole. */
    tv_text_take_code(command->out, &quoted);
    tv_text_release(&quoted);
}

static void add_file(struct command *command, const struct tv_asking *asking)
{
    add_file_and(command, asking, TV_STR(""));
}

/* Adds the options by which the names of the answer were found. */
static void add_mapping(struct command *command, const struct tv_asking *asking)
{
    const struct tv_shared_options *shared = &asking->cli->shared;
    struct tv_text words;
    if (!mapping_of(asking))
        return;
    tv_text_init(&words, asking->cli->alloc);
    tv_text_add(&words, shared->mapping ? "--mapping " : "--mappings ");
    tv_text_add_quoted(&words, tv_str_from(mapping_of(asking)));
    add_words(command, tv_text_view(&words));
    tv_text_take_code(command->out, &words);
    tv_text_release(&words);
    if (shared->force_mapping)
        add_words(command, TV_STR("--force-mapping"));
}

/* Begins a line with a verb. */
static struct command begin(struct tv_text *out, const struct tv_asking *asking, const char *verb)
{
    struct command command = {.out = out, .width = asking->cli->terminal.width};
    tv_text_add(out, INDENT "traceview %s", verb);
    command.used = strlen(INDENT "traceview ") + strlen(verb);
    add_mapping(&command, asking);
    return command;
}

/* Adds --clock where the verb would answer by another measure than the sentence above. */
static void add_clock(struct command *command, const struct tv_asking *asking,
                      enum tv_measure measure)
{
    char words[32];
    bool is_cpu = tv_index_default_clock(asking->index) == TV_CLOCK_CPU;
    if (measure == (is_cpu ? TV_MEASURE_CPU : TV_MEASURE_WALL))
        return;
    int len = snprintf(words, sizeof(words), "--clock %s", tv_measure_words[measure]);
    add_words(command, (struct tv_str){words, (size_t)len});
}

/* Adds --depth where a tree would end above what the call called. */
static void add_depth(struct command *command, uint32_t depth)
{
    char words[32];
    if (depth + LEVELS_BELOW < TV_TREE_LEVELS)
        return;
    int len = snprintf(words, sizeof(words), "--depth %" PRIu32, depth + 1 + LEVELS_BELOW);
    add_words(command, (struct tv_str){words, (size_t)len});
}

enum tv_measure tv_drill_down_axis_measure(const struct tv_index *index)
{
    return tv_index_axis(index) == TV_CLOCK_WALL ? TV_MEASURE_WALL : TV_MEASURE_CPU;
}

/* Adds a `tree` of the call's thread and range. An empty range leads nowhere, so no command is
 * added for it. */
void tv_drill_down_add(struct tv_text *out, const struct tv_asking *asking, enum tv_measure measure,
                       struct tv_call_ref call, uint64_t from_ns, uint64_t to_ns)
{
    char thread[32];
    if (!tv_drill_down_is_told(asking) || from_ns >= to_ns)
        return;
    struct command command = begin(out, asking, "tree");
    add_clock(&command, asking, measure);
    (void)snprintf(thread, sizeof(thread), "--thread %" PRIu32,
                   asking->index->threads[call.thread_ix].id);
    add_words(&command, tv_str_from(thread));
    add_time(&command, "--from", from_ns);
    add_time(&command, "--to", to_ns);
    add_depth(&command, call.depth);
    add_file(&command, asking);
}

void tv_drill_down_add_insight(struct tv_text *out, const struct tv_asking *asking,
                               const struct tv_insight *insight)
{
    const bool is_wait = insight->kind == TV_INSIGHT_WAIT;
    if (is_wait || insight->kind == TV_INSIGHT_OPEN || insight->kind == TV_INSIGHT_SLOW ||
        insight->kind == TV_INSIGHT_FRAMES)
        tv_drill_down_add(out, asking,
                          is_wait                           ? TV_MEASURE_WAIT
                          : insight->clock == TV_CLOCK_WALL ? TV_MEASURE_WALL
                                                            : TV_MEASURE_CPU,
                          insight->call, insight->from_ns, insight->to_ns);
}

void tv_drill_down_add_callers(struct tv_text *out, const struct tv_asking *asking, uint32_t method,
                               const uint32_t *thread_id)
{
    char id[32];
    char thread[32];
    if (!tv_drill_down_is_told(asking))
        return;
    (void)snprintf(id, sizeof(id), "0x%" PRIx64, asking->index->methods[method].id);
    struct command command = begin(out, asking, "callers");
    if (thread_id) {
        (void)snprintf(thread, sizeof(thread), "--thread %" PRIu32, *thread_id);
        add_words(&command, tv_str_from(thread));
    }
    add_file_and(&command, asking, tv_str_from(id));
}

void tv_drill_down_add_verb(struct tv_text *out, const struct tv_asking *asking, const char *verb)
{
    if (!tv_drill_down_is_told(asking))
        return;
    struct command command = begin(out, asking, verb);
    add_file(&command, asking);
}
