/*
 * Documents as answers; see site/document/documents.h.
 *
 * A document is a template (site/document/html) and the rows that fill it: the site's row first,
 * then what the document is about. Every document is sent with a policy that lets nothing from
 * elsewhere in and runs no inline script.
 */
#include "site/document/documents.h"

#include "base/alloc.h"
#include "base/memory/buffer.h"
#include "base/text/out.h"
#include "site/document/template_data.h"

/* Nothing comes from elsewhere, no inline script runs, and no other page may show this one in a
 * frame. `object-src` is for the pictures of the flame graphs. */
const char *tv_document_policy(void)
{
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
           "connect-src 'self'; object-src 'self'; frame-src 'self'; form-action 'self'; base-uri "
           "'none'; "
           "frame-ancestors 'none'";
}

/* A picture has its script and its style in itself. It runs as a document of no origin, so a script
 * that got into it would reach nothing of the site: neither its documents nor what they keep in the
 * browser. */
const char *tv_document_picture_policy(void)
{
    return "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";
}

/* Writes the document from its rows; rows[0] is the site's. */
static enum tv_code write(const struct tv_document_form *form, const void *const *rows,
                          struct tv_http_response *response)
{
    struct tv_out out;
    const struct tv_templates templates = tv_document_templates();
    tv_out_init(&out, tv_buffer_sink(&response->owned));
    TV_TRY(
        tv_template_write(&out, &templates, form->name, form->kinds, rows, form->kind_count, NULL));
    return tv_out_finish(&out, NULL);
}

/* `second` and `third` are the rows that the document has besides the site's, or NULL. */
static void send(const struct tv_document_site *site, enum tv_document document, const void *second,
                 const void *third, int status, struct tv_http_response *response)
{
    const struct tv_site_document of = {site, document};
    const void *const rows[] = {&of, second, third};
    if (write(tv_document_form(document), rows, response) != TV_OK) {
        tv_http_drop_body(response);
        tv_http_refuse(response, 500, "the page cannot be written");
        return;
    }
    tv_http_set(response, "Content-Security-Policy", tv_document_policy());
    /* Other sites are not told where their visitors come from. "no-referrer" would do that too, but
     * then browsers send forms with the origin "null", which is refused as another site's. */
    tv_http_set(response, "Referrer-Policy", "same-origin");
    tv_http_send(response, status, "text/html; charset=utf-8", "no-store");
}

void tv_document_start(const struct tv_document_site *site, struct tv_http_response *response)
{
    /* The form shows the fields of a trace; here it is one of which nothing is known. */
    static const struct tv_trace_row none = {.bytes = 0};
    static const struct tv_document_trace trace = {.row = &none};
    send(site, TV_DOCUMENT_START, &trace, NULL, 200, response);
}

void tv_document_uploaded(const struct tv_document_site *site,
                          const struct tv_document_trace *trace, const char *owner_token,
                          struct tv_http_response *response)
{
    const struct tv_document_words words = {.owner_token = tv_str_from(owner_token)};
    send(site, TV_DOCUMENT_UPLOADED, trace, &words, 201, response);
}

void tv_document_processing(const struct tv_document_site *site,
                            const struct tv_document_trace *trace,
                            struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_WAITING, trace, NULL, 200, response);
}

void tv_document_failed(const struct tv_document_site *site, const struct tv_document_trace *trace,
                        struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_BAD, trace, NULL, 200, response);
}

void tv_document_owner(const struct tv_document_site *site, const struct tv_document_trace *trace,
                       const char *problem, struct tv_http_response *response)
{
    const struct tv_document_words words = {.problem = problem ? tv_str_from(problem) : TV_STR("")};
    send(site, TV_DOCUMENT_OWNER, trace, &words, 200, response);
}

void tv_document_flames(const struct tv_document_site *site, const struct tv_document_trace *trace,
                        const struct tv_stored_thread *threads, size_t count,
                        struct tv_http_response *response)
{
    const struct tv_document_flames flames = {threads, count};
    send(site, TV_DOCUMENT_FLAMES, trace, &flames, 200, response);
}

void tv_document_list(const struct tv_document_site *site, const struct tv_document_list *list,
                      struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_LIST, list, NULL, 200, response);
}

void tv_document_stored(const struct tv_document_site *site, struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_STORED, NULL, NULL, 200, response);
}

void tv_document_compare(const struct tv_document_site *site, const char *first,
                         struct tv_http_response *response)
{
    const struct tv_document_words words = {.first = tv_str_from(first)};
    send(site, TV_DOCUMENT_COMPARE, &words, NULL, 200, response);
}

void tv_document_tokens(const struct tv_document_site *site,
                        const struct tv_document_tokens *tokens, struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_TOKENS, tokens, NULL,
         tokens->token     ? 201
         : tokens->problem ? 400
                           : 200,
         response);
}

void tv_document_deliveries(const struct tv_document_site *site,
                            const struct tv_document_deliveries *deliveries,
                            struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_WEBHOOK, deliveries, NULL, 200, response);
}

void tv_document_apps(const struct tv_document_site *site, const struct tv_document_apps *apps,
                      struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_APPS, apps, NULL, 200, response);
}

void tv_document_builds(const struct tv_document_site *site,
                        const struct tv_document_builds *builds, struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_BUILDS, builds, NULL, 200, response);
}

void tv_document_build_diff(const struct tv_document_site *site,
                            const struct tv_document_build_diff *diff,
                            struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_BUILD_DIFF, diff, NULL, 200, response);
}

void tv_document_history(const struct tv_document_site *site,
                         const struct tv_document_history *history,
                         struct tv_http_response *response)
{
    send(site, TV_DOCUMENT_METHOD, history, NULL, 200, response);
}

void tv_document_problem(const struct tv_document_site *site, int status, struct tv_str reason,
                         struct tv_http_response *response)
{
    const struct tv_document_problem problem = {(unsigned)status, reason};
    send(site, TV_DOCUMENT_PROBLEM, &problem, NULL, status, response);
}

/* Names have a hash in them, so browsers may keep these files for good. */
bool tv_document_static(const struct tv_document_files *files, struct tv_str name,
                        struct tv_http_response *response)
{
    const struct tv_document_file *file = tv_document_files_find(files, name);
    if (!file)
        return false;
    response->status = 200;
    response->kind = TV_HTTP_BODY_STATIC;
    response->fixed = file->bytes;
    tv_http_set(response, "Content-Type", file->type);
    tv_http_set(response, "Cache-Control", "public, max-age=31536000, immutable");
    return true;
}
