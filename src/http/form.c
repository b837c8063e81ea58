/*
 * Forms by libmicrohttpd's post processor; see http/form.h.
 *
 * The library splits the body at its boundaries and hands over pieces of parts. A file's bytes are
 * passed on as they come; a field's value is gathered until the part ends, up to
 * TV_FORM_FIELD_MOST. The first failure of a call is kept and ends the form: the library only tells
 * that a call refused, not why.
 */
#include "http/form.h"

#include <microhttpd.h>
#include <string.h>

#include "base/memory/buffer.h"

/* What the post processor holds back while it looks for the end of a part. */
#define LOOK_LEN ((size_t)64 << 10)
/* Of RFC 2046, section 5.1.1. */
#define BOUNDARY_MOST 70u

struct tv_form {
    const struct tv_alloc *alloc;
    const struct tv_form_calls *calls;
    void *ctx;
    struct MHD_PostProcessor *processor;
    struct tv_buffer name;      /* of the part */
    struct tv_buffer file_name; /* of the part, if it is a file */
    struct tv_buffer value;     /* so far, if it is none */
    uint64_t part_len;          /* bytes of the part so far */
    unsigned part_count;
    bool has_part, is_file;
    struct tv_error failure; /* of a call; code TV_OK: none */
};

static const struct tv_str multipart = {"multipart/form-data", 19};

bool tv_form_is(const struct tv_http_request *request)
{
    struct tv_str type = tv_http_header(request, "Content-Type");
    struct tv_str rest = type;
    struct tv_str first;
    if (!type.at || !tv_str_split(&rest, ';', &first))
        return false;
    return tv_str_equal_folded(tv_str_trim(first), multipart);
}

/* Checks the boundary before the library sees it. Versions before 0.9.76 read beyond a boundary
 * that is a single quote (CVE-2023-27371); any version refuses boundaries of one letter, and takes
 * what stands behind the boundary as a part of it. Returns what is wrong, or NULL. */
static const char *find_fault(struct tv_str type)
{
    static const char none[] =
        "the form has no boundary: send it as multipart/form-data; boundary=...";
    static const char others[] = "'()+_,-./:=? ";
    static const struct tv_str key = {"boundary=", 9};
    size_t at = tv_str_find(type, key, TV_CASE_FOLD);
    if (at == SIZE_MAX)
        return none;
    struct tv_str boundary = {type.at + at + key.len, type.len - at - key.len};
    bool is_quoted = boundary.len && boundary.at[0] == '"';
    if (is_quoted) {
        boundary.at++;
        boundary.len--;
    }
    size_t len = 0;
    while (len < boundary.len && boundary.at[len] != (is_quoted ? '"' : ';')) {
        char c = boundary.at[len++];
        bool is_letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && (!c || !strchr(others, c)))
            return none;
    }
    bool is_closed = !is_quoted || len < boundary.len;
    if (!len || len > BOUNDARY_MOST || !is_closed)
        return none;
    if (len == 1 && !is_quoted)
        return "the boundary of the form is too short: two signs at least";
    return len + is_quoted < boundary.len
               ? "boundary=... must be the end of the form's Content-Type"
               : NULL;
}

/* Hands over the value of a field, once all of it is there. */
static enum tv_code end_part(struct tv_form *form, struct tv_error *err)
{
    if (!form->has_part || form->is_file)
        return TV_OK;
    form->has_part = false;
    return form->calls->field(form->ctx, tv_buffer_view(&form->name), tv_buffer_view(&form->value),
                              err);
}

static enum tv_code set_text(struct tv_buffer *buffer, const char *text, struct tv_error *err)
{
    buffer->len = 0;
    return tv_buffer_append(buffer, text, strlen(text), err);
}

/* The library hands over a part without bytes more than once; only the first time begins it. */
static bool is_same_part(const struct tv_form *form, const char *name, const char *file_name)
{
    return form->has_part && !form->part_len && form->is_file == (file_name != NULL) &&
           tv_str_equal(tv_buffer_view(&form->name), tv_str_from(name)) &&
           (!file_name || tv_str_equal(tv_buffer_view(&form->file_name), tv_str_from(file_name)));
}

/* Ends the part before, and begins the next. A part with a file name is a file (RFC 7578, section
 * 4.2). */
static enum tv_code begin_part(struct tv_form *form, const char *name, const char *file_name,
                               struct tv_error *err)
{
    TV_TRY(end_part(form, err));
    if (++form->part_count > TV_FORM_PARTS_MOST)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the form has more than %u fields",
                       TV_FORM_PARTS_MOST);
    form->value.len = 0;
    form->part_len = 0;
    form->has_part = true;
    form->is_file = file_name != NULL;
    TV_TRY(set_text(&form->name, name, err));
    TV_TRY(set_text(&form->file_name, file_name ? file_name : "", err));
    if (!form->is_file)
        return TV_OK;
    return form->calls->file(form->ctx, tv_buffer_view(&form->name),
                             tv_buffer_view(&form->file_name), err);
}

