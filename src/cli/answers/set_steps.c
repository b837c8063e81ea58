/*
 * Sets of calls from the options of a verb; see cli/answers/set_steps.h. The words of neighbouring
 * options are gathered into a step, which then takes its part of the scope.
 */
#include "cli/answers/set_steps.h"

#include <string.h>

#include "analysis/calls/call_steps.h"
#include "base/error.h"
#include "base/numbers/duration.h"

/* The words of one step, and what stands behind them: how long its calls lasted. */
struct step {
    const struct tv_step_word *of;
    size_t count;
    struct tv_call_limits limits;
    struct tv_str past; /* packages whose calls a path skips (--past) */
};

static bool is_named(const struct tv_step_word *word, const char *name)
{
    return strcmp(word->option->name, name) == 0;
}

static bool is_root(const struct tv_step_word *word)
{
    return is_named(word, "path") && strcmp(word->value, "^") == 0;
}

/* The upper end of a range of durations. An empty text means no upper end. "0" is refused, since 0
 * stands for no upper end in the struct. */
static bool read_below(struct tv_str text, uint64_t *below_ns)
{
    return !text.len || (tv_duration_ns(text, below_ns) && *below_ns);
}

/* Reads "1ms..5ms", "1ms.." or "..5ms", with a measure before it as in "wall:1ms..". */
static enum tv_code read_limits(const char *value, enum tv_measure measure,
                                struct tv_call_limits *limits, struct tv_error *err)
{
    struct tv_str text = tv_str_from(value);
    *limits = (struct tv_call_limits){.measure = measure};
    for (unsigned i = 0; i < TV_MEASURE_COUNT; i++) {
        size_t len = strlen(tv_measure_words[i]);
        if (strncmp(value, tv_measure_words[i], len) != 0 || value[len] != ':')
            continue;
        limits->measure = (enum tv_measure)i;
        text = tv_str_from(value + len + 1);
    }
    const char *dots = strstr(text.at, "..");
    size_t from_len = dots ? (size_t)(dots - text.at) : 0;
    const bool is_read = dots && (!from_len || tv_duration_ns((struct tv_str){text.at, from_len},
                                                              &limits->least_ns));
    if (is_read && from_len && !limits->least_ns && !dots[2])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "--duration %s: every call lasts 0 or longer; leave it out", value);
    if (!is_read || !read_below(tv_str_from(dots + 2), &limits->below_ns) ||
        !tv_call_limits_are(limits))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "--duration takes 1ms..5ms, 1ms.., ..5ms, or wall:1ms..5ms, not '%s'",
                       value);
    return TV_OK;
}

/* The calls at the end of --path. Its first word may be "^": the method behind it is outermost. */
static enum tv_code take_path(struct tv_asking *asking, const struct step *step,
                              struct tv_scope *scope, struct tv_error *err)
{
    bool is_from_root = is_root(&step->of[0]);
    size_t len = step->count - is_from_root;
    uint32_t *methods;
    if (!len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "--path names methods behind \"^\": --path ^ --path Main.main");
    TV_TRY(tv_arena_take(&asking->arena, len * sizeof(*methods), &methods, err));
    for (size_t i = 0; i < len; i++) {
        /* Without "^" the path is matched from its last method towards the callers, so it is stored
         * in reverse. */
        uint32_t *method = is_from_root ? &methods[i] : &methods[len - 1 - i];
        TV_TRY(tv_question_method(asking, step->of[i + is_from_root].value, method, err));
    }
    const struct tv_call_step taken = {
        .kind = is_from_root ? TV_STEP_FROM_ROOT : TV_STEP_TO_CALLERS, .of = methods, .len = len};
    return tv_scope_take_step(scope, asking->index, &taken, step->past, &step->limits,
                              &asking->arena, err);
}

static enum tv_code take_methods(struct tv_asking *asking, const struct step *step,
                                 struct tv_scope *scope, struct tv_error *err)
{
    uint32_t *methods;
    TV_TRY(tv_arena_take(&asking->arena, step->count * sizeof(*methods), &methods, err));
    for (size_t i = 0; i < step->count; i++)
        TV_TRY(tv_question_method(asking, step->of[i].value, &methods[i], err));
    const struct tv_call_step taken = {.kind = TV_STEP_METHODS, .of = methods, .len = step->count};
    return tv_scope_take_step(scope, asking->index, &taken, (struct tv_str){NULL, 0}, &step->limits,
                              &asking->arena, err);
}

