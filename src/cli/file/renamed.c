/*
 * The mappings of the command line, applied to one trace; see cli/file/renamed.h.
 *
 * One mapping (--mapping) is used as it is, after a check that it fits. Of a folder (--mappings)
 * the one that fits is chosen while the trace is read, because that takes the names of its methods;
 * what was chosen is a *way*, a small number by which a saved index is found again
 * (cli/file/index_cache.h). One that was forced is of another way where the trace names another by
 * its id, which is told whenever such a trace is shown.
 */
#include "cli/file/renamed.h"

#include <stdio.h>

#include "base/bytes/checksum.h"
#include "base/error.h"

/* Of one mapping and of a folder: the trace has the names of its source, and needs none. */
enum { WAY_OF_SOURCE = 2 };
/* Ways in which no mapping of a folder is taken; those behind them are the mappings. */
enum { WAY_NONE, WAY_TIE, WAY_OF_MAPPING = WAY_OF_SOURCE + 1 };
/* Ways of one mapping. */
enum { WAY_OF_ONE, WAY_OF_OTHER_ID, WAYS_OF_ONE = WAY_OF_SOURCE + 1 };

/* Puts the mapping's name before what is wrong with it, since messages begin with the trace's. */
static enum tv_code fail(const struct tv_cli *cli, const struct tv_error *reason,
                         const char *way_out, struct tv_error *err)
{
    const struct tv_str name = tv_str_from(cli->mapping.name);
    return tv_fail(err, reason->code, reason->offset, "%.*s%s %s%s", tv_str_shown_len(name),
                   name.at, reason->code == TV_ERR_ARGUMENT ? "" : ":", reason->text, way_out);
}

/* With a folder the choice is left to a function that the reader calls when it knows the methods.
 */
enum tv_code tv_renamed_begin(struct tv_renamed *renamed, const struct tv_cli *cli,
                              struct tv_trace *trace, struct tv_error *err)
{
    struct tv_error reason = {.code = TV_OK};
    struct tv_renaming_choice *chosen = &renamed->chosen;
    renamed->cli = cli;
    renamed->trace = trace;
    tv_renaming_choice_init(
        chosen, cli->alloc,
        &(struct tv_mappings){cli->mapping.texts, cli->mapping.count, cli->mapping.is_remembered});
    if (cli->mapping.is_folder)
        trace->opts.renaming = tv_renaming_choice_opts(chosen);
    if (!cli->mapping.name || cli->mapping.is_folder)
        return TV_OK;
    tv_renaming_init(&chosen->renaming, &chosen->retracer);
    if (tv_retracer_open(&chosen->retracer, cli->mapping.texts[0], &reason) != TV_OK)
        return fail(cli, &reason, "", err);
    trace->opts.renaming = (struct tv_renaming_opts){.rename = tv_renaming_rename,
                                                     .ctx = &chosen->renaming,
                                                     .is_forced = cli->shared.force_mapping};
    return TV_OK;
}

/* What one mapping knows, in the words of a choice; none where the trace names another. */
static void describe(const struct tv_renaming *renaming, struct tv_mapping_choice *choice)
{
    const bool is_other = tv_renaming_has_other_id(renaming);
    *choice = (struct tv_mapping_choice){.by = renaming->with_this_id ? TV_CHOICE_BY_ID
                                               : is_other             ? TV_CHOICE_NONE
                                                                      : TV_CHOICE_BY_NAMES,
                                         .renamed = renaming->renamed,
                                         .asked = renaming->asked,
                                         .known = renaming->known};
}

/* Whether the one mapping is of the build that was traced. Where the trace has the names of its
 * source already it need not be, so that one line serves traces with these names and without; what
 * is dropped on the page is for this trace alone. */
static enum tv_code check(const struct tv_renamed *renamed, struct tv_error *reason)
{
    if (!renamed->trace->has_source_names)
        return tv_renaming_check(&renamed->chosen.renaming, reason);
    return renamed->cli->mapping.is_of_page
               ? tv_fail(reason, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                         "is not needed: the trace has the names of its source already")
               : TV_OK;
}

/* A mapping of another build renames few methods or none; it is refused at the end, when that can
 * be told. */
enum tv_code tv_renamed_end(struct tv_renamed *renamed, enum tv_code code,
                            struct tv_mapping_choice *choice, struct tv_error *err)
{
    const struct tv_cli *cli = renamed->cli;
    struct tv_error reason = {.code = TV_OK};
    if (code == TV_OK && cli->mapping.name && !cli->mapping.is_folder &&
        !cli->shared.force_mapping && check(renamed, &reason) != TV_OK) {
        if (cli->is_other_build)
            *cli->is_other_build = true;
        code = fail(cli, &reason,
                    cli->mapping.is_of_page ? ""
                                            : "; --mappings FOLDER takes the one that fits each "
                                              "trace, --force-mapping this one nonetheless",
                    err);
    }
    if (cli->mapping.name && !cli->mapping.is_folder)
        describe(&renamed->chosen.renaming, &renamed->chosen.choice);
    renamed->chosen.choice.is_of_source = renamed->trace->has_source_names;
    *choice = renamed->chosen.choice;
    tv_renaming_choice_release(&renamed->chosen);
    return code;
}

