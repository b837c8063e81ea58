/*
 * push: uploads traces to a site and prints their links (cli/site/upload.h). With --redact, a trace
 * is written anew without its names before anything leaves the machine; the copy is a file that has
 * no name, so no crash leaves it behind.
 *
 * Each file is pushed by itself: one that fails is told, the others are pushed all the same, and
 * the status is the worst. --delete takes links, and the owner tokens that were kept here.
 *
 * The link is the answer. Whoever pushes gets an owner token as well, which is kept in a file of
 * the user and never printed, since links are passed on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/out.h"
#include "base/text/percent.h"
#include "cli/file/load.h"
#include "cli/file/redact_options.h"
#include "cli/site/header_file.h"
#include "cli/site/pushed_diff.h"
#include "cli/site/upload.h"
#include "cli/verb.h"
#include "format/write/write.h"
#include "os/file/spool.h"

#define SECRET_MOST ((size_t)4096)
#define SECRET_HEADER "X-Upload-Secret: "
#define OWNER_HEADER "X-Owner-Token: "

struct push_options {
    const char *to;
    const char *title;
    const char *note;
    struct tv_texts labels;
    const char *project;
    const char *expires;
    const char *secret_file;
    const char *mapping;
    bool is_for_all;
    bool keeps_names;
    const char *token_file;
    const char *against;
    bool is_shared;
    bool is_listed;
    bool counts;
    bool counts_not;
    bool is_delete;
    bool json;
    struct tv_redact_options redact;
};

/* One run of the verb. */
struct pushing {
    const struct tv_cli *cli;
    const struct push_options *options;
    char site[TV_SITE_URL_CAP];
    char secret[sizeof(SECRET_HEADER) + SECRET_MOST]; /* the header; "": there is none */
    char token[TV_TOKEN_HEADER_CAP];                  /* the same */
    char owner[sizeof(OWNER_HEADER) + TV_TOKEN_LEN];  /* of the mapping that was pushed last */
    struct tv_site_link against;                      /* of --against */
};

/* --- what the site is told --- */

static void add_field(struct tv_out *query, const char *key, struct tv_str value)
{
    tv_out_add(query, "&%s=", key);
    tv_percent_put(query, value);
}

static void add_option(struct tv_out *query, const char *key, const char *value)
{
    if (value)
        add_field(query, key, tv_str_from(value));
}

/* Labels were checked before (are_labels); each becomes a parameter of the address, escaped. */
static void add_labels(struct tv_out *query, const struct tv_texts *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        struct tv_str value = tv_str_from(labels->of[i]);
        struct tv_str key;
        if (!tv_str_split(&value, '=', &key))
            continue;
        tv_out_text(query, TV_STR("&label_"));
        tv_percent_put(query, key);
        tv_out_text(query, TV_STR("="));
        tv_percent_put(query, value);
    }
}

enum pushed { PUSHED_TRACE, PUSHED_MAPPING };

/* Fills `query` with a text that ends in NUL. */
static enum tv_code write_query(const struct push_options *options, enum pushed what,
                                const struct tv_upload_source *source, struct tv_buffer *query,
                                struct tv_error *err)
{
    struct tv_out out;
    const char *name = source->name;
    const char *label = strcmp(name, "-") == 0
                            ? what == PUSHED_MAPPING ? "mapping.txt" : "stdin.trace"
                            : tv_file_name_of(name);
    /* Recordings are named by their app. */
    if (options->redact.is_on && what == PUSHED_TRACE)
        label = "redacted.trace";
    tv_out_init(&out, tv_buffer_sink(query));
    tv_out_text(&out, TV_STR("name="));
    tv_percent_put(&out, tv_str_from(label));
    if (source->has_len)
        tv_out_add(&out, "&bytes=%llu", (unsigned long long)source->len);
    add_option(&out, "title", options->title);
    add_option(&out, "note", options->note);
    add_option(&out, "expires", options->expires);
    if (what == PUSHED_MAPPING) {
        add_option(&out, "kind", "mapping");
        add_option(&out, "for_all", options->is_for_all ? "1" : NULL);
    } else {
        add_option(&out, "raw_shared", options->is_shared ? "1" : NULL);
        add_option(&out, "listed", options->is_listed ? "1" : NULL);
        add_option(&out, "rows", options->counts ? "1" : options->counts_not ? "0" : NULL);
        add_option(&out, "names", options->keeps_names ? "file" : NULL);
    }
    add_labels(&out, &options->labels);
    add_option(&out, "label_project", options->project);
    tv_out_bytes(&out, "", 1);
    return tv_out_finish(&out, err);
}

