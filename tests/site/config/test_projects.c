/* site/config/projects: what a file of projects says, and that each bad line is one clear line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/config/projects.h"

static enum tv_code parse(struct tv_site_config *config, const char *content, unsigned *line,
                          struct tv_error *err)
{
    tv_site_config_init(config, tv_alloc_libc());
    config->users = TV_USERS_PROXY;
    return tv_projects_parse(config, tv_str_from(content), line, err);
}

static void project_has_what_its_lines_say(void **state)
{
    struct tv_site_config config;
    unsigned line;
    (void)state;
    assert_int_equal(parse(&config,
                           "# projects\nshop.read = members\nshop.members = ana, group:shop\n"
                           "lab.quota = 10G\nshop.upload = users\nshop.expires = 30d\n"
                           "lab.listed = yes\n",
                           &line, NULL),
                     TV_OK);
    const struct tv_project *shop = tv_projects_find(&config, TV_STR("shop"));
    const struct tv_project *lab = tv_projects_find(&config, TV_STR("lab"));
    assert_true(shop && lab && config.project_count == 2);
    assert_true(shop->read == TV_PROJECT_MEMBERS && shop->upload == TV_PROJECT_USERS);
    assert_string_equal(shop->members, "ana, group:shop");
    assert_true(shop->expires_s == 30 * 86400 && !shop->quota && !shop->is_listed);
    assert_true(lab->read == TV_PROJECT_LINK && lab->upload == TV_PROJECT_LINK);
    assert_true(lab->expires_s == TV_NEVER && lab->quota == (uint64_t)10 << 30 && lab->is_listed);
    assert_null(tv_projects_find(&config, TV_STR("Shop")));
    assert_null(tv_projects_find(&config, TV_STR("")));
    tv_site_config_release(&config);
}

static void bad_lines_are_told(void **state)
{
    static const struct {
        const char *content, *told;
        unsigned line;
    } bad[] = {
        {"shop = 1\n", "'shop': must be PROJECT.KEY", 1},
        {"\n.read = link\n", "must be PROJECT.KEY", 2},
        {"a b.read = link\n", "must be PROJECT.KEY", 1},
        {"shop.read = everybody\n", "read is link, users or members", 1},
        {"shop.expires = 0d\n", "expires is a number with h, d or w", 1},
        {"shop.quota = much\n", "quota is bytes", 1},
        {"shop.listed = 1\n", "listed is yes or no", 1},
        {"shop.colour = red\n", "'colour': a project has read, upload", 1},
        {"shop.read = link\nlab.read = link\nshop.read = users\n", "shop.read is in line 1 already",
         3},
        {"shop.read\n", "no setting: must be name = value", 1},
        {"shop.read = members\n", "project shop has no members", 0},
    };
    for (size_t i = 0; i < TV_COUNT_OF(bad); i++) {
        struct tv_site_config config;
        struct tv_error err = {.text = ""};
        unsigned line = 0;
        (void)state;
        assert_int_equal(parse(&config, bad[i].content, &line, &err), TV_ERR_ARGUMENT);
        if (!strstr(err.text, bad[i].told) || line != bad[i].line)
            fail_msg("'%s' is told as '%s', line %u", bad[i].content, err.text, line);
        tv_site_config_release(&config);
    }
}

static void projects_of_users_need_users(void **state)
{
    struct tv_site_config config;
    struct tv_error err = {.text = ""};
    unsigned line;
    (void)state;
    tv_site_config_init(&config, tv_alloc_libc());
    assert_int_equal(tv_projects_parse(&config, TV_STR("shop.read = users\n"), &line, &err),
                     TV_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "it needs users = proxy"));
    tv_site_config_release(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(project_has_what_its_lines_say),
        cmocka_unit_test(bad_lines_are_told),
        cmocka_unit_test(projects_of_users_need_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
