/* What of a name is the same in every run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/names/stable_name.h"

struct name_case {
    const char *name;
    const char *stem; /* NULL: the name is stable as it is */
};

static void check(const struct name_case *cases, size_t count,
                  struct tv_stable_name (*of)(struct tv_str))
{
    for (size_t i = 0; i < count; i++) {
        struct tv_str name = tv_str_from(cases[i].name);
        struct tv_stable_name stable = of(name);
        struct tv_str want = cases[i].stem ? tv_str_from(cases[i].stem) : name;
        if (!tv_str_equal(stable.stem, want) || stable.is_cut != (cases[i].stem != NULL))
            fail_msg("%s became %.*s", cases[i].name, (int)stable.stem.len, stable.stem.at);
    }
}

static void generated_classes_lose_their_numbers(void **state)
{
    (void)state;
    static const struct name_case cases[] = {
        {"com.app.Main$$Lambda$7.0x00007f0594001850", "com.app.Main$$Lambda"},
        {"com.app.Main$$Lambda/0x00007f0594001850", "com.app.Main$$Lambda"},
        {"com.app.Main$$Lambda$14", "com.app.Main$$Lambda"},
        {"com.app.Main$$ExternalSyntheticLambda3", "com.app.Main$$ExternalSyntheticLambda"},
        {"com.sun.proxy.$Proxy12", "com.sun.proxy.$Proxy"},
        {"jdk.internal.reflect.GeneratedMethodAccessor3",
         "jdk.internal.reflect.GeneratedMethodAccessor"},
        {"java.lang.invoke.LambdaForm$MH.0x00007f05c8001000", "java.lang.invoke.LambdaForm$MH"},
        {"com.app.Bean$$EnhancerBySpringCGLIB$$9a8b", "com.app.Bean$$EnhancerBySpringCGLIB$$"},
        {"com.app.Foo$MockitoMock$123", "com.app.Foo$MockitoMock$"},
    };
    check(cases, TV_COUNT_OF(cases), tv_stable_class);
}

static void other_classes_stay(void **state)
{
    (void)state;
    static const struct name_case cases[] = {
        {"", NULL},
        {"com.app.Main", NULL},
        {"com.app.Main$1", NULL},
        {"com.app.Vec3", NULL},
        {"com.app.Main$$Lambda", NULL},
        {"com.app.ProxyFactory2", NULL},
        {"com.app.Lambda$7", NULL},
        {"123", NULL},
    };
    check(cases, TV_COUNT_OF(cases), tv_stable_class);
}

static void numbers_of_lambdas_are_cut(void **state)
{
    (void)state;
    static const struct name_case cases[] = {
        {"lambda$run$3", "lambda$run$"},
        {"lambda$new$0", "lambda$new$"},
        {"onCreate$lambda$2", "onCreate$lambda$"},
        {"onCreate$lambda-2", "onCreate$lambda-"},
        {"run", NULL},
        {"run3", NULL},
        {"access$000", NULL},
        {"lambda$", NULL},
        {"", NULL},
    };
    check(cases, TV_COUNT_OF(cases), tv_stable_method);
}

static void patterns_are_cut_as_their_names_are(void **state)
{
    (void)state;
    static const struct name_case classes[] = {
        {"com.app.Main$$Lambda$14", "com.app.Main$$Lambda"},
        {"com.app.Main$$Lambda$*", "com.app.Main$$Lambda"},
        {"com.app.*$$Lambda$1?", "com.app.*$$Lambda"},
        {"*Lambda$14", "*Lambda"},
        {"com.app.Main$$Lambda$7.0x00007f*", "com.app.Main$$Lambda"},
        {"com.sun.proxy.$Proxy??", "com.sun.proxy.$Proxy"},
        {"com.app.Bean$$EnhancerBySpringCGLIB$$9a*", "com.app.Bean$$EnhancerBySpringCGLIB$$"},
        {"com.app.Main$1", NULL},
        {"com.app.Main$*", NULL},
        {"com.app.*", NULL},
        {"*", NULL},
        {"*$1", NULL},
        {"", NULL},
    };
    static const struct name_case methods[] = {
        {"lambda$run$3", "lambda$run$"},
        {"lambda$run$*", "lambda$run$"},
        {"*lambda$run$?", "*lambda$run$"},
        {"onCreate$lambda-2", "onCreate$lambda-"},
        {"run3", NULL},
        {"*", NULL},
        {"access$000", NULL},
        {"", NULL},
    };
    check(classes, TV_COUNT_OF(classes), tv_stable_class_pattern);
    check(methods, TV_COUNT_OF(methods), tv_stable_method_pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_classes_lose_their_numbers),
        cmocka_unit_test(other_classes_stay),
        cmocka_unit_test(numbers_of_lambdas_are_cut),
        cmocka_unit_test(patterns_are_cut_as_their_names_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
