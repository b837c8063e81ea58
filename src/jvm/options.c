/*
 * The agent's options; see jvm/options.h.
 *
 * Options are words with commas between them: "start=app,only=com.example". They are copied once
 * into the struct and cut in place, so all its strings point into its own text and need no memory.
 * A table maps each word to a function that reads its value; an unknown word or a bad value is told
 * in one line and refuses all of the text.
 */
#include "jvm/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* The text that is left to read, in which words are cut off in place. */
struct reader {
    char *at;
    struct tv_jvm_options *options;
    char *why;
};

static bool fail(const struct reader *reader, const char *what, const char *word)
{
    (void)snprintf(reader->why, TV_JVM_WHY_CAP, "%s: '%.100s'", what, word);
    return false;
}

/* Cuts the next word off, at the next comma without a backslash before it; backslashes are taken
 * out. */
static char *next_word(struct reader *reader)
{
    char *from = reader->at;
    char *to = reader->at;
    char *word = reader->at;
    while (*from && *from != ',') {
        if (*from == '\\' && from[1])
            from++;
        *to++ = *from++;
    }
    reader->at = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* A number with one of the units behind it; each unit is a letter and a factor. */
struct unit {
    const char *name;
    uint64_t factor;
};

static bool read_number(const char *text, const struct unit *units, size_t unit_count,
                        uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9')
        return false;
    for (size_t i = 0; i < unit_count; i++) {
        if (strcmp(end, units[i].name) == 0)
            return !__builtin_mul_overflow(*value, units[i].factor, value);
    }
    return false;
}

static bool read_start(const struct reader *reader, char *value)
{
    reader->options->command = TV_JVM_START;
    reader->options->base = value;
    return true;
}

static bool read_stream(const struct reader *reader, char *value)
{
    if (!*value)
        return fail(reader, "stream= needs a file", value);
    reader->options->is_exact = reader->options->is_streaming = true;
    return read_start(reader, value);
}

static bool read_each(const struct reader *reader, char *value)
{
    if (!*value)
        return fail(reader, "each= needs the beginning of a file's name", value);
    reader->options->is_for_each = true;
    return read_stream(reader, value);
}

static bool read_while(const struct reader *reader, char *value)
{
    if (!*value)
        return fail(reader, "while= needs a file", value);
    reader->options->awaited = value;
    return true;
}

static bool read_size(const char *value, uint64_t *len)
{
    static const struct unit units[] = {
        {"", 1},        {"k", 1 << 10}, {"K", 1 << 10}, {"m", 1 << 20},
        {"M", 1 << 20}, {"g", 1 << 30}, {"G", 1 << 30},
    };
    return read_number(value, units, TV_COUNT_OF(units), len);
}

static bool read_most(const struct reader *reader, char *value)
{
    if (!read_size(value, &reader->options->file_most))
        return fail(reader, "most= needs a size, such as 100m", value);
    return true;
}

static bool read_ring(const struct reader *reader, char *value)
{
    uint64_t len;
    if (!read_size(value, &len) || !len || len > SIZE_MAX)
        return fail(reader, "ring= needs a size, such as 256m", value);
    reader->options->is_ring = true;
    reader->options->buffer_len = (size_t)len;
    return true;
}

static bool read_buffer(const struct reader *reader, char *value)
{
    uint64_t len;
    if (!read_size(value, &len) || len > SIZE_MAX)
        return fail(reader, "buffer= needs a size, such as 64m", value);
    reader->options->buffer_len = (size_t)len;
    return true;
}

static bool read_clock(const struct reader *reader, char *value)
{
    reader->options->has_wall = strcmp(value, "wall") == 0;
    reader->options->has_cpu = strcmp(value, "cpu") == 0;
    if (!reader->options->has_wall && !reader->options->has_cpu && strcmp(value, "dual") != 0)
        return fail(reader, "clock= is dual, wall or cpu", value);
    return true;
}

static bool read_mode(const struct reader *reader, char *value)
{
    if (strcmp(value, "events") == 0)
        reader->options->mode = TV_JVM_EVENTS;
    else if (strcmp(value, "rewrite") == 0)
        reader->options->mode = TV_JVM_REWRITE;
    else
        return fail(reader, "mode= is events or rewrite", value);
    return true;
}

/* The times that words give, in microseconds. */
static const struct unit times[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};

static bool read_slower(const struct reader *reader, char *value)
{
    uint64_t us;
    if (!read_number(value, times, TV_COUNT_OF(times), &us) || !us || us > UINT32_MAX)
        return fail(reader, "slower= needs a time, such as 100ms", value);
    reader->options->slow_ns = us * 1000;
    return true;
}

static bool read_slow_method(const struct reader *reader, char *value)
{
    if (!*value)
        return fail(reader, "slow-method= needs a name", value);
    reader->options->slow_name = value;
    return true;
}

static bool read_sample(const struct reader *reader, char *value)
{
    uint64_t us;
    if (!read_number(value, times, TV_COUNT_OF(times), &us) || !us || us > UINT32_MAX)
        return fail(reader, "sample= needs a time, such as 1ms", value);
    reader->options->interval_us = (uint32_t)us;
    return true;
}

static bool read_depth(const struct reader *reader, char *value)
{
    static const struct unit units[] = {{"", 1}};
    uint64_t depth;
    if (!read_number(value, units, TV_COUNT_OF(units), &depth) || !depth || depth > UINT32_MAX)
        return fail(reader, "depth= needs a number", value);
    reader->options->depth = (uint32_t)depth;
    return true;
}

/* Reads the first of two words as true, the second one as false. */
static bool read_choice(const struct reader *reader, const char *value, const char *const words[2],
                        const char *why, bool *is_first)
{
    *is_first = strcmp(value, words[0]) == 0;
    return *is_first || strcmp(value, words[1]) == 0 || fail(reader, why, value);
}

static bool read_yes(const struct reader *reader, const char *value, const char *why, bool *is_yes)
{
    static const char *const words[] = {"yes", "no"};
    return read_choice(reader, value, words, why, is_yes);
}

static bool read_boot(const struct reader *reader, char *value)
{
    return read_yes(reader, value, "boot= is yes or no", &reader->options->has_boot);
}

static bool read_alloc(const struct reader *reader, char *value)
{
    return read_yes(reader, value, "alloc= is yes or no", &reader->options->has_allocations);
}

static bool read_waits(const struct reader *reader, char *value)
{
    return read_yes(reader, value, "waits= is yes or no", &reader->options->has_waits);
}

static bool read_lines(const struct reader *reader, char *value)
{
    return read_yes(reader, value, "lines= is yes or no", &reader->options->has_lines);
}

static bool read_machine(const struct reader *reader, char *value)
{
    return read_yes(reader, value, "machine= is yes or no", &reader->options->has_machine);
}

static bool read_trivial(const struct reader *reader, char *value)
{
    static const char *const trivial_words[] = {"skip", "record"};
    return read_choice(reader, value, trivial_words, "trivial= is skip or record",
                       &reader->options->skips_trivial);
}

/* Reads packages or classes with colons between them: "com.example:org.other.Main". "com.example.*"
 * and "com.example." both mean "com.example". They are kept as the virtual machine writes names,
 * with slashes. */
static bool read_prefixes(const struct reader *reader, struct tv_jvm_prefixes *prefixes,
                          char *value)
{
    for (char *at = value; at;) {
        char *colon = strchr(at, ':');
        if (colon)
            *colon = '\0';
        size_t len = strlen(at);
        while (len && (at[len - 1] == '*' || at[len - 1] == '.'))
            at[--len] = '\0';
        for (char *dot = at; *dot; dot++)
            *dot = *dot == '.' ? '/' : *dot;
        if (!len || prefixes->count == TV_JVM_PREFIXES_MOST)
            return fail(reader, "only= and skip= need at most 128 packages or classes", at);
        prefixes->of[prefixes->count++] = at;
        at = colon ? colon + 1 : NULL;
    }
    return true;
}

static bool read_only(const struct reader *reader, char *value)
{
    return read_prefixes(reader, &reader->options->only, value);
}

static bool read_skip(const struct reader *reader, char *value)
{
    return read_prefixes(reader, &reader->options->skip, value);
}

static const struct {
    const char *name;
    bool (*read)(const struct reader *reader, char *value);
} words[] = {
    {"start", read_start},     {"stream", read_stream},
    {"buffer", read_buffer},   {"clock", read_clock},
    {"mode", read_mode},       {"sample", read_sample},
    {"boot", read_boot},       {"only", read_only},
    {"depth", read_depth},     {"skip", read_skip},
    {"machine", read_machine}, {"each", read_each},
    {"most", read_most},       {"ring", read_ring},
    {"trivial", read_trivial}, {"waits", read_waits},
    {"alloc", read_alloc},     {"lines", read_lines},
    {"slower", read_slower},   {"slow-method", read_slow_method},
    {"while", read_while},
};

static bool read_word(const struct reader *reader, char *word)
{
    if (strcmp(word, "start") == 0)
        return read_start(reader, NULL);
    if (strcmp(word, "stop") == 0) {
        reader->options->command = TV_JVM_STOP;
        return true;
    }
    char *equal = strchr(word, '=');
    if (equal)
        *equal = '\0';
    for (size_t i = 0; i < TV_COUNT_OF(words); i++) {
        if (strcmp(word, words[i].name) == 0)
            return equal ? words[i].read(reader, equal + 1)
                         : fail(reader, "this option needs a value", word);
    }
    return fail(reader, "there is no option", word);
}

/* What does nothing without another option; NULL: all of them do. A program that starts tracing by
 * itself decides later what is recorded, and may give what is missing. */
static const char *useless_option(const struct tv_jvm_options *options)
{
    if (options->command != TV_JVM_START)
        return NULL;
    if (options->slow_ns && !options->is_ring)
        return "slower= needs ring=";
    if (options->slow_name && !options->slow_ns)
        return "slow-method= needs slower=";
    if (options->file_most && (!options->is_streaming || options->is_ring))
        return "most= needs stream= or each=, and no ring=";
    if (options->has_lines && !options->interval_us)
        return "lines= needs sample=";
    return NULL;
}

bool tv_jvm_options_parse(const char *text, struct tv_jvm_options *options,
                          char why[TV_JVM_WHY_CAP])
{
    struct reader reader = {.options = options, .why = why};
    *options = (struct tv_jvm_options){.command = TV_JVM_WAIT};
    size_t len = text ? strlen(text) : 0;
    if (len >= sizeof(options->text))
        return fail(&reader, "the options are too long", text);
    if (len)
        memcpy(options->text, text, len + 1);
    reader.at = options->text;
    while (*reader.at) {
        char *word = next_word(&reader);
        if (*word && !read_word(&reader, word))
            return false;
    }
    const char *useless = useless_option(options);
    if (useless)
        (void)snprintf(why, TV_JVM_WHY_CAP, "%s", useless);
    return !useless;
}

/* Whether a class is in one of the packages, is one of the classes, or is inside one of them: a
 * prefix counts only where a part of the name ends. */
static bool has_prefix(const struct tv_jvm_prefixes *prefixes, const char *name, size_t len)
{
    for (size_t i = 0; i < prefixes->count; i++) {
        size_t prefix_len = strlen(prefixes->of[i]);
        if (prefix_len <= len && memcmp(name, prefixes->of[i], prefix_len) == 0 &&
            (prefix_len == len || name[prefix_len] == '/' || name[prefix_len] == '$'))
            return true;
    }
    return false;
}

/* Whether the methods of a class are recorded. The agent's own classes never are, or recording a
 * call would call itself. */
bool tv_jvm_options_want(const struct tv_jvm_options *options, const char *name, size_t len,
                         bool is_boot)
{
    static const struct tv_jvm_prefixes own = {
        .count = 3, .of = {"traceview/Debug", "traceview/jvm", "java/lang/TraceviewCalls"}};
    /* These run while a kernel's thread changes from one virtual thread to another: whose calls
     * they are cannot be told. */
    static const struct tv_jvm_prefixes between = {
        .count = 2, .of = {"java/lang/VirtualThread", "jdk/internal/vm/Continuation"}};
    /* What other agents bring along is no part of the program, unless somebody asks for it. */
    static const struct tv_jvm_prefixes of_agents = {.count = 1, .of = {"org/jacoco/agent/rt"}};
    if ((is_boot && (!options->has_boot || has_prefix(&between, name, len))) ||
        has_prefix(&own, name, len) || (!options->only.count && has_prefix(&of_agents, name, len)))
        return false;
    return (!options->only.count || has_prefix(&options->only, name, len)) &&
           !has_prefix(&options->skip, name, len);
}
