/* The style and the script of the site's pages, from the folders that -I names; see static_files.h. */

/* One object without the note that its jumps are checked (-fcf-protection) takes the check from the
 * whole program. This one has no jumps; the header writes the note. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .macro part_begins name
    .global tv_document_\name
    .hidden tv_document_\name
    .global tv_document_\name\()_end
    .hidden tv_document_\name\()_end
tv_document_\name:
    .endm

    part_begins site_style
    .incbin "views/css/light.css"
    .ascii "@media (prefers-color-scheme: dark) {\n"
    .incbin "views/css/dark.css"
    .ascii "}\n"
    .incbin "site/css/text.css"
    .incbin "site/css/forms.css"
    .incbin "site/css/start.css"
    .incbin "site/css/others.css"
tv_document_site_style_end:
    .byte 0

    part_begins site_script
#ifdef TV_HAS_PAGE
    .incbin "site.js"
#endif
tv_document_site_script_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
