/* Reading passwords; see os/file/password_file.h. What was read of the file is written over before
 * its memory goes back, since it may lie in a core file or in a block of somebody else's. */
#include "os/file/password_file.h"

#include <string.h>

#include "base/memory/buffer.h"
#include "base/str.h"
#include "os/file/paths.h"

static enum tv_code take_line(char password[TV_PASSWORD_CAP], struct tv_str content,
                              const char *setting, struct tv_error *err)
{
    struct tv_str line = {"", 0};
    (void)tv_str_split(&content, '\n', &line);
    line.len -= line.len && line.at[line.len - 1] == '\r';
    if (!line.len || memchr(line.at, '\0', line.len))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s: its first line must be the password", setting);
    memcpy(password, line.at, line.len);
    password[line.len] = '\0';
    return TV_OK;
}

void tv_password_forget(void *password, size_t len)
{
    explicit_bzero(password, len);
}

enum tv_code tv_password_read(char password[TV_PASSWORD_CAP], const char *file, const char *setting,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_buffer content;
    struct tv_error inner;
    password[0] = '\0';
    if (!file || !file[0])
        return TV_OK;
    tv_buffer_init(&content, alloc);
    enum tv_code code = tv_file_read_small(file, TV_PASSWORD_CAP - 1, &content, &inner);
    if (code != TV_OK)
        code = tv_fail(err, code, TV_NO_OFFSET, "%s: %s", setting, inner.text);
    else
        code = take_line(password, tv_buffer_view(&content), setting, err);
    if (content.len)
        tv_password_forget(content.bytes, content.len);
    tv_buffer_release(&content);
    return code;
}
