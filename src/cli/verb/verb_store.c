/*
 * store: what an administrator does with the store of a site: look at it, check it, tidy it up,
 * copy it (store/store.h) or bring what it keeps into another one (store/copy.h), make the rows of
 * its traces, take over files, and list, delete, give away or try again its traces. Servers may use
 * the store meanwhile.
 *
 * An action fills a text and a JSON object at once, number by number, so that both say the same;
 * one of the two is printed at the end, and only if the action succeeded. `check` and `copy` end
 * with status 3 where they found faults.
 */
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/text/json.h"
#include "cli/site/stored_traces.h"
#include "cli/verb.h"
#include "cli/wording.h"
#include "index/saved/saved.h"
#include "os/process/core_file.h"
#include "site/jobs/row_files.h"
#include "site/jobs/row_keeper.h"
#include "site/site.h"
#include "store/copy.h"
#include "store/store.h"

struct store_options {
    bool json;
    bool now;
    const char *files;
    const char *password_file;
    const char *to_files;
    const char *to_password_file;
    bool delete_others;
    bool verify;
    bool listed;
    bool again;
    const char *parquet;
    const char *clickhouse;
    const char *clickhouse_password_file;
};

/* What an action gets, and where its answer goes. */
struct acting {
    const struct tv_cli *cli;
    const struct store_options *options;
    struct tv_store store;
    const char *dir;
    const char *to; /* the third word: the other store of a backup or a copy, a search, a trace; or
                       NULL */
    const char *user;
    const char *at_fault; /* which of the two stores a failure is of */
    int64_t now;
    char indexes[TV_SAVED_NAME_CAP]; /* the build of this program's */
    struct tv_text text;
    struct tv_json json;
    int status; /* of an action that did what it should */
};

/* A count as a line of text, and as a key. */
static void tell_count(struct acting *acting, const char *what, const char *key, uint64_t count)
{
    tv_json_key_u64(&acting->json, key, count);
    tv_text_add(&acting->text, "%s: ", what);
    tv_text_add_count(&acting->text, count);
    tv_text_add(&acting->text, "\n");
}

/* A count and the sum of its bytes, as a line of text and as two keys. */
static void tell_bytes(struct acting *acting, const char *what, const char *key, uint64_t count,
                       const char *bytes_key, uint64_t bytes)
{
    tv_json_key_u64(&acting->json, key, count);
    tv_json_key_u64(&acting->json, bytes_key, bytes);
    tv_text_add(&acting->text, "%s: ", what);
    tv_text_add_count(&acting->text, count);
    tv_text_add(&acting->text, ", ");
    tv_text_add_size(&acting->text, bytes);
    tv_text_add(&acting->text, "\n");
}

/* Tells the sums that a running site has as metrics, for users who have only the folder. */
static enum tv_code stats(struct acting *acting, struct tv_error *err)
{
    static const struct {
        const char *what, *key;
    } of[] = {{"jobs waiting", "jobs_queued"},
              {"jobs taken", "jobs_taken"},
              {"indexes made", "jobs_done"},
              {"files that make no index", "jobs_bad"}};
    struct tv_store_sums sums;
    TV_TRY(acting->store.db.sums(acting->store.db.ctx, TV_QUOTA_STORE, NULL, &sums, err));
    tell_bytes(acting, "traces", "traces", sums.traces, "trace_bytes", sums.trace_bytes);
    tell_bytes(acting, "uploads under way", "uploads", sums.uploads, "upload_bytes",
               sums.upload_bytes);
    tell_bytes(acting, "files", "files", sums.files, "file_bytes", sums.file_bytes);
    for (size_t i = 0; i < TV_COUNT_OF(of); i++)
        tell_count(acting, of[i].what, of[i].key, sums.jobs[i]);
    return TV_OK;
}

/* Without --now files wait for the grace period: a site that runs may just be keeping them. */
static enum tv_code gc(struct acting *acting, struct tv_error *err)
{
    struct tv_store_gc done;
    int64_t grace = acting->options->now ? 0 : TV_STORE_GRACE;
    TV_TRY(tv_store_gc(&acting->store, acting->now, grace, &done, err));
    tell_count(acting, "expired traces dropped", "traces", done.expired.traces);
    tell_count(acting, "lapsed uploads dropped", "uploads", done.expired.uploads);
    tell_count(acting, "indexes of earlier builds dropped", "jobs", done.expired.jobs);
    tell_bytes(acting, "files removed", "files", done.files, "file_bytes", done.file_bytes);
    tell_count(acting, "files without a row, which go later", "strays", done.strays);
    return TV_OK;
}

