/* The parts of a function's name. */
#include "base/names/function_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_parts(const char *name, const char *parts)
{
    char got[512];
    struct tv_function_name of = tv_function_name_part(tv_str_from(name));
    (void)snprintf(got, sizeof(got), "%.*s|%.*s|%.*s", (int)of.scope.len, of.scope.at,
                   (int)of.name.len, of.name.at, (int)of.signature.len, of.signature.at);
    assert_string_equal(got, parts);
}

static void plain_names_have_one_part(void **state)
{
    (void)state;
    expect_parts("main", "|main|");
    expect_parts("", "||");
    expect_parts("f(int)", "|f|(int)");
    expect_parts("memcpy@plt", "|memcpy@plt|");
}

static void scopes_and_arguments_are_parted(void **state)
{
    (void)state;
    expect_parts("a::b::c(int, char const*)", "a::b|c|(int, char const*)");
    expect_parts("a::B::~B()", "a::B|~B|()");
    expect_parts("a::B::get() const", "a::B|get|() const");
    expect_parts("f(void (*)(int))", "|f|(void (*)(int))");
    expect_parts("(anonymous namespace)::f(int)", "(anonymous namespace)|f|(int)");
    expect_parts("main::{lambda(int)#1}::operator()(int) const",
                 "main::{lambda(int)#1}|operator()|(int) const");
}

static void brackets_hide_what_is_in_them(void **state)
{
    (void)state;
    expect_parts("std::map<int, a::b>::find(int const&)", "std::map<int, a::b>|find|(int const&)");
    expect_parts("void sort<a::b*>(a::b*, a::b*)", "|sort<a::b*>|(a::b*, a::b*)");
    expect_parts("a::c<(a::d)1>::e(int)", "a::c<(a::d)1>|e|(int)");
    expect_parts("<a::T<(u64, u8)> as a::U>::go", "<a::T<(u64, u8)> as a::U>|go|");
    expect_parts("a::f<(u64, u8)>", "a|f<(u64, u8)>|");
    expect_parts("a::f<fn() -> a::b>", "a|f<fn() -> a::b>|");
    expect_parts("a::main::{closure#0}", "a::main|{closure#0}|");
}

static void operators_keep_their_brackets(void **state)
{
    (void)state;
    expect_parts("a::b::operator<(a::b const&)", "a::b|operator<|(a::b const&)");
    expect_parts("a::b::operator<<(int)", "a::b|operator<<|(int)");
    expect_parts("a::b::operator->()", "a::b|operator->|()");
    expect_parts("a::b::operator bool() const", "a::b|operator bool|() const");
    expect_parts("a::b::operator()", "a::b|operator()|");
    expect_parts("bool operator==<int>(int, int)", "|operator==<int>|(int, int)");
}

static void odd_names_do_no_harm(void **state)
{
    (void)state;
    expect_parts(")", "|)|");
    expect_parts("(", "|(|");
    expect_parts("::", "||");
    expect_parts(">>>::x", ">>>|x|");
    expect_parts("a::", "a||");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names_have_one_part),
        cmocka_unit_test(scopes_and_arguments_are_parted),
        cmocka_unit_test(brackets_hide_what_is_in_them),
        cmocka_unit_test(operators_keep_their_brackets),
        cmocka_unit_test(odd_names_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
