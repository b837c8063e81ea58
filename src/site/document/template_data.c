/*
 * The names of the templates, kind by kind; see site/document/template_data.h.
 *
 * A kind is a list of names and a function that fills their values from a row. Values that have to
 * be printed are printed into the value's own room; all others point into the row. The enums only
 * number the names, so that a list and its function cannot disagree.
 */
#include "site/document/template_data.h"

#include <stdio.h>

#include "base/compiler.h"
#include "base/numbers/shown_number.h"
#include "site/document/problems.h"
#include "site/document/readable.h"

#define DAY_S ((uint64_t)86400)

/* Threads that have a picture, the busiest first; the others have a link. */
#define PICTURES 16u

static struct tv_str print_number(struct tv_template_value *value, uint64_t number)
{
    int len = snprintf(value->room, sizeof(value->room), "%llu", (unsigned long long)number);
    return (struct tv_str){value->room, (size_t)len};
}

/* --- a life that can be chosen --- */

struct life {
    unsigned days;
};

enum { LIFE_DAYS, LIFE_WORDS };
static const struct tv_template_name life_names[] = {
    [LIFE_DAYS] = {"days", TV_TEMPLATE_TEXT, NULL},
    [LIFE_WORDS] = {"words", TV_TEMPLATE_TEXT, NULL},
};

static void fill_life(const void *row, struct tv_template_value *values)
{
    const struct life *life = row;
    values[LIFE_DAYS].text = print_number(&values[LIFE_DAYS], life->days);
    values[LIFE_WORDS].text = tv_readable_duration(values[LIFE_WORDS].room, life->days * DAY_S);
}

static const struct tv_template_kind kind_life = {life_names, TV_COUNT_OF(life_names),
                                                  sizeof(struct life), fill_life};

/* --- a project --- */

static const struct tv_template_name project_names[] = {{"project_name", TV_TEMPLATE_TEXT, NULL}};

static void fill_project(const void *row, struct tv_template_value *values)
{
    const struct tv_project *const *project = row;
    values[0].text = tv_str_from((*project)->name);
}

static const struct tv_template_kind kind_project = {project_names, TV_COUNT_OF(project_names),
                                                     sizeof(struct tv_project *), fill_project};

/* The lives that are no longer than the longest one. */
static void offer_lives(uint64_t most_s, struct tv_template_value *offered)
{
    static const struct life lives[] = {{1}, {7}, {30}, {90}, {365}};
    offered->rows = lives;
    while (offered->row_count < TV_COUNT_OF(lives) &&
           lives[offered->row_count].days * DAY_S <= most_s)
        offered->row_count++;
}

/* --- the site --- */