/* Adds the faults, one a line, after the counts. */
static void tell_faults(struct acting *acting, struct tv_str faults)
{
    struct tv_str line;
    tv_json_key(&acting->json, "faults");
    tv_json_open_array(&acting->json);
    while (tv_str_split(&faults, '\n', &line)) {
        if (line.len == 0)
            continue;
        tv_json_str(&acting->json, line);
        tv_text_add_name(&acting->text, line);
        tv_text_add(&acting->text, "\n");
    }
    tv_json_close_array(&acting->json);
}

/* Faults are an answer with status 3, so that a script that copies the store can stop. */
static enum tv_code check(struct acting *acting, struct tv_error *err)
{
    struct tv_store_check found;
    struct tv_buffer faults;
    tv_buffer_init(&faults, acting->cli->alloc);
    enum tv_code code = tv_store_check(&acting->store, &found, &faults, err);
    if (code == TV_OK) {
        tell_bytes(acting, "files compared with their names", "files", found.files, "file_bytes",
                   found.file_bytes);
        tell_count(acting, "files without a row, which do no harm", "strays", found.strays);
        tv_text_add(&acting->text, "faults: ");
        tv_text_add_count(&acting->text, found.faults);
        tv_text_add(&acting->text, "\n");
        tell_faults(acting, tv_buffer_view(&faults));
        acting->status = found.faults ? TV_STATUS_BELOW : TV_STATUS_FINE;
    }
    tv_buffer_release(&faults);
    return code;
}

/* The store may be in use meanwhile; how the copy is whole all the same stands in store/backup.c.
 */
static enum tv_code backup(struct acting *acting, struct tv_error *err)
{
    struct tv_store_backup done;
    TV_TRY(tv_store_backup(&acting->store, acting->to, acting->now, &done, err));
    tell_bytes(acting, "files brought", "files", done.files, "file_bytes", done.file_bytes);
    tell_count(acting, "files removed that it needs no more", "removed", done.removed);
    return TV_OK;
}

static void tell_copied(struct acting *acting, const struct tv_store_copied *copied)
{
    tell_count(acting, "traces brought", "traces", copied->traces);
    tell_count(acting, "mappings brought", "mappings", copied->mappings);
    tell_count(acting, "tokens of programs brought", "tokens", copied->tokens);
    tell_bytes(acting, "files brought, each compared with its name", "files", copied->files,
               "file_bytes", copied->file_bytes);
    tell_count(acting, "traces and mappings that came meanwhile, and were brought", "late",
               copied->late);
    if (acting->options->verify) {
        tell_count(acting, "files that were there, each compared with its name", "verified",
                   copied->verified);
        tell_count(acting, "of these damaged or lost there, and brought anew", "mended",
                   copied->mended);
    }
    tell_count(acting, "traces and mappings that were there", "there", copied->there);
    tell_count(acting, "of these changed as they have changed since", "changed", copied->changed);
    tell_count(acting, "deleted, since they are not in the one that is copied", "deleted",
               copied->deleted);
    tell_count(acting, "in the copy alone, and left there", "others", copied->others);
    tell_count(acting, "uploads under way, left", "uploads", copied->uploads);
    tv_text_add(&acting->text, "left, since they cannot be copied: ");
    tv_text_add_count(&acting->text, copied->faults);
    tv_text_add(&acting->text, "\n");
}

/* Where one of the two is in PostgreSQL, its options may be told without to-. */
static struct tv_store_place place_of_copy(const struct acting *acting)
{
    const struct store_options *options = acting->options;
    bool is_shared = tv_store_is_url(acting->to) && !tv_store_is_url(acting->dir);
    const char *files = is_shared ? options->files : NULL;
    const char *password_file = is_shared ? options->password_file : NULL;
    return (struct tv_store_place){
        .rows = acting->to,
        .files = options->to_files ? options->to_files : files,
        .indexes = acting->indexes,
        .password_file = options->to_password_file ? options->to_password_file : password_file};
}

