/*
 * From options to a scope, and from a question to its printed answer; see cli/answers/question.h.
 *
 * A question that cannot be filled from its options is told on stderr, with --json too. What the
 * api refuses later, such as a wrong regular expression, is an answer of the api: with --json it
 * goes to stdout as {"error": ...}, for the program that reads there.
 *
 * All memory of a question comes from one allocator with a limit, which follows from the size of
 * the traces. An answer is made whole before anything is printed, and is printed only if the saved
 * indexes it was read from are still whole: they are mapped files, which others may shorten.
 */
#include "cli/answers/question.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/question/idle_threads.h"
#include "analysis/selection/method_by_name.h"
#include "analysis/selection/name_pattern.h"
#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"
#include "cli/answers/set_steps.h"
#include "index/memory.h"
#include "os/memory/mapping.h"

/* What an option names: one thing by its id, or where it is no number all whose names fit. */
struct wanted {
    struct tv_str pattern;
    bool is_id;
    uint64_t id;
};

static struct wanted wanted_of(const char *text)
{
    struct wanted wanted = {.pattern = tv_str_from(text), .id = UINT64_MAX};
    wanted.is_id = tv_str_to_u64(wanted.pattern, 10, &wanted.id);
    return wanted;
}

static bool is_wanted(const struct wanted *wanted, uint32_t id, struct tv_str name)
{
    return wanted->is_id ? id == wanted->id : tv_str_glob(name, wanted->pattern);
}

/* Marks the threads that the text names with `mark`, or those of the processes that it names.
 * Returns whether there are any. */
static bool mark_threads(const struct tv_index *index, const char *text, bool is_process,
                         uint8_t mark, uint8_t *marks)
{
    struct wanted wanted = wanted_of(text);
    bool is_any_marked = false;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        uint32_t process = index->threads[i].process;
        bool is_meant =
            is_process ? process != TV_NONE && is_wanted(&wanted, index->processes[process].id,
                                                         tv_index_process_name(index, process))
                       : is_wanted(&wanted, index->threads[i].id, tv_index_thread_name(index, i));
        marks[i] |= is_meant ? mark : 0;
        is_any_marked = is_any_marked || is_meant;
    }
    return is_any_marked;
}

#define OF_THREAD 1u
#define OF_PROCESS 2u

/* A name that fits nothing is refused, since the answer would be empty and look like a result. */
static enum tv_code mark_all(const struct tv_index *index, const struct tv_texts *texts,
                             bool is_process, uint8_t *marks, struct tv_error *err)
{
    const uint8_t mark = is_process ? OF_PROCESS : OF_THREAD;
    for (size_t i = 0; i < texts->count; i++) {
        if (!mark_threads(index, texts->of[i], is_process, mark, marks))
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "no %s has the id or name '%s': see 'traceview info -n 0'",
                           is_process ? "process" : "thread", texts->of[i]);
    }
    return TV_OK;
}

/* Takes the threads that the options leave. Each option sets a bit of its own in a thread's mark,
 * and a thread is taken if it has the bits of all options that were given. */
