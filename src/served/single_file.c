/*
 * A trace as a single file: what only the program has for it, the template, the engine and gzip;
 * see served/single_file.h. The part of the trace is cut, packed and read back before a byte is
 * written, so that a file that was written can be opened.
 */
#include "served/single_file.h"

#include "os/file/compress.h"
#include "os/file/inflate.h"
#include "os/memory/mapping.h"
#include "served/page.h"

bool tv_viewer_file_can(void)
{
    return tv_page_of_reports().len && tv_page_engine().len;
}

void tv_viewer_file_init(struct tv_viewer_file *one, const struct tv_alloc *alloc,
                         const struct tv_pool *pool)
{
    *one = (struct tv_viewer_file){.alloc = alloc, .pool = pool};
    tv_buffer_init(&one->page, alloc);
    tv_single_file_part_init(&one->part, alloc);
    tv_buffer_init(&one->packed, alloc);
}

void tv_viewer_file_release(struct tv_viewer_file *one)
{
    tv_buffer_release(&one->packed);
    tv_single_file_part_release(&one->part);
    tv_buffer_release(&one->page);
}

/* The template is part of this program, so it may become as long as it likes when it is unpacked.
 */
static enum tv_code take_template(struct tv_viewer_file *one, struct tv_error *err)
{
    const struct tv_str packed = tv_page_of_reports();
    const struct tv_inflate_opts opts = {.is_trusted = true};
    bool is_cut;
    if (!tv_viewer_file_can())
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "this program was built without the page or without its engine, which a "
                       "report has in it: build it with node, clang-14, lld-14 and wasi-libc "
                       "(scripts/install page engine)");
    return tv_inflate((const uint8_t *)(const void *)packed.at, packed.len, &opts, &one->page,
                      &is_cut, err);
}

/* Up to this length a script unpacks zstd soon enough; longer traces bring libzstd's decoder along,
 * which has 28 kB in the page. A short one is to be small, whatever it takes. */
#define SHORT_MOST (UINT32_C(16) << 20)

/* zstd, at a level that takes about the time that gzip does and leaves two fifths less. Without the
 * decoder a long trace is packed by gzip, which a browser unpacks by itself. */
static enum tv_code pack(struct tv_viewer_file *one, struct tv_error *err)
{
    const struct tv_buffer *bytes = &one->part.bytes;
    const bool is_short = bytes->len <= SHORT_MOST;
    const struct tv_str decoder = is_short ? (struct tv_str){NULL, 0} : tv_page_zstd();
    const bool is_zstd = is_short || decoder.len;
    struct tv_compressor *packing;
    one->decoder = decoder;
    TV_TRY(tv_pack_new(&packing, one->alloc, is_zstd ? TV_PACKING_ZSTD : TV_PACKING_GZIP,
                       is_short  ? TV_PACK_SMALLEST
                       : is_zstd ? TV_PACK_SMALLER
                                 : TV_PACK_SMALL,
                       tv_buffer_sink(&one->packed), err));
    const struct tv_sink sink = tv_pack_sink(packing);
    enum tv_code code = sink.write(sink.ctx, bytes->bytes, bytes->len, err);
    if (code == TV_OK)
        code = tv_pack_finish(packing, err);
    tv_pack_free(packing);
    return code;
}

enum tv_code tv_viewer_file_take(struct tv_viewer_file *one, const struct tv_index *index,
                                 const struct tv_export_opts *opts, struct tv_error *err)
{
    TV_TRY(take_template(one, err));
    TV_TRY(tv_single_file_part_cut(&one->part, index, opts, one->pool, err));
    TV_TRY(tv_mapping_check(index->block, err));
    TV_TRY(pack(one, err));
    return tv_single_file_part_read_back(&one->part, one->pool, err);
}

enum tv_code tv_viewer_file_write(const struct tv_viewer_file *one,
                                  const struct tv_single_file *report, struct tv_sink sink,
                                  struct tv_error *err)
{
    struct tv_single_file whole = *report;
    whole.page = tv_buffer_view(&one->page);
    whole.engine = tv_page_engine();
    whole.trace = tv_buffer_view(&one->packed);
    whole.unpacked_len = one->part.bytes.len;
    if (one->decoder.len)
        whole.decoder = one->decoder;
    return tv_single_file_write(&whole, &one->part.index, one->alloc, one->pool, sink, err);
}
