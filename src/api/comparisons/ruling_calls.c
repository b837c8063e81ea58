/*
 * Looking up the calls that broke rules; see api/comparisons/ruling.h. The first calls of a method
 * tell where a count comes from, the longest ones where time went.
 */

#include "analysis/calls/method_scan.h"
#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "api/comparisons/ruling.h"

/* A rule whose calls are looked up in a loaded recording. */
struct looking {
    struct tv_ruling *ruling;
    const struct tv_index *index;
    const struct tv_rule_commands *commands; /* NULL: none are told */
    size_t place;                            /* of the rule */
    uint8_t *marks;
    uint32_t *threads;
};

static bool is_looked_up(const struct tv_ruling *ruling, size_t place)
{
    const struct tv_rule_verdict *verdict = &ruling->verdicts[place];
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

static enum tv_code add_call(const struct looking *looking, struct tv_call_ref ref,
                             struct tv_buffer *name, struct tv_error *err)
{
    const struct tv_index *index = looking->index;
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    struct tv_rule_calls *calls = &looking->ruling->calls[looking->place];
    struct tv_rule_call *call = &calls->of[calls->count];
    uint64_t durations_ns[TV_CLOCK_COUNT];
    tv_call_durations(index, ref, durations_ns);
    *call = (struct tv_rule_call){
        .from_ns =
            tv_index_start(index, thread, tv_index_axis(index), ref.call) * index->info->unit_ns,
        .time_ns = durations_ns[looking->ruling->verdicts[looking->place].clock],
        .thread_id = thread->id};
    TV_TRY(tv_arena_keep(&looking->ruling->texts, tv_index_thread_name(index, ref.thread_ix),
                         &call->thread, err));
    struct tv_call_ref caller = tv_call_caller(index, ref);
    if (tv_call_is(caller)) {
        TV_TRY(tv_method_java_text(index, tv_call_method(index, caller), name, err));
        TV_TRY(tv_arena_keep(&looking->ruling->texts, tv_buffer_view(name), &call->caller, err));
    }
    calls->count++;
    return TV_OK;
}

/* Keeps the command that shows the calls, where somebody says one. */
static enum tv_code add_command(const struct looking *looking, uint32_t method,
                                struct tv_call_ref first, struct tv_error *err)
{
    const struct tv_rule_commands *commands = looking->commands;
    struct tv_buffer text;
    if (!commands)
        return TV_OK;
    tv_buffer_init(&text, looking->ruling->alloc);
    enum tv_code code = commands->add(commands->ctx, looking->place, method, first, &text, err);
    if (code == TV_OK)
        code = tv_arena_keep(&looking->ruling->texts, tv_buffer_view(&text),
                             &looking->ruling->calls[looking->place].command, err);
    tv_buffer_release(&text);
    return code;
}

/* The calls of a rule that are told, best first, while a scan meets all of them. */
struct best_calls {
    const struct looking *looking;
    bool is_of_time; /* the longest are told; else the first */
    struct {
        uint64_t value; /* the larger, the better */
        struct tv_call_ref ref;
    } of[TV_RULE_CALLS_TOLD];
    size_t count;
};

/* A call that is no better than one before it in the order of the scan stands behind it. */
static void take_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    (void)slot;
    struct best_calls *best = ctx;
    const struct tv_index *index = best->looking->index;
    const struct tv_rule_verdict *verdict = &best->looking->ruling->verdicts[best->looking->place];
    const uint64_t value =
        best->is_of_time
            ? tv_index_duration(index, row->thread, verdict->clock, call)
            : UINT64_MAX - tv_index_start(index, row->thread, tv_index_axis(index), call);
    size_t at = best->count;
    while (at && value > best->of[at - 1].value)
        at--;
    if (at == TV_RULE_CALLS_TOLD)
        return;
    best->count += best->count < TV_RULE_CALLS_TOLD;
    for (size_t i = best->count - 1; i > at; i--)
        best->of[i] = best->of[i - 1];
    best->of[at].value = value;
    best->of[at].ref =
        (struct tv_call_ref){row->thread_ix, row->row_ix - row->thread->row_first, call};
}