enum {
    SITE_BASE,
    SITE_ORIGIN,
    SITE_USER,
    SITE_STYLE,
    SITE_SCRIPT,
    SITE_EXAMPLE,
    SITE_LIFE,
    SITE_MOST,
    SITE_MOST_BYTES,
    SITE_PIECE_BYTES,
    SITE_LIVES,
    SITE_MAY_STAY,
    SITE_HAS_LIST,
    SITE_IS_START,
    SITE_IS_LIST,
    SITE_IS_STORED,
    SITE_IS_TOKENS,
    SITE_IS_COMPARE,
    SITE_PROJECTS,
    SITE_HAS_PROJECTS,
    SITE_TAKES_PROJECTS,
    SITE_MAKES_TOKENS,
    SITE_TAKES_NONE,
    SITE_WANTS_USER,
    SITE_TAKES_UPLOADS,
    SITE_WANTS_SECRET,
    SITE_IS_NAMED,
    SITE_HAS_ROWS,
    SITE_IS_APPS
};
static const struct tv_template_name site_names[] = {
    [SITE_BASE] = {"base", TV_TEMPLATE_TEXT, NULL},
    [SITE_ORIGIN] = {"origin", TV_TEMPLATE_TEXT, NULL},
    [SITE_USER] = {"user", TV_TEMPLATE_TEXT, NULL},
    [SITE_STYLE] = {"style", TV_TEMPLATE_TEXT, NULL},
    [SITE_SCRIPT] = {"script", TV_TEMPLATE_TEXT, NULL},
    [SITE_EXAMPLE] = {"example", TV_TEMPLATE_TEXT, NULL},
    [SITE_LIFE] = {"life", TV_TEMPLATE_TEXT, NULL},
    [SITE_MOST] = {"most", TV_TEMPLATE_TEXT, NULL},
    [SITE_MOST_BYTES] = {"most_bytes", TV_TEMPLATE_TEXT, NULL},
    [SITE_PIECE_BYTES] = {"piece_bytes", TV_TEMPLATE_TEXT, NULL},
    [SITE_LIVES] = {"lives", TV_TEMPLATE_ROWS, &kind_life},
    [SITE_MAY_STAY] = {"may_stay", TV_TEMPLATE_TRUTH, NULL},
    [SITE_HAS_LIST] = {"has_list", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_START] = {"is_start", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_LIST] = {"is_list", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_STORED] = {"is_stored", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_TOKENS] = {"is_tokens", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_COMPARE] = {"is_compare", TV_TEMPLATE_TRUTH, NULL},
    [SITE_PROJECTS] = {"projects", TV_TEMPLATE_ROWS, &kind_project},
    [SITE_HAS_PROJECTS] = {"has_projects", TV_TEMPLATE_TRUTH, NULL},
    [SITE_TAKES_PROJECTS] = {"takes_projects", TV_TEMPLATE_TRUTH, NULL},
    [SITE_MAKES_TOKENS] = {"makes_tokens", TV_TEMPLATE_TRUTH, NULL},
    [SITE_TAKES_NONE] = {"takes_none", TV_TEMPLATE_TRUTH, NULL},
    [SITE_WANTS_USER] = {"wants_user", TV_TEMPLATE_TRUTH, NULL},
    [SITE_TAKES_UPLOADS] = {"takes_uploads", TV_TEMPLATE_TRUTH, NULL},
    [SITE_WANTS_SECRET] = {"wants_secret", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_NAMED] = {"is_named", TV_TEMPLATE_TRUTH, NULL},
    [SITE_HAS_ROWS] = {"has_rows", TV_TEMPLATE_TRUTH, NULL},
    [SITE_IS_APPS] = {"is_apps", TV_TEMPLATE_TRUTH, NULL},
};

/* "kept for 90 days" or "kept until it is deleted". */
static struct tv_str say_life(struct tv_template_value *value, uint64_t kept_s)
{
    char duration[TV_READABLE_MOST];
    if (kept_s == TV_NEVER)
        return TV_STR("kept until it is deleted");
    struct tv_str text = tv_readable_duration(duration, kept_s);
    int len = snprintf(value->room, sizeof(value->room), "kept for %.*s", (int)text.len, text.at);
    return (struct tv_str){value->room, (size_t)len};
}

/* Offers the lives that the site's longest life allows. */
static void fill_limits(const struct tv_site_config *config, struct tv_template_value *values)
{
    values[SITE_LIFE].text = say_life(&values[SITE_LIFE], config->expires_s);
    values[SITE_MOST_BYTES].text = print_number(&values[SITE_MOST_BYTES], config->max_upload);
    values[SITE_PIECE_BYTES].text = print_number(&values[SITE_PIECE_BYTES], config->max_piece);
    if (config->max_upload)
        values[SITE_MOST].text = tv_readable_bytes(values[SITE_MOST].room, config->max_upload);
    offer_lives(config->expires_most_s, &values[SITE_LIVES]);
    values[SITE_MAY_STAY].is_so = config->expires_most_s == TV_NEVER;
}

/* A reader who may not upload is told why, in place of the form. */
static void fill_uploaders(const struct tv_document_site *site, struct tv_template_value *values)
{
    enum tv_site_uploads uploads =
        site->config->archive ? TV_UPLOADS_NOBODY : site->config->uploads;
    bool takes_none = uploads == TV_UPLOADS_NOBODY;
    bool wants_user = uploads == TV_UPLOADS_PROXY && !site->user.len;
    values[SITE_TAKES_NONE].is_so = takes_none;
    values[SITE_WANTS_USER].is_so = wants_user;
    values[SITE_TAKES_UPLOADS].is_so = !takes_none && !wants_user;
    values[SITE_WANTS_SECRET].is_so = uploads == TV_UPLOADS_SECRET;
    values[SITE_IS_NAMED].is_so = uploads == TV_UPLOADS_PROXY;
}