/* --- one file --- */

/* Standard input may be a pipe, whose length nobody knows; then the upload is sent in parts without
 * a total. */
static enum tv_code open_whole(const char *name, struct tv_upload_source *source,
                               struct tv_error *err)
{
    struct stat status;
    bool is_input = strcmp(name, "-") == 0;
    int fd = is_input ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    *source = (struct tv_upload_source){.name = name, .fd = fd};
    if (fstat(fd, &status) != 0 || (!is_input && !S_ISREG(status.st_mode))) {
        (void)close(fd);
        source->fd = -1;
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "is not a file");
    }
    source->has_len = S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    source->len = source->has_len ? (uint64_t)status.st_size : 0;
    return TV_OK;
}

static enum tv_code append(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    return tv_spool_append(ctx, bytes, len, err);
}

/* Writes the trace anew, without its names, into a file that has no name either. */
static enum tv_code write_redacted(const struct pushing *pushing, const struct tv_opened *opened,
                                   struct tv_spool *spool, struct tv_error *err)
{
    struct tv_redactor redactor;
    struct tv_write_result result;
    const struct tv_redact_opts redact = tv_redact_opts_of(&pushing->options->redact);
    const struct tv_write_names names = tv_redact_written(&redactor);
    const struct tv_write_opts opts = {.as = TV_STR("v3"),
                                       .clocks = TV_WRITE_CLOCKS_ALL,
                                       .names = &names,
                                       .read = opened->trace.opts,
                                       .result = &result};
    TV_TRY(tv_spool_open(spool, 0, err));
    tv_redactor_init(&redactor, pushing->cli->alloc, &redact);
    enum tv_code code = tv_write_trace(pushing->cli->alloc, opened->file.bytes, opened->file.len,
                                       &opts, (struct tv_sink){.write = append, .ctx = spool}, err);
    tv_redactor_release(&redactor);
    return tv_opened_check(opened, code, err);
}

/* Opens the trace, writes it without names into the spool, and gives a descriptor of that as the
 * source. */
