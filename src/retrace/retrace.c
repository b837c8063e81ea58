/*
 * Looking methods up in a mapping; see retrace/retrace.h.
 *
 * The ways are tried from the surest on: name and signature, then the name alone if only one method
 * can be meant, then the class alone. If a mapping lists every signature, a method with another
 * signature is not in it, so its name alone is not looked up. Several candidates are joined into
 * one name, since choosing one would be a guess. The names are kept in an arena, since callers keep
 * them.
 */
#include "retrace/retrace.h"

#include "base/error.h"
#include "base/memory/sort.h"
#include "base/names/descriptor.h"
#include "retrace/class_members.h"
#include "retrace/types.h"

/* Methods of one name that are looked at where no signature fits: a file may have any number, and
 * be asked for each. */
#define MOST_OF_NAME 256u

void tv_retracer_init(struct tv_retracer *retracer, const struct tv_alloc *alloc)
{
    *retracer = (struct tv_retracer){.alloc = alloc};
    tv_name_mapping_init(&retracer->mapping, alloc);
    tv_arena_init(&retracer->texts, alloc);
    tv_buffer_init(&retracer->scratch, alloc);
}

void tv_retracer_release(struct tv_retracer *retracer)
{
    tv_name_mapping_release(&retracer->mapping);
    tv_arena_release(&retracer->texts);
    tv_buffer_release(&retracer->scratch);
    tv_retracer_init(retracer, retracer->alloc);
}

enum tv_code tv_retracer_open(struct tv_retracer *retracer, struct tv_str text,
                              struct tv_error *err)
{
    return tv_name_mapping_open(&retracer->mapping, text, err);
}

void tv_retracer_forget_members(struct tv_mapping_class *of)
{
    tv_class_members_free(of->members);
    of->members = NULL;
}

void tv_retracer_forget_names(struct tv_retracer *retracer)
{
    tv_arena_release(&retracer->texts);
}

enum tv_code tv_retracer_members(struct tv_retracer *retracer, struct tv_mapping_class *of,
                                 const struct tv_class_members **members, struct tv_error *err)
{
    if (!of->members) {
        TV_TRY(tv_class_members_new(&of->members, of, retracer->alloc, err));
        retracer->bad_members += of->members->bad_lines;
    }
    *members = of->members;
    return TV_OK;
}

/* Moves what the scratch buffer holds to where it stays. */
static enum tv_code keep_scratch(struct tv_retracer *retracer, struct tv_str *kept,
                                 struct tv_error *err)
{
    return tv_arena_keep(&retracer->texts, tv_buffer_view(&retracer->scratch), kept, err);
}

/* Appends the descriptor of a type, with the class's name in the source. Names between slashes are
 * looked up with points, in the scratch buffer's own room behind what stands there. */
static enum tv_code add_type(struct tv_retracer *retracer, const struct tv_descriptor *type,
                             struct tv_str written, struct tv_error *err)
{
    struct tv_buffer *out = &retracer->scratch;
    size_t before = out->len;
    uint8_t *points;
    if (written.at[written.len - 1] != ';')
        return tv_buffer_append(out, written.at, written.len, err);
    TV_TRY(tv_buffer_extend(out, type->name.len, &points, err));
    for (size_t i = 0; i < type->name.len; i++)
        points[i] = (uint8_t)(type->name.at[i] == '/' ? '.' : type->name.at[i]);
    const struct tv_mapping_class *of = tv_name_mapping_class(
        &retracer->mapping, (struct tv_str){(const char *)points, type->name.len});
    out->len = before;
    if (!of)
        return tv_buffer_append(out, written.at, written.len, err);
    TV_TRY(tv_buffer_append(out, written.at, type->dimensions + 1, err)); /* "[[L" */
    TV_TRY(tv_class_add(out, of->original, err));
    return tv_buffer_append(out, ";", 1, err);
}

