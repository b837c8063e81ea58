/*
 * The engine as a native program, for tests that compare its answers with those of the module in a
 * page (tests/engine/answers.mjs).
 *
 * Reads lines, and writes for each what came of it: a line "STATUS LENGTH TYPE", and as many bytes.
 * STATUS is 0 for a failure, with the failure's line as the bytes.
 *
 *     load NAME PATH       reads a trace
 *     cut NAME PATH        the same, as from packed data that ends early
 *     ask ROUTE?QUERY      asks a route
 *     export QUERY         makes an export; its bytes come behind the answer, as a second one
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "engine/engine.h"

#define LINE_CAP 65536

static void tell(int status, const char *type, const void *bytes, size_t len)
{
    (void)printf("%d %zu %s\n", status, len, type);
    (void)fwrite(bytes, 1, len, stdout);
    (void)fflush(stdout);
}

static void tell_end(struct tv_engine *engine, enum tv_code code, const struct tv_error *err)
{
    const struct tv_buffer *body = &engine->answer.body;
    if (code != TV_OK)
        tell(0, "failure", err->text, strlen(err->text));
    else
        tell(engine->answer.status, engine->answer.content_type,
             body->len ? (const void *)body->bytes : "", body->len);
}

static enum tv_code read_file(struct tv_engine *engine, const char *path, size_t *len,
                              struct tv_error *err)
{
    FILE *file = fopen(path, "rb");
    uint8_t *at;
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be read", path);
    *len = (size_t)ftell(file);
    rewind(file);
    enum tv_code code = tv_engine_reserve(engine, *len, &at, err);
    if (code == TV_OK && fread(at, 1, *len, file) != *len)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be read", path);
    (void)fclose(file);
    return code;
}

static void load(struct tv_engine *engine, char *words, enum tv_engine_file kind)
{
    struct tv_error err = {.code = TV_OK};
    char *path = strchr(words, ' ');
    size_t len = 0;
    if (!path)
        return;
    *path++ = '\0';
    enum tv_code code = read_file(engine, path, &len, &err);
    if (code == TV_OK)
        code = tv_engine_load(engine, tv_str_from(words), len, kind, &err);
    if (code == TV_OK)
        tell(200, "loaded", "", 0);
    else
        tell(0, "failure", err.text, strlen(err.text));
}

static void ask(struct tv_engine *engine, char *words)
{
    struct tv_error err = {.code = TV_OK};
    char *query = strchr(words, '?');
    if (!query)
        return;
    *query++ = '\0';
    tell_end(engine, tv_engine_ask(engine, tv_str_from(words), tv_str_from(query), &err), &err);
}

static void export_file(struct tv_engine *engine, const char *query)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_buffer file;
    tv_buffer_init(&file, tv_alloc_libc());
    enum tv_code code = tv_engine_export(engine, tv_str_from(query), tv_buffer_sink(&file), &err);
    tell_end(engine, code, &err);
    tell(200, "file", file.len ? (const void *)file.bytes : "", file.len);
    tv_buffer_release(&file);
}

int main(void)
{
    static char line[LINE_CAP];
    struct tv_engine engine;
    const struct tv_engine_progress none = {.tell = NULL};
    tv_engine_init(&engine, tv_alloc_libc(), &none);
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "load ", 5) == 0)
            load(&engine, line + 5, TV_ENGINE_FILE_WHOLE);
        else if (strncmp(line, "cut ", 4) == 0)
            load(&engine, line + 4, TV_ENGINE_FILE_CUT);
        else if (strncmp(line, "ask ", 4) == 0)
            ask(&engine, line + 4);
        else if (strncmp(line, "export ", 7) == 0)
            export_file(&engine, line + 7);
    }
    tv_engine_release(&engine);
    return 0;
}
