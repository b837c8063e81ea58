/*
 * Names replaced by hashes; see export/redact.h.
 *
 * A name becomes a letter for its kind and some digits of a SHA-256, or of an HMAC where there is a
 * key. Equal names get equal hashes wherever the
 * key is the same, so redacted traces can still be compared. Five bytes of the digest are shown; in
 * the rare case that these belong to another name already, five more are shown, and so on. Packages
 * that are to be kept are compared part by part, in Java's spelling.
 */
#include "export/redact.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes/sha256.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/names/descriptor.h"
#include "base/names/java_names.h"
#include "export/names.h"
#include "format/cut_threads.h"
#include "format/last_seen.h"
#include "format/source_findings.h"

/* Bytes of its digest that a hash shows at first; where another name has the same bytes, it shows
 * this many more. */
#define STEP 5u
#define STEP_COUNT (TV_SHA256_LEN / STEP)

/* What a hash stands for, as the letter before its digits. */
enum kind { KIND_PACKAGE = 'p', KIND_CLASS = 'C', KIND_METHOD = 'm', KIND_SIGNATURE = 's' };

/* A name that was met: equal digests are equal names. */
struct tv_redact_hash {
    uint8_t digest[TV_SHA256_LEN];
    struct tv_str text;
};

void tv_redactor_init(struct tv_redactor *redactor, const struct tv_alloc *alloc,
                      const struct tv_redact_opts *opts)
{
    *redactor = (struct tv_redactor){.alloc = alloc, .opts = *opts};
    tv_arena_init(&redactor->texts, alloc);
    tv_buffer_init(&redactor->class_name, alloc);
    tv_buffer_init(&redactor->name, alloc);
    tv_buffer_init(&redactor->signature, alloc);
    tv_map_init(&redactor->hash_of_digits, alloc);
}

void tv_redactor_release(struct tv_redactor *redactor)
{
    tv_arena_release(&redactor->texts);
    tv_buffer_release(&redactor->class_name);
    tv_buffer_release(&redactor->name);
    tv_buffer_release(&redactor->signature);
    tv_map_release(&redactor->hash_of_digits);
    tv_alloc_release(redactor->alloc, &redactor->hashes, redactor->hash_cap,
                     sizeof(*redactor->hashes));
}

static enum tv_code keep_text(struct tv_redactor *redactor, const char *text, size_t len,
                              struct tv_str *kept, struct tv_error *err)
{
    char *at;
    TV_TRY(tv_arena_take(&redactor->texts, len + 1, &at, err));
    memcpy(at, text, len);
    *kept = (struct tv_str){at, len};
    return TV_OK;
}

/* Adds a name that was not met before: its kind, and `steps` steps of its digest. */
static enum tv_code add_hash(struct tv_redactor *redactor, enum kind kind, const uint8_t *digest,
                             size_t steps, struct tv_error *err)
{
    char text[2 + 2 * TV_SHA256_LEN];
    size_t len = 0;
    text[len++] = (char)kind;
    tv_hex_put(text + len, digest, steps * STEP);
    len += 2 * steps * STEP;
    struct tv_redact_hash *hash = &redactor->hashes[redactor->hash_count];
    memcpy(hash->digest, digest, sizeof(hash->digest));
    TV_TRY(keep_text(redactor, text, len, &hash->text, err));
    redactor->hash_count++;
    return TV_OK;
}

/* The place of a name's step among those of all names of its kind. */
static uint64_t digits_of(enum kind kind, const uint8_t *digest, size_t step)
{
    uint64_t digits = (uint64_t)kind << 3 | step;
    for (size_t i = 0; i < STEP; i++)
        digits = digits << 8 | digest[step * STEP + i];
    return digits;
}

/* The text of a hash is a part of the digest. Where two names would get the same text, a later part
 * is taken; the order in which names come is that of the index, so the same trace gets the same
 * hashes. */
static enum tv_code hash_name(struct tv_redactor *redactor, enum kind kind, struct tv_str name,
                              struct tv_str *hash, struct tv_error *err)
{
    uint8_t digest[TV_SHA256_LEN];
    if (redactor->opts.key.len)
        tv_hmac_sha256(redactor->opts.key, name, digest);
    else
        tv_sha256(name, digest);
    /* First, so that no failure leaves digits in the map without their hash. */
    TV_TRY(tv_alloc_grow(redactor->alloc, &redactor->hashes, &redactor->hash_cap,
                         redactor->hash_count + 1, sizeof(*redactor->hashes), err));
    for (size_t step = 0; step < STEP_COUNT; step++) {
        uint32_t *place;
        TV_TRY(tv_map_slot(&redactor->hash_of_digits, digits_of(kind, digest, step),
                           (uint32_t)redactor->hash_count, &place, err));
        if (*place == redactor->hash_count)
            TV_TRY(add_hash(redactor, kind, digest, step + 1, err));
        if (memcmp(redactor->hashes[*place].digest, digest, sizeof(digest)) == 0) {
            *hash = redactor->hashes[*place].text;
            return TV_OK;
        }
    }
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "two names have the same hash");
}