/* In the order of the names; what is not set is empty, and a section of it is left out. */
static void fill_site(const void *row, struct tv_template_value *values)
{
    const struct tv_site_document *of = row;
    const struct tv_document_site *site = of->site;
    values[SITE_BASE].text = tv_str_from(site->config->base_path);
    values[SITE_ORIGIN].text = tv_str_from(site->origin);
    values[SITE_USER].text = site->user;
    values[SITE_STYLE].text = tv_str_from(site->files->style.name);
    values[SITE_SCRIPT].text = tv_str_from(site->files->script.name);
    values[SITE_EXAMPLE].text = tv_str_from(site->example_id);
    values[SITE_HAS_LIST].is_so = site->config->list || site->user.len;
    values[SITE_IS_START].is_so = of->document == TV_DOCUMENT_START;
    values[SITE_IS_LIST].is_so = of->document == TV_DOCUMENT_LIST;
    values[SITE_IS_STORED].is_so = of->document == TV_DOCUMENT_STORED;
    values[SITE_IS_TOKENS].is_so = of->document == TV_DOCUMENT_TOKENS;
    values[SITE_PROJECTS].rows = site->projects;
    values[SITE_PROJECTS].row_count = site->project_count;
    values[SITE_HAS_PROJECTS].is_so = site->project_count > 0;
    values[SITE_TAKES_PROJECTS].is_so = site->config->projects != NULL;
    values[SITE_IS_COMPARE].is_so = of->document == TV_DOCUMENT_COMPARE;
    values[SITE_MAKES_TOKENS].is_so = site->config->users == TV_USERS_PROXY && site->user.len;
    values[SITE_HAS_ROWS].is_so = site->config->rows != TV_ROWS_NO;
    values[SITE_IS_APPS].is_so =
        of->document >= TV_DOCUMENT_APPS && of->document <= TV_DOCUMENT_METHOD;
    fill_limits(site->config, values);
    fill_uploaders(site, values);
}

const struct tv_template_kind tv_kind_site = {site_names, TV_COUNT_OF(site_names),
                                              sizeof(struct tv_site_document), fill_site};

/* --- a trace --- */

enum { LABEL_KEY, LABEL_VALUE };
static const struct tv_template_name label_names[] = {
    [LABEL_KEY] = {"key", TV_TEMPLATE_TEXT, NULL},
    [LABEL_VALUE] = {"value", TV_TEMPLATE_TEXT, NULL},
};

static void fill_label(const void *row, struct tv_template_value *values)
{
    const struct tv_label *label = row;
    values[LABEL_KEY].text = label->key;
    values[LABEL_VALUE].text = label->value;
}

static const struct tv_template_kind kind_label = {label_names, TV_COUNT_OF(label_names),
                                                   sizeof(struct tv_label), fill_label};

enum {
    TRACE_ID,
    TRACE_NAME,
    TRACE_FILE,
    TRACE_OTHER_FILE,
    TRACE_TITLE,
    TRACE_NOTE,
    TRACE_APP,
    TRACE_BUILD,
    TRACE_DEVICE,
    TRACE_PROJECT,
    TRACE_LABELS,
    TRACE_HAS_LABELS,
    TRACE_SIZE,
    TRACE_CREATED,
    TRACE_CREATED_ISO,
    TRACE_EXPIRES,
    TRACE_EXPIRES_ISO,
    TRACE_REASON,
    TRACE_IS_READ,
    TRACE_IS_PROCESSED,
    TRACE_IS_READY,
    TRACE_IS_BAD,
    TRACE_IS_LISTED,
    TRACE_COUNTS,
    TRACE_COUNTS_NOT,
    TRACE_IS_SHARED,
    TRACE_IS_OWNED,
    TRACE_UPLOADER,
    TRACE_DURATION,
    TRACE_THREADS,
    TRACE_WORST_FRAME,
    TRACE_STARTUP
};
static const struct tv_template_name trace_names[] = {
    [TRACE_ID] = {"id", TV_TEMPLATE_TEXT, NULL},
    [TRACE_NAME] = {"name", TV_TEMPLATE_TEXT, NULL},
    [TRACE_FILE] = {"file", TV_TEMPLATE_TEXT, NULL},
    [TRACE_OTHER_FILE] = {"other_file", TV_TEMPLATE_TEXT, NULL},
    [TRACE_TITLE] = {"title", TV_TEMPLATE_TEXT, NULL},
    [TRACE_NOTE] = {"note", TV_TEMPLATE_TEXT, NULL},
    [TRACE_APP] = {"app", TV_TEMPLATE_TEXT, NULL},
    [TRACE_BUILD] = {"build", TV_TEMPLATE_TEXT, NULL},
    [TRACE_DEVICE] = {"device", TV_TEMPLATE_TEXT, NULL},
    [TRACE_PROJECT] = {"project", TV_TEMPLATE_TEXT, NULL},
    [TRACE_LABELS] = {"labels", TV_TEMPLATE_ROWS, &kind_label},
    [TRACE_HAS_LABELS] = {"has_labels", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_SIZE] = {"size", TV_TEMPLATE_TEXT, NULL},
    [TRACE_CREATED] = {"created", TV_TEMPLATE_TEXT, NULL},
    [TRACE_CREATED_ISO] = {"created_iso", TV_TEMPLATE_TEXT, NULL},
    [TRACE_EXPIRES] = {"expires", TV_TEMPLATE_TEXT, NULL},
    [TRACE_EXPIRES_ISO] = {"expires_iso", TV_TEMPLATE_TEXT, NULL},
    [TRACE_REASON] = {"reason", TV_TEMPLATE_TEXT, NULL},
    [TRACE_IS_READ] = {"is_read", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_IS_PROCESSED] = {"is_processed", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_IS_READY] = {"is_ready", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_IS_BAD] = {"is_bad", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_IS_LISTED] = {"is_listed", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_COUNTS] = {"counts", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_COUNTS_NOT] = {"counts_not", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_IS_SHARED] = {"is_shared", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_IS_OWNED] = {"is_owned", TV_TEMPLATE_TRUTH, NULL},
    [TRACE_UPLOADER] = {"uploader", TV_TEMPLATE_TEXT, NULL},
    [TRACE_DURATION] = {"duration", TV_TEMPLATE_TEXT, NULL},
    [TRACE_THREADS] = {"threads", TV_TEMPLATE_TEXT, NULL},
    [TRACE_WORST_FRAME] = {"worst_frame", TV_TEMPLATE_TEXT, NULL},
    [TRACE_STARTUP] = {"startup", TV_TEMPLATE_TEXT, NULL},
};

