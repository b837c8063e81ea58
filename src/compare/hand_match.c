/*
 * Methods that are matched by hand; see compare/hand_match.h. One pass over the methods of an index
 * finds those that are named, by three texts of each: the whole name, that without what is not
 * stable, and that without the signature. The view has methods and text of its own, and all else of
 * the index that it was made of.
 */
#include "compare/hand_match.h"

#include <string.h>

#include "analysis/selection/names.h"
#include "base/memory/buffer.h"

/* Is added to the name of an old method that is called as a new one but was not matched with it. */
static const struct tv_str not_that = {" (old)", 6};

void tv_hand_matches_init(struct tv_hand_matches *matches, const struct tv_alloc *alloc)
{
    *matches = (struct tv_hand_matches){.alloc = alloc};
    tv_arena_init(&matches->texts, alloc);
    tv_text_map_init(&matches->taken, alloc);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_text_map_init(&matches->places[side], alloc);
}

void tv_hand_matches_release(struct tv_hand_matches *matches)
{
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++)
        tv_text_map_release(&matches->places[side]);
    tv_text_map_release(&matches->taken);
    tv_arena_release(&matches->texts);
    tv_hand_matches_init(matches, matches->alloc);
}

static enum tv_code note_name(struct tv_hand_matches *matches, enum tv_side side,
                              struct tv_str name, struct tv_error *err)
{
    uint32_t *place;
    if (!name.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a match is the name of an old method and that of a new one");
    TV_TRY(tv_text_map_slot(&matches->places[side], name, TV_NONE, &place, err));
    if (*place != TV_NONE)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s is matched twice",
                       tv_str_shown_len(name), name.at);
    *place = (uint32_t)matches->count;
    matches->of[matches->count].names[side] = name;
    return TV_OK;
}

enum tv_code tv_hand_matches_add(struct tv_hand_matches *matches, struct tv_str old_name,
                                 struct tv_str new_name, struct tv_error *err)
{
    if (matches->count == TV_HAND_MATCHES_MOST)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u methods are matched",
                       TV_HAND_MATCHES_MOST);
    TV_TRY(note_name(matches, TV_SIDE_OLD, old_name, err));
    TV_TRY(note_name(matches, TV_SIDE_NEW, new_name, err));
    matches->count++;
    return TV_OK;
}

/* The methods of an index that the matches name. */
struct looking {
    const struct tv_hand_matches *matches;
    const struct tv_index *index;
    enum tv_side side;
    struct tv_buffer text;
    /* By match: how many methods have its name without a signature, and the last of them. */
    uint32_t unsigned_count[TV_HAND_MATCHES_MOST];
    uint32_t unsigned_method[TV_HAND_MATCHES_MOST];
    bool is_whole[TV_HAND_MATCHES_MOST]; /* some method has the whole name */
    enum tv_code (*take)(void *ctx, uint32_t match, uint32_t method_ix, struct tv_error *err);
    void *ctx;
};

static uint32_t match_of(const struct looking *looking, struct tv_str text)
{
    return tv_text_map_get(&looking->matches->places[looking->side], text);
}

/* The match that has a method's whole or stable name; TV_MAP_NONE: none has. */
static enum tv_code find_whole(struct looking *looking, uint32_t method_ix, uint32_t *match,
                               struct tv_error *err)
{
    const struct tv_joined_method joined = tv_joined_of(looking->index, method_ix);
    TV_TRY(tv_method_text(looking->index, method_ix, &looking->text, err));
    *match = match_of(looking, tv_buffer_view(&looking->text));
    if (*match != TV_MAP_NONE || (!joined.class_name.is_cut && !joined.name.is_cut))
        return TV_OK;
    TV_TRY(tv_joined_text(&joined, &looking->text, err));
    *match = match_of(looking, tv_buffer_view(&looking->text));
    return TV_OK;
}

static void note_unsigned(struct looking *looking, uint32_t method_ix)
{
    const struct tv_str signature = tv_method_signature(looking->index, method_ix);
    const struct tv_str whole = tv_buffer_view(&looking->text);
    if (!signature.len || whole.len <= signature.len + 1)
        return;
    const uint32_t match =
        match_of(looking, (struct tv_str){whole.at, whole.len - signature.len - 1});
    if (match == TV_MAP_NONE)
        return;
    looking->unsigned_count[match]++;
    looking->unsigned_method[match] = method_ix;
}

static enum tv_code look_at(struct looking *looking, uint32_t method_ix, struct tv_error *err)
{
    uint32_t match;
    TV_TRY(find_whole(looking, method_ix, &match, err));
    if (match == TV_MAP_NONE) {
        note_unsigned(looking, method_ix);
        return TV_OK;
    }
    looking->is_whole[match] = true;
    return looking->take(looking->ctx, match, method_ix, err);
}