/* A field is held whole until its end, hence the limit; of a file only pieces pass through. */
static enum tv_code add_bytes(struct tv_form *form, const char *bytes, size_t len,
                              struct tv_error *err)
{
    form->part_len += len;
    if (form->is_file)
        return form->calls->bytes(form->ctx, bytes, len, err);
    if (len > TV_FORM_FIELD_MOST - form->value.len)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "the field \"%.*s\" is longer than 64 KiB, and is no file",
                       tv_str_shown_len(tv_buffer_view(&form->name)),
                       tv_buffer_view(&form->name).at);
    return tv_buffer_append(&form->value, bytes, len, err);
}

/* Files with a transfer encoding are refused: no browser sends any (RFC 7578, section 4.7), and
 * their bytes would be stored encoded. */
static bool is_plain(const char *encoding)
{
    return !encoding || !strcmp(encoding, "binary") || !strcmp(encoding, "8bit") ||
           !strcmp(encoding, "7bit");
}

static enum tv_code take_part(struct tv_form *form, const char *name, const char *file_name,
                              uint64_t off, struct tv_str bytes, struct tv_error *err)
{
    if (!off && !is_same_part(form, name, file_name))
        TV_TRY(begin_part(form, name, file_name, err));
    return bytes.len ? add_bytes(form, bytes.at, bytes.len, err) : TV_OK;
}

/* The library's callback. MHD_NO makes it stop; form->failure then says why. */
static enum MHD_Result take(void *ctx, enum MHD_ValueKind kind, const char *key,
                            const char *filename, const char *content_type,
                            const char *transfer_encoding, const char *data, uint64_t off,
                            size_t size)
{
    struct tv_form *form = ctx;
    struct tv_error err = {.code = TV_OK};
    (void)kind;
    (void)content_type;
    if (!is_plain(transfer_encoding)) {
        (void)tv_fail(&form->failure, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                      "a part of the form is encoded: send its bytes as they are");
        return MHD_NO;
    }
    if (take_part(form, key ? key : "", filename, off, (struct tv_str){data, size}, &err) == TV_OK)
        return MHD_YES;
    form->failure = err;
    return MHD_NO;
}

enum tv_code tv_form_new(struct tv_form **form, const struct tv_alloc *alloc,
                         const struct tv_http_request *request, const struct tv_form_calls *calls,
                         void *ctx, struct tv_error *err)
{
    struct tv_form *made;
    *form = NULL;
    const char *fault = find_fault(tv_http_header(request, "Content-Type"));
    if (fault)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", fault);
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    *made = (struct tv_form){.alloc = alloc, .calls = calls, .ctx = ctx};
    tv_buffer_init(&made->name, alloc);
    tv_buffer_init(&made->file_name, alloc);
    tv_buffer_init(&made->value, alloc);
    made->processor = MHD_create_post_processor(request->library, LOOK_LEN, take, made);
    if (!made->processor) {
        tv_form_free(made);
        return tv_fail_memory(err, LOOK_LEN);
    }
    *form = made;
    return TV_OK;
}

static enum tv_code refuse(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "the body is no form as its Content-Type says");
}

static enum tv_code pass_on(const struct tv_form *form, struct tv_error *err)
{
    if (err)
        *err = form->failure;
    return form->failure.code;
}

enum tv_code tv_form_add(struct tv_form *form, const void *bytes, size_t len, struct tv_error *err)
{
    if (form->failure.code == TV_OK && MHD_post_process(form->processor, bytes, len) == MHD_NO &&
        form->failure.code == TV_OK)
        (void)refuse(&form->failure);
    return pass_on(form, err);
}

enum tv_code tv_form_end(struct tv_form *form, struct tv_error *err)
{
    struct MHD_PostProcessor *processor = form->processor;
    form->processor = NULL;
    if (MHD_destroy_post_processor(processor) == MHD_NO && form->failure.code == TV_OK)
        (void)tv_fail(&form->failure, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                      "the form ends before its last boundary: the upload was cut");
    TV_TRY(pass_on(form, err));
    return end_part(form, err);
}

void tv_form_free(struct tv_form *form)
{
    if (!form)
        return;
    if (form->processor)
        (void)MHD_destroy_post_processor(form->processor);
    tv_buffer_release(&form->name);
    tv_buffer_release(&form->file_name);
    tv_buffer_release(&form->value);
    tv_alloc_release(form->alloc, &form, 1, sizeof(*form));
}
