/*
 * Recording two programs in turns; see cli/record/record_pairs.h. The one that goes first changes
 * from pair to pair, since a machine that becomes slower, or whose caches become warm, would favour
 * one side otherwise. Every trace is kept.
 */
#include "cli/record/record_pairs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "compare/change.h"
#include "os/file/paths.h"
#include "os/process/child.h"
#include "os/process/program_file.h"

struct pairs {
    const struct tv_cli *cli;
    const struct tv_record_program_options *options;
    const char *folder;
    uint64_t count;
    struct tv_arguments sides[2];
};

/* Splits the words at the first "--". */
static bool split_sides(const struct tv_arguments *arguments, struct tv_arguments sides[2])
{
    size_t at = 0;
    while (at < arguments->count && strcmp(arguments->of[at], "--") != 0)
        at++;
    if (!at || at + 1 >= arguments->count)
        return false;
    sides[0] = (struct tv_arguments){.of = arguments->of, .count = at};
    sides[1] =
        (struct tv_arguments){.of = arguments->of + at + 1, .count = arguments->count - at - 1};
    return true;
}

static bool name_trace(const struct pairs *pairs, unsigned side, uint64_t number,
                       char path[TV_PATH_CAP])
{
    int len = snprintf(path, TV_PATH_CAP, "%s/%s-%llu.trace", pairs->folder, tv_side_words[side],
                       (unsigned long long)number);
    return len > 0 && (size_t)len < TV_PATH_CAP;
}

static int record_one(const struct pairs *pairs, unsigned side, uint64_t number)
{
    struct tv_record_program_options options = *pairs->options;
    char path[TV_PATH_CAP];
    struct stat status;
    if (!name_trace(pairs, side, number, path))
        return tv_cli_misuse(pairs->cli, "record: the folder has too long a name");
    tv_cli_note(pairs->cli, NULL, "pair %llu of %llu, %s", (unsigned long long)number,
                (unsigned long long)pairs->count, tv_side_words[side]);
    options.output = path;
    int ended = tv_record_program(pairs->cli, &options, &pairs->sides[side]);
    if (ended == TV_STATUS_FINE && stat(path, &status) != 0)
        ended = TV_STATUS_FAILED;
    if (ended != TV_STATUS_FINE)
        tv_cli_note(pairs->cli, NULL,
                    "pair %llu, %s: it ended with status %d, so nothing is compared",
                    (unsigned long long)number, tv_side_words[side], ended);
    return ended;
}

static int record_all(const struct pairs *pairs)
{
    for (uint64_t number = 1; number <= pairs->count; number++) {
        for (unsigned turn = 0; turn < 2; turn++) {
            int status = record_one(pairs, (unsigned)(number + 1 + turn) % 2, number);
            if (status != TV_STATUS_FINE)
                return status;
        }
    }
    return TV_STATUS_FINE;
}

/* The words of the command that compares: traceview diff --old A B --new C D. */
static enum tv_code add_words(const struct pairs *pairs, struct tv_arena *arena,
                              const char ***words, struct tv_error *err)
{
    size_t count = 0;
    TV_TRY(tv_arena_take(arena, (2 * pairs->count + 5) * sizeof(**words), words, err));
    (*words)[count++] = "traceview";
    (*words)[count++] = "diff";
    for (unsigned side = 0; side < 2; side++) {
        (*words)[count++] = side ? "--new" : "--old";
        for (uint64_t number = 1; number <= pairs->count; number++) {
            char *path;
            TV_TRY(tv_arena_take(arena, TV_PATH_CAP, &path, err));
            if (!name_trace(pairs, side, number, path))
                return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "too long a name");
            (*words)[count++] = path;
        }
    }
    (*words)[count] = NULL;
    return TV_OK;
}

/* Becomes the command that compares, whose answer and status are those of this one. */
static int compare(const struct pairs *pairs)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_arena arena;
    const char **words;
    tv_arena_init(&arena, pairs->cli->alloc);
    enum tv_code code = add_words(pairs, &arena, &words, &err);
    if (code == TV_OK) {
        (void)fflush(pairs->cli->err);
        tv_child_become("/proc/self/exe", words);
        code = tv_fail(&err, TV_ERR_SYSTEM, TV_NO_OFFSET, "traceview diff could not be started");
    }
    tv_arena_release(&arena);
    return tv_cli_fail(pairs->cli, NULL, &err);
}

/* Makes the folder, which must be new: traces of an earlier comparison would be replaced by and by.
 */
static enum tv_code make_folder(const char *folder, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    struct stat status;
    int len = snprintf(path, sizeof(path), "%s/", folder);
    if (len < 2 || (size_t)len >= sizeof(path))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "-o names no folder");
    if (lstat(folder, &status) == 0)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s is there already: name a new folder with -o", folder);
    return tv_path_make_folders(path, err);
}

/* Whether the classes of a program are its name: it is one in C, or the like, without its sources.
 */
static bool has_name_for_classes(const char *program, char path[TV_PATH_CAP])
{
    return tv_program_file(program, path) && tv_program_file_has(path, ".symtab") &&
           !tv_program_file_has(path, ".debug_info");
}

/* Methods of ./app-old and of ./app-new are other methods where these names are their classes. */
static void tell_other_names(const struct pairs *pairs)
{
    char paths[2][TV_PATH_CAP];
    const char *names[2];
    for (unsigned side = 0; side < 2; side++) {
        if (!has_name_for_classes(pairs->sides[side].of[0], paths[side]))
            return;
        names[side] = tv_file_name_of(paths[side]);
    }
    if (strcmp(names[0], names[1]) != 0)
        tv_cli_note(pairs->cli, NULL,
                    "%s and %s have no sources (-g), so that their names are the classes: no "
                    "method of one is on the other side; compile both with -g, or give both one "
                    "name, in two folders",
                    names[0], names[1]);
}

int tv_record_pairs(const struct tv_cli *cli, const struct tv_record_program_options *options,
                    uint64_t count, const struct tv_arguments *arguments)
{
    struct pairs pairs = {.cli = cli,
                          .options = options,
                          .folder = options->output ? options->output : "pairs",
                          .count = count};
    struct tv_error err = {.code = TV_OK};
    if (options->view || options->jvm)
        return tv_cli_misuse(cli, "record: --pairs has no use for %s",
                             options->view ? "--view" : "--jvm");
    if (!split_sides(arguments, pairs.sides))
        return tv_cli_misuse(cli, "record: --pairs needs two programs: -- OLD -- NEW");
    if (make_folder(pairs.folder, &err) != TV_OK) {
        (void)tv_cli_fail(cli, NULL, &err);
        return tv_cli_status(err.code);
    }
    tell_other_names(&pairs);
    int status = record_all(&pairs);
    return status == TV_STATUS_FINE ? compare(&pairs) : status;
}
