/*
 * Addresses of databases. A URL of a site's settings never holds the password: it comes from a file
 * that only its owner may read, or from libpq's own files, and its copy here is overwritten before
 * its memory goes back.
 */
#include "postgres/address.h"

#include <string.h>

#include "base/str.h"
#include "os/file/password_file.h"
#include "postgres/pool.h"

/* Written over: one of them is a password. */
static void release_text(const struct tv_alloc *alloc, char *text)
{
    const size_t len = text ? strlen(text) : 0;
    if (!text)
        return;
    tv_password_forget(text, len);
    tv_alloc_release(alloc, &text, len + 1, 1);
}

static enum tv_code copy_text(const struct tv_alloc *alloc, struct tv_str text, char **copy,
                              struct tv_error *err)
{
    TV_TRY(tv_alloc_new(alloc, copy, text.len + 1, 1, err));
    if (text.len)
        memcpy(*copy, text.at, text.len);
    return TV_OK;
}

static enum tv_code read_password(struct tv_pg_address *address, struct tv_error *err)
{
    char password[TV_PASSWORD_CAP];
    char *copy = NULL;
    enum tv_code code = tv_password_read(password, address->password_file, "store-password-file",
                                         address->alloc, err);
    if (code == TV_OK)
        code = copy_text(address->alloc, tv_str_from(password), &copy, err);
    if (code == TV_OK) {
        release_text(address->alloc, address->password);
        address->password = copy;
    }
    tv_password_forget(password, sizeof(password));
    return code;
}

enum tv_code tv_pg_address_read(struct tv_pg_address *address, const char *url,
                                const char *password_file, const struct tv_alloc *alloc,
                                struct tv_error *err)
{
    *address = (struct tv_pg_address){.alloc = alloc};
    TV_TRY(tv_pg_check_url(url, err));
    TV_TRY(copy_text(alloc, tv_str_from(url), &address->url, err));
    TV_TRY(copy_text(alloc, tv_str_from(password_file ? password_file : ""),
                     &address->password_file, err));
    return read_password(address, err);
}

void tv_pg_address_reread(struct tv_pg_address *address)
{
    const enum tv_code code = read_password(address, NULL);
    (void)code;
}

void tv_pg_address_release(struct tv_pg_address *address)
{
    release_text(address->alloc, address->url);
    release_text(address->alloc, address->password);
    release_text(address->alloc, address->password_file);
    *address = (struct tv_pg_address){.alloc = NULL};
}