static enum tv_code put_calls(const struct best_calls *best, struct tv_error *err)
{
    const struct looking *looking = best->looking;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    tv_buffer_init(&name, looking->ruling->alloc);
    for (size_t i = 0; code == TV_OK && i < best->count; i++)
        code = add_call(looking, best->of[i].ref, &name, err);
    if (code == TV_OK && best->count)
        code = add_command(looking, tv_call_method(looking->index, best->of[0].ref),
                           best->of[0].ref, err);
    tv_buffer_release(&name);
    return code;
}

/* Looks at the calls of some methods together: several of a recording may be one to a join. */
static enum tv_code look_at(const struct looking *looking, const uint32_t *methods, size_t count,
                            const struct tv_selection *selection, struct tv_error *err)
{
    struct tv_method_scan scan;
    struct best_calls best = {.looking = looking,
                              .is_of_time =
                                  tv_rule_is_of_time(&looking->ruling->rules.of[looking->place])};
    tv_method_scan_init(&scan, looking->ruling->alloc);
    enum tv_code code = tv_method_scan_prepare(&scan, looking->index, methods, count, err);
    if (code == TV_OK) {
        tv_method_scan_run(&scan, selection, take_call, &best);
        code = put_calls(&best, err);
    }
    tv_method_scan_release(&scan);
    return code;
}

static enum tv_code look_up(const struct looking *looking, struct tv_error *err)
{
    struct tv_ruling *ruling = looking->ruling;
    const struct tv_index *index = looking->index;
    const struct tv_rule *rule = &ruling->rules.of[looking->place];
    struct tv_str thread = ruling->rules.about[rule->about].thread;
    struct tv_selection selection = {.has_range = false};
    uint32_t *methods;
    size_t count = 0;
    if (thread.len) {
        if (!tv_run_threads(index, thread, looking->marks))
            return TV_OK;
        for (uint32_t i = 0; i < index->thread_count; i++) {
            if (looking->marks[i])
                looking->threads[selection.thread_count++] = i;
        }
        selection.threads = looking->threads;
    }
    TV_TRY(tv_alloc_new(ruling->alloc, &methods, index->method_count, sizeof(*methods), err));
    for (uint32_t method = 0; method < index->method_count; method++) {
        if (is_joined(index, method, ruling->verdicts[looking->place].method))
            methods[count++] = method;
    }
    enum tv_code code = count ? look_at(looking, methods, count, &selection, err) : TV_OK;
    tv_alloc_release(ruling->alloc, &methods, index->method_count, sizeof(*methods));
    return code;
}

bool tv_ruling_looks_at(const struct tv_ruling *ruling, size_t run)
{
    for (size_t i = 0; i < ruling->rules.count; i++) {
        if (is_looked_up(ruling, i) && ruling->verdicts[i].run == run)
            return true;
    }
    return false;
}

static enum tv_code look_up_all(struct looking *looking, size_t run, size_t *left,
                                struct tv_error *err)
{
    const struct tv_ruling *ruling = looking->ruling;
    for (size_t i = 0; *left && i < ruling->rules.count; i++) {
        if (!is_looked_up(ruling, i) || ruling->verdicts[i].run != run)
            continue;
        looking->place = i;
        TV_TRY(look_up(looking, err));
        --*left;
    }
    return TV_OK;
}

enum tv_code tv_ruling_look(struct tv_ruling *ruling, const struct tv_index *index, size_t run,
                            const struct tv_rule_commands *commands, size_t *left,
                            struct tv_error *err)
{
    const struct tv_alloc *alloc = ruling->alloc;
    const uint32_t count = index->thread_count;
    struct looking looking = {.ruling = ruling, .index = index, .commands = commands};
    TV_TRY(tv_alloc_new(alloc, &looking.marks, count, sizeof(*looking.marks), err));
    enum tv_code code = tv_alloc_new(alloc, &looking.threads, count, sizeof(uint32_t), err);
    if (code == TV_OK)
        code = look_up_all(&looking, run, left, err);
    tv_alloc_release(alloc, &looking.threads, count, sizeof(uint32_t));
    tv_alloc_release(alloc, &looking.marks, count, sizeof(*looking.marks));
    return code;
}
