/*
 * Files that verbs write; see cli/file/output.h. The bytes of a verb go through a chain of sinks:
 * the packer where the name or the content wants one, else the escaper where the file is a
 * terminal, then the file.
 *
 * A regular file is written as a draft beside its name, which takes the name when all bytes are
 * there: after a failure or a crash the old file is as it was. A device or a pipe is written
 * directly, since renaming would replace it. A trace is never written to a terminal.
 */
#include "cli/file/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/file/file.h"

static bool is_standard(const struct tv_output_file *output)
{
    return strcmp(output->path, "-") == 0;
}

/* The failure is remembered for the end of the program, which would otherwise complain about
 * standard output once more. */
static enum tv_code write_out(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    const struct tv_output_file *output = ctx;
    if (fwrite(bytes, 1, len, output->file) == len)
        return TV_OK;
    if (!is_standard(output))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", output->path,
                       strerror(errno));
    *output->cli->has_told_of_out = true; /* by this failure, which the verb prints */
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the answer cannot be written: %s",
                   strerror(errno));
}

struct tv_sink tv_output_sink(struct tv_output_file *output)
{
    if (output->pack)
        return tv_pack_sink(output->pack);
    return output->is_terminal ? tv_shown_output_sink(&output->shown)
                               : (struct tv_sink){.write = write_out, .ctx = output};
}

/* Whether the path leads to a device or a pipe, which a new file of its name would replace. */
static bool is_device(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool is_same_file(const char *path, const char *input)
{
    struct stat out;
    struct stat in;
    return stat(path, &out) == 0 && stat(input, &in) == 0 && S_ISREG(out.st_mode) &&
           tv_file_is_same(&out, &in);
}

/* A path may name the input by another way, so files are compared and not names. */
bool tv_output_replaces(const char *path, const char *input)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    size_t count = tv_file_parts(input, parts);
    for (size_t i = 0; i < count; i++) {
        if (is_same_file(path, parts[i]))
            return true;
    }
    return false;
}

/* Looks whether it is a terminal, and refuses one for a trace, on which a trace is noise, and
 * which may obey some of its bytes. */
static enum tv_code look_at_terminal(struct tv_output_file *output, enum tv_output_content content,
                                     struct tv_error *err)
{
    output->is_terminal = isatty(fileno(output->file)) == 1;
    tv_shown_output_init(&output->shown, (struct tv_sink){.write = write_out, .ctx = output});
    if (content == TV_OUTPUT_TEXT || !output->is_terminal)
        return TV_OK;
    if (!is_standard(output))
        (void)fclose(output->file);
    output->file = NULL;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "a trace is not written to a terminal: name a file, or a pipe");
}

/* Opens a device or pipe directly, and anything else as a draft. */
static enum tv_code open_named(struct tv_output_file *output, struct tv_error *err)
{
    const char *path = output->path;
    if (is_device(path)) {
        output->file = fopen(path, "wb");
    } else {
        TV_TRY(tv_draft_open(&output->draft, path, 0666, err));
        output->file = tv_draft_stream(&output->draft);
    }
    if (output->file)
        return TV_OK;
    enum tv_code code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", path,
                                strerror(errno));
    return tv_draft_end(&output->draft, code, err);
}

static enum tv_packing packing_of(const char *path, enum tv_output_content content)
{
    enum tv_packing packing = tv_packing_of_name(path);
    return packing == TV_PACKING_NONE && content == TV_OUTPUT_GZIP ? TV_PACKING_GZIP : packing;
}

/* Whether to pack follows from the ending of the name (.gz, .zst), as users expect. */
enum tv_code tv_output_open(struct tv_output_file *output, const struct tv_cli *cli,
                            const char *path, enum tv_output_content content, struct tv_error *err)
{
    *output =
        (struct tv_output_file){.cli = cli, .path = path, .file = cli->out, .draft = {.fd = -1}};
    if (!is_standard(output))
        TV_TRY(open_named(output, err));
    TV_TRY(look_at_terminal(output, content, err));
    enum tv_code code = tv_pack_new(&output->pack, cli->alloc, packing_of(path, content),
                                    content == TV_OUTPUT_GZIP ? TV_PACK_QUICK : TV_PACK_SMALL,
                                    tv_output_sink(output), err);
    return code == TV_OK ? TV_OK : tv_output_close(output, code, err);
}

enum tv_code tv_output_open_beside(struct tv_output_file *output, const struct tv_cli *cli,
                                   const char *path, enum tv_output_content content,
                                   const char *input, struct tv_error *err)
{
    if (tv_output_replaces(path, input))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the output is the file itself: name another one");
    return tv_output_open(output, cli, path, content, err);
}

/* Finishes the chain from the verb's end to the file's, so that each stage may still write into the
 * next. `code` is what the verb came to: with a failure nothing is finished, and the draft is
 * dropped. */
enum tv_code tv_output_close(struct tv_output_file *output, enum tv_code code, struct tv_error *err)
{
    if (output->pack && code == TV_OK)
        code = tv_pack_finish(output->pack, err);
    else if (output->is_terminal && code == TV_OK)
        code = tv_shown_output_finish(&output->shown, err);
    tv_pack_free(output->pack);
    output->pack = NULL;
    if (!output->file || is_standard(output))
        return code;
    if (fclose(output->file) && code == TV_OK)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", output->path,
                       strerror(errno));
    return tv_draft_end(&output->draft, code, err);
}
