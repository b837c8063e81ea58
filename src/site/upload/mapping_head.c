/*
 * See site/upload/mapping_head.h. The first bytes are read as a mapping file of their own: one has
 * the line of a class there, behind comments that are short. So what a stranger sends costs no more
 * than these bytes, however deep its comments nest, and whatever stands behind them.
 */
#include "site/upload/mapping_head.h"

#include <string.h>

#include "os/file/inflate.h"
#include "retrace/name_mapping.h"

/* An id that is longer than any is none. It is shown in documents, so it has signs of ASCII alone.
 */
static void keep_id(char out[TV_STORE_MAP_ID_MOST + 1], struct tv_str id)
{
    out[0] = '\0';
    if (!id.len || id.len > TV_STORE_MAP_ID_MOST)
        return;
    for (size_t i = 0; i < id.len; i++) {
        if (id.at[i] <= ' ' || id.at[i] > '~')
            return;
    }
    memcpy(out, id.at, id.len);
    out[id.len] = '\0';
}

static void keep(struct tv_mapping_head *head, const struct tv_name_mapping *mapping)
{
    struct tv_str rest = mapping->hash;
    struct tv_str word = {NULL, 0};
    keep_id(head->id, mapping->id);
    while (tv_str_split(&rest, ' ', &word)) /* "SHA-256 7d4b..." */
        continue;
    keep_id(head->hash, word);
}

enum tv_code tv_mapping_head_read(struct tv_mapping_head *head, const struct tv_alloc *alloc,
                                  struct tv_str first, struct tv_error *err)
{
    struct tv_name_mapping mapping;
    struct tv_error why = {.code = TV_OK};
    *head = (struct tv_mapping_head){.id = ""};
    if (tv_packing_of((const uint8_t *)first.at, first.len) != TV_PACKING_NONE)
        return tv_fail(err, TV_ERR_FOREIGN, TV_NO_OFFSET,
                       "is packed: a mapping of names is sent unpacked");
    tv_name_mapping_init(&mapping, alloc);
    enum tv_code code = tv_name_mapping_open(&mapping, first, &why);
    if (code == TV_OK)
        keep(head, &mapping);
    tv_name_mapping_release(&mapping);
    if (code == TV_ERR_FORMAT)
        return tv_fail(err, TV_ERR_FOREIGN, TV_NO_OFFSET, "%s", why.text);
    return code == TV_OK ? TV_OK : tv_fail(err, code, why.offset, "%s", why.text);
}
