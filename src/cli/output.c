/*
 * Files that verbs write; see cli/output.h.
 *
 * What is written gets its name last, by a rename, which replaces an older file in one step:
 * whoever opens that name finds the old bytes or the new ones, never a part. Where the system can
 * make a file without a name, an interrupted run leaves nothing behind.
 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/nameless.h"
#include "os/paths.h"

static enum tv_code write_out(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    if (fwrite(bytes, 1, len, ctx) == len)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the answer cannot be written: %s",
                   strerror(errno));
}

struct tv_sink tv_stream_sink(FILE *stream)
{
    return (struct tv_sink){.write = write_out, .ctx = stream};
}

struct tv_sink tv_output_sink(struct tv_output *output)
{
    return tv_stream_sink(output->file);
}

/* Whether the path leads to a device or a pipe, which a new file of its name would replace. */
static bool is_device(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Finds where the file is to be in the end, through links, and a temporary name in the same folder:
 * a rename works only within one disk. */
static enum tv_code name_places(struct tv_output *output, struct tv_error *err)
{
    char target[TV_PATH_CAP];
    const char *place = tv_path_real(target, output->path) ? target : output->path;
    int len = snprintf(output->place, sizeof(output->place), "%s", place);
    if (len >= 0 && (size_t)len < sizeof(output->place))
        len = snprintf(output->temporary, sizeof(output->temporary), "%s.%ld.part", place,
                       (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(output->temporary))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%s: the name is too long", output->path);
    return TV_OK;
}

/* Opens a new file beside its place: without a name where the disk can do that, else under the
 * temporary name. */
static FILE *open_new(struct tv_output *output)
{
    int fd = tv_nameless_open(output->place);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    output->is_nameless = file != NULL;
    if (fd >= 0 && !file)
        (void)close(fd);
    return file ? file : fopen(output->temporary, "wbx");
}

/* Refuses a terminal, on which a trace is noise, and which may obey some of its bytes. */
static enum tv_code refuse_terminal(struct tv_output *output, struct tv_error *err)
{
    if (isatty(fileno(output->file)) != 1)
        return TV_OK;
    if (strcmp(output->path, "-") != 0)
        (void)fclose(output->file);
    output->file = NULL;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "a trace is not written to a terminal: name a file, or a pipe");
}

enum tv_code tv_output_open(struct tv_output *output, const struct tv_cli *cli, const char *path,
                            struct tv_error *err)
{
    *output = (struct tv_output){.path = path, .file = cli->out};
    if (strcmp(path, "-") == 0)
        return refuse_terminal(output, err);
    if (!is_device(path))
        TV_TRY(name_places(output, err));
    output->file = output->temporary[0] ? open_new(output) : fopen(path, "wb");
    if (!output->file)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", path,
                       strerror(errno));
    return refuse_terminal(output, err);
}

enum tv_code tv_output_close(struct tv_output *output, enum tv_code code, struct tv_error *err)
{
    if (!output->file || strcmp(output->path, "-") == 0)
        return code;
    int failed = fflush(output->file) ? errno : 0;
    if (code == TV_OK && !failed && output->is_nameless)
        failed = tv_nameless_name(fileno(output->file), AT_FDCWD, output->temporary) ? errno : 0;
    bool is_named = output->temporary[0] && (!output->is_nameless || (code == TV_OK && !failed));
    if (fclose(output->file) && !failed)
        failed = errno;
    if (is_named && code == TV_OK && !failed && rename(output->temporary, output->place))
        failed = errno;
    if (code == TV_OK && failed)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", output->path,
                       strerror(failed));
    if (is_named && code != TV_OK)
        (void)remove(output->temporary);
    return code;
}