static enum tv_code copy_to(struct acting *acting, struct tv_store *to, struct tv_error *err)
{
    const struct tv_store_copying copying = {.from = &acting->store,
                                             .to = to,
                                             .build = acting->indexes,
                                             .now = tv_site_clock,
                                             .deletes = acting->options->delete_others,
                                             .verifies = acting->options->verify};
    struct tv_store_copied copied;
    struct tv_buffer faults;
    tv_buffer_init(&faults, acting->cli->alloc);
    enum tv_code code = tv_store_copy(&copying, &copied, &faults, err);
    if (code == TV_OK) {
        tell_copied(acting, &copied);
        tell_faults(acting, tv_buffer_view(&faults));
        acting->status = copied.faults ? TV_STATUS_BELOW : TV_STATUS_FINE;
    }
    tv_buffer_release(&faults);
    return code;
}

/* A failure while both are used may be of either: then it is told as of the copy. */
static enum tv_code copy(struct acting *acting, struct tv_error *err)
{
    const struct tv_store_place place = place_of_copy(acting);
    struct tv_store to;
    acting->at_fault = acting->to;
    TV_TRY(tv_store_open_place(&to, &place, TV_STORE_MAKE, acting->cli->alloc, err));
    enum tv_code code = copy_to(acting, &to, err);
    tv_store_close(&to);
    return code;
}

/* Of a copy from a folder the options are those of the other store. */
static struct tv_store_place place_of(const struct acting *acting, bool is_copy)
{
    const struct store_options *options = acting->options;
    bool is_other = is_copy && !tv_store_is_url(acting->dir);
    return (struct tv_store_place){.rows = acting->dir,
                                   .files = is_other ? NULL : options->files,
                                   .password_file = is_other ? NULL : options->password_file,
                                   .indexes = acting->indexes};
}

static void tell_pass(struct acting *acting, const struct tv_row_pass *pass)
{
    tell_count(acting, "runs of traces that count", "runs", pass->runs);
    tell_count(acting, "rows made of", "made", pass->made);
    tell_count(acting, "rows dropped of", "dropped", pass->dropped);
    tell_count(acting, "index is not made yet", "waiting", pass->waiting);
    tell_count(acting, "have no index", "bad", pass->bad);
}

static void tell_row_files(struct acting *acting, const struct tv_row_files *files)
{
    tell_count(acting, "files of Parquet", "parquet_files", files->files);
    tell_count(acting, "runs in them", "parquet_runs", files->runs);
    tell_count(acting, "rows in them", "parquet_rows", files->rows);
}

static enum tv_code write_row_files(struct acting *acting, const struct tv_row_keeper *keeper,
                                    struct tv_error *err)
{
    struct tv_row_files files;
    TV_TRY(tv_row_files_write(keeper, acting->options->parquet, acting->now, &files, err));
    tell_row_files(acting, &files);
    return TV_OK;
}

/* Servers do the same by themselves, by their own rule; a store has none, so it is told here. */
static enum tv_code rows(struct acting *acting, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct tv_fleet_db db;
    const struct tv_row_keeper keeper = {.alloc = acting->cli->alloc,
                                         .pool = acting->cli->pool,
                                         .store = &acting->store,
                                         .build = acting->indexes,
                                         .db = &db,
                                         .rule = acting->options->listed ? TV_COUNT_LISTED
                                                                         : TV_COUNT_ASKED,
                                         .is_new = acting->options->again};
    const struct tv_store_place store = place_of(acting, false);
    const struct tv_row_place place = {.store = &store,
                                       .clickhouse = acting->options->clickhouse,
                                       .password_file = acting->options->clickhouse_password_file};
    struct tv_row_pass pass;
    TV_TRY(tv_row_keeper_open(&db, path, &place, acting->cli->alloc, err));
    enum tv_code code = tv_row_keeper_pass(&keeper, acting->now, UINT64_MAX, &pass, err);
    if (code == TV_OK)
        tell_pass(acting, &pass);
    if (code == TV_OK && acting->options->parquet)
        code = write_row_files(acting, &keeper, err);
    tv_fleet_db_close(&db);
    return code;
}

static struct tv_stored_traces traces_of(struct acting *acting)
{
    return (struct tv_stored_traces){.alloc = acting->cli->alloc,
                                     .store = &acting->store,
                                     .now = acting->now,
                                     .text = &acting->text,
                                     .json = &acting->json};
}

static enum tv_code list(struct acting *acting, struct tv_error *err)
{
    const struct tv_stored_traces traces = traces_of(acting);
    return tv_stored_traces_list(&traces, acting->to, err);
}

static enum tv_code delete_trace(struct acting *acting, struct tv_error *err)
{
    const struct tv_stored_traces traces = traces_of(acting);
    return tv_stored_traces_delete(&traces, acting->to, err);
}

