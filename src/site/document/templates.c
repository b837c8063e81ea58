/*
 * The templates that templates.S put into the binary, and which rows each document gives its
 * template; see site/document/templates.h. template_list.inc has the names.
 */
#include "site/document/templates.h"

#include "site/document/fleet_data.h"
#include "site/document/template_data.h"

#define TEMPLATE(name) extern const char tv_template_##name[], tv_template_##name##_end[];
#include "site/document/template_list.inc"
#undef TEMPLATE

static const struct tv_document_form forms[TV_DOCUMENTS] = {
    [TV_DOCUMENT_START] = {"start", {&tv_kind_site, &tv_kind_trace}, 2},
    [TV_DOCUMENT_UPLOADED] = {"uploaded", {&tv_kind_site, &tv_kind_trace, &tv_kind_words}, 3},
    [TV_DOCUMENT_WAITING] = {"waiting", {&tv_kind_site, &tv_kind_trace}, 2},
    [TV_DOCUMENT_BAD] = {"bad", {&tv_kind_site, &tv_kind_trace}, 2},
    [TV_DOCUMENT_OWNER] = {"owner", {&tv_kind_site, &tv_kind_trace, &tv_kind_words}, 3},
    [TV_DOCUMENT_FLAMES] = {"flames", {&tv_kind_site, &tv_kind_trace, &tv_kind_flames}, 3},
    [TV_DOCUMENT_LIST] = {"list", {&tv_kind_site, &tv_kind_list}, 2},
    [TV_DOCUMENT_STORED] = {"stored", {&tv_kind_site}, 1},
    [TV_DOCUMENT_TOKENS] = {"tokens", {&tv_kind_site, &tv_kind_tokens}, 2},
    [TV_DOCUMENT_COMPARE] = {"compare", {&tv_kind_site, &tv_kind_words}, 2},
    [TV_DOCUMENT_APPS] = {"apps", {&tv_kind_site, &tv_kind_apps}, 2},
    [TV_DOCUMENT_BUILDS] = {"builds", {&tv_kind_site, &tv_kind_builds}, 2},
    [TV_DOCUMENT_BUILD_DIFF] = {"build_diff", {&tv_kind_site, &tv_kind_build_diff}, 2},
    [TV_DOCUMENT_METHOD] = {"method", {&tv_kind_site, &tv_kind_history}, 2},
    [TV_DOCUMENT_WEBHOOK] = {"webhook", {&tv_kind_site, &tv_kind_deliveries}, 2},
    [TV_DOCUMENT_PROBLEM] = {"problem", {&tv_kind_site, &tv_kind_problem}, 2},
};

const struct tv_document_form *tv_document_form(enum tv_document document)
{
    return &forms[document];
}

/* The list is made by the build from the files, so a new template is one file and one line. */
struct tv_templates tv_document_templates(void)
{
    /* The lengths are differences of symbols, which the linker knows and the compiler does not. */
    static const struct {
        const char *name, *begin, *end;
    } files[] = {
#define TEMPLATE(name) {#name, tv_template_##name, tv_template_##name##_end},
#include "site/document/template_list.inc"
#undef TEMPLATE
    };
    struct tv_templates templates = {.count = TV_COUNT_OF(files)};
    _Static_assert(TV_COUNT_OF(files) <= TV_TEMPLATES_MOST, "room for all templates");
    for (size_t i = 0; i < TV_COUNT_OF(files); i++)
        templates.all[i] = (struct tv_template){
            files[i].name, {files[i].begin, (size_t)(files[i].end - files[i].begin)}};
    return templates;
}