static void fill_ms(struct tv_template_value *value, uint64_t time_ns)
{
    value->text = tv_shown_ms(value->room, (int64_t)time_ns);
}

/* What a trace does not have is empty. */
static void fill_figures(const struct tv_trace_figures *figures, struct tv_template_value *values)
{
    if (!figures->is_known)
        return;
    fill_ms(&values[TRACE_DURATION], figures->duration_ns);
    values[TRACE_THREADS].text = print_number(&values[TRACE_THREADS], figures->threads);
    if (figures->worst_frame_ns)
        fill_ms(&values[TRACE_WORST_FRAME], figures->worst_frame_ns);
    if (figures->startup_ns)
        fill_ms(&values[TRACE_STARTUP], figures->startup_ns);
}

static void fill_labels(const struct tv_trace_row *row, struct tv_template_value *values)
{
    values[TRACE_APP].text = tv_label_value(row->labels, row->label_count, "app");
    values[TRACE_BUILD].text = tv_label_value(row->labels, row->label_count, "build");
    values[TRACE_DEVICE].text = tv_label_value(row->labels, row->label_count, "device");
    values[TRACE_PROJECT].text = tv_label_value(row->labels, row->label_count, "project");
    values[TRACE_LABELS].rows = row->labels;
    values[TRACE_LABELS].row_count = row->label_count;
    values[TRACE_HAS_LABELS].is_so = row->label_count > 0;
}

/* Times are also given in ISO form: the script turns them into the reader's own time zone. */
static void fill_moment(int64_t moment, struct tv_template_value *text,
                        struct tv_template_value *iso)
{
    uint64_t seconds = moment > 0 ? (uint64_t)moment : 0;
    text->text = tv_readable_time(text->room, seconds);
    iso->text = tv_readable_time_iso(iso->room, seconds);
}

static void fill_times(const struct tv_trace_row *row, struct tv_template_value *values)
{
    fill_moment(row->created, &values[TRACE_CREATED], &values[TRACE_CREATED_ISO]);
    if (row->expires > 0)
        fill_moment(row->expires, &values[TRACE_EXPIRES], &values[TRACE_EXPIRES_ISO]);
}

