# COUNT functions, f1 and so on, that do nothing but call the hooks; call_all calls each once.
    .text
    .altmacro
    .macro one n
    .globl f\n
    .type f\n, @function
f\n:
    push %rbx
    lea f\n(%rip), %rbx
    mov %rbx, %rdi
    xor %esi, %esi
    call __cyg_profile_func_enter@PLT
    mov %rbx, %rdi
    xor %esi, %esi
    call __cyg_profile_func_exit@PLT
    pop %rbx
    ret
    .size f\n, . - f\n
    .endm
    .macro call_one n
    call f\n
    .endm
    .globl call_all
call_all:
    push %rbp
    .set i, 0
    .rept COUNT
    .set i, i + 1
    call_one %i
    .endr
    pop %rbp
    ret
    .set i, 0
    .rept COUNT
    .set i, i + 1
    one %i
    .endr
    .section .note.GNU-stack,"",@progbits
