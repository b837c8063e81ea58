/* The description of the API, as openapi.json is in the sources. */

/* Without the note that its jumps are checked, one object takes the check from the whole program
 * (-fcf-protection). This one has no jumps; the header writes the note. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .global tv_openapi_text
    .hidden tv_openapi_text
    .global tv_openapi_text_end
    .hidden tv_openapi_text_end
tv_openapi_text:
    .incbin "openapi.json"
tv_openapi_text_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
