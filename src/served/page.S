/* The page as the build left it in the folder that -I names; see page.h. */

/* One object without the note that its jumps are checked (-fcf-protection) takes the check from the
 * whole program. This one has no jumps; the header writes the note. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .macro page_part name, file
    .global tv_page_\name
    .hidden tv_page_\name
    .global tv_page_\name\()_end
    .hidden tv_page_\name\()_end
tv_page_\name:
    .incbin "\file"
tv_page_\name\()_end:
    .byte 0
    .endm

    page_part index, index.html.gz
    page_part index_etag, index.html.etag
    page_part policy_text, policy
    page_part template, report.html.gz
    page_part zstd_bytes, zstd.wasm.gz
#ifdef TV_HAS_ENGINE
    page_part engine_bytes, engine-exports.wasm.gz
#endif

    .section .note.GNU-stack, "", %progbits
