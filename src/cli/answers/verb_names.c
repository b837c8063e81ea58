/*
 * names: what names of a released build are in the source, and the other way round.
 *
 * A name is searched in the build and in the source at once, since people paste either. Several
 * answers are possible: a short name of a build stands for many methods, and a line of the source
 * for several inlined ones. The mapping is read in a Landlock domain (os/sandbox/landlock.h),
 * as every file of others is.
 */
#include "base/error.h"
#include "base/text/json.h"
#include "cli/file/mapping_files.h"
#include "cli/file/remembered_mappings.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"
#include "os/file/file.h"
#include "os/sandbox/landlock.h"
#include "retrace/name_lookup.h"

struct names_options {
    const char *mapping;
    const char *forget;
    bool json;
    bool remember;
    const char *app;
    bool remembered;
};

/* One run over the names, for the thread in the Landlock domain that reads the mapping. Everything
 * it needs is in it and open before, since in the domain no file can be opened. */
struct looking_up {
    const struct tv_cli *cli;
    const struct tv_arguments *arguments;
    bool is_json;
    bool is_to_be_remembered;
    const char *app;    /* for which it is remembered; NULL: for none */
    struct tv_str text; /* of the mapping */
    struct tv_retracer retracer;
    struct tv_found_names found;
    struct tv_text_table table;
    struct tv_text out;
    bool *is_unknown; /* by argument */
    struct tv_error *err;
    enum tv_code code;
};

/* The words are those of mapping files. */
static const char *word_of(enum tv_found_kind kind)
{
    switch (kind) {
    case TV_FOUND_CLASS:
        return "class";
    case TV_FOUND_METHOD:
        return "method";
    case TV_FOUND_INLINED:
        return "inlined";
    case TV_FOUND_SYNTHESIZED:
        return "synthesized";
    }
    return "";
}

/* Adds "class.name signature" in one buffer; of a class its name alone. */
static enum tv_code join(struct tv_buffer *out, struct tv_str class_name, struct tv_str name,
                         struct tv_str signature, struct tv_error *err)
{
    out->len = 0;
    TV_TRY(tv_buffer_append(out, class_name.at, class_name.len, err));
    TV_TRY(tv_buffer_append(out, ".", name.len ? 1 : 0, err));
    TV_TRY(tv_buffer_append(out, name.at, name.len, err));
    TV_TRY(tv_buffer_append(out, " ", signature.len ? 1 : 0, err));
    return tv_buffer_append(out, signature.at, signature.len, err);
}

/* The signature is only known of the source: a build's line has none that a mapping would tell. */
static enum tv_code join_both(const struct tv_found_name *found, struct tv_buffer *written,
                              struct tv_buffer *source, struct tv_error *err)
{
    TV_TRY(join(written, found->written_class, found->written_name, TV_STR(""), err));
    return join(source, found->source.class_name, found->source.name, found->source.signature, err);
}

/* A row of the table, with the kind of what is named first. */
static void add_row(struct looking_up *looking, const struct tv_found_name *found,
                    const struct tv_buffer *written, const struct tv_buffer *source)
{
    struct tv_text_table *table = &looking->table;
    tv_table_name(table, tv_str_from(word_of(found->kind)));
    tv_table_name(table, tv_buffer_view(written));
    tv_table_name(table, tv_buffer_view(source));
}

/* Both spellings of one name; `kind` says what it names. */
static void write_object(struct tv_json *json, const struct tv_found_name *found,
                         const struct tv_buffer *written, const struct tv_buffer *source)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "kind", word_of(found->kind));
    tv_json_key_str(json, "written", tv_buffer_view(written));
    tv_json_key_str(json, "source", tv_buffer_view(source));
    tv_json_close_object(json);
}

/* A name that is not found is an answer, and makes the status of the whole command 1 at its end. */
static enum tv_code look_up_name(struct looking_up *looking, const char *name, bool *is_unknown,
                                 struct tv_json *json)
{
    struct tv_buffer written;
    struct tv_buffer source;
    struct tv_found_names *found = &looking->found;
    tv_buffer_init(&written, looking->cli->alloc);
    tv_buffer_init(&source, looking->cli->alloc);
    found->count = 0;
    enum tv_code code =
        tv_found_names_add(found, &looking->retracer, tv_str_from(name), looking->err);
    *is_unknown = !found->count;
    tv_json_open_object(json);
    tv_json_key_text(json, "name", name);
    tv_json_key(json, "found");
    tv_json_open_array(json);
    for (size_t i = 0; i < found->count && code == TV_OK; i++) {
        code = join_both(&found->of[i], &written, &source, looking->err);
        if (code == TV_OK && looking->is_json)
            write_object(json, &found->of[i], &written, &source);
        else if (code == TV_OK)
            add_row(looking, &found->of[i], &written, &source);
    }
    tv_json_close_array(json);
    tv_json_close_object(json);
    tv_buffer_release(&source);
    tv_buffer_release(&written);
    return code;
}

