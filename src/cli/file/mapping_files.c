/*
 * Opening mapping files; see cli/file/mapping_files.h. A folder may be anybody's: how many files
 * are taken of it, and how many bytes, is bounded, and what was left out is told.
 *
 * The files stay mapped for the whole command. A sum of the text, or of the list of a folder,
 * becomes part of a saved index's identity, so that an index with other names is not taken for this
 * one.
 */
#include "cli/file/mapping_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/checksum.h"
#include "base/error.h"
#include "cli/file/remembered_mappings.h"
#include "os/file/paths.h"

/* Bytes of a file of a folder, and of all of them, unpacked: the mapping of a large app has 100
 * MB. */
#define FILE_MOST ((uint64_t)512 << 20)
#define FOLDER_MOST ((uint64_t)1 << 30)

void tv_mapping_files_init(struct tv_mapping_files *files, const struct tv_alloc *alloc)
{
    *files = (struct tv_mapping_files){.alloc = alloc};
}

/* Names and texts are views into the files, which are closed with them. */
void tv_mapping_files_release(struct tv_mapping_files *files)
{
    const struct tv_alloc *alloc = files->alloc;
    for (size_t i = 0; i < files->count; i++)
        tv_file_release(&files->files[i]);
    tv_alloc_release(alloc, &files->files, files->cap, sizeof(*files->files));
    tv_alloc_release(alloc, &files->texts, files->cap, sizeof(*files->texts));
    tv_alloc_release(alloc, &files->names, files->cap, sizeof(*files->names));
    tv_alloc_release(alloc, &files->found, 1, sizeof(*files->found));
    tv_mapping_files_init(files, alloc);
}

/* All rooms or none, so that release needs no case for some of them. */
static enum tv_code reserve(struct tv_mapping_files *files, size_t cap, struct tv_error *err)
{
    const struct tv_alloc *alloc = files->alloc;
    enum tv_code code = tv_alloc_new(alloc, &files->files, cap, sizeof(*files->files), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &files->texts, cap, sizeof(*files->texts), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &files->names, cap, sizeof(*files->names), err);
    if (code == TV_OK)
        files->cap = cap;
    else {
        tv_alloc_release(alloc, &files->files, cap, sizeof(*files->files));
        tv_alloc_release(alloc, &files->texts, cap, sizeof(*files->texts));
    }
    return code;
}

/* Opens a file as the next one. */
static enum tv_code add(struct tv_mapping_files *files, const char *path, const char *name,
                        const struct tv_file_opts *opts, struct tv_error *err)
{
    struct tv_file *file = &files->files[files->count];
    tv_file_init(file, files->alloc);
    TV_TRY(tv_file_open_alone(file, path, opts, err));
    files->texts[files->count] = (struct tv_str){(const char *)file->bytes, file->len};
    files->names[files->count] = name;
    files->count++;
    return TV_OK;
}

struct tv_file_opts tv_mapping_file_opts(bool is_trusted, const char *in_folder)
{
    return (struct tv_file_opts){.unpack = {.is_trusted = is_trusted},
                                 .only_regular = true,
                                 .in_folder = in_folder,
                                 .when_empty = "take the mapping of the build"};
}

/* The sum of the text becomes part of an index's identity; 0 stands for "no mapping" there, so it
 * is avoided. */
uint64_t tv_mapping_sum(struct tv_str text, bool is_forced)
{
    uint64_t sum = tv_checksum_mix(tv_checksum(text.at, text.len), is_forced);
    return sum ? sum : 1;
}

static enum tv_code open_one(struct tv_mapping_files *files, struct tv_cli *cli,
                             struct tv_error *err)
{
    const char *name = cli->shared.mapping;
    const struct tv_file_opts opts = tv_mapping_file_opts(
        cli->shared.unpack_all, "name a mapping in it, or give the folder to --mappings");
    TV_TRY(reserve(files, 1, err));
    TV_TRY(add(files, name, name, &opts, err));
    if (!cli->uses_cache)
        return TV_OK; /* the sum only tells saved indexes apart */
    cli->mapping.sum = tv_mapping_sum(files->texts[0], cli->shared.force_mapping);
    return TV_OK;
}

/* What is left out of a folder. */
struct left_out {
    uint64_t too_long; /* files */
    uint64_t failed;
};

/* Opens the files of a folder, the newest ones first, until they have too many bytes together. */
static enum tv_code open_found(struct tv_mapping_files *files, const char *folder,
                               struct left_out *left_out, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    uint64_t room = FOLDER_MOST;
    for (size_t i = 0; i < files->found->count; i++) {
        const char *name = files->found->of[i].name;
        uint64_t most = room < FILE_MOST ? room : FILE_MOST;
        const struct tv_file_opts opts = {
            .unpack = {.most_len = most}, .only_regular = true, .most_len = most};
        int len = snprintf(path, sizeof(path), "%s/%s", folder, name);
        enum tv_code code = !most ? TV_ERR_LIMIT
                            : len <= 0 || (size_t)len >= sizeof(path)
                                ? TV_ERR_NOT_FOUND
                                : add(files, path, name, &opts, err);
        if (code == TV_ERR_MEMORY)
            return code;
        left_out->too_long += code == TV_ERR_LIMIT;
        left_out->failed += code != TV_OK && code != TV_ERR_LIMIT;
        if (code == TV_OK)
            room -= files->texts[files->count - 1].len < room ? files->texts[files->count - 1].len
                                                              : room;
    }
    return TV_OK;
}

