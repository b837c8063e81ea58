/*
 * Finding and describing two calls that are compared; see cli/answers/call_pair.h. What they
 * called is compared as two recordings are (cli/compare/diff.h); here is what only single calls
 * have: their number among the calls of their method, their place in time, and what they waited
 * for.
 */
#include "cli/answers/call_pair.h"

#include "analysis/question/detail_question.h"
#include "analysis/selection/java_text.h"
#include "cli/answers/set_steps.h"

static const char *const side_names[] = {[TV_SIDE_OLD] = "The other", [TV_SIDE_NEW] = "This"};

/* --- which calls they are --- */

static enum tv_code rank_call(struct tv_asking *asking, struct tv_call_ref ref,
                              struct tv_call_rank *rank, struct tv_error *err)
{
    const struct tv_index *index = asking->index;
    struct tv_method_calls list;
    tv_method_calls_init(&list, asking->cli->alloc);
    enum tv_code code =
        tv_method_calls_find(&list, index, tv_call_method(index, ref), asking->cli->pool, err);
    if (code == TV_OK)
        code = tv_call_rank_of(&list, ref, tv_index_axis(index), rank, err);
    tv_method_calls_release(&list);
    return code;
}

static enum tv_code take_named(struct tv_asking *asking, const char *option, const char *text,
                               struct tv_call_ref *ref, struct tv_error *err)
{
    uint32_t method_ix;
    uint64_t ordinal;
    TV_TRY(tv_set_steps_call(asking, option, text, &method_ix, &ordinal, err));
    return tv_scope_find_nth_call(asking->index, method_ix, ordinal, asking->cli->alloc, ref, err);
}

static bool is_same(struct tv_call_ref a, struct tv_call_ref b)
{
    return a.call == b.call;
}

/* The call in the middle of all by duration, or the one before where that is the call itself: what
 * the page takes. */
static enum tv_code take_median(struct tv_asking *asking, struct tv_call_pair *pair,
                                enum tv_measure measure, struct tv_error *err)
{
    const struct tv_call_ref own = pair->of[TV_SIDE_NEW];
    const uint64_t middle = pair->ranks[TV_SIDE_NEW].of / 2;
    const struct tv_calls_opts opts = {.method = tv_call_method(asking->index, own),
                                       .key = TV_CALLS_BY_DURATION,
                                       .order = TV_DESCENDING,
                                       .key_measure = measure,
                                       .measure = measure,
                                       .offset = middle ? (size_t)middle - 1 : 0,
                                       .limit = 2,
                                       .pool = asking->cli->pool};
    struct tv_call_list calls;
    tv_calls_init(&calls, asking->cli->alloc);
    enum tv_code code = tv_calls_compute(&calls, asking->index, &opts, err);
    if (code == TV_OK && calls.slice_len < 2)
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "--call names the only call of its method: --with names another one");
    if (code == TV_OK)
        pair->of[TV_SIDE_OLD] =
            is_same(calls.slice[1].ref, own) ? calls.slice[0].ref : calls.slice[1].ref;
    tv_calls_release(&calls);
    return code;
}

enum tv_code tv_call_pair_take(struct tv_asking *asking, const struct tv_call_pair_options *options,
                               enum tv_measure measure, struct tv_call_pair *pair,
                               struct tv_error *err)
{
    *pair = (struct tv_call_pair){.is_median = !options->other};
    TV_TRY(take_named(asking, "--call", options->call, &pair->of[TV_SIDE_NEW], err));
    TV_TRY(rank_call(asking, pair->of[TV_SIDE_NEW], &pair->ranks[TV_SIDE_NEW], err));
    if (options->other)
        TV_TRY(take_named(asking, "--with", options->other, &pair->of[TV_SIDE_OLD], err));
    else
        TV_TRY(take_median(asking, pair, measure, err));
    if (is_same(pair->of[TV_SIDE_OLD], pair->of[TV_SIDE_NEW]))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--call and --with name the same call");
    return rank_call(asking, pair->of[TV_SIDE_OLD], &pair->ranks[TV_SIDE_OLD], err);
}

/* --- as text --- */

static enum tv_code add_method(const struct tv_index *index, uint32_t method_ix,
                               struct tv_text *out, struct tv_error *err)
{
    struct tv_buffer name;
    tv_buffer_init(&name, out->buffer.alloc);
    enum tv_code code = tv_method_java_text(index, method_ix, &name, err);
    if (code == TV_OK)
        tv_text_add_name(out, tv_buffer_view(&name));
    tv_buffer_release(&name);
    return code;
}

enum tv_code tv_call_pair_tell(const struct tv_call_pair *pair, enum tv_side side,
                               const struct tv_index *index, struct tv_text *out,
                               struct tv_error *err)
{
    const struct tv_call_ref ref = pair->of[side];
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    const uint64_t start = tv_index_start(index, thread, tv_index_axis(index), ref.call);
    TV_TRY(add_method(index, tv_call_method(index, ref), out, err));
    tv_text_add(out, index->info->is_sampled ? ", run " : ", call ");
    tv_text_add_count(out, pair->ranks[side].ordinal + 1);
    tv_text_add(out, " of ");
    tv_text_add_count(out, pair->ranks[side].of);
    tv_text_add(out, side == TV_SIDE_OLD && pair->is_median ? ", the median one, on " : ", on ");
    tv_text_add_name(out, tv_index_thread_name(index, ref.thread_ix));
    tv_text_add(out, " at ");
    tv_text_add_time(out, start * index->info->unit_ns);
    return TV_OK;
}