static enum tv_code look(struct looking *looking, struct tv_error *err)
{
    for (uint32_t i = 0; i < looking->index->method_count; i++)
        TV_TRY(look_at(looking, i, err));
    for (uint32_t i = 0; i < looking->matches->count; i++) {
        const struct tv_str name = looking->matches->of[i].names[looking->side];
        if (looking->is_whole[i] || !looking->unsigned_count[i])
            continue;
        if (looking->unsigned_count[i] > 1)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%u methods are called %.*s: add the signature",
                           looking->unsigned_count[i], tv_str_shown_len(name), name.at);
        TV_TRY(looking->take(looking->ctx, i, looking->unsigned_method[i], err));
    }
    return TV_OK;
}

/* The new trace that names are taken from. */
struct naming {
    struct tv_hand_matches *matches;
    const struct tv_index *index;
    struct tv_buffer *text;
};

/* Notes what a new method is to joins. Two of them may be the same. */
static enum tv_code note_taken(const struct naming *naming, uint32_t match, uint32_t method_ix,
                               struct tv_error *err)
{
    const struct tv_joined_method joined = tv_joined_of(naming->index, method_ix);
    struct tv_hand_matches *matches = naming->matches;
    struct tv_str text;
    uint32_t *place;
    TV_TRY(tv_joined_text(&joined, naming->text, err));
    TV_TRY(tv_arena_keep(&matches->texts, tv_buffer_view(naming->text), &text, err));
    matches->of[match].joined[TV_SIDE_NEW] = text;
    return tv_text_map_slot(&matches->taken, text, match, &place, err);
}

static enum tv_code take_name(void *ctx, uint32_t match, uint32_t method_ix, struct tv_error *err)
{
    const struct naming *naming = ctx;
    struct tv_hand_match *of = &naming->matches->of[match];
    struct tv_arena *texts = &naming->matches->texts;
    if (of->is_found[TV_SIDE_NEW])
        return TV_OK;
    of->is_found[TV_SIDE_NEW] = true;
    if (tv_method_build(naming->index, method_ix).len)
        TV_TRY(tv_arena_keep(texts, tv_method_file(naming->index, method_ix), &of->file, err));
    TV_TRY(note_taken(naming, match, method_ix, err));
    TV_TRY(
        tv_arena_keep(texts, tv_method_class(naming->index, method_ix), &of->is.class_name, err));
    TV_TRY(tv_arena_keep(texts, tv_method_name(naming->index, method_ix), &of->is.name, err));
    return tv_arena_keep(texts, tv_method_signature(naming->index, method_ix), &of->is.signature,
                         err);
}

enum tv_code tv_hand_matches_look(struct tv_hand_matches *matches, const struct tv_index *new_index,
                                  struct tv_error *err)
{
    struct naming naming = {.matches = matches, .index = new_index};
    struct looking looking = {.matches = matches,
                              .index = new_index,
                              .side = TV_SIDE_NEW,
                              .take = take_name,
                              .ctx = &naming};
    if (!matches->count)
        return TV_OK;
    naming.text = &looking.text;
    tv_buffer_init(&looking.text, matches->alloc);
    enum tv_code code = look(&looking, err);
    tv_buffer_release(&looking.text);
    return code;
}

enum tv_code tv_hand_matches_check(const struct tv_hand_matches *matches, enum tv_side side,
                                   struct tv_error *err)
{
    for (size_t i = 0; i < matches->count; i++) {
        const struct tv_str name = matches->of[i].names[side];
        if (!matches->of[i].is_found[side])
            return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                           "the %s side has no method %.*s, which is matched by hand",
                           tv_side_words[side], tv_str_shown_len(name), name.at);
    }
    return TV_OK;
}

void tv_matched_index_init(struct tv_matched_index *made, const struct tv_alloc *alloc)
{
    *made = (struct tv_matched_index){.alloc = alloc};
}

void tv_matched_index_release(struct tv_matched_index *made)
{
    tv_alloc_release(made->alloc, &made->methods, made->index.method_count, sizeof(*made->methods));
    tv_alloc_release(made->alloc, &made->text, made->text_cap, 1);
    tv_matched_index_init(made, made->alloc);
}

/* An old index while its view is made. */
struct renaming {
    struct tv_matched_index *made;
    struct tv_hand_matches *matches;
    const struct tv_index *old_index;
    struct tv_buffer *text;
    uint8_t *is_matched; /* by method */
};

/* Adds a text of two parts to that of the view. */
static enum tv_code add_text(struct tv_matched_index *made, struct tv_str text, struct tv_str more,
                             uint64_t *off, uint32_t *len, struct tv_error *err)
{
    const size_t before = (size_t)made->index.text_len;
    TV_TRY(tv_alloc_grow(made->alloc, &made->text, &made->text_cap, before + text.len + more.len, 1,
                         err));
    if (text.len)
        memcpy(made->text + before, text.at, text.len);
    if (more.len)
        memcpy(made->text + before + text.len, more.at, more.len);
    made->index.text = made->text;
    made->index.text_len = before + text.len + more.len;
    *off = before;
    *len = (uint32_t)(text.len + more.len);
    return TV_OK;
}