/* Text of uploaders goes in as it is: templates escape it. */
static void fill_trace(const void *row, struct tv_template_value *values)
{
    const struct tv_document_trace *trace = row;
    const struct tv_trace_row *about = trace->row;
    bool is_titled = about->title.len > 0;
    values[TRACE_ID].text = tv_str_from(about->id.hex);
    values[TRACE_NAME].text = is_titled ? about->title : about->file_name;
    values[TRACE_FILE].text = about->file_name;
    if (is_titled && !tv_str_equal(about->title, about->file_name))
        values[TRACE_OTHER_FILE].text = about->file_name;
    values[TRACE_TITLE].text = about->title;
    values[TRACE_NOTE].text = about->note;
    values[TRACE_SIZE].text = tv_readable_bytes(values[TRACE_SIZE].room, about->bytes);
    values[TRACE_REASON].text = trace->reason;
    values[TRACE_IS_READ].is_so = trace->state == TV_TRACE_PROCESSING;
    values[TRACE_IS_PROCESSED].is_so =
        trace->state == TV_TRACE_QUEUED || trace->state == TV_TRACE_PROCESSING;
    values[TRACE_IS_READY].is_so = trace->state == TV_TRACE_READY;
    values[TRACE_IS_BAD].is_so = trace->state == TV_TRACE_FAILED;
    values[TRACE_IS_LISTED].is_so = about->is_listed;
    values[TRACE_COUNTS].is_so = about->counting == TV_COUNTING_YES;
    values[TRACE_COUNTS_NOT].is_so = about->counting == TV_COUNTING_NO;
    values[TRACE_IS_SHARED].is_so = about->is_raw_shared;
    values[TRACE_IS_OWNED].is_so = trace->is_owned;
    values[TRACE_UPLOADER].text = about->user;
    fill_labels(about, values);
    fill_times(about, values);
    fill_figures(&about->figures, values);
}

const struct tv_template_kind tv_kind_trace = {trace_names, TV_COUNT_OF(trace_names),
                                               sizeof(struct tv_document_trace), fill_trace};

/* --- what one document alone says --- */

enum { WORDS_OWNER_TOKEN, WORDS_PROBLEM, WORDS_FIRST };
static const struct tv_template_name words_names[] = {
    [WORDS_OWNER_TOKEN] = {"owner_token", TV_TEMPLATE_TEXT, NULL},
    [WORDS_PROBLEM] = {"problem", TV_TEMPLATE_TEXT, NULL},
    [WORDS_FIRST] = {"first", TV_TEMPLATE_TEXT, NULL},
};

static void fill_words(const void *row, struct tv_template_value *values)
{
    const struct tv_document_words *words = row;
    values[WORDS_OWNER_TOKEN].text = words->owner_token;
    values[WORDS_PROBLEM].text = words->problem;
    values[WORDS_FIRST].text = words->first;
}

const struct tv_template_kind tv_kind_words = {words_names, TV_COUNT_OF(words_names),
                                               sizeof(struct tv_document_words), fill_words};

enum { PROBLEM_STATUS, PROBLEM_WHAT, PROBLEM_ADVICE, PROBLEM_REASON };
static const struct tv_template_name problem_names[] = {
    [PROBLEM_STATUS] = {"status", TV_TEMPLATE_TEXT, NULL},
    [PROBLEM_WHAT] = {"what", TV_TEMPLATE_TEXT, NULL},
    [PROBLEM_ADVICE] = {"advice", TV_TEMPLATE_TEXT, NULL},
    [PROBLEM_REASON] = {"reason", TV_TEMPLATE_TEXT, NULL},
};

static void fill_problem(const void *row, struct tv_template_value *values)
{
    const struct tv_document_problem *problem = row;
    const struct tv_problem *requested = tv_problem_of(problem->status);
    values[PROBLEM_STATUS].text = print_number(&values[PROBLEM_STATUS], problem->status);
    values[PROBLEM_WHAT].text = tv_str_from(requested->title);
    values[PROBLEM_ADVICE].text = tv_str_from(requested->advice);
    values[PROBLEM_REASON].text = problem->reason;
}

const struct tv_template_kind tv_kind_problem = {problem_names, TV_COUNT_OF(problem_names),
                                                 sizeof(struct tv_document_problem), fill_problem};

/* --- tokens of programs --- */