static enum tv_code own(struct acting *acting, struct tv_error *err)
{
    const struct tv_stored_traces traces = traces_of(acting);
    return tv_stored_traces_own(&traces, acting->to, acting->user, err);
}

static enum tv_code retry(struct acting *acting, struct tv_error *err)
{
    const struct tv_stored_traces traces = traces_of(acting);
    return tv_stored_traces_retry(&traces, acting->to, err);
}

static const struct action {
    const char *name, *words;
    size_t least, most; /* words, with its name */
    enum tv_code (*run)(struct acting *acting, struct tv_error *err);
    enum tv_store_opening opening;
    enum tv_files_owner owner;
} actions[] = {
    {"make", "DIR alone", 2, 2, stats, TV_STORE_MAKE, TV_FILES_OWN},
    {"take", "DIR alone", 2, 2, stats, TV_STORE_OPEN, TV_FILES_TAKEN},
    {"stats", "DIR alone", 2, 2, stats, TV_STORE_LOOK, TV_FILES_OF_ANY},
    {"check", "DIR alone", 2, 2, check, TV_STORE_LOOK, TV_FILES_OF_ANY},
    {"gc", "DIR alone", 2, 2, gc, TV_STORE_OPEN, TV_FILES_OWN},
    {"backup", "DIR and the folder TO of the copy", 3, 3, backup, TV_STORE_LOOK, TV_FILES_OF_ANY},
    {"copy", "the store DIR and the store TO", 3, 3, copy, TV_STORE_LOOK, TV_FILES_OF_ANY},
    {"rows", "DIR alone", 2, 2, rows, TV_STORE_OPEN, TV_FILES_OF_ANY},
    {"list", "DIR, and words to search for as one", 2, 3, list, TV_STORE_LOOK, TV_FILES_OF_ANY},
    {"delete", "DIR and the id or link of a trace", 3, 3, delete_trace, TV_STORE_OPEN,
     TV_FILES_OWN},
    {"own", "DIR, the id or link of a trace, and a user", 3, 4, own, TV_STORE_OPEN, TV_FILES_OWN},
    {"retry", "DIR, and the id or link of one trace", 2, 3, retry, TV_STORE_OPEN, TV_FILES_OWN}};

/* NULL: there is none. */
static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < TV_COUNT_OF(actions); i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

/* Each action writes text and JSON side by side, and one of them is printed. */
static enum tv_code act(struct acting *acting, const struct action *action, struct tv_error *err)
{
    tv_json_open_object(&acting->json);
    enum tv_code code = action->run(acting, err);
    tv_json_close_object(&acting->json);
    enum tv_code written = tv_json_finish(&acting->json, code == TV_OK ? err : NULL);
    if (code == TV_OK)
        code = written;
    if (code == TV_OK && acting->text.code != TV_OK)
        code = tv_fail_memory(err, acting->text.buffer.len);
    return code;
}

/* Opens the store, acts, and writes the answer. The answer is written after the store is closed, so
 * that a slow reader of the output holds nothing open. */
static int act_on(struct acting *acting, const struct action *action)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer body;
    tv_buffer_init(&body, acting->cli->alloc);
    tv_text_init(&acting->text, acting->cli->alloc);
    tv_json_init(&acting->json, tv_buffer_sink(&body));
    tv_saved_name(acting->indexes);
    struct tv_store_place place = place_of(acting, action->run == copy);
    place.owner = action->owner;
    enum tv_code code =
        tv_store_open_place(&acting->store, &place, action->opening, acting->cli->alloc, &err);
    if (code == TV_OK) {
        code = act(acting, action, &err);
        tv_store_close(&acting->store);
    }
    if (code == TV_OK && acting->options->json)
        tv_cli_answer(acting->cli, tv_buffer_view(&body));
    else if (code == TV_OK)
        tv_cli_answer_text(acting->cli, tv_text_view(&acting->text));
    tv_text_release(&acting->text);
    tv_buffer_release(&body);
    return code == TV_OK ? acting->status : tv_cli_fail(acting->cli, acting->at_fault, &err);
}

static bool has_option_of_rows(const struct store_options *options)
{
    return options->listed || options->again || options->parquet || options->clickhouse ||
           options->clickhouse_password_file;
}

