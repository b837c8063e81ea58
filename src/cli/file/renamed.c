/* The mapping of the command line, applied to one trace; see cli/file/renamed.h. */
#include "cli/file/renamed.h"

/* Puts the mapping's name before what is wrong with it, since messages begin with the trace's. */
static enum tv_code fail(const struct tv_cli *cli, const struct tv_error *reason,
                         const char *way_out, struct tv_error *err)
{
    const struct tv_str name = tv_str_from(cli->mapping.name);
    return tv_fail(err, reason->code, reason->offset, "%.*s%s %s%s", tv_str_shown_len(name),
                   name.at, reason->code == TV_ERR_ARGUMENT ? "" : ":", reason->text, way_out);
}

enum tv_code tv_renamed_begin(struct tv_renamed *renamed, const struct tv_cli *cli,
                              struct tv_trace *trace, struct tv_error *err)
{
    struct tv_error reason = {.code = TV_OK};
    renamed->cli = cli;
    tv_retracer_init(&renamed->retracer, cli->alloc);
    if (!cli->mapping.name)
        return TV_OK;
    if (tv_retracer_open(&renamed->retracer, cli->mapping.text, &reason) != TV_OK)
        return fail(cli, &reason, "", err);
    tv_renaming_init(&renamed->renaming, &renamed->retracer);
    trace->opts.renaming =
        (struct tv_renaming_opts){.rename = tv_renaming_rename, .ctx = &renamed->renaming};
    return TV_OK;
}

enum tv_code tv_renamed_end(struct tv_renamed *renamed, enum tv_code code, struct tv_error *err)
{
    const struct tv_cli *cli = renamed->cli;
    struct tv_error reason = {.code = TV_OK};
    if (code == TV_OK && cli->mapping.name && !cli->shared.force_mapping &&
        tv_renaming_check(&renamed->renaming, &reason) != TV_OK)
        code = fail(cli, &reason, "; --force-mapping takes it nonetheless", err);
    tv_retracer_release(&renamed->retracer);
    return code;
}
