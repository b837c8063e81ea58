/*
 * Looking names up in both directions; see retrace/name_lookup.h. Members of a class are read only
 * where its lines may have the name, so a look into a large mapping costs one search of its text.
 */
#include "retrace/name_lookup.h"

#include "base/error.h"
#include "base/names/signature_spelling.h"
#include "retrace/class_members.h"

void tv_found_names_init(struct tv_found_names *names, const struct tv_alloc *alloc)
{
    *names = (struct tv_found_names){.alloc = alloc};
}

void tv_found_names_release(struct tv_found_names *names)
{
    tv_alloc_release(names->alloc, &names->of, names->cap, sizeof(*names->of));
    tv_found_names_init(names, names->alloc);
}

/* A name taken apart. */
struct wanted {
    struct tv_str whole; /* without the signature */
    struct tv_method_name
        in;                 /* its parts as those of a method; the class is empty without a point */
    struct tv_str of_build; /* the signature, taken for one of the build, in names of the source */
    bool is_end;            /* the class is the end of a name of the source */
};

static struct wanted take_apart(struct tv_str name)
{
    struct wanted wanted = {.whole = name};
    size_t end = 0;
    while (end < name.len && name.at[end] != '(' && name.at[end] != ' ')
        end++;
    wanted.whole.len = end;
    while (end < name.len && name.at[end] == ' ')
        end++;
    wanted.in.signature = (struct tv_str){name.at + end, name.len - end};
    size_t point = wanted.whole.len;
    while (point && name.at[point - 1] != '.')
        point--;
    wanted.in.class_name = (struct tv_str){name.at, point ? point - 1 : 0};
    wanted.in.name = (struct tv_str){name.at + point, wanted.whole.len - point};
    return wanted;
}

static bool is_same(const struct tv_found_name *a, const struct tv_found_name *b)
{
    return a->kind == b->kind && tv_str_equal(a->written_class, b->written_class) &&
           tv_str_equal(a->written_name, b->written_name) &&
           tv_str_equal(a->source.class_name, b->source.class_name) &&
           tv_str_equal(a->source.name, b->source.name) &&
           tv_str_equal(a->source.signature, b->source.signature);
}

/* A method stands in a mapping once for each range of its lines, and a class that was merged before
 * each of its methods. */
static enum tv_code add(struct tv_found_names *names, const struct tv_found_name *found,
                        struct tv_error *err)
{
    if (names->count && is_same(&names->of[names->count - 1], found))
        return TV_OK;
    TV_TRY(tv_alloc_grow(names->alloc, &names->of, &names->cap, names->count + 1,
                         sizeof(*names->of), err));
    names->of[names->count++] = *found;
    return TV_OK;
}

/* Whether the class of the source is the one that is looked for. */
static bool is_class(struct tv_str class_name, const struct wanted *wanted)
{
    const struct tv_str name = wanted->in.class_name;
    if (!wanted->is_end)
        return tv_str_equal(class_name, name);
    return class_name.len > name.len && tv_str_ends_with(class_name, name) &&
           (class_name.at[class_name.len - name.len - 1] == '.' ||
            class_name.at[class_name.len - name.len - 1] == '$');
}

static bool has_signature(const struct wanted *wanted, const struct tv_mapped_method *method)
{
    struct tv_str signature = wanted->in.signature;
    return !signature.len || tv_str_equal(signature, method->residual) ||
           tv_str_equal(wanted->of_build, method->signature) ||
           tv_signature_is_spelled(method->signature, signature);
}

static enum tv_found_kind kind_of(const struct tv_mapped_method *method)
{
    if (method->is_inlined)
        return TV_FOUND_INLINED;
    return method->is_synthesized ? TV_FOUND_SYNTHESIZED : TV_FOUND_METHOD;
}

static enum tv_code add_class(struct tv_found_names *names, const struct tv_mapping_class *of,
                              struct tv_str original, struct tv_error *err)
{
    return add(names,
               &(struct tv_found_name){.kind = TV_FOUND_CLASS,
                                       .written_class = of->written,
                                       .source = {.class_name = original}},
               err);
}