static enum tv_code take_threads(struct tv_asking *asking, const struct tv_scope_options *options,
                                 struct tv_scope *scope, struct tv_error *err)
{
    const struct tv_index *index = asking->index;
    uint8_t *marks;
    bool is_any_chosen = false;
    uint8_t wanted =
        (options->threads.count ? OF_THREAD : 0) | (options->processes.count ? OF_PROCESS : 0);
    if (!wanted)
        return TV_OK;
    if (options->processes.count && !index->process_count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "this trace does not tell processes apart: leave --process out");
    TV_TRY(tv_arena_take(&asking->arena, index->thread_count + (size_t)1, &marks, err));
    TV_TRY(mark_all(index, &options->threads, false, marks, err));
    TV_TRY(mark_all(index, &options->processes, true, marks, err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        marks[i] = marks[i] == wanted;
        is_any_chosen = is_any_chosen || marks[i];
    }
    if (!is_any_chosen)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no thread of this name is in this process: see 'traceview info -n 0'");
    return tv_scope_take_threads(scope, index, marks, &asking->arena, err);
}

/* Joins lists of packages to one, with commas between them. */
static enum tv_code take_packages(struct tv_asking *asking, const struct tv_texts *lists,
                                  struct tv_str *packages, struct tv_error *err)
{
    char *joined;
    size_t len = 0;
    for (size_t i = 0; i < lists->count; i++)
        len += strlen(lists->of[i]) + 1;
    if (!len)
        return TV_OK;
    TV_TRY(tv_arena_take(&asking->arena, len, &joined, err));
    *packages = (struct tv_str){joined, len - 1};
    for (size_t i = 0; i < lists->count; i++) {
        size_t part_len = strlen(lists->of[i]);
        memcpy(joined, lists->of[i], part_len);
        joined += part_len;
        if (i + 1 < lists->count)
            *joined++ = ',';
    }
    return TV_OK;
}

/* Says where a pattern finds nothing because it has a capital letter. */
static enum tv_code note_case(const struct tv_asking *asking, struct tv_str pattern,
                              struct tv_error *err)
{
    uint32_t count;
    TV_TRY(tv_name_pattern_count_folded(asking->index, pattern, asking->cli->alloc, &count, err));
    if (count)
        tv_cli_note(asking->cli, asking->file,
                    "no method has '%.*s' in its name, but %u would without regard to case: a "
                    "capital letter makes case count",
                    tv_str_shown_len(pattern), pattern.at, count);
    return TV_OK;
}

/* Says where no method is of any of the packages, which would be left out silently. */
static enum tv_code note_packages(const struct tv_asking *asking, const char *option,
                                  struct tv_str packages, struct tv_error *err)
{
    const struct tv_method_filter_opts opts = {.hidden = packages};
    struct tv_method_filter filter;
    bool is_any = !packages.len;
    tv_method_filter_init(&filter, asking->cli->alloc);
    enum tv_code code = is_any ? TV_OK : tv_method_filter_make(&filter, asking->index, &opts, err);
    for (uint32_t i = 0; code == TV_OK && !is_any && i < filter.count; i++)
        is_any = filter.hidden && filter.hidden[i];
    tv_method_filter_release(&filter);
    if (code == TV_OK && !is_any)
        tv_cli_note(asking->cli, asking->file, "no method is of %s %.*s: check the name", option,
                    tv_str_shown_len(packages), packages.at);
    return code;
}

/* One more pattern than there are, since a room of length 0 is not asked for. */
static enum tv_code take_methods(struct tv_asking *asking, const struct tv_scope_options *options,
                                 struct tv_method_filter_opts *methods, struct tv_error *err)
{
    const struct tv_texts *matches = &options->matches;
    struct tv_str *patterns;
    TV_TRY(tv_arena_take(&asking->arena, (matches->count + 1) * sizeof(*patterns), &patterns, err));
    for (size_t i = 0; i < matches->count; i++) {
        patterns[i] = tv_str_from(matches->of[i]);
        TV_TRY(note_case(asking, patterns[i], err));
    }
    methods->patterns = patterns;
    methods->pattern_count = matches->count;
    TV_TRY(take_packages(asking, &options->hides, &methods->hidden, err));
    TV_TRY(take_packages(asking, &options->drops, &methods->dropped, err));
    TV_TRY(note_packages(asking, "--hide", methods->hidden, err));
    return note_packages(asking, "--drop", methods->dropped, err);
}

/* Refuses a range without any time in it, in the words and units of the options that were given. */
static enum tv_code check_range(struct tv_asking *asking, const struct tv_scope_options *options,
                                struct tv_error *err)
{
    const struct tv_time_value *from = &options->from;
    const struct tv_time_value *to = &options->to;
    const uint64_t end_ns = tv_axis_len_ns(asking->index);
    struct tv_text text;
    enum tv_code code = TV_OK;
    tv_text_init(&text, asking->cli->alloc);
    if (from->is_given && to->is_given && from->time_ns >= to->time_ns) {
        tv_text_add(&text, "--from ");
        tv_text_add_exact_time(&text, from->time_ns);
        tv_text_add(&text, " is not before --to ");
        tv_text_add_exact_time(&text, to->time_ns);
    } else if (from->is_given && from->time_ns && from->time_ns >= end_ns) {
        tv_text_add(&text, "--from ");
        tv_text_add_exact_time(&text, from->time_ns);
        tv_text_add(&text, " is not before the end of the trace, ");
        tv_text_add_exact_time(&text, end_ns);
    } else if (to->is_given && !to->time_ns) {
        tv_text_add(&text, "--to 0 leaves nothing of the trace");
    }
    struct tv_str reason = tv_text_view(&text);
    if (text.code != TV_OK)
        code = tv_fail_memory(err, text.buffer.len);
    else if (reason.len)
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s", (int)reason.len, reason.at);
    tv_text_release(&text);
    return code;
}

/* Adds the id of a method whose whole name another one has, and the name in the file by which
 * people may know it. */
static void add_id(struct tv_asking *asking, uint32_t method_ix)
{
    const struct tv_str written = tv_method_written(asking->index, method_ix);
    if (!asking->index->methods[method_ix].shares_name)
        return;
    tv_text_add(&asking->hints, "0x%" PRIx64 "  ", asking->index->methods[method_ix].id);
    if (!written.len)
        return;
    tv_text_add_name(&asking->hints, written);
    tv_text_add_str(&asking->hints, TV_STR("  "));
}

/* The one method of that name. Where several methods fit, the first of them become hints, which are
 * printed below the failure. */
enum tv_code tv_question_method(struct tv_asking *asking, const char *method, uint32_t *method_ix,
                                struct tv_error *err)
{
    struct tv_method_choice choice;
    struct tv_buffer name;
    enum tv_code found = tv_method_by_name(asking->index, tv_str_from(method), asking->cli->alloc,
                                           method_ix, &choice, err);
    if (found == TV_OK || choice.count < 2)
        return found;
    tv_buffer_init(&name, asking->cli->alloc);
    enum tv_code code = TV_OK;
    for (uint32_t i = 0; code == TV_OK && i < choice.count && i < TV_METHOD_CHOICE_LIMIT; i++) {
        code = tv_method_text(asking->index, choice.of[i], &name, err);
        tv_text_add_str(&asking->hints, TV_STR("    "));
        add_id(asking, choice.of[i]);
        tv_text_add_name(&asking->hints, tv_buffer_view(&name));
        tv_text_add_str(&asking->hints, TV_STR("\n"));
    }
    tv_buffer_release(&name);
    return code == TV_OK ? found : code;
}

/* Fills the scope from the options, in this order: threads, range, clock, methods, set of calls. */
enum tv_code tv_question_scope(struct tv_asking *asking, const struct tv_scope_options *options,
                               struct tv_scope *scope, struct tv_error *err)
{
    const struct tv_index *index = asking->index;
    tv_scope_init(scope, index);
    TV_TRY(take_threads(asking, options, scope, err));
    if (index->info->has_clock[tv_index_axis(index)])
        TV_TRY(check_range(asking, options, err));
    uint64_t from_ns = options->from.is_given ? options->from.time_ns : 0;
    uint64_t to_ns = options->to.is_given ? options->to.time_ns : tv_axis_len_ns(index);
    TV_TRY(tv_scope_take_range(scope, index, from_ns, to_ns, err));
    if (options->clock)
        scope->measure = (enum tv_measure)tv_choice_position(tv_measure_words, options->clock);
    TV_TRY(take_methods(asking, options, &scope->methods, err));
    TV_TRY(tv_set_steps_take(asking, options, scope, err));
    return tv_measure_check(index, scope->measure, err);
}

enum tv_code tv_question_idle(struct tv_asking *asking, const struct tv_scope_options *options,
                              struct tv_scope *scope, struct tv_error *err)
{
    if (options->idle && scope->measure != TV_MEASURE_WAIT)
        tv_cli_note(asking->cli, asking->file,
                    "--idle is for --clock wait: other clocks leave no thread out");
    return options->idle ? TV_OK : tv_scope_leave_idle(scope, asking->index, &asking->arena, err);
}

/* Each key has an order in which people expect it: numbers from the largest, names from A. */
void tv_question_order(const struct tv_order_options *options, enum tv_sort_key key,
                       enum tv_measure measure, struct tv_profile_sort *sort)
{
    if (options->key)
        key = (enum tv_sort_key)tv_choice_position(tv_inverted_sort_words, options->key);
    *sort = (struct tv_profile_sort){
        .key = key, .measure = measure, .order = tv_sort_default_order(key)};
    if (options->order)
        sort->order = (enum tv_order)tv_choice_position(tv_order_words, options->order);
}

/* What an answer in a file or a pipe may take for each byte of the trace, besides what an answer to
 * a page may take: a program that asks for all rows of a large trace gets them. */
#define ANSWER_A_BYTE 16u

static const char too_much[] = "the answer takes too much memory: ask for less";

static size_t most_answer(const struct tv_index *index)
{
    size_t most;
    bool fits = tv_size_mul((size_t)index->info->file_len, ANSWER_A_BYTE, &most) &&
                tv_size_add(most, TV_ANSWER_LIMIT, &most);
    return fits ? most : SIZE_MAX;
}

/* Whether the saved indexes are still whole that the answer was read from. */
static enum tv_code check_mappings(const struct tv_asking *asking, struct tv_error *err)
{
    for (size_t i = 0; i < asking->trace_count; i++)
        TV_TRY(tv_mapping_check(asking->traces[i].index->block, err));
    return TV_OK;
}

/* Of several traces, one whose bound the user may lift decides what is told. */
static enum tv_code tell_memory(const struct tv_asking *asking, enum tv_code code,
                                struct tv_error *err)
{
    const struct tv_index *index = asking->index;
    for (size_t i = 0; i < asking->trace_count; i++) {
        if (tv_memory_of_answer_is_liftable(asking->traces[i].index))
            index = asking->traces[i].index;
    }
    return tv_memory_tell(&asking->limit, code, index, too_much, err);
}

/* Prints the api's answer to the question. Returns a status, which tells a question that the api
 * refuses (400) from one that it could not answer. */
static int answer_json(const struct tv_asking *asking, const struct tv_question_plan *plan,
                       const void *values)
{
    const struct tv_cli *cli = asking->cli;
    struct tv_api_trace traces[TV_QUESTION_TRACES] = {{.index = NULL}};
    for (size_t i = 0; i < asking->trace_count; i++) {
        const struct tv_question_trace *trace = &asking->traces[i];
        traces[i] =
            (struct tv_api_trace){.index = trace->index, .file = tv_file_label(trace->file)};
    }
    const struct tv_api api = {.alloc = cli->alloc,
                               .pool = cli->pool,
                               .answer_limit = most_answer(asking->index),
                               .traces = traces,
                               .trace_count = asking->trace_count};
    struct tv_error err = {.code = TV_OK};
    struct tv_api_response response;
    int status = TV_STATUS_FINE;
    tv_api_response_init(&response, cli->alloc);
    enum tv_code code = plan->write_json(&api, values, &response.body, &err);
    code = tell_memory(asking, code, &err);
    code = tv_api_response_end(&response, code, &err, &err);
    if (code == TV_OK)
        code = check_mappings(asking, &err);
    if (code != TV_OK) {
        status = tv_cli_fail(cli, asking->file, &err);
    } else {
        tv_cli_answer(cli, tv_buffer_view(&response.body));
        if (response.status != 200)
            status = response.status == 400 ? TV_STATUS_MISUSED : TV_STATUS_FAILED;
    }
    tv_api_response_release(&response);
    return status;
}

int tv_asking_fail(const struct tv_asking *asking, const struct tv_error *err)
{
    const struct tv_cli *cli = asking->cli;
    (void)tv_cli_fail(cli, asking->file, err);
    tv_cli_tell_lines(cli, tv_text_view(&asking->hints));
    return tv_cli_status(err->code);
}

/* Prints the answer for people, all of it or nothing. Returns a status. */
static int answer_text(const struct tv_asking *asking, const struct tv_question_plan *plan,
                       const void *values)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    int status = TV_STATUS_FINE;
    tv_text_init(&out, asking->cli->alloc);
    enum tv_code code = plan->write_text(asking, values, &out, &err);
    if (code == TV_OK && out.code != TV_OK)
        code = tv_fail_memory(&err, out.buffer.len);
    code = tell_memory(asking, code, &err);
    if (code == TV_OK)
        code = check_mappings(asking, &err);
    if (code == TV_OK)
        tv_cli_answer_text(asking->cli, tv_text_view(&out));
    else
        status = tv_asking_fail(asking, &err);
    tv_text_release(&out);
    return status;
}