enum {
    TOKEN_ID,
    TOKEN_NAME,
    TOKEN_UPLOADS,
    TOKEN_READS,
    TOKEN_DELETES,
    TOKEN_CREATED,
    TOKEN_CREATED_ISO,
    TOKEN_EXPIRES,
    TOKEN_EXPIRES_ISO,
};
static const struct tv_template_name token_names[] = {
    [TOKEN_ID] = {"token_id", TV_TEMPLATE_TEXT, NULL},
    [TOKEN_NAME] = {"token_name", TV_TEMPLATE_TEXT, NULL},
    [TOKEN_UPLOADS] = {"may_upload", TV_TEMPLATE_TRUTH, NULL},
    [TOKEN_READS] = {"may_read", TV_TEMPLATE_TRUTH, NULL},
    [TOKEN_DELETES] = {"may_delete", TV_TEMPLATE_TRUTH, NULL},
    [TOKEN_CREATED] = {"created", TV_TEMPLATE_TEXT, NULL},
    [TOKEN_CREATED_ISO] = {"created_iso", TV_TEMPLATE_TEXT, NULL},
    [TOKEN_EXPIRES] = {"expires", TV_TEMPLATE_TEXT, NULL},
    [TOKEN_EXPIRES_ISO] = {"expires_iso", TV_TEMPLATE_TEXT, NULL},
};

static void fill_token(const void *row, struct tv_template_value *values)
{
    const struct tv_program_token *token = row;
    values[TOKEN_ID].text = tv_str_from(token->id.hex);
    values[TOKEN_NAME].text = token->name;
    values[TOKEN_UPLOADS].is_so = token->scopes & TV_SCOPE_UPLOAD;
    values[TOKEN_READS].is_so = token->scopes & TV_SCOPE_READ;
    values[TOKEN_DELETES].is_so = token->scopes & TV_SCOPE_DELETE;
    fill_moment(token->created, &values[TOKEN_CREATED], &values[TOKEN_CREATED_ISO]);
    fill_moment(token->expires, &values[TOKEN_EXPIRES], &values[TOKEN_EXPIRES_ISO]);
}

static const struct tv_template_kind kind_token = {token_names, TV_COUNT_OF(token_names),
                                                   sizeof(struct tv_program_token), fill_token};

enum { TOKENS_ROWS, TOKENS_HAS_ROWS, TOKENS_NEW, TOKENS_PROBLEM, TOKENS_LIVES };
static const struct tv_template_name tokens_names[] = {
    [TOKENS_ROWS] = {"tokens", TV_TEMPLATE_ROWS, &kind_token},
    [TOKENS_HAS_ROWS] = {"has_tokens", TV_TEMPLATE_TRUTH, NULL},
    [TOKENS_NEW] = {"new_token", TV_TEMPLATE_TEXT, NULL},
    [TOKENS_PROBLEM] = {"problem", TV_TEMPLATE_TEXT, NULL},
    [TOKENS_LIVES] = {"lives", TV_TEMPLATE_ROWS, &kind_life},
};

static void fill_tokens(const void *row, struct tv_template_value *values)
{
    const struct tv_document_tokens *tokens = row;
    values[TOKENS_ROWS].rows = tokens->rows;
    values[TOKENS_ROWS].row_count = tokens->count;
    values[TOKENS_HAS_ROWS].is_so = tokens->count > 0;
    values[TOKENS_NEW].text = tv_str_from(tokens->token ? tokens->token : "");
    values[TOKENS_PROBLEM].text = tv_str_from(tokens->problem ? tokens->problem : "");
    offer_lives(tokens->most_s, &values[TOKENS_LIVES]);
}

const struct tv_template_kind tv_kind_tokens = {tokens_names, TV_COUNT_OF(tokens_names),
                                                sizeof(struct tv_document_tokens), fill_tokens};

/* --- the webhook --- */

enum {
    DELIVERY_APP,
    DELIVERY_BUILD,
    DELIVERY_CREATED,
    DELIVERY_CREATED_ISO,
    DELIVERY_STATE,
    DELIVERY_TRIES,
    DELIVERY_ANSWER
};
static const struct tv_template_name delivery_names[] = {
    [DELIVERY_APP] = {"app_name", TV_TEMPLATE_TEXT, NULL},
    [DELIVERY_BUILD] = {"build_name", TV_TEMPLATE_TEXT, NULL},
    [DELIVERY_CREATED] = {"created", TV_TEMPLATE_TEXT, NULL},
    [DELIVERY_CREATED_ISO] = {"created_iso", TV_TEMPLATE_TEXT, NULL},
    [DELIVERY_STATE] = {"state", TV_TEMPLATE_TEXT, NULL},
    [DELIVERY_TRIES] = {"tries", TV_TEMPLATE_TEXT, NULL},
    [DELIVERY_ANSWER] = {"answer", TV_TEMPLATE_TEXT, NULL},
};