static enum tv_code open_redacted(const struct pushing *pushing, const char *name,
                                  struct tv_upload_source *source, struct tv_spool *spool,
                                  struct tv_error *err)
{
    struct tv_opened opened;
    const struct tv_open_opts opts = {.unpacks_all = pushing->cli->shared.unpack_all};
    tv_opened_init(&opened, pushing->cli->alloc);
    enum tv_code code = tv_opened_open(&opened, name, &opts, err);
    if (code == TV_OK)
        code = write_redacted(pushing, &opened, spool, err);
    tv_opened_release(&opened);
    if (code != TV_OK)
        return code;
    *source = (struct tv_upload_source){
        .name = name, .fd = dup(spool->fd), .has_len = true, .len = spool->len};
    if (source->fd < 0 || lseek(source->fd, 0, SEEK_SET) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s", strerror(errno));
    return TV_OK;
}

/* The link alone on standard output, so that scripts can take it as it is. */
static void print_link(const struct pushing *pushing, const char *name,
                       const struct tv_site_link *link, uint64_t len)
{
    const struct tv_cli *cli = pushing->cli;
    char url[TV_SITE_PATH_CAP];
    struct tv_buffer body;
    struct tv_json json;
    tv_site_link_text(link, url);
    if (!pushing->options->json) {
        (void)fprintf(cli->out, "%s\n", url);
        return;
    }
    tv_buffer_init(&body, cli->alloc);
    tv_json_init(&json, tv_buffer_sink(&body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "file", name);
    tv_json_key_text(&json, "link", url);
    tv_json_key_text(&json, "id", link->id);
    tv_json_key_u64(&json, "bytes", len);
    tv_json_close_object(&json);
    if (tv_json_finish(&json, NULL) == TV_OK)
        tv_cli_answer(cli, tv_buffer_view(&body));
    tv_buffer_release(&body);
}

/* One upload, from an open file: whole ones and redacted ones come here. */
static int push_source(const struct pushing *pushing, enum pushed what,
                       const struct tv_upload_source *source, char tokens[TV_PATH_CAP])
{
    const struct tv_cli *cli = pushing->cli;
    struct tv_site_link link;
    struct tv_buffer query;
    struct tv_error err = {.code = TV_OK};
    uint64_t len = 0;
    tv_buffer_init(&query, cli->alloc);
    enum tv_code code = write_query(pushing->options, what, source, &query, &err);
    const struct tv_upload_place place = {.site = pushing->site,
                                          .query = tv_buffer_view(&query).at,
                                          .secret = pushing->secret[0] ? pushing->secret : NULL,
                                          .owner = pushing->owner[0] ? pushing->owner : NULL,
                                          .token = pushing->token[0] ? pushing->token : NULL,
                                          .is_mapping = what == PUSHED_MAPPING};
    int status = code == TV_OK ? tv_upload(cli, source, &place, &link, &len, tokens)
                               : tv_cli_fail(cli, source->name, &err);
    tv_buffer_release(&query);
    if (status != TV_STATUS_FINE)
        return status;
    print_link(pushing, source->name, &link, len);
    const struct tv_pushed_diff diff = {
        .old = &pushing->against, .bearer = place.token, .json = pushing->options->json};
    return pushing->options->against && what == PUSHED_TRACE ? tv_pushed_diff(cli, &link, &diff)
                                                             : status;
}

/* Redaction writes the trace anew into a file without a name, and that is what leaves the machine.
 */
static int push_file(const struct pushing *pushing, const char *name, char tokens[TV_PATH_CAP])
{
    struct tv_upload_source source = {.fd = -1};
    struct tv_spool spool;
    struct tv_error err = {.code = TV_OK};
    tv_spool_init(&spool);
    enum tv_code code = pushing->options->redact.is_on
                            ? open_redacted(pushing, name, &source, &spool, &err)
                            : open_whole(name, &source, &err);
    int status = code == TV_OK ? push_source(pushing, PUSHED_TRACE, &source, tokens)
                               : tv_cli_fail(pushing->cli, name, &err);
    if (source.fd >= 0)
        (void)close(source.fd);
    tv_spool_release(&spool);
    return status;
}

static int push_mapping(const struct pushing *pushing, char tokens[TV_PATH_CAP])
{
    const char *name = pushing->options->mapping;
    struct tv_upload_source source = {.fd = -1};
    struct tv_error err = {.code = TV_OK};
    int status = open_whole(name, &source, &err) == TV_OK
                     ? push_source(pushing, PUSHED_MAPPING, &source, tokens)
                     : tv_cli_fail(pushing->cli, name, &err);
    if (source.fd >= 0)
        (void)close(source.fd);
    return status;
}

/* A mapping names traces of the same owner, so all that is pushed to a site has the token of the
 * mapping that was pushed there last. */
static void use_owner(struct pushing *pushing)
{
    char token[TV_TOKEN_LEN + 1];
    if (tv_owner_find_mapping(pushing->cli, pushing->site, token))
        (void)snprintf(pushing->owner, sizeof(pushing->owner), OWNER_HEADER "%s", token);
}

/* The mapping goes first, and without it nothing else does: a trace that comes after it is read
 * with its names at once. Files after one that failed are still sent, and the status is the worst.
 */
static int push_files(struct pushing *pushing, const struct tv_arguments *arguments)
{
    char tokens[TV_PATH_CAP];
    int worst = TV_STATUS_FINE;
    bool is_any = false;
    use_owner(pushing);
    if (pushing->options->mapping) {
        worst = push_mapping(pushing, tokens);
        if (worst != TV_STATUS_FINE)
            return worst;
        is_any = true;
        use_owner(pushing);
    }
    for (size_t i = 0; i < arguments->count; i++) {
        int status = push_file(pushing, arguments->of[i], tokens);
        is_any = is_any || status == TV_STATUS_FINE || status == TV_STATUS_BELOW;
        worst = status > worst ? status : worst;
    }
    if (is_any)
        tv_cli_note(pushing->cli, tokens, "has the owner tokens, which change and delete");
    return worst;
}

/* --- deleting --- */

/* The owner's token stands in a file of this user. It is forgotten only when the site has
 * confirmed, so that a failed try can be repeated; a trace that is gone already counts as deleted.
 */
static int delete_trace(const struct tv_cli *cli, const char *text)
{
    struct tv_site_link link;
    struct tv_web_answer answer;
    struct tv_error err = {.code = TV_OK};
    char token[TV_TOKEN_LEN + 1];
    if (tv_site_link_parse(&link, text, &err) != TV_OK)
        return tv_cli_misuse(cli, "push: %s", err.text);
    if (!tv_owner_find(cli, &link, token)) {
        (void)tv_fail(&err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no owner token for it here");
        return tv_cli_fail(cli, text, &err);
    }
    enum tv_code code = tv_upload_delete(&link, token, &answer, &err);
    if (code != TV_OK || (answer.status != 204 && answer.status != 404))
        return tv_site_refused(cli, text, &answer, &err);
    if (tv_owner_forget(cli, &link, &err) != TV_OK)
        return tv_cli_fail(cli, text, &err);
    if (answer.status == 404)
        tv_cli_note(cli, text, "was gone already");
    return TV_STATUS_FINE;
}

/* All are tried, and the status is the worst. */
static int delete_all(const struct tv_cli *cli, const struct tv_arguments *arguments)
{
    int worst = TV_STATUS_FINE;
    for (size_t i = 0; i < arguments->count; i++) {
        int status = delete_trace(cli, arguments->of[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* --- the verb --- */

/* A label needs a key before its "=". */
static bool are_labels(const struct tv_texts *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        const char *equals = strchr(labels->of[i], '=');
        if (!equals || equals == labels->of[i])
            return false;
    }
    return true;
}

/* The other trace is one of the same site, which compares them. */
static enum tv_code read_against(struct pushing *pushing, struct tv_error *err)
{
    const char *text = pushing->options->against;
    if (!text)
        return TV_OK;
    TV_TRY(tv_site_link_parse(&pushing->against, text, err));
    if (strcmp(pushing->against.site, pushing->site) == 0)
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "--against is a trace of another site, %s",
                   pushing->against.site);
}

/* What is wrong with the words is told before the first byte is sent. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct push_options *options = values;
    struct pushing pushing = {.cli = cli, .options = options};
    struct tv_error err = {.code = TV_OK};
    const char *site = options->to ? options->to : getenv("TRACEVIEW_SITE");
    if (!arguments->count && (!options->mapping || options->is_delete))
        return tv_cli_misuse(cli, "push needs FILE...: see 'traceview push --help'");
    if (options->is_delete)
        return delete_all(cli, arguments);
    if (options->is_for_all && !options->mapping)
        return tv_cli_misuse(cli, "push: --for-all is for --mapping");
    if (options->mapping && options->redact.is_on)
        return tv_cli_misuse(cli, "push: --mapping tells the names that --redact takes out");
    if (!site || !site[0])
        return tv_cli_misuse(cli, "push: where to? Give --to URL, or set TRACEVIEW_SITE");
    if (!are_labels(&options->labels))
        return tv_cli_misuse(cli, "push: --label takes KEY=VALUE");
    if (options->counts && options->counts_not)
        return tv_cli_misuse(cli, "push: --rows and --no-rows are two answers to one question");
    if (tv_redact_lacking(&options->redact))
        return tv_cli_misuse(cli, "push: %s is for --redact", tv_redact_lacking(&options->redact));
    if (tv_site_parse(pushing.site, site, &err) != TV_OK ||
        tv_header_file_read(options->secret_file, SECRET_HEADER, SECRET_MOST, cli->alloc,
                            pushing.secret, &err) != TV_OK ||
        tv_header_file_read(options->token_file, TV_TOKEN_HEADER, TV_TOKEN_HEADER_MOST, cli->alloc,
                            pushing.token, &err) != TV_OK ||
        read_against(&pushing, &err) != TV_OK)
        return tv_cli_misuse(cli, "push: %s", err.text);
    return push_files(&pushing, arguments);
}

static const struct tv_option options[] = {
    {.name = "to",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, to),
     .argument = "URL",
     .help = "the site; else what TRACEVIEW_SITE says"},
    {.name = "title",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, title),
     .argument = "TEXT",
     .help = "what the trace is called there"},
    {.name = "note",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, note),
     .argument = "TEXT",
     .help = "what there is to say of it"},
    {.name = "label",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct push_options, labels),
     .argument = "KEY=VALUE",
     .help = "such as app=shop, build=421 (may be repeated)"},
    {.name = "project",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, project),
     .argument = "NAME",
     .help = "the project that the trace belongs to, where the site has some"},
    {.name = "expires",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, expires),
     .argument = "TIME",
     .help = "when the site deletes it: 12h, 30d, 2w (as the site does)"},
    {.name = "share-file",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, is_shared),
     .help = "whoever has the link may download the file, too"},
    {.name = "mapping",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, mapping),
     .argument = "MAPPING",
     .help = "upload this mapping of R8 or ProGuard first: it names your traces there"},
    {.name = "for-all",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, is_for_all),
     .help = "MAPPING names the traces of others, too, by its id or build"},
    {.name = "file-names",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, keeps_names),
     .help = "no mapping names the trace: whoever has the link sees the file's names"},
    {.name = "listed",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, is_listed),
     .help = "the trace stands in the list of the site"},
    {.name = "rows",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, counts),
     .help = "the trace counts in questions over all traces, which lead to it"},
    {.name = "no-rows",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, counts_not),
     .help = "it counts in none, whatever is usual on the site"},
    {.name = "token-file",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, token_file),
     .argument = "PATH",
     .help = "a file with a token of yours, to upload in your name"},
    {.name = "against",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, against),
     .argument = "LINK",
     .help = "print what is different from this trace of the site; status 3 where calls are"},
    {.name = "secret-file",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct push_options, secret_file),
     .argument = "PATH",
     .help = "a file with the secret that the site asks for"},
    {.name = "delete",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, is_delete),
     .help = "delete what these links lead to, if it is yours"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct push_options, json),
     .help = "one JSON object for each file",
     .group = TV_GROUP_OUTPUT},
    TV_REDACT_OPTIONS(struct push_options, redact),
};

const struct tv_verb tv_verb_push = {
    .name = "push",
    .summary = "upload traces to a site, and print their links",
    .arguments = "FILE...",
    .argument_count = 1,
    .may_lack = 1,
    .repeats_last = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct push_options),
    .notes = "An upload whose connection breaks goes on where the site has it. What was\n"
             "uploaded can be deleted with --delete LINK: the tokens for that are kept in\n"
             "a file whose name is printed.",
    .examples = {{"traceview push --to https://traces.example app.trace", "prints the link"},
                 {"traceview push --label build=421 --expires 30d app.trace",
                  "in a build, with TRACEVIEW_SITE set"}},
    .run = run,
};