static bool is_forced(const struct tv_cli *cli)
{
    return cli->mapping.name && !cli->mapping.is_folder && cli->shared.force_mapping;
}

size_t tv_renamed_ways(const struct tv_cli *cli)
{
    if (!cli->mapping.name)
        return 1;
    return cli->mapping.is_folder ? WAY_OF_MAPPING + cli->mapping.count : WAYS_OF_ONE;
}

/* The way is mixed with the sum of the mappings, so each choice that could be made has an index of
 * its own. */
uint64_t tv_renamed_sum(const struct tv_cli *cli, size_t way)
{
    if (!cli->mapping.is_folder && way == WAY_OF_ONE)
        return cli->mapping.sum;
    /* Where no mapping is taken, too: with a folder that has others one may be. */
    uint64_t sum = tv_checksum_mix(tv_checksum_mix(cli->mapping.sum, 0), way);
    return sum ? sum : 1;
}

/* Ties and "none fits" are ways too, since their index has other names than that of any mapping. */
size_t tv_renamed_way(const struct tv_cli *cli, const struct tv_mapping_choice *choice)
{
    if (!cli->mapping.name)
        return WAY_OF_ONE;
    if (choice->is_of_source)
        return WAY_OF_SOURCE;
    if (!cli->mapping.is_folder)
        return is_forced(cli) && choice->by == TV_CHOICE_NONE ? WAY_OF_OTHER_ID : WAY_OF_ONE;
    switch (choice->by) {
    case TV_CHOICE_NONE:
        return WAY_NONE;
    case TV_CHOICE_TIE:
        return WAY_TIE;
    case TV_CHOICE_BY_ID:
    case TV_CHOICE_BY_NAMES:
        break;
    }
    return WAY_OF_MAPPING + choice->chosen;
}

const char *tv_renamed_name(const struct tv_cli *cli, size_t way)
{
    if (!cli->mapping.is_folder)
        return way == WAY_OF_SOURCE && !is_forced(cli) ? NULL : cli->mapping.name;
    return way >= WAY_OF_MAPPING ? cli->mapping.names[way - WAY_OF_MAPPING] : NULL;
}

/* What a choice rests on; empty of a saved index. */
static void add_reason(char out[160], const struct tv_mapping_choice *choice)
{
    out[0] = '\0';
    if (choice && choice->by == TV_CHOICE_BY_ID)
        (void)snprintf(out, 160, ", whose id the trace has");
    else if (choice && choice->asked)
        (void)snprintf(out, 160, ", which knows %llu %% of the names (%llu of %llu)",
                       (unsigned long long)(choice->known * 100 / choice->asked),
                       (unsigned long long)choice->known, (unsigned long long)choice->asked);
    else if (choice)
        (void)snprintf(out, 160, ", which renames %llu methods",
                       (unsigned long long)choice->renamed);
}

/* Without a choice (the index was saved) the reason is not known any more, and only the result is
 * told. */
void tv_renamed_tell(const struct tv_cli *cli, const char *trace, size_t way,
                     const struct tv_mapping_choice *choice)
{
    const struct tv_cli_mapping *mapping = &cli->mapping;
    char reason[160];
    if (!mapping->is_folder && way == WAY_OF_OTHER_ID && !mapping->is_of_page)
        tv_cli_note(cli, trace,
                    "names by %s, as --force-mapping says, though the trace names another mapping "
                    "by its id: they may be wrong",
                    mapping->name);
    if (!mapping->is_folder && way == WAY_OF_SOURCE && is_forced(cli) && !mapping->is_of_page)
        tv_cli_note(cli, trace,
                    "names by %s, as --force-mapping says, though the trace has the names of its "
                    "source already: they may be wrong",
                    mapping->name);
    if (!mapping->is_folder || way == WAY_OF_SOURCE)
        return;
    add_reason(reason, choice);
    if (way == WAY_NONE && mapping->is_remembered)
        return; /* it was not asked for with this trace */
    if (way >= WAY_OF_MAPPING && mapping->is_remembered)
        tv_cli_note(cli, trace, "names by %s, remembered (traceview names --forget %s)%s",
                    mapping->names[way - WAY_OF_MAPPING], mapping->names[way - WAY_OF_MAPPING],
                    reason);
    else if (way >= WAY_OF_MAPPING)
        tv_cli_note(cli, trace, "names by %s of %s%s", mapping->names[way - WAY_OF_MAPPING],
                    mapping->name, reason);
    else if (way == WAY_NONE)
        tv_cli_note(cli, trace, "no mapping of %s fits: names are those of the trace",
                    mapping->name);
    else if (choice)
        tv_cli_note(cli, trace,
                    "%s and %s of %s fit equally well, and differ: names are those of the trace; "
                    "--mapping takes one of them",
                    mapping->names[choice->chosen], mapping->names[choice->rival], mapping->name);
    else
        tv_cli_note(cli, trace,
                    "two mappings of %s fit equally well, and differ: names are those of the "
                    "trace; --mapping takes one of them",
                    mapping->name);
}
