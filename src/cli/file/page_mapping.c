/*
 * The page's mapping in the place of the command line's; see cli/file/page_mapping.h.
 *
 * What reads a trace takes its mapping from a struct tv_cli (cli/file/renamed.h), so a trace with a
 * mapping of its own gets a copy of that struct. The bytes are a file without a name that the
 * server holds (server/state.h), and nobody vouches for them.
 */
#include "cli/file/page_mapping.h"

#include <stdio.h>

#include "cli/file/mapping_files.h"
#include "cli/file/renamed.h"

enum tv_code tv_page_mapping_open(struct tv_page_mapping *mapping, const struct tv_cli *cli,
                                  const struct tv_origin_mapping *of, struct tv_error *err)
{
    struct tv_file_opts opts = tv_mapping_file_opts(false, NULL);
    opts.unpack.way_out = "unpack it, if you trust it, and take that";
    mapping->cli = *cli;
    tv_file_init(&mapping->file, cli->alloc);
    if (!of->path[0])
        return TV_OK;
    struct tv_error reason = {.code = TV_OK};
    if (tv_file_open_alone(&mapping->file, of->path, &opts, &reason) != TV_OK)
        return tv_fail(err, reason.code, reason.offset, "%.*s: %s",
                       tv_str_shown_len(tv_str_from(of->label)), of->label, reason.text);
    mapping->text = (struct tv_str){(const char *)mapping->file.bytes, mapping->file.len};
    mapping->name = of->label;
    mapping->cli.shared.force_mapping = of->is_forced;
    mapping->cli.mapping = (struct tv_cli_mapping){
        .name = of->label,
        .is_of_page = true,
        .texts = &mapping->text,
        .names = &mapping->name,
        .count = 1,
        .sum = cli->uses_cache ? tv_mapping_sum(mapping->text, of->is_forced) : 0};
    return TV_OK;
}

void tv_page_mapping_release(struct tv_page_mapping *mapping)
{
    tv_file_release(&mapping->file);
}

/* Which of a folder's mappings was taken is known by the way, in any case. */
void tv_page_mapping_tell(const struct tv_cli *cli, size_t way,
                          const struct tv_mapping_choice *choice, struct tv_names_known *names)
{
    const char *name = tv_renamed_name(cli, way);
    *names = (struct tv_names_known){.is_counted = name && choice};
    if (!name)
        return;
    (void)snprintf(names->label, sizeof(names->label), "%s", name);
    if (!choice)
        return;
    names->has_id = choice->by == TV_CHOICE_BY_ID;
    names->renamed = choice->renamed;
    names->asked = choice->asked;
    names->known = choice->known;
}