static enum tv_code take_search(struct tv_asking *asking, const struct step *step,
                                struct tv_scope *scope, struct tv_error *err)
{
    struct tv_str *patterns;
    TV_TRY(tv_arena_take(&asking->arena, step->count * sizeof(*patterns), &patterns, err));
    for (size_t i = 0; i < step->count; i++)
        patterns[i] = tv_str_from(step->of[i].value);
    return tv_scope_take_matching(scope, asking->index, patterns, step->count, &step->limits,
                                  &asking->arena, err);
}

/* The number stands behind the last "#", since names may have one, too. */
enum tv_code tv_set_steps_call(struct tv_asking *asking, const char *option, const char *text,
                               uint32_t *method_ix, uint64_t *ordinal, struct tv_error *err)
{
    uint64_t number;
    char *method;
    const char *mark = strrchr(text, '#');
    if (!mark || mark == text || !tv_str_to_u64(tv_str_from(mark + 1), 10, &number) || !number)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s takes a method, # and a number from 1, as in 'Main.run#3', not '%s'",
                       option, text);
    size_t len = (size_t)(mark - text);
    TV_TRY(tv_arena_take(&asking->arena, len + 1, &method, err));
    memcpy(method, text, len);
    method[len] = '\0';
    *ordinal = number - 1;
    return tv_question_method(asking, method, method_ix, err);
}

static enum tv_code take_call(struct tv_asking *asking, const char *text, struct tv_scope *scope,
                              struct tv_error *err)
{
    uint32_t method_ix;
    uint64_t ordinal;
    TV_TRY(tv_set_steps_call(asking, "--call", text, &method_ix, &ordinal, err));
    return tv_scope_take_nth_call(scope, asking->index, method_ix, ordinal, &asking->arena, err);
}

static enum tv_code take_step(struct tv_asking *asking, const struct step *step,
                              struct tv_scope *scope, struct tv_error *err)
{
    if (is_named(&step->of[0], "path"))
        return take_path(asking, step, scope, err);
    if (is_named(&step->of[0], "method"))
        return take_methods(asking, step, scope, err);
    if (is_named(&step->of[0], "search"))
        return take_search(asking, step, scope, err);
    return take_call(asking, step->of[0].value, scope, err);
}

/* How many words from the first on are one step. */
static size_t step_len(const struct tv_step_word *words, size_t count)
{
    size_t len = 1;
    while (len < count && !is_named(&words[0], "call") && words[len].option == words[0].option &&
           !is_root(&words[len]))
        len++;
    return len;
}

/* Takes what stands behind the words of a step: --duration, and --past of a path. */
static enum tv_code take_details(const struct tv_option_steps *words, size_t *at,
                                 enum tv_measure measure, struct step *step, struct tv_error *err)
{
    for (; *at < words->count; (*at)++) {
        const struct tv_step_word *word = &words->of[*at];
        if (is_named(word, "duration") && !is_named(step->of, "call"))
            TV_TRY(read_limits(word->value, measure, &step->limits, err));
        else if (is_named(word, "past") && is_named(step->of, "path"))
            step->past = tv_str_from(word->value);
        else
            break;
    }
    return TV_OK;
}

static enum tv_code check_call(const struct tv_scope_options *options, struct tv_error *err)
{
    for (size_t i = 0; i < options->set.count; i++) {
        if (is_named(&options->set.of[i], "call") &&
            (options->from.is_given || options->to.is_given || options->threads.count ||
             options->processes.count))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "--call has its own time and thread: leave --from, --to, --thread and "
                           "--process out");
    }
    return TV_OK;
}

enum tv_code tv_set_steps_take(struct tv_asking *asking, const struct tv_scope_options *options,
                               struct tv_scope *scope, struct tv_error *err)
{
    const struct tv_option_steps *words = &options->set;
    TV_TRY(check_call(options, err));
    for (size_t at = 0; at < words->count;) {
        struct step step = {.of = &words->of[at], .past = scope->methods.hidden};
        if (is_named(step.of, "then")) {
            if (!at || ++at == words->count || is_named(&words->of[at], "then"))
                return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                               "--then comes between the --path, --method, --search or --call of "
                               "one step and that of the next");
            continue;
        }
        if (is_named(step.of, "past"))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "--past comes behind the --path that it means");
        if (is_named(step.of, "duration"))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "--duration comes behind the --path, --method or --search whose calls "
                           "it means");
        step.count = step_len(step.of, words->count - at);
        at += step.count;
        TV_TRY(take_details(words, &at, scope->measure, &step, err));
        TV_TRY(take_step(asking, &step, scope, err));
    }
    return TV_OK;
}