/* Puts the Java name of a class into the buffer for it. */
static enum tv_code spell_class(struct tv_redactor *redactor, struct tv_str class_name,
                                struct tv_error *err)
{
    uint8_t *at;
    redactor->class_name.len = 0;
    TV_TRY(tv_buffer_extend(&redactor->class_name, tv_java_class_len(class_name), &at, err));
    tv_java_class_write(class_name, (char *)at);
    return TV_OK;
}

/* Whether the name begins with the package, and the package ends where a part of the name does. */
static bool is_in_package(struct tv_str class_name, struct tv_str package)
{
    if (!package.len || package.len > class_name.len)
        return false;
    for (size_t i = 0; i < package.len; i++) {
        char wanted = package.at[i] == '/' ? '.' : package.at[i];
        if (class_name.at[i] != wanted && class_name.at[i] != package.at[i])
            return false;
    }
    char last = class_name.at[package.len - 1];
    char next = class_name.len > package.len ? class_name.at[package.len] : '.';
    return last == '.' || last == '$' || next == '.' || next == '$' || next == '[';
}

/* Whether the class is in one of the packages that are kept. */
static bool is_kept(const struct tv_redactor *redactor, struct tv_str class_name)
{
    struct tv_str packages = redactor->opts.keep;
    struct tv_str package;
    while (tv_str_split(&packages, ',', &package)) {
        if (is_in_package(class_name, package))
            return true;
    }
    return false;
}

/* What stands before the last point: the package of a class, the class of a method. */
static struct tv_str package_of(struct tv_str class_name)
{
    size_t len = class_name.len;
    while (len && class_name.at[len - 1] != '.')
        len--;
    return (struct tv_str){class_name.at, len ? len - 1 : 0};
}

/* Whether the name of a method of a kept class may stay. One that a mapping could not settle lists
 * methods of other classes, too, "run | com.app.Main.run | more": it stays if all of these classes
 * are kept, and is hashed if it does not say which they are. */
static bool is_kept_name(const struct tv_redactor *redactor, struct tv_str name)
{
    static const char separator[] = " | ";
    size_t at = tv_str_find(name, TV_STR(separator), TV_CASE_EXACT);
    const bool is_list = at != SIZE_MAX;
    while (is_list && name.len) {
        const struct tv_str one = {name.at, at == SIZE_MAX ? name.len : at};
        const struct tv_str class_name = package_of(one);
        if ((class_name.len && !is_kept(redactor, class_name)) || tv_str_equal(one, TV_STR("more")))
            return false;
        const size_t taken = at == SIZE_MAX ? name.len : at + sizeof(separator) - 1;
        name = (struct tv_str){name.at + taken, name.len - taken};
        at = tv_str_find(name, TV_STR(separator), TV_CASE_EXACT);
    }
    return true;
}

/* The hashes of the class whose Java name stands in the buffer, with `separator` between them. */
static enum tv_code hash_class(struct tv_redactor *redactor, const char *separator,
                               struct tv_str *hash, struct tv_error *err)
{
    struct tv_str class_name = tv_buffer_view(&redactor->class_name);
    struct tv_str package = package_of(class_name);
    char text[2 * (2 + 2 * TV_SHA256_LEN)];
    size_t len = 0;
    if (package.len) {
        TV_TRY(hash_name(redactor, KIND_PACKAGE, package, &package, err));
        len =
            (size_t)snprintf(text, sizeof(text), "%.*s%s", (int)package.len, package.at, separator);
    }
    TV_TRY(hash_name(redactor, KIND_CLASS, class_name, hash, err));
    memcpy(text + len, hash->at, hash->len);
    return keep_text(redactor, text, len + hash->len, hash, err);
}

/* What the language calls constructors tells nothing of the program. */
static bool is_of_language(struct tv_str name)
{
    return tv_str_equal(name, TV_STR("<init>")) || tv_str_equal(name, TV_STR("<clinit>"));
}