/* Begins a question with a copy of the command's context, whose allocator is limited to what the
 * traces allow together. The struct must not move afterwards: the copy is pointed to. */
static void begin_asking(struct tv_asking *asking, const struct tv_cli *cli,
                         const struct tv_question_trace *traces, size_t count)
{
    size_t most = 0;
    asking->limited = *cli;
    asking->cli = &asking->limited;
    asking->file = traces[0].file;
    asking->index = traces[0].index;
    asking->trace_count = count;
    for (size_t i = 0; i < count; i++) {
        size_t of_trace = tv_memory_of_answer(traces[i].index);
        asking->traces[i] = traces[i];
        if (!tv_size_add(most, of_trace, &most))
            most = SIZE_MAX;
    }
    tv_limit_init(&asking->limit, cli->alloc, most);
    asking->limited.alloc = &asking->limit.alloc;
    tv_arena_init(&asking->arena, asking->limited.alloc);
    tv_text_init(&asking->hints, asking->limited.alloc);
}

void tv_asking_init(struct tv_asking *asking, const struct tv_cli *cli, const char *file,
                    const struct tv_index *index)
{
    begin_asking(asking, cli, &(struct tv_question_trace){.file = file, .index = index}, 1);
}

void tv_asking_release(struct tv_asking *asking)
{
    tv_text_release(&asking->hints);
    tv_arena_release(&asking->arena);
}