enum tv_code tv_retrace_signature(struct tv_retracer *retracer, struct tv_str written,
                                  struct tv_str *signature, struct tv_error *err)
{
    struct tv_str rest = written;
    struct tv_descriptor type;
    retracer->scratch.len = 0;
    *signature = written;
    while (rest.len) {
        struct tv_str before = rest;
        if (rest.at[0] == '(' || rest.at[0] == ')') {
            rest = (struct tv_str){rest.at + 1, rest.len - 1};
            TV_TRY(tv_buffer_append(&retracer->scratch, before.at, 1, err));
            continue;
        }
        if (!tv_descriptor_take(&rest, &type))
            return TV_OK;
        TV_TRY(add_type(retracer, &type, (struct tv_str){before.at, before.len - rest.len}, err));
    }
    return tv_str_equal(tv_buffer_view(&retracer->scratch), written)
               ? TV_OK
               : keep_scratch(retracer, signature, err);
}

/* Whether two methods would be shown by one name. */
static bool is_same_name(const struct tv_mapped_method *a, const struct tv_mapped_method *b)
{
    return tv_str_equal(a->name, b->name) && tv_str_equal(a->class_name, b->class_name);
}

/* Methods that a trace's method may be: of its name and signature, since R8 merges classes; or of
 * its name, where none has the signature. */
struct candidates {
    const struct tv_mapped_method *of[TV_RETRACE_MOST_ALTERNATIVES];
    size_t count;        /* of names that differ, as far as they are told */
    bool has_more;       /* there are others, or may be */
    bool is_synthesized; /* one line of them says so: R8 says it once of a method of many lines */
};

/* A method with a residual signature has another one than the trace's, if the trace has one. What
 * was inlined was never entered. */
static bool is_candidate(const struct tv_mapped_method *method, struct tv_str signature)
{
    return !method->is_inlined && !(method->residual.len && signature.len);
}

static void add_candidate(struct candidates *candidates, const struct tv_mapped_method *method)
{
    candidates->is_synthesized = candidates->is_synthesized || method->is_synthesized;
    for (size_t i = 0; i < candidates->count; i++) {
        if (is_same_name(candidates->of[i], method))
            return;
    }
    if (candidates->count == TV_RETRACE_MOST_ALTERNATIVES)
        candidates->has_more = true;
    else
        candidates->of[candidates->count++] = method;
}

/* Makes "save | load | pkg.Other.store | more", of at most `most` candidates. */
static enum tv_code join(struct tv_retracer *retracer, const struct candidates *candidates,
                         size_t most, struct tv_str *name, struct tv_error *err)
{
    struct tv_buffer *out = &retracer->scratch;
    const bool has_more = candidates->has_more || candidates->count > most;
    out->len = 0;
    for (size_t i = 0; i < candidates->count && i < most; i++) {
        const struct tv_mapped_method *method = candidates->of[i];
        TV_TRY(tv_buffer_append(out, " | ", i ? 3 : 0, err));
        TV_TRY(tv_buffer_append(out, method->class_name.at, method->class_name.len, err));
        TV_TRY(tv_buffer_append(out, ".", method->class_name.len ? 1 : 0, err));
        TV_TRY(tv_buffer_append(out, method->name.at, method->name.len, err));
    }
    TV_TRY(tv_buffer_append(out, " | more", has_more ? 7 : 0, err));
    return keep_scratch(retracer, name, err);
}

/* What was inlined into the candidates, while it is told. */
struct inlined_list {
    const struct tv_inlined_method **of;
    size_t count, cap;
};

static enum tv_code list_inlined(struct tv_retracer *retracer, struct inlined_list *list,
                                 const struct tv_class_members *members, uint32_t last,
                                 struct tv_error *err)
{
    for (; last; last = members->inlined[last - 1].before) {
        TV_TRY(tv_alloc_grow(retracer->alloc, &list->of, &list->cap, list->count + 1,
                             sizeof(const struct tv_inlined_method *), err));
        list->of[list->count++] = &members->inlined[last - 1];
    }
    return TV_OK;
}