/* Hashes a method of the class whose Java name stands in the buffer. */
static enum tv_code redact_name(struct tv_redactor *redactor, struct tv_str *name,
                                struct tv_error *err)
{
    struct tv_buffer *whole = &redactor->name;
    whole->len = 0;
    if (!name->len || is_of_language(*name))
        return TV_OK;
    if (redactor->class_name.len) {
        TV_TRY(tv_buffer_append(whole, redactor->class_name.bytes, redactor->class_name.len, err));
        TV_TRY(tv_buffer_append(whole, ".", 1, err));
    }
    TV_TRY(tv_buffer_append(whole, name->at, name->len, err));
    return hash_name(redactor, KIND_METHOD, tv_buffer_view(whole), name, err);
}

/* Adds one type of a signature, whose class may be replaced. `spelled` is all of it. */
static enum tv_code add_type(struct tv_redactor *redactor, const struct tv_descriptor *type,
                             struct tv_str spelled, struct tv_error *err)
{
    struct tv_buffer *out = &redactor->signature;
    struct tv_str name = type->name;
    if (spelled.at[type->dimensions] != 'L')
        return tv_buffer_append(out, spelled.at, spelled.len, err);
    TV_TRY(tv_buffer_append(out, spelled.at, type->dimensions + 1, err));
    TV_TRY(spell_class(redactor, name, err));
    if (!is_kept(redactor, tv_buffer_view(&redactor->class_name)))
        TV_TRY(hash_class(redactor, "/", &name, err));
    TV_TRY(tv_buffer_append(out, name.at, name.len, err));
    return tv_buffer_append(out, ";", 1, err);
}

/* Takes a type from the front of the signature, and adds it. False: none stands there. */
static enum tv_code take_type(struct tv_redactor *redactor, struct tv_str *rest, bool *is_taken,
                              struct tv_error *err)
{
    struct tv_descriptor type;
    const char *at = rest->at;
    *is_taken = tv_descriptor_take(rest, &type);
    return *is_taken ? add_type(redactor, &type, (struct tv_str){at, (size_t)(rest->at - at)}, err)
                     : TV_OK;
}

static enum tv_code take_bracket(struct tv_redactor *redactor, struct tv_str *rest, char bracket,
                                 bool *is_taken, struct tv_error *err)
{
    *is_taken = rest->len && rest->at[0] == bracket;
    if (!*is_taken)
        return TV_OK;
    *rest = (struct tv_str){rest->at + 1, rest->len - 1};
    return tv_buffer_append(&redactor->signature, &bracket, 1, err);
}

/* Puts the signature together with its classes replaced. False: it is not types in brackets and one
 * type behind them. */
static enum tv_code redact_types(struct tv_redactor *redactor, struct tv_str signature,
                                 bool *is_descriptor, struct tv_error *err)
{
    struct tv_str rest = signature;
    redactor->signature.len = 0;
    TV_TRY(take_bracket(redactor, &rest, '(', is_descriptor, err));
    while (*is_descriptor && rest.len && rest.at[0] != ')')
        TV_TRY(take_type(redactor, &rest, is_descriptor, err));
    if (*is_descriptor)
        TV_TRY(take_bracket(redactor, &rest, ')', is_descriptor, err));
    if (*is_descriptor)
        TV_TRY(take_type(redactor, &rest, is_descriptor, err));
    *is_descriptor = *is_descriptor && !rest.len;
    return TV_OK;
}

/* A signature that is no descriptor is hashed as a whole, in the brackets by which readers know
 * one. */
static enum tv_code redact_signature(struct tv_redactor *redactor, struct tv_str *signature,
                                     struct tv_error *err)
{
    bool is_descriptor;
    struct tv_buffer *out = &redactor->signature;
    TV_TRY(redact_types(redactor, *signature, &is_descriptor, err));
    if (!is_descriptor) {
        struct tv_str hash;
        TV_TRY(hash_name(redactor, KIND_SIGNATURE, *signature, &hash, err));
        out->len = 0;
        TV_TRY(tv_buffer_append(out, "(", 1, err));
        TV_TRY(tv_buffer_append(out, hash.at, hash.len, err));
        TV_TRY(tv_buffer_append(out, ")", 1, err));
    }
    return keep_text(redactor, (const char *)out->bytes, out->len, signature, err);
}

/* File and line would lead to the source, whoever has it; they go even where the class is kept. */
enum tv_code tv_redact_method(struct tv_redactor *redactor, struct tv_export_method *method,
                              struct tv_error *err)
{
    method->file = TV_STR("");
    method->line = 0;
    TV_TRY(spell_class(redactor, method->class_name, err));
    const bool keeps_class = is_kept(redactor, tv_buffer_view(&redactor->class_name));
    if (!keeps_class || !is_kept_name(redactor, method->name))
        TV_TRY(redact_name(redactor, &method->name, err));
    if (!keeps_class && method->class_name.len)
        TV_TRY(hash_class(redactor, ".", &method->class_name, err));
    return method->signature.len ? redact_signature(redactor, &method->signature, err) : TV_OK;
}