/* Actions are words of their own rather than options, since each takes other arguments. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    tv_core_file_forbid(); /* keys and passwords are in the memory */
    const struct action *action = find_action(arguments->of[0]);
    bool is_copy = action && action->run == copy;
    struct acting acting = {.cli = cli,
                            .options = values,
                            .dir = arguments->count > 1 ? arguments->of[1] : NULL,
                            .to = arguments->count > 2 ? arguments->of[2] : NULL,
                            .user = arguments->count > 3 ? arguments->of[3] : NULL,
                            .at_fault = arguments->count > 1 ? arguments->of[1] : NULL,
                            .now = time(NULL)};
    if (!action)
        return tv_cli_misuse(
            cli,
            "store does make, take, stats, check, gc, backup, copy, rows, list, delete, own or "
            "retry, not '%s'",
            arguments->of[0]);
    if (arguments->count < action->least || arguments->count > action->most)
        return tv_cli_misuse(cli, "store %s takes %s", action->name, action->words);
    if (acting.options->now && action->run != gc)
        return tv_cli_misuse(cli, "--now belongs to store gc");
    if (has_option_of_rows(acting.options) && action->run != rows)
        return tv_cli_misuse(cli,
                             "--listed, --again, --parquet and --clickhouse belong to store rows");
    if ((acting.options->to_files || acting.options->to_password_file ||
         acting.options->delete_others || acting.options->verify) &&
        !is_copy)
        return tv_cli_misuse(cli, "--to-files, --to-password-file, --delete and --verify belong to "
                                  "store copy");
    return act_on(&acting, action);
}

static const struct tv_option options[] = {
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct store_options, json),
     .help = "print JSON"},
    {.name = "now",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct store_options, now),
     .help = "with gc: do not wait a day before anything goes"},
    {.name = "files",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, files),
     .argument = "PLACE",
     .help = "where the files are: s3://BUCKET, or with postgres://USER@HOST/DATABASE a folder"},
    {.name = "password-file",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, password_file),
     .argument = "FILE",
     .help = "the file with the password of PostgreSQL's user"},
    {.name = "to-files",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, to_files),
     .argument = "FOLDER",
     .help = "with copy, where both stores are in PostgreSQL: the folder of the files of TO"},
    {.name = "to-password-file",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, to_password_file),
     .argument = "FILE",
     .help = "the file with the password of the user of TO"},
    {.name = "delete",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct store_options, delete_others),
     .help = "with copy: delete in TO what DIR has not, or not any more"},
    {.name = "verify",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct store_options, verify),
     .help = "with copy: read the files that TO has, too, and bring damaged ones anew"},
    {.name = "listed",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct store_options, listed),
     .help = "with rows: listed traces count, unless their owners say no"},
    {.name = "again",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct store_options, again),
     .help = "with rows: make those that are there anew"},
    {.name = "parquet",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, parquet),
     .argument = "FOLDER",
     .help = "with rows: write them as Parquet, a file for each build of each app"},
    {.name = "clickhouse",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, clickhouse),
     .argument = "URL",
     .help = "with rows: they are in ClickHouse, http://USER@HOST:8123/DATABASE"},
    {.name = "clickhouse-password-file",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct store_options, clickhouse_password_file),
     .argument = "FILE",
     .help = "the file with the password of ClickHouse's user"},
};

const struct tv_verb tv_verb_store = {
    .name = "store",
    .summary = "look at, tidy up, copy or change the store of a site",
    .arguments = "ACTION DIR [WHAT [USER]]",
    .argument_count = 4,
    .may_lack = 2,
    .unpacks_nothing = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct store_options),
    .notes =
        "make makes a store where there is none, and brings one of an earlier version up: stats, "
        "check, list, backup and copy read such a store as it is, the others refuse it. take makes "
        "files of another database, which is gone, those of this one. stats "
        "counts what is there. check compares all files with their rows and names. gc "
        "drops what has expired and removes the files that nothing needs. backup makes a copy "
        "TO, which is a store, or renews an earlier one. copy brings what DIR keeps to another "
        "store TO, new or not, from "
        "a folder to PostgreSQL or back. rows makes what questions over all traces are asked of, "
        "from the "
        "indexes. list tells all traces, or those with the words WHAT; delete "
        "deletes one by its id or link; own makes it USER's, or makes a new owner token: the one "
        "before is void; retry has the indexes that failed, of all traces or of one, made again. "
        "Servers may use the store meanwhile.",
    .examples = {{"traceview store check store", "whether every file is whole"},
                 {"traceview store backup store copy", "a copy of the store as it is now"}},
    .run = run,
};
