/* The files of the page, packed, as the build left them in the folder that -I names; see page.c. */
    .section .rodata
    .macro page_file name, file
    .global tv_page_\name
    .hidden tv_page_\name
    .global tv_page_\name\()_end
    .hidden tv_page_\name\()_end
    .global tv_page_\name\()_etag
    .hidden tv_page_\name\()_etag
    .global tv_page_\name\()_etag_end
    .hidden tv_page_\name\()_etag_end
tv_page_\name:
    .incbin "\file\().gz"
tv_page_\name\()_end:
tv_page_\name\()_etag:
    .incbin "\file\().etag"
tv_page_\name\()_etag_end:
    .endm

    page_file index, index.html
    page_file script, app.js
    page_file style, app.css

    .section .note.GNU-stack, "", %progbits
