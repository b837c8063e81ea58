/* Headers from files; see cli/site/header_file.h. What a header may not hold is refused, so that a
 * file with two lines makes no second header. */
#include "cli/site/header_file.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/buffer.h"
#include "os/file/paths.h"

enum tv_code tv_header_file_read(const char *path, const char *name, size_t most,
                                 const struct tv_alloc *alloc, char *header, struct tv_error *err)
{
    struct tv_buffer secret;
    if (!path)
        return TV_OK;
    tv_buffer_init(&secret, alloc);
    enum tv_code code = tv_file_read_small(path, most, &secret, err);
    struct tv_str text = tv_buffer_view(&secret);
    while (text.len && (text.at[text.len - 1] == '\n' || text.at[text.len - 1] == '\r'))
        text.len--;
    for (size_t i = 0; code == TV_OK && i < text.len; i++) {
        if (text.at[i] < ' ' || text.at[i] > '~')
            code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s has more than one line of ASCII",
                           path);
    }
    if (code == TV_OK)
        (void)snprintf(header, strlen(name) + most + 1, "%s%.*s", name, (int)text.len, text.at);
    tv_buffer_release(&secret);
    return code;
}