/* Whether a call was made, over any number of others, by the other one. */
static bool is_within(const struct tv_index *index, struct tv_call_ref inner,
                      struct tv_call_ref outer)
{
    if (inner.thread_ix != outer.thread_ix)
        return false;
    while (tv_call_is(inner) && inner.depth > outer.depth)
        inner = tv_call_caller(index, inner);
    return is_same(inner, outer);
}

static void note_cut(const struct tv_index *index, struct tv_call_ref ref, enum tv_side side,
                     struct tv_text *out)
{
    const bool is_adopted = tv_call_is_adopted(index, ref);
    const bool is_open = tv_call_is_open_at_end(index, ref);
    if (is_adopted || is_open)
        tv_text_add(out, "%s call %s%s%s: it is longer than is told.\n", side_names[side],
                    is_adopted ? "began before the trace" : "",
                    is_adopted && is_open ? " and " : "",
                    is_open ? "was open at the end of the trace" : "");
}

void tv_call_pair_notes(const struct tv_call_pair *pair, const struct tv_index *index,
                        struct tv_text *out)
{
    const struct tv_call_ref *of = pair->of;
    const char *words = index->info->is_sampled ? "runs" : "calls";
    if (tv_call_method(index, of[TV_SIDE_OLD]) != tv_call_method(index, of[TV_SIDE_NEW]))
        tv_text_add(out, "They are %s of two methods.\n", words);
    if (is_within(index, of[TV_SIDE_NEW], of[TV_SIDE_OLD]))
        tv_text_add(out, "This call lies within the other one, whose numbers have it, too.\n");
    if (is_within(index, of[TV_SIDE_OLD], of[TV_SIDE_NEW]))
        tv_text_add(out, "The other call lies within this one, whose numbers have it, too.\n");
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        note_cut(index, of[side], (enum tv_side)side, out);
    if (index->info->is_sampled)
        tv_text_add(
            out, "The trace is one of samples: what is shorter than they lie apart is missing.\n");
}

/* --- what they waited for --- */

static enum tv_code look_into(const struct tv_call_pair *pair, enum tv_side side,
                              const struct tv_asking *asking, struct tv_detail *detail,
                              struct tv_error *err)
{
    struct tv_detail_question question = {.subject = TV_DETAIL_CALL, .call = pair->of[side]};
    tv_scope_init(&question.scope, asking->index);
    question.scope.measure = TV_MEASURE_WAIT;
    return tv_detail_compute(detail, asking->index, &question, asking->cli->alloc,
                             asking->cli->pool, err);
}

/* Waits of methods are no parts of the call's: two clocks that tick apart let them add up to more.
 */
static void add_rest(struct tv_text *out, const struct tv_detail *detail)
{
    const uint64_t methods = detail->more_waits.methods + detail->small_waits.methods;
    if (!methods)
        return;
    tv_text_add(out, ", ");
    tv_text_add_time(out, detail->more_waits.ns + detail->small_waits.ns);
    tv_text_add(out, " in ");
    tv_text_add_count(out, methods);
    tv_text_add(out, methods == 1 ? " more method" : " more methods");
}

static enum tv_code add_waits(const struct tv_detail *detail, enum tv_side side,
                              const struct tv_index *index, struct tv_text *out,
                              struct tv_error *err)
{
    const uint64_t wait_ns = tv_wait_of(&detail->numbers).inclusive_ns;
    tv_text_add(out, "%s call ", side_names[side]);
    if (!wait_ns) {
        tv_text_add(out, "did not wait.\n");
        return TV_OK;
    }
    tv_text_add(out, "waited ");
    tv_text_add_time(out, wait_ns);
    if (tv_unrecorded_is_told(detail->unrecorded_ns, wait_ns)) {
        tv_text_add(out, ", ");
        tv_text_add_time(out, detail->unrecorded_ns);
        tv_text_add(out, " of that after its thread's last record, where nothing tells work from "
                         "waiting");
    }
    tv_text_add(out, detail->waits.count ? "; whose own code did: " : "");
    for (size_t i = 0; i < detail->waits.count; i++) {
        tv_text_add(out, i ? ", " : "");
        tv_text_add_time(out, detail->waits.of[i].wait_ns);
        tv_text_add(out, " in ");
        TV_TRY(add_method(index, detail->waits.of[i].method_ix, out, err));
    }
    if (detail->waits.count)
        add_rest(out, detail);
    tv_text_add(out, ".\n");
    return TV_OK;
}

enum tv_code tv_call_pair_waits(const struct tv_call_pair *pair, const struct tv_asking *asking,
                                struct tv_text *out, struct tv_error *err)
{
    if (!tv_index_has_wait(asking->index))
        return TV_OK;
    for (unsigned side = TV_SIDE_COUNT; side-- > 0;) {
        struct tv_detail detail;
        TV_TRY(look_into(pair, (enum tv_side)side, asking, &detail, err));
        TV_TRY(add_waits(&detail, (enum tv_side)side, asking->index, out, err));
    }
    return TV_OK;
}

/* --- for JSON --- */

enum tv_code tv_call_pair_compared(const struct tv_call_pair *pair, const struct tv_asking *asking,
                                   struct tv_detail details[TV_SIDE_COUNT],
                                   struct tv_compared_call calls[TV_SIDE_COUNT],
                                   struct tv_error *err)
{
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        calls[side] = (struct tv_compared_call){
            .ref = pair->of[side], .rank = pair->ranks[side], .is_median = pair->is_median};
        if (!tv_index_has_wait(asking->index))
            continue;
        TV_TRY(look_into(pair, (enum tv_side)side, asking, &details[side], err));
        calls[side].detail = &details[side];
    }
    return TV_OK;
}
