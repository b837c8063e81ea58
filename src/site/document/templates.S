/* The templates of the pages, from the folder html/ that -I names; see templates.h. */

/* One object without the note that its jumps are checked (-fcf-protection) takes the check from the
 * whole program. This one has no jumps; the header writes the note. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .macro template name
    .global tv_template_\name
    .hidden tv_template_\name
    .global tv_template_\name\()_end
    .hidden tv_template_\name\()_end
tv_template_\name:
    .incbin "\name\().html"
tv_template_\name\()_end:
    .byte 0
    .endm

#define TEMPLATE(name) template name
#include "site/document/template_list.inc"

    .section .note.GNU-stack, "", %progbits