static void fill_delivery(const void *row, struct tv_template_value *values)
{
    static const struct tv_str states[] = {[TV_DELIVERY_WAITING] = {"is tried again", 14},
                                           [TV_DELIVERY_DONE] = {"delivered", 9},
                                           [TV_DELIVERY_GIVEN_UP] = {"given up", 8}};
    const struct tv_delivery *delivery = row;
    const bool is_new = delivery->state == TV_DELIVERY_WAITING && !delivery->tries;
    values[DELIVERY_APP].text = delivery->app;
    values[DELIVERY_BUILD].text = delivery->build;
    fill_moment(delivery->created, &values[DELIVERY_CREATED], &values[DELIVERY_CREATED_ISO]);
    values[DELIVERY_STATE].text = is_new ? TV_STR("is sent soon") : states[delivery->state];
    values[DELIVERY_TRIES].text = print_number(&values[DELIVERY_TRIES], delivery->tries);
    values[DELIVERY_ANSWER].text = delivery->reason.len || !delivery->status
                                       ? delivery->reason
                                       : print_number(&values[DELIVERY_ANSWER], delivery->status);
}

static const struct tv_template_kind kind_delivery = {delivery_names, TV_COUNT_OF(delivery_names),
                                                      sizeof(struct tv_delivery), fill_delivery};

enum { DELIVERIES_ROWS, DELIVERIES_HAS_ROWS };
static const struct tv_template_name deliveries_names[] = {
    [DELIVERIES_ROWS] = {"deliveries", TV_TEMPLATE_ROWS, &kind_delivery},
    [DELIVERIES_HAS_ROWS] = {"has_deliveries", TV_TEMPLATE_TRUTH, NULL},
};

static void fill_deliveries(const void *row, struct tv_template_value *values)
{
    const struct tv_document_deliveries *deliveries = row;
    values[DELIVERIES_ROWS].rows = deliveries->rows;
    values[DELIVERIES_ROWS].row_count = deliveries->count;
    values[DELIVERIES_HAS_ROWS].is_so = deliveries->count > 0;
}

const struct tv_template_kind tv_kind_deliveries = {deliveries_names, TV_COUNT_OF(deliveries_names),
                                                    sizeof(struct tv_document_deliveries),
                                                    fill_deliveries};

/* --- flame graphs --- */

enum { THREAD_THREAD, THREAD_THREAD_ID, THREAD_CALLS };
static const struct tv_template_name thread_names[] = {
    [THREAD_THREAD] = {"thread", TV_TEMPLATE_TEXT, NULL},
    [THREAD_THREAD_ID] = {"thread_id", TV_TEMPLATE_TEXT, NULL},
    [THREAD_CALLS] = {"calls", TV_TEMPLATE_TEXT, NULL},
};

static void fill_thread(const void *row, struct tv_template_value *values)
{
    const struct tv_stored_thread *thread = row;
    struct tv_template_value *calls = &values[THREAD_CALLS];
    values[THREAD_THREAD].text = thread->name.len ? thread->name : TV_STR("unnamed thread");
    values[THREAD_THREAD_ID].text = print_number(&values[THREAD_THREAD_ID], thread->id);
    calls->text = thread->is_sampled
                      ? tv_readable_count(calls->room, thread->calls, "run", "runs")
                      : tv_readable_count(calls->room, thread->calls, "call", "calls");
}

static const struct tv_template_kind kind_thread = {thread_names, TV_COUNT_OF(thread_names),
                                                    sizeof(struct tv_stored_thread), fill_thread};

enum { FLAMES_PICTURES, FLAMES_MORE, FLAMES_HAS_MORE };
static const struct tv_template_name flames_names[] = {
    [FLAMES_PICTURES] = {"pictures", TV_TEMPLATE_ROWS, &kind_thread},
    [FLAMES_MORE] = {"more", TV_TEMPLATE_ROWS, &kind_thread},
    [FLAMES_HAS_MORE] = {"has_more", TV_TEMPLATE_TRUTH, NULL},
};

/* The first threads have pictures in the document, the others links, so that a trace of a thousand
 * threads opens. */
static void fill_flames(const void *row, struct tv_template_value *values)
{
    const struct tv_document_flames *flames = row;
    size_t pictures = flames->count < PICTURES ? flames->count : PICTURES;
    values[FLAMES_PICTURES].rows = flames->threads;
    values[FLAMES_PICTURES].row_count = pictures;
    values[FLAMES_HAS_MORE].is_so = flames->count > pictures;
    if (flames->count == pictures)
        return;
    values[FLAMES_MORE].rows = flames->threads + pictures;
    values[FLAMES_MORE].row_count = flames->count - pictures;
}

