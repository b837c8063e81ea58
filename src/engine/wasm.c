/*
 * The exports of either module, and what they share; see engine/wasm.h.
 *
 * One engine lives as long as the module. Its memory comes by engine/wasm_alloc.h.
 */
#include "engine/wasm.h"

#include "engine/host.h"
#include "engine/wasm_alloc.h"

/* Longer than any question that the api answers. The room is no block, since a block would stand in
 * the middle of the memory that one trace leaves to the next. */
#define ROOM_LEN ((size_t)1 << 17)

/* What the module is for as long as it lives. */
static struct {
    struct tv_engine engine;
    bool is_init;
    struct tv_error error;
    uint8_t room[ROOM_LEN];
} module;

static bool tell(void *ctx, uint64_t done, uint64_t of)
{
    (void)ctx;
    return tv_host_progress((double)done, (double)of) != 0;
}

struct tv_engine *tv_wasm_engine(void)
{
    static const struct tv_engine_progress progress = {.tell = tell};
    if (!module.is_init) {
        tv_engine_init(&module.engine, tv_wasm_alloc(), &progress);
        module.is_init = true;
    }
    module.error = (struct tv_error){.code = TV_OK};
    return &module.engine;
}

struct tv_error *tv_wasm_error(void)
{
    return &module.error;
}

/* Makes memory grow in one step by what a file and the building of its index take as a rule, and
 * leaves it to those who ask next. It costs nothing until it is used; growing in many steps takes
 * longer than reading. Where it is refused, memory grows as it is needed. */
static void grow_ahead(uint64_t file_len)
{
    uint64_t len = file_len * 5 / 2 + ((uint64_t)8 << 20);
    const struct tv_alloc *alloc = tv_wasm_alloc();
    size_t asked = len < TV_WASM_BLOCK_MOST ? (size_t)len : TV_WASM_BLOCK_MOST;
    void *block = alloc->resize(alloc->ctx, NULL, 0, asked);
    tv_alloc_release(alloc, &block, asked, 1);
}

/* Room for the texts of a call: a name, or a route with its query behind it. NULL: refused. */
TV_EXPORT(room) uint8_t *give_room(size_t len)
{
    (void)tv_wasm_engine();
    if (len <= ROOM_LEN)
        return module.room;
    (void)tv_fail(&module.error, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a text of more than %zu bytes",
                  ROOM_LEN);
    return NULL;
}

/* Chooses the trace that all further calls are about. 0: there is no such place. */
TV_EXPORT(mean) int32_t mean(size_t place)
{
    struct tv_engine *of = tv_wasm_engine();
    if (place >= TV_ENGINE_TRACES)
        return 0;
    of->meant = place;
    return 1;
}

/* Room for a file; NULL: refused. */
TV_EXPORT(reserve) uint8_t *reserve(uint32_t len_low, uint32_t len_high)
{
    const uint64_t len = (uint64_t)len_high << 32 | len_low;
    struct tv_engine *of = tv_wasm_engine();
    uint8_t *at = NULL;
    if (tv_engine_meant(of)->has_index)
        tv_engine_release(of);
    if (len <= TV_ENGINE_TRACE_MOST && !of->bytes)
        grow_ahead(len);
    return tv_engine_reserve(of, len, &at, &module.error) == TV_OK ? at : NULL;
}

/* What reading a trace returns. OTHER_FILE: this module does not know the file's format. */
enum { LOADED, FAILED, REFUSED_MAPPING, OTHER_FILE };

TV_EXPORT(load) int32_t load(const char *name, size_t name_len, size_t len, uint32_t is_cut)
{
    struct tv_engine *of = tv_wasm_engine();
    enum tv_code code =
        tv_engine_load(of, tv_wasm_text(name, name_len), len,
                       is_cut ? TV_ENGINE_FILE_CUT : TV_ENGINE_FILE_WHOLE, &module.error);
    if (code == TV_OK)
        return LOADED;
    if (code == TV_ERR_FOREIGN)
        return OTHER_FILE;
    return of->mapping.is_refused ? REFUSED_MAPPING : FAILED;
}

int32_t tv_wasm_status(enum tv_code code)
{
    return code == TV_OK ? module.engine.answer.status : 0;
}

/* Returns a tv_wasm_status. */
TV_EXPORT(ask) int32_t ask(const char *route, size_t route_len, const char *query, size_t query_len)
{
    return tv_wasm_status(tv_engine_ask(tv_wasm_engine(), tv_wasm_text(route, route_len),
                                        tv_wasm_text(query, query_len), &module.error));
}

TV_EXPORT(body) const uint8_t *body(void)
{
    return module.engine.answer.body.bytes;
}

TV_EXPORT(body_len) size_t body_len(void)
{
    return module.engine.answer.body.len;
}

/* A text ended by NUL. */
TV_EXPORT(type) const char *type(void)
{
    return module.engine.answer.content_type;
}

/* The line of the last call's failure, ended by NUL; empty: it did not fail. */
TV_EXPORT(error) const char *error(void)
{
    return module.error.text;
}

TV_EXPORT(release) void release(void)
{
    tv_engine_release(tv_wasm_engine());
}
