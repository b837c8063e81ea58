/*
 * The bytes that files.S put into the binary, and their names; see site/document/static_files.h. A
 * name has a hash of the bytes in it, so that browsers may keep a file for good, and a new version
 * has a new name.
 */
#include "site/document/static_files.h"

#include <stdint.h>
#include <stdio.h>

#include "base/bytes/sha256.h"

extern const char tv_document_site_style[], tv_document_site_style_end[];
extern const char tv_document_site_script[], tv_document_site_script_end[];

/* The name is made of the content, so a new version of the program has new names and no browser
 * shows an old style. */
static void init_file(struct tv_document_file *file, const char *at, const char *end,
                      const char *ending, const char *type)
{
    uint8_t sum[TV_SHA256_LEN];
    *file = (struct tv_document_file){.type = type, .bytes = {at, (size_t)(end - at)}};
    if (!file->bytes.len)
        return;
    tv_sha256(file->bytes, sum);
    uint64_t first = 0;
    for (unsigned i = 0; i < 8; i++)
        first = first << 8 | sum[i];
    snprintf(file->name, sizeof(file->name), "site-%016llx.%s", (unsigned long long)first, ending);
}

void tv_document_files_init(struct tv_document_files *files)
{
    init_file(&files->style, tv_document_site_style, tv_document_site_style_end, "css",
              "text/css; charset=utf-8");
    init_file(&files->script, tv_document_site_script, tv_document_site_script_end, "js",
              "text/javascript; charset=utf-8");
}

static bool has_name(const struct tv_document_file *file, struct tv_str name)
{
    return name.len && tv_str_equal(tv_str_from(file->name), name);
}

const struct tv_document_file *tv_document_files_find(const struct tv_document_files *files,
                                                      struct tv_str name)
{
    if (has_name(&files->style, name))
        return &files->style;
    return has_name(&files->script, name) ? &files->script : NULL;
}