/* fill() runs inside the limit of memory, because it may search all methods for a name. */
static int ask_traces(struct tv_asking *asking, const struct tv_question_plan *plan, void *values,
                      bool is_json)
{
    struct tv_error err = {.code = TV_OK};
    int status;
    enum tv_code code =
        tell_memory(asking, plan->fill ? plan->fill(asking, values, &err) : TV_OK, &err);
    if (code != TV_OK)
        status = tv_asking_fail(asking, &err);
    else if (is_json)
        status = answer_json(asking, plan, values);
    else
        status = answer_text(asking, plan, values);
    tv_asking_release(asking);
    return status;
}

int tv_question_answer(const struct tv_cli *cli, const char *file, const struct tv_index *index,
                       const struct tv_question_plan *plan, void *values, bool is_json)
{
    struct tv_asking asking;
    tv_asking_init(&asking, cli, file, index);
    return ask_traces(&asking, plan, values, is_json);
}

/* Loads all traces first and asks only if all loaded. Indexes are released in any case, also the
 * one that failed to load: it is initialized before. */
int tv_question_run(const struct tv_cli *cli, const struct tv_question_files *files,
                    const struct tv_question_plan *plan, void *values, bool is_json)
{
    struct tv_index indexes[TV_QUESTION_TRACES];
    struct tv_question_trace traces[TV_QUESTION_TRACES] = {{.file = NULL}};
    struct tv_asking asking;
    size_t count = 0;
    int status = TV_STATUS_FINE;
    tv_assert(files->count >= 1 && files->count <= TV_QUESTION_TRACES);
    while (count < files->count && status == TV_STATUS_FINE) {
        traces[count] = (struct tv_question_trace){files->of[count], &indexes[count]};
        tv_index_init(&indexes[count]);
        status = tv_load_for_verb(cli, files->of[count], TV_WARNINGS_TOLD, &indexes[count]);
        count++;
    }
    if (status == TV_STATUS_FINE) {
        begin_asking(&asking, cli, traces, count);
        status = ask_traces(&asking, plan, values, is_json);
    }
    while (count)
        tv_index_release(&indexes[--count]);
    return status;
}
