/*
 * pull: the traces that lie on a device, to this machine.
 *
 * A trace that an app wrote by itself (Debug.startMethodTracing) lies where the app chose; this
 * verb knows the places that are usual. Without a path the newest trace is meant, since it is the
 * one that was just made. The file stays on the device: whether it may go is for its owner to say.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/device/device_traces.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "cli/wording.h"

struct pull_options {
    const char *serial;
    const char *output;
    bool list;
};

/* Either a path or a package is given, or neither: then the newest trace of all is meant. */
struct pulling {
    const struct tv_cli *cli;
    const struct pull_options *options;
    const char *package; /* NULL: any */
    const char *path;    /* on the device; NULL: not given */
    struct tv_device device;
    struct tv_stop_request stop;
    struct tv_device_files files;
};

/* One line a trace: when, how long, where. */
static enum tv_code print_list(struct pulling *pulling, struct tv_error *err)
{
    struct tv_text text;
    tv_text_init(&text, pulling->cli->alloc);
    for (size_t i = 0; i < pulling->files.count; i++) {
        const struct tv_device_file *file = &pulling->files.of[i];
        char date[32] = "";
        struct tm parts;
        const time_t changed = (time_t)file->changed_s;
        if (localtime_r(&changed, &parts))
            (void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &parts);
        tv_text_add(&text, "%s  %12llu  ", date, (unsigned long long)file->len);
        if (file->owner) {
            tv_text_add_name(&text, tv_str_from(file->owner));
            tv_text_add(&text, ": ");
        }
        tv_text_add_name(&text, tv_str_from(file->path));
        tv_text_add(&text, "\n");
    }
    enum tv_code code = text.code == TV_OK ? TV_OK : tv_fail_memory(err, 0);
    if (code == TV_OK)
        tv_cli_answer(pulling->cli, tv_text_view(&text));
    tv_text_release(&text);
    return code;
}

/* The advice depends on what was asked: an app has folders of its own, which are searched only by
 * its name. */
static enum tv_code fail_none(const struct pulling *pulling, struct tv_error *err)
{
    if (pulling->package)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "%s has no trace of %s: `traceview record %s` makes one, and `traceview "
                       "pull --list` lists those of other names",
                       pulling->device.target.model, pulling->package, pulling->package);
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "%s has no trace where traces are written: give the PACKAGE of an app, for its "
                   "own folders",
                   pulling->device.target.model);
}

/* A file that came and is no trace stays here, with what is wrong with it: it may be all that there
 * is of a recording. */
static enum tv_code tell_result(const struct pulling *pulling, const struct tv_device_file *file,
                                const char *name, const struct tv_device_trace *trace,
                                struct tv_error *err)
{
    if (!trace->is_readable) {
        tv_cli_note(pulling->cli, name, "it is here, and is no readable trace");
        if (err)
            *err = trace->why;
        return trace->why.code;
    }
    tv_warn_of_findings(pulling->cli, name, &trace->findings);
    tv_cli_note(pulling->cli, name, "%llu bytes, %llu records; %s stays on %s",
                (unsigned long long)trace->len, (unsigned long long)trace->records, file->path,
                pulling->device.target.model);
    return TV_OK;
}

/* The name here is made of the device's name unless -o gives one. */
static enum tv_code take(struct pulling *pulling, const struct tv_device_file *file,
                         struct tv_error *err)
{
    char own[TV_PATH_CAP];
    const char *name = pulling->options->output ? pulling->options->output : own;
    tv_device_file_name(file, own);
    struct tv_device_pull pull = {.to = name, .stop = &pulling->stop};
    TV_TRY(tv_device_take_file(&pulling->device, file, &pull, err));
    return tell_result(pulling, file, name, &pull.trace, err);
}

/* A path is taken as it is; a package is first looked for in all places, and the newest file wins.
 */
static enum tv_code pull(struct pulling *pulling, struct tv_error *err)
{
    TV_TRY(tv_device_open(&pulling->device, pulling->cli, pulling->options->serial, &pulling->stop,
                          err));
    if (pulling->path)
        return take(pulling, &(struct tv_device_file){.path = pulling->path}, err);
    TV_TRY(tv_device_ask_version(&pulling->device, err));
    TV_TRY(tv_device_find_traces(&pulling->device, pulling->package, &pulling->files, err));
    if (pulling->options->list)
        return print_list(pulling, err);
    if (!pulling->files.count)
        return fail_none(pulling, err);
    return take(pulling, &pulling->files.of[0], err);
}

/* Words are checked before the device is asked, which may take seconds. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct tv_error err = {.code = TV_OK};
    struct pulling pulling = {.cli = cli, .options = values, .device = {.cli = cli}};
    const char *word = arguments->count ? arguments->of[0] : NULL;
    if (word && word[0] == '/' && word[strlen(word) - 1] == '/')
        return tv_cli_misuse(cli, "pull: '%.*s' is a folder: name a file in it",
                             tv_str_shown_len(tv_str_from(word)), word);
    if (word && word[0] == '/')
        pulling.path = word;
    else if (word && !tv_profile_is_package(tv_str_from(word)))
        return tv_cli_misuse(cli,
                             "pull: '%.*s' is neither a package, com.example.app, nor a path "
                             "on the device",
                             tv_str_shown_len(tv_str_from(word)), word);
    else
        pulling.package = word;
    if (pulling.options->output && strcmp(pulling.options->output, "-") == 0)
        return tv_cli_misuse(cli, "pull: a trace goes to a file: name one with -o");
    if (pulling.path && pulling.options->list)
        return tv_cli_misuse(cli, "pull: --list takes a package, or nothing");
    tv_device_files_init(&pulling.files, cli->alloc);
    enum tv_code code = tv_stop_request_open(&pulling.stop, &err);
    if (code == TV_OK) {
        tv_stop_request_leave_keys(&pulling.stop);
        code = pull(&pulling, &err);
        tv_stop_request_close(&pulling.stop);
    }
    tv_device_files_release(&pulling.files);
    return code == TV_OK ? TV_STATUS_FINE : tv_device_fail(&pulling.device, &err);
}

static const struct tv_option options[] = {
    {.name = "serial",
     .letter = 's',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct pull_options, serial),
     .argument = "SERIAL",
     .help = "this device, where there are several"},
    {.name = "output",
     .letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct pull_options, output),
     .argument = "FILE",
     .help = "write the trace here (its name on the device)"},
    {.name = "list",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct pull_options, list),
     .help = "only list them, newest first"},
};

const struct tv_verb tv_verb_pull = {
    .name = "pull",
    .summary = "the newest trace that lies on an Android device",
    .arguments = "[PACKAGE | PATH]",
    .argument_count = 1,
    .may_lack = 1,
    .unpacks_nothing = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct pull_options),
    .notes = "Traces are looked for where `am profile` and Debug.startMethodTracing write them: "
             "/data/local/tmp, the external storage, and with PACKAGE the app's own folders. "
             "What was pulled of a file before is not pulled again. It stays on the device.",
    .examples = {{"traceview pull com.example.app", "the app's newest trace"},
                 {"traceview pull --list", "all traces where anybody can write them"}},
    .run = run,
};