/* The class by its own names, and by those of classes that became the same one of the build. */
static enum tv_code add_classes(struct tv_found_names *names, const struct tv_mapping_class *of,
                                const struct wanted *wanted, struct tv_error *err)
{
    for (const struct tv_mapping_class *part = of; part; part = part->again) {
        if (tv_str_equal(of->written, wanted->whole) || tv_str_equal(part->original, wanted->whole))
            TV_TRY(add_class(names, of, part->original, err));
    }
    return TV_OK;
}

/* Whether the class is looked for that a method came from, as R8 merged it away. */
static bool is_of_class(const struct tv_mapped_method *method, const struct wanted *wanted)
{
    return !wanted->in.signature.len && !method->is_inlined && method->class_name.len &&
           tv_str_equal(method->class_name, wanted->whole);
}

static enum tv_code add_methods(struct tv_found_names *names, struct tv_retracer *retracer,
                                struct tv_mapping_class *of, const struct wanted *wanted,
                                struct tv_error *err)
{
    const struct tv_class_members *members;
    bool is_written = !wanted->is_end && tv_str_equal(of->written, wanted->in.class_name);
    TV_TRY(tv_retracer_members(retracer, of, &members, err));
    for (size_t i = 0; i < members->count; i++) {
        const struct tv_mapped_method *method = &members->methods[i];
        struct tv_str class_name = method->class_name.len ? method->class_name : of->original;
        if (is_of_class(method, wanted))
            TV_TRY(add_class(names, of, class_name, err));
        bool is_it = (is_written && tv_str_equal(method->written, wanted->in.name)) ||
                     (is_class(class_name, wanted) && tv_str_equal(method->name, wanted->in.name));
        if (is_it && has_signature(wanted, method))
            TV_TRY(add(
                names,
                &(struct tv_found_name){.kind = kind_of(method),
                                        .written_class = of->written,
                                        .written_name = method->written,
                                        .source = {class_name, method->name, method->signature}},
                err));
    }
    return TV_OK;
}

/* Whether the lines of a class may have a method of that name, or a method of a class of that name:
 * in the build only its own class has, and of the source another one may, too. */
static bool may_have(const struct tv_mapping_class *of, const struct wanted *wanted)
{
    struct tv_str class_name = wanted->in.class_name;
    if (!class_name.len || !wanted->in.name.len)
        return false;
    for (const struct tv_mapping_class *part = of; part; part = part->again) {
        if (tv_str_equal(part->written, class_name) || is_class(part->original, wanted) ||
            tv_str_find(part->body, wanted->whole, TV_CASE_EXACT) != SIZE_MAX)
            return true;
    }
    return false;
}

/* Looks into all classes. */
static enum tv_code add_all(struct tv_found_names *names, struct tv_retracer *retracer,
                            const struct wanted *wanted, struct tv_error *err)
{
    const struct tv_name_mapping *mapping = &retracer->mapping;
    for (size_t i = 0; i < mapping->class_count; i++) {
        struct tv_mapping_class *of = &mapping->classes[i];
        if (!wanted->in.signature.len && !wanted->is_end)
            TV_TRY(add_classes(names, of, wanted, err));
        const size_t before = names->count;
        const bool was_read = of->members != NULL; /* an earlier name may use its texts */
        if (may_have(of, wanted))
            TV_TRY(add_methods(names, retracer, of, wanted, err));
        if (!was_read && names->count == before)
            tv_retracer_forget_members(of);
    }
    return TV_OK;
}

enum tv_code tv_found_names_add(struct tv_found_names *names, struct tv_retracer *retracer,
                                struct tv_str name, struct tv_error *err)
{
    struct wanted wanted = take_apart(name);
    const size_t before = names->count;
    TV_TRY(tv_retrace_signature(retracer, wanted.in.signature, &wanted.of_build, err));
    TV_TRY(add_all(names, retracer, &wanted, err));
    wanted.is_end = true;
    return names->count > before ? TV_OK : add_all(names, retracer, &wanted, err);
}
