/*
 * Mapping files of any bytes. Each method of each class is looked up by its own name and signature,
 * and what is found is compared with a walk over all methods of the class; what is asked twice has
 * one answer; and each name that comes out is whole.
 */
#include <string.h>

#include "check.h"
#include "retrace/class_members.h"
#include "retrace/retrace.h"

/* Methods that are looked up: each is compared with all others of its class. */
#define MOST_LOOKED_UP 64u

static struct tv_str key_of(const struct tv_mapped_method *method)
{
    return method->residual.len ? method->residual : method->signature;
}

/* Whether a trace's method of that name and signature may be the method. */
static bool is_signed_as(const struct tv_mapped_method *method,
                         const struct tv_mapped_method *wanted)
{
    return !method->is_inlined && tv_str_equal(method->written, wanted->written) &&
           !method->residual.len == !wanted->residual.len &&
           tv_str_equal(key_of(method), key_of(wanted));
}

/* The method that ought to be found, by a walk. */
static const struct tv_mapped_method *walk(const struct tv_class_members *members,
                                           const struct tv_mapped_method *wanted)
{
    for (size_t i = 0; i < members->count; i++) {
        if (is_signed_as(&members->methods[i], wanted))
            return &members->methods[i];
    }
    return NULL;
}

/* A file that no compiler wrote may give several methods one name and one signature. */
static size_t count_signed(const struct tv_class_members *members,
                           const struct tv_mapped_method *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < members->count; i++)
        count += is_signed_as(&members->methods[i], wanted);
    return count;
}

static size_t count_named(const struct tv_class_members *members, struct tv_str written)
{
    size_t count = 0;
    for (size_t i = 0; i < members->count; i++)
        count += tv_str_equal(members->methods[i].written, written);
    return count;
}

static bool is_same(const struct tv_retraced *a, const struct tv_retraced *b)
{
    return a->by == b->by && a->is_synthesized == b->is_synthesized &&
           tv_str_equal(a->name.class_name, b->name.class_name) &&
           tv_str_equal(a->name.name, b->name.name) &&
           tv_str_equal(a->name.signature, b->name.signature);
}

static void look_up(struct tv_retracer *retracer, const struct tv_mapping_class *of,
                    const struct tv_class_members *members, const struct tv_mapped_method *method)
{
    const struct tv_method_name written = {of->written, method->written, key_of(method)};
    struct tv_retraced found;
    struct tv_retraced again;
    size_t first;
    const struct tv_mapped_method *by_search = tv_class_members_find(
        members, method->written,
        method->residual.len ? TV_SIGNATURE_OF_BUILD : TV_SIGNATURE_OF_SOURCE, key_of(method));
    FUZZ_CHECK(by_search == walk(members, method));
    FUZZ_CHECK(tv_class_members_named(members, method->written, &first) ==
               count_named(members, method->written));
    FUZZ_CHECK(tv_retrace_method(retracer, &written, &found, NULL) == TV_OK);
    FUZZ_CHECK(tv_retrace_method(retracer, &written, &again, NULL) == TV_OK);
    FUZZ_CHECK(is_same(&found, &again));
    FUZZ_CHECK(found.by != TV_RETRACE_BY_NOTHING && found.name.name.len);
    FUZZ_CHECK(!method->residual.len || method->is_inlined || found.by == TV_RETRACE_BY_SIGNATURE ||
               (found.by == TV_RETRACE_AMBIGUOUS && count_signed(members, method) > 1));
}

static void look_at(struct tv_retracer *retracer)
{
    size_t left = MOST_LOOKED_UP;
    for (size_t i = 0; i < retracer->mapping.class_count; i++) {
        struct tv_mapping_class *of = &retracer->mapping.classes[i];
        const struct tv_class_members *members;
        FUZZ_CHECK(tv_name_mapping_class(&retracer->mapping, of->written) == of);
        FUZZ_CHECK(of->original.len && of->written.len);
        FUZZ_CHECK(tv_retracer_members(retracer, of, &members, NULL) == TV_OK);
        for (size_t k = 0; k < members->count && left; k++, left--)
            look_up(retracer, of, members, &members->methods[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    struct tv_retracer retracer;
    struct tv_error err = {.code = TV_OK};
    fuzz_memory_init(&memory, len);
    tv_retracer_init(&retracer, &memory.alloc);
    enum tv_code code =
        tv_retracer_open(&retracer, (struct tv_str){(const char *)bytes, len}, &err);
    FUZZ_CHECK(code == err.code && (code == TV_OK || code == TV_ERR_FORMAT));
    FUZZ_CHECK(code == TV_OK || err.text[0]);
    if (code == TV_OK)
        look_at(&retracer);
    tv_retracer_release(&retracer);
    fuzz_memory_check_released(&memory);
    return 0;
}
