/*
 * Trying mappings on the methods of a trace; see retrace/mapping_choice.h.
 *
 * Two mappings are open at most, the one that is tried and the best so far, which is the one that
 * the caller gets: it is read once. What stays of a mapping is how many methods it knows, and a sum
 * of the names that it gives, by which two that know equally many are told apart.
 */
#include "retrace/mapping_choice.h"

#include "base/bytes/checksum.h"
#include "base/finding.h"
#include "base/names/source_names.h"
#include "retrace/renaming.h"
#include "retrace/retrace.h"

/* How well one mapping fits. */
struct trial {
    bool fits;
    struct tv_renaming renaming; /* its counts alone: the retracer is gone */
    uint64_t names_sum;          /* checksum of all names that it gives */
};

/* A mapping that was not given for a trace fits it if it knows KNOWN_LEAST of its methods, or one
 * in KNOWN_OF of them: a small trace has no more. */
#define KNOWN_LEAST 8u
#define KNOWN_OF 50u

struct choosing {
    bool is_unasked;
    const struct tv_trace_method *methods;
    size_t method_count;
    const struct tv_alloc *alloc;
    struct tv_mapping_choice *choice;
    struct trial best;          /* of the chosen text */
    struct tv_retracer *chosen; /* open for the chosen text */
    struct tv_error *err;
};

/* Whether the first lines of a mapping say that it is of another build: it has an id, and the trace
 * has others alone. */
static bool is_of_other(const struct choosing *choosing, struct tv_str text)
{
    bool is_other = false;
    struct tv_name_mapping head;
    struct tv_str id;
    struct tv_str last = {NULL, 0};
    tv_name_mapping_init(&head, choosing->alloc);
    tv_name_mapping_read_head(&head, text);
    for (size_t i = 0; i < choosing->method_count && (head.id.len || head.hash.len); i++) {
        if (!tv_map_id_of(choosing->methods[i].file, &id) || tv_str_equal(id, last))
            continue;
        last = id;
        is_other = !tv_name_mapping_has_id(&head, id);
        if (!is_other)
            break;
    }
    tv_name_mapping_release(&head);
    return is_other;
}

static uint64_t mix_text(uint64_t sum, struct tv_str text)
{
    return tv_checksum_mix(tv_checksum_mix(sum, text.len),
                           text.len ? tv_checksum(text.at, text.len) : 0);
}

static bool is_likely(const struct choosing *choosing, const struct tv_renaming *renaming)
{
    return renaming->with_this_id || renaming->known >= KNOWN_LEAST ||
           renaming->known * KNOWN_OF >= choosing->method_count;
}

static enum tv_code rename_copies(const struct choosing *choosing, struct trial *trial)
{
    struct tv_findings findings;
    tv_findings_init(&findings);
    trial->names_sum = 0;
    for (size_t i = 0; i < choosing->method_count; i++) {
        struct tv_trace_method copy = choosing->methods[i];
        TV_TRY(tv_renaming_rename(&trial->renaming, &copy, &findings, choosing->err));
        trial->names_sum = mix_text(trial->names_sum, copy.class_name);
        trial->names_sum = mix_text(trial->names_sum, copy.name);
        trial->names_sum = mix_text(trial->names_sum, copy.signature);
    }
    trial->fits = tv_renaming_check(&trial->renaming, NULL) == TV_OK &&
                  (!choosing->is_unasked || is_likely(choosing, &trial->renaming));
    return TV_OK;
}

/* What is no mapping does not fit. */
static enum tv_code try_text(const struct choosing *choosing, struct tv_str text,
                             struct tv_retracer *retracer, struct trial *trial)
{
    enum tv_code code = tv_retracer_open(retracer, text, choosing->err);
    trial->fits = false;
    tv_renaming_init(&trial->renaming, retracer);
    retracer->tells_inlined = false;
    if (code == TV_OK)
        code = rename_copies(choosing, trial);
    else if (code == TV_ERR_FORMAT)
        choosing->choice->unreadable++;
    trial->renaming.retracer = NULL;
    return code == TV_ERR_FORMAT ? TV_OK : code;
}

/* >0: a fits better than b; 0: equally well. */
static int compare(const struct tv_renaming *a, const struct tv_renaming *b)
{
    const uint64_t of[][2] = {{a->with_this_id, b->with_this_id},
                              {a->known, b->known},
                              {b->asked, a->asked},
                              {a->renamed, b->renamed}};
    for (size_t i = 0; i < TV_COUNT_OF(of); i++) {
        if (of[i][0] != of[i][1])
            return of[i][0] > of[i][1] ? 1 : -1;
    }
    return 0;
}

/* Whether the text fits better than those before it. */
static bool take(struct choosing *choosing, size_t at, const struct trial *trial)
{
    struct tv_mapping_choice *choice = choosing->choice;
    int order =
        choice->by == TV_CHOICE_NONE ? 1 : compare(&trial->renaming, &choosing->best.renaming);
    if (order < 0)
        return false;
    if (order == 0) {
        if (trial->names_sum != choosing->best.names_sum) {
            choice->by = TV_CHOICE_TIE;
            choice->rival = at;
        }
        return false;
    }
    choosing->best = *trial;
    choice->by = trial->renaming.with_this_id ? TV_CHOICE_BY_ID : TV_CHOICE_BY_NAMES;
    choice->chosen = at;
    choice->renamed = trial->renaming.renamed;
    choice->asked = trial->renaming.asked;
    choice->known = trial->renaming.known;
    return true;
}

/* A mapping that fits best so far stays open, so that it is read once. The names that the trial
 * made are let go: whoever renames by it makes them again. */
static enum tv_code consider(struct choosing *choosing, struct tv_str text, size_t at)
{
    struct tv_retracer retracer;
    struct trial trial;
    tv_retracer_init(&retracer, choosing->alloc);
    enum tv_code code = try_text(choosing, text, &retracer, &trial);
    if (code == TV_OK && trial.fits && take(choosing, at, &trial)) {
        struct tv_retracer before = *choosing->chosen;
        tv_retracer_forget_names(&retracer);
        *choosing->chosen = retracer;
        retracer = before;
    }
    tv_retracer_release(&retracer);
    return code;
}

enum tv_code tv_mapping_choose(struct tv_mapping_choice *choice, struct tv_retracer *chosen,
                               const struct tv_mappings *among,
                               const struct tv_trace_method *methods, size_t method_count,
                               struct tv_error *err)
{
    struct choosing choosing = {.is_unasked = among->is_unasked,
                                .methods = methods,
                                .method_count = method_count,
                                .alloc = chosen->alloc,
                                .choice = choice,
                                .chosen = chosen,
                                .err = err};
    *choice = (struct tv_mapping_choice){.by = TV_CHOICE_NONE};
    tv_retracer_release(chosen);
    for (size_t i = 0; i < among->count; i++) {
        if (!is_of_other(&choosing, among->texts[i]))
            TV_TRY(consider(&choosing, among->texts[i], i));
    }
    return TV_OK;
}