/* The JSON is written in any case, and thrown away where a table is asked for. */
static enum tv_code look_up(struct looking_up *looking)
{
    struct tv_json json;
    struct tv_buffer body;
    tv_buffer_init(&body, looking->cli->alloc);
    tv_json_init(&json, tv_buffer_sink(&body));
    tv_json_open_object(&json);
    tv_json_key(&json, "names");
    tv_json_open_array(&json);
    enum tv_code code = tv_retracer_open(&looking->retracer, looking->text, looking->err);
    for (size_t i = 0; i < looking->arguments->count && code == TV_OK; i++)
        code = look_up_name(looking, looking->arguments->of[i], &looking->is_unknown[i], &json);
    tv_json_close_array(&json);
    tv_json_close_object(&json);
    if (code == TV_OK)
        code = tv_json_finish(&json, looking->err);
    if (code == TV_OK && looking->is_json)
        tv_text_add_str(&looking->out, tv_buffer_view(&body));
    else if (code == TV_OK)
        code = tv_table_write(&looking->table, &looking->out, looking->err);
    tv_buffer_release(&body);
    return code == TV_OK && looking->out.code != TV_OK
               ? tv_fail_memory(looking->err, looking->out.buffer.len)
               : code;
}

/* What tv_landlock_run() takes has no result, so it goes through `looking`. */
static void look_up_in_landlock(void *ctx)
{
    struct looking_up *looking = ctx;
    looking->code = look_up(looking);
}

/* Prints what was found, and says which names were not. A status. */
static int answer(const struct looking_up *looking)
{
    const struct tv_cli *cli = looking->cli;
    const struct tv_arguments *arguments = looking->arguments;
    size_t unknown = 0;
    for (size_t i = 0; i < arguments->count; i++)
        unknown += looking->is_unknown[i];
    if (looking->is_json)
        tv_cli_answer(cli, tv_text_view(&looking->out));
    else if (unknown < arguments->count)
        tv_cli_answer_text(cli, tv_text_view(&looking->out));
    for (size_t i = 0; i < arguments->count; i++) {
        if (looking->is_unknown[i])
            tv_cli_note(cli, arguments->of[i], "the mapping does not have this name");
    }
    return unknown ? TV_STATUS_FAILED : TV_STATUS_FINE;
}

/* It was read, so it is a mapping. */
static enum tv_code remember(const struct looking_up *looking, const char *mapping)
{
    char name[TV_REMEMBERED_NAME_CAP];
    TV_TRY(tv_remember_mapping(looking->text, mapping, looking->app, name, looking->err));
    tv_cli_note(looking->cli, mapping,
                "remembered for traces that it fits (traceview names --forget %s)", name);
    return TV_OK;
}

static int list_remembered(const struct tv_cli *cli)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_newest_files *files = NULL;
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    enum tv_code code = tv_alloc_new(cli->alloc, &files, 1, sizeof(*files), &err);
    if (code == TV_OK)
        code = tv_remembered_list(files, &err);
    for (size_t i = 0; code == TV_OK && i < files->count; i++) {
        tv_text_add_name(&out, tv_str_from(files->of[i].name));
        tv_text_add(&out, "\n");
    }
    if (code == TV_OK && out.code != TV_OK)
        code = tv_fail_memory(&err, out.buffer.len);
    if (code == TV_OK)
        tv_cli_answer_text(cli, tv_text_view(&out));
    tv_text_release(&out);
    tv_alloc_release(cli->alloc, &files, 1, sizeof(*files));
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, NULL, &err);
}

/* What is done about remembered mappings, and needs none to look into. */
static int manage(const struct tv_cli *cli, const struct names_options *options,
                  const struct tv_arguments *arguments)
{
    struct tv_error err = {.code = TV_OK};
    if (arguments->count || options->mapping || options->remember || options->app ||
        options->json || (options->remembered && options->forget))
        return tv_cli_misuse(cli, "names: --remembered and --forget stand alone");
    if (options->remembered)
        return list_remembered(cli);
    if (tv_forget_mapping(options->forget, &err) != TV_OK)
        return tv_cli_fail(cli, options->forget, &err);
    tv_cli_note(cli, options->forget, "forgotten");
    return TV_STATUS_FINE;
}

