/*
 * Looking up the calls that broke rules; see cli/compare/rule_file.h. Recordings were released when
 * the rules were judged, so those with broken rules are loaded again, each once. The first calls of
 * a method tell where a count comes from, the longest ones where time went.
 */
#include <string.h>

#include "analysis/calls/calls.h"
#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "cli/answers/drill_down.h"
#include "cli/compare/rule_file.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "os/memory/mapping.h"

/* A rule whose calls are looked up in a loaded recording. */
struct looking {
    struct tv_rule_file *rules;
    struct tv_asking *asking;
    size_t place; /* of the rule */
    uint8_t *marks;
    uint32_t *threads;
};

static bool is_of_time(const struct tv_rule *rule)
{
    return rule->kind == TV_RULE_TIME || rule->kind == TV_RULE_TIME_GROWTH;
}

static bool is_looked_up(const struct tv_rule_file *rules, size_t place)
{
    const struct tv_rule_verdict *verdict = &rules->verdicts[place];
    return verdict->state == TV_RULE_BROKEN && verdict->method != NULL;
}

static bool is_same_name(const struct tv_stable_name *a, const struct tv_stable_name *b)
{
    return a->is_cut == b->is_cut && tv_str_equal(a->stem, b->stem);
}

/* Whether a method of the recording is one that was joined. */
static bool is_joined(const struct tv_index *index, uint32_t method,
                      const struct tv_joined_method *joined)
{
    struct tv_stable_name class_name = tv_stable_class(tv_method_class(index, method));
    struct tv_stable_name name = tv_stable_method(tv_method_name(index, method));
    struct tv_str signature = tv_method_signature(index, method);
    if (!is_same_name(&class_name, &joined->class_name) || !is_same_name(&name, &joined->name) ||
        !tv_str_equal(signature, joined->signature))
        return false;
    return class_name.stem.len || name.stem.len || signature.len ||
           index->methods[method].id == joined->id;
}

static enum tv_code keep_text(struct tv_rule_file *rules, struct tv_str text, struct tv_str *kept,
                              struct tv_error *err)
{
    char *copy;
    TV_TRY(tv_arena_take(&rules->texts, text.len, &copy, err));
    if (text.len)
        memcpy(copy, text.at, text.len);
    *kept = (struct tv_str){copy, text.len};
    return TV_OK;
}

static enum tv_code add_call(const struct looking *looking, struct tv_call_ref ref,
                             struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_index *index = looking->asking->index;
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    struct tv_rule_calls *calls = &looking->rules->calls[looking->place];
    struct tv_rule_call *call = &calls->of[calls->count];
    uint64_t durations_ns[TV_CLOCK_COUNT];
    tv_call_durations(index, ref, durations_ns);
    *call = (struct tv_rule_call){
        .from_ns =
            tv_index_start(index, thread, tv_index_axis(index), ref.call) * index->info->unit_ns,
        .time_ns = durations_ns[looking->rules->verdicts[looking->place].clock],
        .thread_id = thread->id};
    TV_TRY(
        keep_text(looking->rules, tv_index_thread_name(index, ref.thread_ix), &call->thread, err));
    struct tv_call_ref caller = tv_call_caller(index, ref);
    if (tv_call_is(caller)) {
        TV_TRY(tv_method_java_text(index, tv_call_method(index, caller), name, err));
        TV_TRY(keep_text(looking->rules, tv_buffer_view(name), &call->caller, err));
    }
    calls->count++;
    return TV_OK;
}

/* Keeps the command that shows the calls: who called the method, or what its longest call did. */
static enum tv_code add_command(const struct looking *looking, uint32_t method,
                                struct tv_call_ref first, struct tv_error *err)
{
    const struct tv_index *index = looking->asking->index;
    const struct tv_rule_verdict *verdict = &looking->rules->verdicts[looking->place];
    const struct tv_rule_call *call = &looking->rules->calls[looking->place].of[0];
    struct tv_text command;
    tv_text_init(&command, looking->rules->cli->alloc);
    if (is_of_time(&looking->rules->rules.of[looking->place])) {
        uint64_t durations_ns[TV_CLOCK_COUNT];
        tv_call_durations(index, first, durations_ns);
        tv_drill_down_add(&command, looking->asking,
                          verdict->clock == TV_CLOCK_CPU ? TV_MEASURE_CPU : TV_MEASURE_WALL, first,
                          call->from_ns, call->from_ns + durations_ns[tv_index_axis(index)]);
    } else {
        size_t about = looking->rules->rules.of[looking->place].about;
        bool has_thread = looking->rules->rules.about[about].thread.len > 0;
        tv_drill_down_add_callers(&command, looking->asking, method,
                                  has_thread ? &call->thread_id : NULL);
    }
    enum tv_code code = command.code == TV_OK ? TV_OK : tv_fail_memory(err, 0);
    if (code == TV_OK)
        code = keep_text(looking->rules, tv_text_view(&command),
                         &looking->rules->calls[looking->place].command, err);
    tv_text_release(&command);
    return code;
}

