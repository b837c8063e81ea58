/* Names by Rust compilers; the readable ones are those that rustc-demangle and c++filt write, but
 * for lifetimes, types of constants, and "::" before arguments. */
#include "base/names/rust_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"

static void expect_text(const char *name, const char *expected)
{
    char text[512];
    assert_true(tv_rust_name_read(name, text, sizeof(text)));
    assert_string_equal(text, expected);
}

static void expect_none(const char *name)
{
    char text[512];
    assert_false(tv_rust_name_read(name, text, sizeof(text)));
}

static void paths_of_version_0(void **state)
{
    (void)state;
    expect_text("_RNvC1a4main", "a::main");
    expect_text("_RNvCs6GmmlP4bgsG_1r4main", "r::main");
    expect_text("_RNvNtCsgEmfK2I1SDS_4core3fmt17pointer_fmt_inner", "core::fmt::pointer_fmt_inner");
    expect_text("_RNCNvC1a4main0B3_", "a::main::{closure#0}");
    expect_text("_RNCNvC1a4mains_0B3_.llvm.123", "a::main::{closure#1}");
    expect_text("_RNSNvC1a4main6vtableB3_", "a::main::{shim:vtable#0}");
    expect_text("_RNvMs_NtC1a1bNtB4_1T3get", "<a::b::T>::get");
}

static void types_and_constants_of_version_0(void **state)
{
    (void)state;
    expect_text("_RNvXNtCs6GmmlP4bgsG_1r4deepINtB2_1GmENtB2_1T2goB4_",
                "<r::deep::G<u32> as r::deep::T>::go");
    expect_text("_RINvC1a1fmReShTtyEE", "a::f<u32, &str, [u8], (u16, u64)>");
    expect_text("_RINvC1a1fAhj10_TlEQxPnOuE",
                "a::f<[u8; 16], (i32,), &mut i64, *const i128, *mut ()>");
    expect_text("_RINvC1a1fKb1_Kan5_Kh2a_Kc41_E", "a::f<true, -5, 42, 0x41>");
    expect_text("_RINvC1a1fFUKCmEuFEyE", "a::f<unsafe extern \"C\" fn(u32), fn() -> u64>");
    expect_text("_RINvC1a1fDNtC1a1TNtBa_1Up1VhEL_E", "a::f<dyn a::T + a::U<V = u8>>");
    expect_text("_RINvC1a1fDINtC1a1FTmEEp1OuEL_E", "a::f<dyn a::F<(u32,), O = ()>>");
    expect_text("_RINvC1a1fL0_E", "a::f");
}

static void names_of_the_older_way(void **state)
{
    (void)state;
    expect_text("core::fmt::write::h0123456789abcdef", "core::fmt::write");
    expect_text("_$LT$r..deep..G$LT$X$GT$$u20$as$u20$r..deep..T$GT$::go::h0123456789abcdef",
                "<r::deep::G<X> as r::deep::T>::go");
    expect_text("r::main::_$u7b$$u7b$closure$u7d$$u7d$::h0123456789abcdef [clone .llvm.123]",
                "r::main::{{closure}}");
    expect_text("a::f$RF$$BP$$LP$$RP$$C$::h0123456789abcdef", "a::f&*(),");
}

static void other_names_are_none(void **state)
{
    static const char *const names[] = {"",
                                        "main",
                                        "_R",
                                        "_RN",
                                        "_R1NvC1a1f",
                                        "_RNvC9a1f",
                                        "_RNvC1a",
                                        "_RNvC1a1fX",
                                        "_RINvC1a1fm",
                                        "_RNvB_1f",
                                        "_RNvB0_1f",
                                        "_RINvC1a1fKb_",
                                        "_RNvCs-_1a",
                                        "_Reporter",
                                        "a::b(int)",
                                        "a::h012345",
                                        "_RNvC1a1f$",
                                        "_RINvC1a1fKe616_E",
                                        "::h0123456789abcdef"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        expect_none(names[i]);
}

/* Every place stands for two of the one before: 2 to the 40th power of parts. */
static void what_stands_for_others_again_and_again_ends(void **state)
{
    char name[4096] = "_RINvC1a1f";
    size_t len = strlen(name);
    size_t before = len - 2;
    (void)state;
    name[len++] = 'u';
    for (int i = 0; i < 40; i++) {
        const size_t begin = len - 2;
        char place[8];
        size_t at = sizeof(place);
        place[--at] = '\0';
        place[--at] = '_';
        for (size_t value = before - 1, is_first = 1; value || is_first; value /= 62, is_first = 0)
            place[--at] =
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % 62];
        len += (size_t)snprintf(name + len, sizeof(name) - len, "TB%sB%sE", place + at, place + at);
        before = begin;
    }
    (void)snprintf(name + len, sizeof(name) - len, "E");
    expect_none(name);
    /* And as deep as a name can be. */
    memset(name, 'R', sizeof(name) - 1);
    memcpy(name, "_RINvC1a1f", strlen("_RINvC1a1f"));
    name[sizeof(name) - 1] = '\0';
    expect_none(name);
}

static void a_name_without_room_is_none(void **state)
{
    char text[8];
    (void)state;
    assert_true(tv_rust_name_read("_RNvC1a4main", text, sizeof(text)));
    assert_string_equal(text, "a::main");
    assert_false(tv_rust_name_read("_RNvC1a5mains", text, sizeof(text)));
    assert_false(tv_rust_name_read("a::mains::h0123456789abcdef", text, sizeof(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_of_version_0),
        cmocka_unit_test(types_and_constants_of_version_0),
        cmocka_unit_test(names_of_the_older_way),
        cmocka_unit_test(other_names_are_none),
        cmocka_unit_test(what_stands_for_others_again_and_again_ends),
        cmocka_unit_test(a_name_without_room_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
