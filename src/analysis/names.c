/* Names of methods from the index's text; see analysis/names.h. */
#include "analysis/names.h"

#include <stdio.h>

#include "base/error.h"

struct tv_str tv_method_class(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->class_off, method->class_len);
}

struct tv_str tv_method_name(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->name_off, method->name_len);
}

struct tv_str tv_method_signature(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->signature_off, method->signature_len);
}

struct tv_str tv_method_file(const struct tv_index *index, uint32_t method_ix)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    return tv_index_text(index, method->file_off, method->file_len);
}

static enum tv_code append_part(struct tv_buffer *out, const char *separator, struct tv_str part,
                                struct tv_error *err)
{
    if (!part.len)
        return TV_OK;
    TV_TRY(tv_buffer_append(out, separator, out->len ? 1 : 0, err));
    return tv_buffer_append(out, part.at, part.len, err);
}

enum tv_code tv_method_text(const struct tv_index *index, uint32_t method_ix, struct tv_buffer *out,
                            struct tv_error *err)
{
    const struct tv_index_method *method = &index->methods[method_ix];
    out->len = 0;
    TV_TRY(append_part(out, "", tv_method_class(index, method_ix), err));
    TV_TRY(append_part(out, ".", tv_method_name(index, method_ix), err));
    TV_TRY(append_part(out, " ", tv_method_signature(index, method_ix), err));
    if (out->len)
        return TV_OK;
    char hex[24];
    int len = snprintf(hex, sizeof(hex), "(0x%llx)", (unsigned long long)method->id);
    return tv_buffer_append(out, hex, (size_t)len, err);
}
