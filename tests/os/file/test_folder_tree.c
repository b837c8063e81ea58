/* Files below a folder. */
#include "os/file/folder_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

static char folder[] = "/tmp/traceview-tree-XXXXXX";
static char room[512];

static const char *in_folder(const char *name)
{
    (void)snprintf(room, sizeof(room), "%s/%s", folder, name);
    return room;
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in_folder(name), 0700), 0);
}

static void make_file(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    make_folder("b");
    make_folder("b/deep");
    make_folder(".hidden");
    make_file("z.trace");
    make_file("a\nb.trace");
    make_file("b/one.json");
    make_file("b/deep/two");
    make_file(".hidden/three");
    return symlink(folder, in_folder("loop")) || symlink("/etc/passwd", in_folder("link"));
}

static int end(void **state)
{
    static const char *const names[] = {"link",       "loop",       ".hidden/three", "b/deep/two",
                                        "b/one.json", "a\nb.trace", "z.trace"};
    static const char *const folders[] = {".hidden", "b/deep", "b"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        (void)unlink(in_folder(names[i]));
    for (size_t i = 0; i < TV_COUNT_OF(folders); i++)
        (void)rmdir(in_folder(folders[i]));
    return rmdir(folder);
}

static void files_are_found_in_order_and_links_are_not_followed(void **state)
{
    static const char *const expected[] = {"a\nb.trace", "b/deep/two", "b/one.json", "z.trace"};
    struct tv_folder_tree tree;
    (void)state;
    tv_folder_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_folder_tree_read(&tree, folder, NULL), TV_OK);
    assert_int_equal(tree.count, TV_COUNT_OF(expected));
    for (size_t i = 0; i < tree.count; i++)
        assert_string_equal(tree.paths[i], expected[i]);
    assert_false(tree.is_cut);
    tv_folder_tree_release(&tree);
}

static void folders_have_a_depth(void **state)
{
    struct tv_folder_tree tree;
    char path[256];
    size_t len = (size_t)snprintf(path, sizeof(path), "%s", folder);
    (void)state;
    for (unsigned i = 0; i <= TV_FOLDER_TREE_LEVELS; i++) {
        len += (size_t)snprintf(path + len, sizeof(path) - len, "/d");
        assert_int_equal(mkdir(path, 0700), 0);
    }
    tv_folder_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_folder_tree_read(&tree, folder, NULL), TV_OK);
    assert_true(tree.is_cut);
    assert_int_equal(tree.count, 4);
    tv_folder_tree_release(&tree);
    for (; len > strlen(folder); len -= 2) {
        path[len] = '\0';
        assert_int_equal(rmdir(path), 0);
    }
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    struct tv_folder_tree tree;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    tv_folder_tree_init(&tree, tv_alloc_libc());
    assert_int_equal(tv_folder_tree_read(&tree, in_folder("nothing"), &err), TV_ERR_NOT_FOUND);
    assert_string_equal(err.text, "the folder cannot be read: No such file or directory");
    assert_int_equal(tv_folder_tree_read(&tree, in_folder("z.trace"), &err), TV_ERR_SYSTEM);
    tv_folder_tree_release(&tree);
}

static void memory_that_is_refused_is_told(void **state)
{
    bool has_failed = true;
    (void)state;
    for (uint64_t fail_at = 0; has_failed; fail_at++) {
        struct failing_alloc failing;
        struct tv_folder_tree tree;
        failing_alloc_init(&failing, fail_at);
        tv_folder_tree_init(&tree, &failing.alloc);
        enum tv_code code = tv_folder_tree_read(&tree, folder, NULL);
        has_failed = failing.has_failed;
        assert_int_equal(code, has_failed ? TV_ERR_MEMORY : TV_OK);
        tv_folder_tree_release(&tree);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found_in_order_and_links_are_not_followed),
        cmocka_unit_test(folders_have_a_depth),
        cmocka_unit_test(a_folder_that_is_not_there_is_told),
        cmocka_unit_test(memory_that_is_refused_is_told),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