/* Whatever was not looked at is told, since the mapping that fits might be among it. */
static void tell_left_out(const struct tv_cli *cli, const char *folder,
                          const struct tv_newest_files *found, const struct left_out *left_out)
{
    uint64_t failed = left_out->failed + found->others;
    if (found->is_cut)
        tv_cli_note(cli, folder, "has more than %u files, of which some were not looked at",
                    TV_NEWEST_ENTRIES_MOST);
    if (found->seen > found->count)
        tv_cli_note(cli, folder, "of %llu files only the %zu newest are taken for mappings",
                    (unsigned long long)found->seen, found->count);
    if (left_out->too_long)
        tv_cli_note(cli, folder,
                    "files left out for their length (512 MiB each, 1 GiB together): %llu",
                    (unsigned long long)left_out->too_long);
    if (failed)
        tv_cli_note(cli, folder, "files left out that cannot be read: %llu",
                    (unsigned long long)failed);
}

/* A checksum of what tells that a file of a folder is another one than before. */
static uint64_t sum_of_found(const struct tv_newest_files *found)
{
    uint64_t sum = found->count;
    for (size_t i = 0; i < found->count; i++) {
        const struct tv_newest_file *file = &found->of[i];
        sum = tv_checksum_mix(sum, tv_checksum(file->name, strlen(file->name)));
        sum = tv_checksum_mix(tv_checksum_mix(sum, file->len), (uint64_t)file->changed_ns);
    }
    return sum;
}

/* The sum is of the list of files, with their lengths and times of change: the texts are too many
 * to be read each time. */
static enum tv_code open_folder(struct tv_mapping_files *files, struct tv_cli *cli,
                                const char *folder, struct tv_error *err)
{
    struct left_out left_out = {.failed = 0};
    TV_TRY(tv_alloc_new(files->alloc, &files->found, 1, sizeof(*files->found), err));
    TV_TRY(tv_newest_files_find(files->found, folder, err));
    if (files->found->count) {
        TV_TRY(reserve(files, files->found->count, err));
        TV_TRY(open_found(files, folder, &left_out, err));
    }
    tell_left_out(cli, folder, files->found, &left_out);
    cli->mapping.sum = sum_of_found(files->found);
    cli->mapping.is_folder = true;
    return TV_OK;
}

/* The names are kept as the user wrote them, for the note that says which one was taken. */
static int open_named(struct tv_mapping_files *files, struct tv_cli *cli, const char *folder,
                      const char *variable)
{
    struct tv_error err = {.code = TV_OK};
    char told[TV_PATH_CAP];
    const char *name = folder ? folder : cli->shared.mapping;
    enum tv_code code = folder ? open_folder(files, cli, folder, &err) : open_one(files, cli, &err);
    (void)snprintf(told, sizeof(told), "%s%s%s", variable ? variable : "", variable ? "=" : "",
                   name);
    if (code != TV_OK)
        return tv_cli_fail(cli, told, &err);
    cli->mapping.name = name;
    cli->mapping.texts = files->texts;
    cli->mapping.names = files->names;
    cli->mapping.count = files->count;
    return TV_STATUS_FINE;
}

/* Where nothing else is said, mappings that were remembered are tried: they say nothing of traces
 * that none of them fits. A variable that is empty turns them off. */
static int open_remembered(struct tv_mapping_files *files, struct tv_cli *cli)
{
    if (!tv_remembered_folder(files->remembered))
        return TV_STATUS_FINE;
    cli->mapping.is_remembered = true;
    int status = open_named(files, cli, files->remembered, NULL);
    if (!files->count) /* none is remembered any more */
        cli->mapping = (struct tv_cli_mapping){.name = NULL};
    return status;
}

/* The variable is for a folder that is always the same, and options win over it. */
int tv_mapping_files_open(struct tv_mapping_files *files, struct tv_cli *cli)
{
    const struct tv_shared_options *shared = &cli->shared;
    const char *folder = getenv(TV_MAPPINGS_VARIABLE);
    if (shared->mapping && shared->mappings)
        return tv_cli_misuse(cli, "--mapping names one file, and --mappings a folder: give one");
    if (shared->force_mapping && !shared->mapping)
        return tv_cli_misuse(cli, "--force-mapping needs a mapping to take: give --mapping, too");
    if (shared->mapping || shared->mappings)
        return open_named(files, cli, shared->mappings, NULL);
    if (!folder)
        return open_remembered(files, cli);
    return folder[0] ? open_named(files, cli, folder, TV_MAPPINGS_VARIABLE) : TV_STATUS_FINE;
}

int tv_mapping_files_open_side(struct tv_mapping_files *files, const struct tv_cli *cli,
                               const char *mapping, struct tv_cli *side)
{
    *side = *cli;
    if (!mapping)
        return TV_STATUS_FINE;
    side->mapping = (struct tv_cli_mapping){.name = NULL};
    side->shared.mapping = mapping;
    side->shared.mappings = NULL;
    return tv_mapping_files_open(files, side);
}

/* Mapping files are mapped into memory, so one that was cut meanwhile has given wrong names: that
 * is a failure of the whole command. */
int tv_mapping_files_check(const struct tv_mapping_files *files, const struct tv_cli *cli,
                           int status)
{
    struct tv_error err = {.code = TV_OK};
    for (size_t i = 0; i < files->count; i++) {
        if (tv_file_check(&files->files[i], TV_OK, &err) != TV_OK)
            return tv_cli_fail(cli, files->names[i], &err);
    }
    return status;
}
