/* The script of flame graphs as the build left it in the folder that -I names; see flame_script.h. */

/* One object without the note that its jumps are checked (-fcf-protection) takes the check from the
 * whole program. This one has no jumps; the header writes the note. */
#ifdef __CET__
#include <cet.h>
#endif

    .section .rodata
    .global tv_flame_script_text
    .hidden tv_flame_script_text
    .global tv_flame_script_text_end
    .hidden tv_flame_script_text_end
tv_flame_script_text:
    .incbin "flame.js"
tv_flame_script_text_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
