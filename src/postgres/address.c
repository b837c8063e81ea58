/* Addresses of databases; see postgres/address.h. */
#include "postgres/address.h"

#include <string.h>

#include "base/memory/buffer.h"
#include "os/file/paths.h"
#include "postgres/pool.h"

#define PASSWORD_MOST ((size_t)4096)

static void release_text(const struct tv_alloc *alloc, char *text)
{
    if (text)
        tv_alloc_release(alloc, &text, strlen(text) + 1, 1);
}

static enum tv_code copy_text(const struct tv_alloc *alloc, struct tv_str text, char **copy,
                              struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, copy, text.len + 1, 1, err));
    if (text.len)
        memcpy(*copy, text.at, text.len);
    return TV_OK;
}

/* The first line of the file. */
static enum tv_code read_password(struct tv_pg_address *address, const char *file,
                                  struct tv_error *err)
{
    struct tv_buffer content;
    struct tv_error inner;
    struct tv_str line = {"", 0};
    if (!file || !file[0])
        return copy_text(address->alloc, line, &address->password, err);
    tv_buffer_init(&content, address->alloc);
    enum tv_code code = tv_file_read_small(file, PASSWORD_MOST, &content, &inner);
    if (code != TV_OK)
        code = tv_fail(err, code, TV_NO_OFFSET, "store-password-file: %s", inner.text);
    struct tv_str rest = tv_buffer_view(&content);
    (void)tv_str_split(&rest, '\n', &line);
    line.len -= line.len && line.at[line.len - 1] == '\r';
    if (code == TV_OK && (!line.len || memchr(line.at, '\0', line.len)))
        code = tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "store-password-file: its first line must be the password");
    if (code == TV_OK)
        code = copy_text(address->alloc, line, &address->password, err);
    tv_buffer_release(&content);
    return code;
}

enum tv_code tv_pg_address_read(struct tv_pg_address *address, const char *url,
                                const char *password_file, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    *address = (struct tv_pg_address){.alloc = alloc};
    TV_TRY(tv_pg_check_url(url, err));
    TV_TRY(copy_text(alloc, tv_str_from(url), &address->url, err));
    return read_password(address, password_file, err);
}

void tv_pg_address_release(struct tv_pg_address *address)
{
    release_text(address->alloc, address->url);
    release_text(address->alloc, address->password);
    *address = (struct tv_pg_address){.alloc = NULL};
}