static int compare_inlined(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_inlined_method *const *of = ctx;
    int order = tv_str_compare(of[a]->class_name, of[b]->class_name);
    if (!order)
        order = tv_str_compare(of[a]->name, of[b]->name);
    return order ? order : tv_str_compare(of[a]->signature, of[b]->signature);
}

/* Writes each once. A method of the class itself has the class of the trace's method. */
static enum tv_code write_inlined(struct tv_retracer *retracer, const struct inlined_list *list,
                                  struct tv_str of_class, struct tv_error *err)
{
    struct tv_buffer *out = &retracer->scratch;
    out->len = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct tv_inlined_method *method = list->of[i];
        const struct tv_str class_name = method->class_name.len ? method->class_name : of_class;
        if (i && compare_inlined(list->of, (uint32_t)(i - 1), (uint32_t)i) == 0)
            continue;
        TV_TRY(tv_buffer_append(out, "\n", out->len ? 1 : 0, err));
        TV_TRY(tv_buffer_append(out, class_name.at, class_name.len, err));
        TV_TRY(tv_buffer_append(out, ".", 1, err));
        TV_TRY(tv_buffer_append(out, method->name.at, method->name.len, err));
        TV_TRY(tv_buffer_append(out, " ", 1, err));
        TV_TRY(tv_buffer_append(out, method->signature.at, method->signature.len, err));
    }
    return TV_OK;
}

static enum tv_code tell_inlined(struct tv_retracer *retracer,
                                 const struct tv_class_members *members,
                                 const struct candidates *candidates, struct tv_str of_class,
                                 struct tv_retraced *found, struct tv_error *err)
{
    struct inlined_list list = {.count = 0};
    enum tv_code code = TV_OK;
    if (!retracer->tells_inlined || retracer->inlined_len / 2 > retracer->mapping.text.len)
        return TV_OK;
    for (size_t i = 0; code == TV_OK && i < candidates->count; i++)
        code = list_inlined(retracer, &list, members, candidates->of[i]->last_inlined, err);
    if (code == TV_OK && list.count)
        code = tv_sort_rows(retracer->alloc, list.of, list.count, sizeof(*list.of), compare_inlined,
                            list.of, err);
    if (code == TV_OK && list.count)
        code = write_inlined(retracer, &list, of_class, err);
    if (code == TV_OK && list.count)
        code = keep_scratch(retracer, &found->inlined, err);
    retracer->inlined_len += found->inlined.len;
    tv_alloc_release(retracer->alloc, &list.of, list.cap, sizeof(*list.of));
    return code;
}

/* Takes the one method that is meant, or says that several may be. */
static enum tv_code settle(struct tv_retracer *retracer, const struct candidates *candidates,
                           enum tv_retrace_by by, struct tv_retraced *found, struct tv_error *err)
{
    if (!candidates->count)
        return TV_OK;
    if (candidates->count > 1 || candidates->has_more) {
        found->by = TV_RETRACE_AMBIGUOUS;
        if (candidates->count > TV_RETRACE_MOST_NAMES)
            TV_TRY(join(retracer, candidates, candidates->count, &found->alternatives, err));
        return join(retracer, candidates, TV_RETRACE_MOST_NAMES, &found->name.name, err);
    }
    const struct tv_mapped_method *method = candidates->of[0];
    found->by = by;
    found->name.name = method->name;
    if (method->class_name.len)
        found->name.class_name = method->class_name;
    if (by == TV_RETRACE_BY_SIGNATURE)
        found->name.signature = method->signature;
    found->is_synthesized = found->is_synthesized || candidates->is_synthesized;
    return TV_OK;
}