static enum tv_code look_at(const struct looking *looking, uint32_t method,
                            const struct tv_selection *selection, struct tv_error *err)
{
    const struct tv_rule_file *rules = looking->rules;
    const struct tv_rule *rule = &rules->rules.of[looking->place];
    const struct tv_cli *cli = looking->asking->cli;
    enum tv_measure measure =
        rules->verdicts[looking->place].clock == TV_CLOCK_CPU ? TV_MEASURE_CPU : TV_MEASURE_WALL;
    const struct tv_calls_opts opts = {.selection = *selection,
                                       .method = method,
                                       .key = is_of_time(rule) ? TV_CALLS_BY_DURATION
                                                               : TV_CALLS_BY_START,
                                       .order = is_of_time(rule) ? TV_DESCENDING : TV_ASCENDING,
                                       .key_measure = measure,
                                       .measure = measure,
                                       .limit = TV_RULE_CALLS_TOLD,
                                       .pool = cli->pool};
    struct tv_call_list list;
    struct tv_buffer name;
    tv_calls_init(&list, cli->alloc);
    tv_buffer_init(&name, cli->alloc);
    enum tv_code code = tv_calls_compute(&list, looking->asking->index, &opts, err);
    for (size_t i = 0; code == TV_OK && i < list.slice_len; i++)
        code = add_call(looking, list.slice[i].ref, &name, err);
    if (code == TV_OK && list.slice_len)
        code = add_command(looking, method, list.slice[0].ref, err);
    tv_buffer_release(&name);
    tv_calls_release(&list);
    return code;
}

/* Looks at the calls of the first method of that name that has any, where several are joined. */
static enum tv_code look_up(const struct looking *looking, struct tv_error *err)
{
    struct tv_rule_file *rules = looking->rules;
    const struct tv_index *index = looking->asking->index;
    const struct tv_rule *rule = &rules->rules.of[looking->place];
    struct tv_str thread = rules->rules.about[rule->about].thread;
    struct tv_selection selection = {.has_range = false};
    if (thread.len) {
        if (!tv_rule_threads(index, thread, looking->marks))
            return TV_OK;
        for (uint32_t i = 0; i < index->thread_count; i++) {
            if (looking->marks[i])
                looking->threads[selection.thread_count++] = i;
        }
        selection.threads = looking->threads;
    }
    for (uint32_t method = 0; method < index->method_count; method++) {
        if (rules->calls[looking->place].count)
            return TV_OK;
        if (is_joined(index, method, rules->verdicts[looking->place].method))
            TV_TRY(look_at(looking, method, &selection, err));
    }
    return TV_OK;
}

/* Looks up the calls of all rules that one recording breaks; at most `*left` of them. */
static enum tv_code look_at_run(struct tv_rule_file *rules, struct tv_asking *asking, size_t run,
                                size_t *left, struct tv_error *err)
{
    const struct tv_alloc *alloc = asking->cli->alloc;
    const uint32_t count = asking->index->thread_count;
    struct looking looking = {.rules = rules, .asking = asking};
    TV_TRY(tv_alloc_new(alloc, &looking.marks, count, sizeof(*looking.marks), err));
    enum tv_code code = tv_alloc_new(alloc, &looking.threads, count, sizeof(uint32_t), err);
    for (size_t i = 0; code == TV_OK && *left && i < rules->rules.count; i++) {
        if (!is_looked_up(rules, i) || rules->verdicts[i].run != run)
            continue;
        looking.place = i;
        code = look_up(&looking, err);
        --*left;
    }
    tv_alloc_release(alloc, &looking.threads, count, sizeof(uint32_t));
    tv_alloc_release(alloc, &looking.marks, count, sizeof(*looking.marks));
    return code;
}

static enum tv_code load_run(struct tv_rule_file *rules, const char *file, size_t run, size_t *left,
                             struct tv_error *err)
{
    struct tv_index_cache cached;
    struct tv_index index;
    struct tv_asking asking;
    bool was_saved;
    tv_index_init(&index);
    enum tv_code code = tv_load(rules->cli, file, &cached, &index, &was_saved, err);
    if (code == TV_OK) {
        tv_asking_init(&asking, rules->cli, file, &index);
        code = look_at_run(rules, &asking, run, left, err);
        if (code == TV_OK)
            code = tv_mapping_check(index.block, err);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return code;
}

enum tv_code tv_rule_file_find_calls(struct tv_rule_file *rules, const char *const *files,
                                     struct tv_error *err)
{
    size_t left = TV_RULES_WITH_CALLS;
    for (size_t i = 0; rules->file && left && i < rules->rules.count; i++) {
        size_t run = rules->verdicts[i].run;
        bool is_first = is_looked_up(rules, i) && strcmp(files[run], "-") != 0;
        for (size_t k = 0; is_first && k < i; k++)
            is_first = !is_looked_up(rules, k) || rules->verdicts[k].run != run;
        if (is_first)
            TV_TRY(load_run(rules, files[run], run, &left, err));
    }
    return TV_OK;
}
