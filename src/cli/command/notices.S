/* What others wrote and the program contains, as scripts/make_notices left it in the folder that -I names; see help.h. */

/* One object without the note that its jumps are checked (-fcf-protection) takes the check from the
 * whole program. This one has no jumps; the header writes the note. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .global tv_notices
    .hidden tv_notices
tv_notices:
    .incbin "notices.txt"
    .byte 0

    .section .note.GNU-stack, "", %progbits
