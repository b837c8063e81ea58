/* What reports have in them, and what others wrote, as WebAssembly's data: the files that the build left in the folders that
 * -I names; see contents.c. */

    .macro part name, file
    .section .rodata.\name, "", @
    .globl \name
    .hidden \name
    .globl \name\()_end
    .hidden \name\()_end
    .type \name, @object
    .type \name\()_end, @object
\name:
    .incbin "\file"
\name\()_end:
    .int8 0
    .size \name, . - \name
    .size \name\()_end, 1
    .endm

    part tv_page_template, "report.html.gz"
    part tv_page_engine_bytes, "engine-exports.wasm.gz"
    part tv_page_zstd_bytes, "zstd.wasm.gz"
    part tv_notices, "notices.txt"
    part tv_flame_script_text, "flame.js"