/* Only a regular file is taken: a pipe could not be read a second time for the second name. */
static enum tv_code look_up_in(struct looking_up *looking, const char *mapping)
{
    struct tv_file file;
    const struct tv_file_opts opts =
        tv_mapping_file_opts(looking->cli->shared.unpack_all, "name a mapping in it");
    tv_file_init(&file, looking->cli->alloc);
    enum tv_code code = tv_file_open_alone(&file, mapping, &opts, looking->err);
    if (code == TV_OK) {
        const struct tv_landlock domain = tv_landlock_for_readers();
        looking->text = (struct tv_str){(const char *)file.bytes, file.len};
        (void)tv_landlock_run(&domain, look_up_in_landlock, looking);
        code = tv_file_check(&file, looking->code, looking->err);
    }
    if (code == TV_OK && looking->is_to_be_remembered)
        code = remember(looking, mapping);
    tv_retracer_release(&looking->retracer);
    tv_file_release(&file);
    return code;
}

/* Everything is set up before the mapping is opened, so that there is one way out for all failures.
 */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct names_options *options = values;
    struct tv_error err = {.code = TV_OK};
    struct looking_up looking = {
        .cli = cli, .arguments = arguments, .is_json = options->json, .err = &err};
    looking.is_to_be_remembered = options->remember;
    looking.app = options->app;
    if (options->remembered || options->forget)
        return manage(cli, options, arguments);
    if (!options->mapping)
        return tv_cli_misuse(cli, "names: needs a mapping: --mapping MAPPING");
    if (options->app && !options->remember)
        return tv_cli_misuse(cli, "names: --app is for --remember");
    if (!arguments->count && !options->remember)
        return tv_cli_misuse(cli, "names needs NAME, or --remember");
    if (tv_alloc_new(cli->alloc, &looking.is_unknown, arguments->count, sizeof(*looking.is_unknown),
                     &err) != TV_OK)
        return tv_cli_fail(cli, NULL, &err);
    tv_retracer_init(&looking.retracer, cli->alloc);
    tv_found_names_init(&looking.found, cli->alloc);
    tv_text_init(&looking.out, cli->alloc);
    tv_table_init(&looking.table, cli);
    tv_table_column(&looking.table, "Kind", TV_ALIGN_LEFT);
    tv_table_column(&looking.table, "In the build", TV_ALIGN_LEFT);
    tv_table_column(&looking.table, "In the source", TV_ALIGN_LEFT);
    int status = look_up_in(&looking, options->mapping) == TV_OK
                     ? answer(&looking)
                     : tv_cli_fail(cli, options->mapping, &err);
    tv_table_release(&looking.table);
    tv_text_release(&looking.out);
    tv_found_names_release(&looking.found);
    tv_alloc_release(cli->alloc, &looking.is_unknown, arguments->count,
                     sizeof(*looking.is_unknown));
    return status;
}

static const struct tv_option options[] = {
    {.name = "mapping",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct names_options, mapping),
     .argument = "MAPPING",
     .help = "the mapping file of R8 or ProGuard to look into"},
    {.name = "remember",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct names_options, remember),
     .help = "keep a copy of MAPPING for all traces that it fits"},
    {.name = "app",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct names_options, app),
     .argument = "APP",
     .help = "with --remember: in place of what was kept for APP before"},
    {.name = "remembered",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct names_options, remembered),
     .help = "list the mappings that are remembered"},
    {.name = "forget",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct names_options, forget),
     .argument = "REMEMBERED",
     .help = "forget one of these"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct names_options, json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

const struct tv_verb tv_verb_names = {
    .name = "names",
    .summary = "what names of a released build are in the source, and back",
    .arguments = "[NAME...]",
    .argument_count = 1,
    .may_lack = 1,
    .repeats_last = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct names_options),
    .notes =
        "NAME is a class or a method, as the build or as the source has it. A method may have its "
        "signature behind it, as verbs show it: 'com.example.Store.save(int)'.",
    .examples = {{"traceview names --mapping mapping.txt a.b.c",
                  "which methods of the source a.b.c may be"},
                 {"traceview names --mapping mapping.txt --remember",
                  "names of the source in all later traces of that build"}},
    .run = run,
};
