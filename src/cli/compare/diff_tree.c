/*
 * What diff says of the tree of callers, and of threads, in sentences that text and Markdown share;
 * see cli/compare/diff.h. How a name is written is the format's affair: a sentence is given out
 * piece by piece, names apart from words.
 */
#include "cli/compare/diff.h"

/* Callers of a path that are named. */
#define CALLERS_SHOWN 3u

/* Recordings that differ among themselves may have more calls that moved than all have. */
static bool has_one_run_a_side(const struct tv_comparison *of)
{
    return of->opts.run_counts[TV_SIDE_OLD] == 1 && of->opts.run_counts[TV_SIDE_NEW] == 1;
}

bool tv_diff_has_other_places(const struct tv_diff *diff)
{
    return tv_diff_has_tree(diff) && (diff->of.moves.began_count || diff->of.moves.moved_count);
}

void tv_diff_add_tree_summary(struct tv_text *out, const struct tv_diff *diff)
{
    const struct tv_context_changes *moves = &diff->of.moves;
    tv_text_add(out, "Callers: ");
    if (!moves->began_count && !moves->moved_count) {
        tv_text_add(out,
                    "no method of both sides has other calls below callers that have the same.");
        return;
    }
    tv_text_add(out, "on ");
    tv_text_add_count(out, moves->began_count);
    tv_text_add(out, moves->began_count == 1 ? " path" : " paths");
    tv_text_add(out, " the calls of a method of both sides changed, and not only as its caller's "
                     "did; calls of ");
    tv_text_add_count(out, moves->moved_count);
    tv_text_add(out, moves->moved_count == 1 ? " method" : " methods");
    tv_text_add(out, " moved to other callers.");
}

static void words(const struct tv_diff_pieces *pieces, struct tv_text *text)
{
    pieces->words(pieces->ctx, tv_text_view(text));
    text->buffer.len = 0;
}

/* "A > B > C": the callers, of which the nearest stand last. */
static enum tv_code tell_path(const struct tv_diff *diff, uint32_t place, size_t most,
                              const struct tv_diff_pieces *pieces, struct tv_text *text,
                              struct tv_error *err)
{
    const struct tv_context_path path = tv_context_path_of(&diff->of.contexts, place, most);
    if (path.above)
        tv_text_add(text, "... > ");
    for (size_t i = 0; i < path.count; i++) {
        if (i)
            tv_text_add(text, " > ");
        words(pieces, text);
        TV_TRY(pieces->name(pieces->ctx, path.methods[i], err));
    }
    return TV_OK;
}

/* "below A > B 12 became 0 (most of 3 paths)" */
static enum tv_code tell_end(const struct tv_diff *diff, const struct tv_moved_method *moved,
                             enum tv_side side, const struct tv_diff_pieces *pieces,
                             struct tv_text *text, struct tv_error *err)
{
    const struct tv_joined_context *context = &diff->of.contexts.of[moved->contexts[side]];
    const struct tv_context_side *sides = context->sides;
    if (context->parent == TV_NONE) {
        tv_text_add(text, "without a caller ");
    } else {
        tv_text_add(text, "below ");
        TV_TRY(tell_path(diff, context->parent, CALLERS_SHOWN, pieces, text, err));
        tv_text_add(text, " ");
    }
    tv_text_add_range(text, sides[TV_SIDE_OLD].least_calls, sides[TV_SIDE_OLD].most_calls);
    tv_text_add(text, " became ");
    tv_text_add_range(text, sides[TV_SIDE_NEW].least_calls, sides[TV_SIDE_NEW].most_calls);
    if (moved->context_count[side] > 1) {
        tv_text_add(text, " (most of ");
        tv_text_add_count(text, moved->context_count[side]);
        tv_text_add(text, side == TV_SIDE_OLD ? " paths with fewer)" : " paths with more)");
    }
    return TV_OK;
}

static enum tv_code tell_moved(const struct tv_diff *diff, const struct tv_moved_method *moved,
                               const struct tv_diff_pieces *pieces, struct tv_text *text,
                               struct tv_error *err)
{
    if (!has_one_run_a_side(&diff->of))
        tv_text_add(text, "at least ");
    tv_text_add_count(text, moved->calls);
    tv_text_add(text, moved->calls == 1 ? " call of " : " calls of ");
    words(pieces, text);
    TV_TRY(pieces->name(pieces->ctx, moved->method, err));
    tv_text_add(text, " moved: ");
    TV_TRY(tell_end(diff, moved, TV_SIDE_OLD, pieces, text, err));
    tv_text_add(text, ", ");
    TV_TRY(tell_end(diff, moved, TV_SIDE_NEW, pieces, text, err));
    tv_text_add(text, ".");
    words(pieces, text);
    return TV_OK;
}

static enum tv_code finish(struct tv_text *text, enum tv_code code, struct tv_error *err)
{
    if (code == TV_OK && text->code != TV_OK)
        code = tv_fail_memory(err, text->buffer.len);
    tv_text_release(text);
    return code;
}

enum tv_code tv_diff_tell_moved(const struct tv_diff *diff, size_t i,
                                const struct tv_diff_pieces *pieces, struct tv_error *err)
{
    struct tv_text text;
    tv_text_init(&text, diff->cli->alloc);
    return finish(&text, tell_moved(diff, &diff->of.moves.moved[i], pieces, &text, err), err);
}

enum tv_code tv_diff_tell_path(const struct tv_diff *diff, uint32_t place,
                               const struct tv_diff_pieces *pieces, struct tv_error *err)
{
    struct tv_text text;
    tv_text_init(&text, diff->cli->alloc);
    enum tv_code code = tell_path(diff, place, CALLERS_SHOWN + 1, pieces, &text, err);
    if (code == TV_OK)
        words(pieces, &text);
    return finish(&text, code, err);
}

size_t tv_diff_shown(const struct tv_diff *diff, size_t count)
{
    return tv_comparison_shown(&diff->of, &(struct tv_compared_list){.count = count});
}

bool tv_diff_has_tree(const struct tv_diff *diff)
{
    return diff->of.has_contexts && diff->of.changes.common_count;
}

bool tv_diff_has_threads(const struct tv_diff *diff)
{
    const struct tv_thread_join *threads = &diff->of.threads;
    return diff->of.has_threads && threads->count > 1 && threads->changed_count;
}

void tv_diff_add_threads_summary(struct tv_text *out, const struct tv_diff *diff)
{
    const struct tv_thread_join *threads = &diff->of.threads;
    tv_text_add(out, "Threads: ");
    tv_text_add_count(out, threads->changed_count);
    tv_text_add(out, threads->changed_count == 1 ? " name has other calls ("
                                                 : " names have other calls (");
    tv_text_add_count(out, threads->only_count[TV_SIDE_NEW]);
    tv_text_add(out, " new, ");
    tv_text_add_count(out, threads->only_count[TV_SIDE_OLD]);
    tv_text_add(out, " gone) of ");
    tv_text_add_count(out, threads->count);
    tv_text_add(out, ".");
}