/* Only MOST_OF_NAME methods of a name are looked at; more than these are ambiguous in any case. */
static void add_named(struct candidates *candidates, const struct tv_class_members *members,
                      const struct tv_method_name *written)
{
    size_t first;
    size_t count = tv_class_members_named(members, written->name, &first);
    candidates->has_more = count > MOST_OF_NAME;
    for (size_t i = first; i < first + (count < MOST_OF_NAME ? count : MOST_OF_NAME); i++) {
        if (is_candidate(&members->methods[i], written->signature))
            add_candidate(candidates, &members->methods[i]);
    }
}

/* Adds the candidates of one signature, of which only MOST_OF_NAME are looked at, too. */
static void add_signed(struct candidates *candidates, const struct tv_class_members *members,
                       struct tv_str written, enum tv_signature_of which, struct tv_str signature)
{
    size_t left = MOST_OF_NAME;
    const struct tv_mapped_method *method =
        tv_class_members_find(members, written, which, signature);
    for (; method && left; left--, method = tv_class_members_next(members, method))
        add_candidate(candidates, method);
    candidates->has_more = candidates->has_more || method;
}

static enum tv_code find_method(struct tv_retracer *retracer,
                                const struct tv_class_members *members,
                                const struct tv_method_name *written, struct tv_retraced *found,
                                struct tv_error *err)
{
    struct candidates candidates = {.count = 0};
    enum tv_retrace_by by = TV_RETRACE_BY_SIGNATURE;
    add_signed(&candidates, members, written->name, TV_SIGNATURE_OF_BUILD, written->signature);
    if (!candidates.count)
        add_signed(&candidates, members, written->name, TV_SIGNATURE_OF_SOURCE,
                   found->name.signature);
    if (!candidates.count &&
        !(written->signature.len && tv_name_mapping_tells_signatures(&retracer->mapping))) {
        by = TV_RETRACE_BY_NAME;
        add_named(&candidates, members, written);
    }
    TV_TRY(tell_inlined(retracer, members, &candidates, found->name.class_name, found, err));
    return settle(retracer, &candidates, by, found, err);
}

/* The class of a lambda or of another class that the compiler made beside "a.b", as
 * "a.b$$Lambda$3", may have no line of its own: then it has the name of the class before its "$$".
 */
static enum tv_code rename_beside(struct tv_retracer *retracer, struct tv_retraced *found,
                                  struct tv_error *err)
{
    struct tv_str name = found->name.class_name;
    struct tv_buffer *out = &retracer->scratch;
    size_t at = tv_str_find(name, TV_STR("$$"), TV_CASE_EXACT);
    const struct tv_mapping_class *beside =
        at == SIZE_MAX ? NULL
                       : tv_name_mapping_class(&retracer->mapping, (struct tv_str){name.at, at});
    if (!beside)
        return TV_OK;
    out->len = 0;
    TV_TRY(tv_buffer_append(out, beside->original.at, beside->original.len, err));
    TV_TRY(tv_buffer_append(out, name.at + at, name.len - at, err));
    found->by = TV_RETRACE_BY_CLASS;
    return keep_scratch(retracer, &found->name.class_name, err);
}

/* Starts with what was written, and replaces the parts that are found; so whatever is not found
 * stays as the trace has it. */
enum tv_code tv_retrace_method(struct tv_retracer *retracer, const struct tv_method_name *written,
                               struct tv_retraced *found, struct tv_error *err)
{
    const struct tv_class_members *members;
    struct tv_mapping_class *of = tv_name_mapping_class(&retracer->mapping, written->class_name);
    *found = (struct tv_retraced){.by = TV_RETRACE_BY_NOTHING, .name = *written};
    TV_TRY(tv_retrace_signature(retracer, written->signature, &found->name.signature, err));
    if (!of)
        return rename_beside(retracer, found, err);
    TV_TRY(tv_retracer_members(retracer, of, &members, err));
    found->by = TV_RETRACE_BY_CLASS;
    found->name.class_name = of->original;
    found->is_synthesized = members->is_synthesized;
    return find_method(retracer, members, written, found, err);
}
