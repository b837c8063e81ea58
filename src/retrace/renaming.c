/*
 * From a trace's method to its name in the source; see retrace/renaming.h.
 *
 * This is the function that a trace calls for each of its methods. It changes the names in place,
 * keeps the written form for searches, and counts on the way how well the mapping fits.
 * tv_renaming_check then judges by these counts: an id in the trace decides alone, else the share
 * of known methods does.
 */
#include "retrace/renaming.h"

#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "base/names/java_names.h"
#include "base/names/source_names.h"

void tv_renaming_init(struct tv_renaming *renaming, struct tv_retracer *retracer)
{
    *renaming = (struct tv_renaming){.retracer = retracer};
    retracer->tells_inlined = true;
}

static void count_id(struct tv_renaming *renaming, struct tv_str file)
{
    struct tv_str id;
    if (!tv_map_id_of(file, &id))
        return;
    renaming->with_id++;
    renaming->with_this_id += tv_name_mapping_has_id(&renaming->retracer->mapping, id);
}

/* The method's names, with its class as Java writes it. */
static enum tv_code written_name(struct tv_retracer *retracer, const struct tv_trace_method *method,
                                 struct tv_method_name *written, struct tv_error *err)
{
    char *class_name;
    size_t len = tv_java_class_len(method->class_name);
    TV_TRY(tv_arena_take(&retracer->texts, len, &class_name, err));
    tv_java_class_write(method->class_name, class_name);
    *written = (struct tv_method_name){{class_name, len}, method->name, method->signature};
    return TV_OK;
}

/* Copies "class.name signature", as whole names are shown. */
static enum tv_code join(struct tv_retracer *retracer, const struct tv_method_name *name,
                         struct tv_str *whole, struct tv_error *err)
{
    const struct tv_str parts[] = {name->class_name,
                                   {".", name->class_name.len ? 1 : 0},
                                   name->name,
                                   {" ", name->signature.len ? 1 : 0},
                                   name->signature};
    char *to;
    size_t len = 0;
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++)
        len += parts[i].len;
    TV_TRY(tv_arena_take(&retracer->texts, len, &to, err));
    *whole = (struct tv_str){to, len};
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (parts[i].len)
            memcpy(to, parts[i].at, parts[i].len);
        to += parts[i].len;
    }
    return TV_OK;
}

static bool is_same(const struct tv_method_name *a, const struct tv_method_name *b)
{
    return tv_str_equal(a->class_name, b->class_name) && tv_str_equal(a->name, b->name) &&
           tv_str_equal(a->signature, b->signature);
}

static void count(struct tv_renaming *renaming, const struct tv_method_name *written,
                  const struct tv_retraced *found)
{
    bool is_constructor = written->name.len && written->name.at[0] == '<';
    if (found->by == TV_RETRACE_BY_NOTHING || is_constructor ||
        tv_str_equal(written->class_name, found->name.class_name))
        return;
    renaming->asked++;
    renaming->known += found->by != TV_RETRACE_BY_CLASS;
}

/* Whether another name was found although none of its methods has the signature. */
static bool is_guess(const struct tv_method_name *written, const struct tv_retraced *found)
{
    return found->by == TV_RETRACE_BY_NAME && written->signature.len &&
           !tv_str_equal(written->name, found->name.name);
}

/* Members of a class are read when its first method is renamed, so their bad lines show late. */
static void add_bad_lines(struct tv_renaming *renaming, struct tv_findings *findings)
{
    const struct tv_name_mapping *mapping = &renaming->retracer->mapping;
    const uint64_t bad = mapping->bad_lines + renaming->retracer->bad_members;
    tv_findings_add(findings, TV_FINDING_MAPPING_LINE, bad - renaming->bad_lines, TV_NO_OFFSET);
    renaming->bad_lines = bad;
}

/* Whether no virtual machine has such a method: its signature would have the type of a result.
 * Functions of other languages have "()", and classes that may be called as ones of a build. */
static bool is_native(const struct tv_trace_method *method)
{
    return tv_str_ends_with(method->signature, TV_STR(")"));
}

enum tv_code tv_renaming_rename(void *ctx, struct tv_trace_method *method,
                                struct tv_findings *findings, struct tv_error *err)
{
    struct tv_renaming *renaming = ctx;
    struct tv_method_name written;
    struct tv_retraced found;
    if (is_native(method))
        return TV_OK;
    count_id(renaming, method->file);
    TV_TRY(written_name(renaming->retracer, method, &written, err));
    TV_TRY(tv_retrace_method(renaming->retracer, &written, &found, err));
    count(renaming, &written, &found);
    add_bad_lines(renaming, findings);
    method->is_synthesized = found.is_synthesized;
    method->inlined = found.inlined;
    if (is_same(&written, &found.name))
        return TV_OK;
    TV_TRY(join(renaming->retracer, &written, &method->written, err));
    method->class_name = found.name.class_name;
    method->name = found.name.name;
    method->signature = found.name.signature;
    method->alternatives = found.alternatives;
    renaming->renamed++;
    tv_findings_add(findings, TV_FINDING_AMBIGUOUS_NAME, found.by == TV_RETRACE_AMBIGUOUS,
                    TV_NO_OFFSET);
    tv_findings_add(findings, TV_FINDING_GUESSED_NAME, is_guess(&written, &found), TV_NO_OFFSET);
    return TV_OK;
}

bool tv_renaming_has_other_id(const struct tv_renaming *renaming)
{
    const struct tv_name_mapping *mapping = &renaming->retracer->mapping;
    const bool has_id = mapping->id.len || mapping->hash.len;
    return has_id && renaming->with_id && !renaming->with_this_id;
}

/* From the surest reason to the weakest, so that the text names the best one. */
enum tv_code tv_renaming_check(const struct tv_renaming *renaming, struct tv_error *err)
{
    if (renaming->with_this_id)
        return TV_OK;
    if (tv_renaming_has_other_id(renaming))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "is of another build: the trace names another mapping by its id");
    if (!renaming->renamed)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "is of another program: it renames no method of the trace");
    if (renaming->known < renaming->asked - renaming->known)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "is of another build: it knows %llu of the %llu methods whose classes it "
                       "renames",
                       (unsigned long long)renaming->known, (unsigned long long)renaming->asked);
    return TV_OK;
}