/* Notes what the first old method of a match is to joins. */
static enum tv_code note_old(const struct renaming *renaming, struct tv_hand_match *of,
                             uint32_t method_ix, struct tv_error *err)
{
    const struct tv_joined_method joined = tv_joined_of(renaming->old_index, method_ix);
    if (of->joined[TV_SIDE_OLD].len)
        return TV_OK;
    TV_TRY(tv_joined_text(&joined, renaming->text, err));
    return tv_arena_keep(&renaming->matches->texts, tv_buffer_view(renaming->text),
                         &of->joined[TV_SIDE_OLD], err);
}

static enum tv_code rename_method(void *ctx, uint32_t match, uint32_t method_ix,
                                  struct tv_error *err)
{
    struct renaming *renaming = ctx;
    struct tv_matched_index *made = renaming->made;
    struct tv_hand_match *of = &renaming->matches->of[match];
    struct tv_index_method *method = &made->methods[method_ix];
    const struct tv_str none = TV_STR("");
    of->is_found[TV_SIDE_OLD] = true;
    renaming->is_matched[method_ix] = 1;
    TV_TRY(note_old(renaming, of, method_ix, err));
    TV_TRY(add_text(made, of->is.class_name, none, &method->class_off, &method->class_len, err));
    TV_TRY(add_text(made, of->is.name, none, &method->name_off, &method->name_len, err));
    TV_TRY(add_text(made, of->file, none, &method->file_off, &method->file_len, err));
    return add_text(made, of->is.signature, none, &method->signature_off, &method->signature_len,
                    err);
}

/* Tells other methods apart that joins would take for a new one that is matched, whichever way that
 * was named. */
static enum tv_code part_others(struct renaming *renaming, const struct tv_index *old_index,
                                struct tv_buffer *text, struct tv_error *err)
{
    for (uint32_t i = 0; i < old_index->method_count; i++) {
        const struct tv_joined_method joined = tv_joined_of(old_index, i);
        struct tv_index_method *method = &renaming->made->methods[i];
        if (renaming->is_matched[i])
            continue;
        TV_TRY(tv_joined_text(&joined, text, err));
        if (tv_text_map_get(&renaming->matches->taken, tv_buffer_view(text)) != TV_MAP_NONE)
            TV_TRY(add_text(renaming->made, joined.signature, not_that, &method->signature_off,
                            &method->signature_len, err));
    }
    return TV_OK;
}

static enum tv_code copy_names(struct tv_matched_index *made, const struct tv_index *old_index,
                               struct tv_error *err)
{
    const size_t count = old_index->method_count;
    const size_t text_len = (size_t)old_index->text_len;
    TV_TRY(tv_alloc_new(made->alloc, &made->methods, count, sizeof(*made->methods), err));
    made->index = *old_index;
    made->index.alloc = NULL;
    made->index.methods = made->methods;
    if (count)
        memcpy(made->methods, old_index->methods, count * sizeof(*made->methods));
    TV_TRY(tv_alloc_grow(made->alloc, &made->text, &made->text_cap, text_len + 1, 1, err));
    if (text_len)
        memcpy(made->text, old_index->text, text_len);
    made->index.text = made->text;
    return TV_OK;
}

static enum tv_code rename_methods(struct tv_matched_index *made, struct renaming *renaming,
                                   const struct tv_index *old_index, struct tv_error *err)
{
    struct looking looking = {.matches = renaming->matches,
                              .index = old_index,
                              .side = TV_SIDE_OLD,
                              .take = rename_method,
                              .ctx = renaming};
    renaming->text = &looking.text;
    tv_buffer_init(&looking.text, made->alloc);
    enum tv_code code = look(&looking, err);
    if (code == TV_OK)
        code = part_others(renaming, old_index, &looking.text, err);
    renaming->text = NULL;
    tv_buffer_release(&looking.text);
    return code;
}

enum tv_code tv_matched_index_make(struct tv_matched_index *made, struct tv_hand_matches *matches,
                                   const struct tv_index *old_index, struct tv_error *err)
{
    const size_t count = old_index->method_count;
    struct renaming renaming = {.made = made, .matches = matches, .old_index = old_index};
    if (!matches->count) {
        made->index = *old_index;
        made->index.alloc = NULL;
        return TV_OK;
    }
    TV_TRY(tv_alloc_new(made->alloc, &renaming.is_matched, count, 1, err));
    enum tv_code code = copy_names(made, old_index, err);
    if (code == TV_OK)
        code = rename_methods(made, &renaming, old_index, err);
    tv_alloc_release(made->alloc, &renaming.is_matched, count, 1);
    return code;
}