static enum tv_code name_by_number(struct tv_redactor *redactor, const char *what, uint32_t number,
                                   struct tv_str *name, struct tv_error *err)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "%s %u", what, number);
    return keep_text(redactor, text, (size_t)len, name, err);
}

enum tv_code tv_redact_thread(struct tv_redactor *redactor, uint32_t id, struct tv_str *name,
                              struct tv_error *err)
{
    bool is_main = tv_str_equal(*name, TV_STR("main"));
    return is_main ? TV_OK : name_by_number(redactor, "thread", id, name, err);
}

enum tv_code tv_redact_process(struct tv_redactor *redactor, uint32_t number, struct tv_str *name,
                               struct tv_error *err)
{
    return name_by_number(redactor, "process", number, name, err);
}

static bool is_among(struct tv_str text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        if (tv_str_equal(text, tv_str_from(words[i])))
            return true;
    }
    return false;
}

static bool are_among(struct tv_str text, const char *const *words)
{
    struct tv_str part;
    if (!text.len)
        return false;
    while (tv_str_split(&text, ',', &part)) {
        if (!is_among(tv_str_trim(part), words))
            return false;
    }
    return true;
}

static bool is_source_findings(struct tv_str value)
{
    enum tv_finding_kind kind;
    uint64_t count;
    while (value.at) {
        if (!tv_source_findings_next(&value, &kind, &count))
            return false;
    }
    return true;
}

/* Properties that are kept: their keys are known, and their values are a number or one of these
 * words, numbers of threads, or kinds of findings. Any other property may hold a name. */
bool tv_redact_keeps_property(struct tv_str key, struct tv_str value)
{
    static const char *const keys[] = {"data-file-overflow",
                                       "clock",
                                       "elapsed-time-usec",
                                       "elapsed-time-nsec",
                                       "num-method-calls",
                                       "clock-call-overhead-nsec",
                                       "record-call-overhead-nsec",
                                       "record-leaf-overhead-nsec",
                                       "record-calling-overhead-nsec",
                                       "record-writing-nsec",
                                       "sampling-interval-usec",
                                       "sampled-stacks",
                                       "sampled-running-stacks",
                                       "sampling-tick-usec",
                                       "sampling-apart-usec",
                                       "calls-left-out",
                                       "short-calls-left-out",
                                       "depth-limit",
                                       "methods-skipped",
                                       "classes-left-out",
                                       "ring-is-full",
                                       "records-lost",
                                       "file-limit",
                                       "recording-cut",
                                       "cut-from-nsec",
                                       NULL};
    static const char *const words[] = {"true",   "false",      "dual", "wall",
                                        "global", "thread-cpu", "boot", "chosen",
                                        "failed", "hidden",     NULL};
    uint64_t number;
    if (tv_str_equal(key, TV_STR(TV_LAST_SEEN_KEY)))
        return tv_last_seen_is(value);
    if (tv_str_equal(key, TV_STR(TV_CUT_THREADS_KEY)))
        return tv_cut_threads_is(value);
    if (tv_str_equal(key, TV_STR(TV_SOURCE_FINDINGS_KEY)))
        return is_source_findings(value);
    return is_among(key, keys) && (are_among(value, words) || tv_str_to_u64(value, 10, &number));
}

/* Redacts a method for a format that is written without an index (`traceview convert`): the method
 * comes from the file that is read. */
static enum tv_code redact_written_method(void *ctx, struct tv_trace_method *method,
                                          struct tv_error *err)
{
    struct tv_export_method named = {
        .class_name = method->class_name, .name = method->name, .signature = method->signature};
    TV_TRY(tv_redact_method(ctx, &named, err));
    *method = (struct tv_trace_method){.id = method->id,
                                       .class_name = named.class_name,
                                       .name = named.name,
                                       .signature = named.signature};
    return TV_OK;
}

static enum tv_code redact_written_thread(void *ctx, uint32_t id, struct tv_str *name,
                                          struct tv_error *err)
{
    return tv_redact_thread(ctx, id, name, err);
}

struct tv_write_names tv_redact_written(struct tv_redactor *redactor)
{
    return (struct tv_write_names){.ctx = redactor,
                                   .method = redact_written_method,
                                   .thread = redact_written_thread,
                                   .has_property = tv_redact_keeps_property};
}
