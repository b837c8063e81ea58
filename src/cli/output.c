/* See cli/output.h. */
#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

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

enum tv_code tv_output_open(struct tv_output *output, const struct tv_cli *cli, const char *path,
                            struct tv_error *err)
{
    *output = (struct tv_output){.path = path, .file = cli->out};
    if (strcmp(path, "-") == 0)
        return TV_OK;
    int len =
        snprintf(output->temporary, sizeof(output->temporary), "%s.%ld.part", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(output->temporary))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%s: the name is too long", path);
    output->file = fopen(output->temporary, "wbx");
    if (!output->file)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", path,
                       strerror(errno));
    return TV_OK;
}

enum tv_code tv_output_close(struct tv_output *output, enum tv_code code, struct tv_error *err)
{
    if (!output->temporary[0] || !output->file)
        return code;
    int failed = fflush(output->file) ? errno : 0;
    if (fclose(output->file) && !failed)
        failed = errno;
    if (code == TV_OK && !failed && rename(output->temporary, output->path))
        failed = errno;
    if (code == TV_OK && failed)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", output->path,
                       strerror(failed));
    if (code != TV_OK)
        (void)remove(output->temporary);
    return code;
}