const struct tv_template_kind tv_kind_flames = {flames_names, TV_COUNT_OF(flames_names),
                                                sizeof(struct tv_document_flames), fill_flames};

/* --- the list --- */

enum {
    LIST_SEARCH,
    LIST_TRACES,
    LIST_HAS_TRACES,
    LIST_NEXT,
    LIST_IS_LATER,
    LIST_HAS_STEPS,
    LIST_OF,
    LIST_HAS_CHOICE,
    LIST_HAS_LISTED,
    LIST_IS_OF_LISTED,
    LIST_IS_OF_MINE,
    LIST_IS_OF_ALL,
    LIST_IS_ADMIN,
    LIST_HAS_FIGURES,
    LIST_HAS_FRAMES,
    LIST_HAS_STARTUPS
};
static const struct tv_template_name list_names[] = {
    [LIST_SEARCH] = {"search", TV_TEMPLATE_TEXT, NULL},
    [LIST_TRACES] = {"traces", TV_TEMPLATE_ROWS, &tv_kind_trace},
    [LIST_HAS_TRACES] = {"has_traces", TV_TEMPLATE_TRUTH, NULL},
    [LIST_NEXT] = {"next", TV_TEMPLATE_TEXT, NULL},
    [LIST_IS_LATER] = {"is_later", TV_TEMPLATE_TRUTH, NULL},
    [LIST_HAS_STEPS] = {"has_steps", TV_TEMPLATE_TRUTH, NULL},
    [LIST_OF] = {"of", TV_TEMPLATE_TEXT, NULL},
    [LIST_HAS_CHOICE] = {"has_choice", TV_TEMPLATE_TRUTH, NULL},
    [LIST_HAS_LISTED] = {"has_listed", TV_TEMPLATE_TRUTH, NULL},
    [LIST_IS_OF_LISTED] = {"is_of_listed", TV_TEMPLATE_TRUTH, NULL},
    [LIST_IS_OF_MINE] = {"is_of_mine", TV_TEMPLATE_TRUTH, NULL},
    [LIST_IS_OF_ALL] = {"is_of_all", TV_TEMPLATE_TRUTH, NULL},
    [LIST_IS_ADMIN] = {"is_admin", TV_TEMPLATE_TRUTH, NULL},
    [LIST_HAS_FIGURES] = {"has_figures", TV_TEMPLATE_TRUTH, NULL},
    [LIST_HAS_FRAMES] = {"has_frames", TV_TEMPLATE_TRUTH, NULL},
    [LIST_HAS_STARTUPS] = {"has_startups", TV_TEMPLATE_TRUTH, NULL},
};

/* A column stands where a trace has something in it. */
static void fill_columns(const struct tv_document_list *list, struct tv_template_value *values)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct tv_trace_figures *figures = &list->traces[i].row->figures;
        values[LIST_HAS_FIGURES].is_so |= figures->is_known;
        values[LIST_HAS_FRAMES].is_so |= figures->worst_frame_ns > 0;
        values[LIST_HAS_STARTUPS].is_so |= figures->startup_ns > 0;
    }
}

static void fill_list(const void *row, struct tv_template_value *values)
{
    const struct tv_document_list *list = row;
    values[LIST_SEARCH].text = list->search;
    values[LIST_TRACES].rows = list->traces;
    values[LIST_TRACES].row_count = list->count;
    values[LIST_HAS_TRACES].is_so = list->count > 0;
    values[LIST_NEXT].text = list->next;
    values[LIST_IS_LATER].is_so = !list->is_first;
    values[LIST_HAS_STEPS].is_so = !list->is_first || list->next.len;
    values[LIST_OF].text = list->of;
    values[LIST_HAS_CHOICE].is_so = list->of.len || list->has_mine;
    values[LIST_HAS_LISTED].is_so = list->has_listed;
    values[LIST_IS_OF_LISTED].is_so = !list->of.len;
    values[LIST_IS_OF_MINE].is_so = tv_str_equal(list->of, TV_STR("mine"));
    values[LIST_IS_OF_ALL].is_so = tv_str_equal(list->of, TV_STR("all"));
    values[LIST_IS_ADMIN].is_so = list->is_admin;
    fill_columns(list, values);
}

const struct tv_template_kind tv_kind_list = {list_names, TV_COUNT_OF(list_names),
                                              sizeof(struct tv_document_list), fill_list};
