/* os/draft: a file takes its place whole, and as the file was that it replaces. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/file/draft.h"

/* A user and a group that own nothing. */
#define NOBODY 65534u

static char folder[] = "/tmp/traceview-test-XXXXXX";

static int begin(void **state)
{
    (void)state;
    (void)umask(022);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int end(void **state)
{
    char command[256];
    (void)state;
    (void)snprintf(command, sizeof(command), "chmod -R u+w '%s'; rm -rf '%s'", folder, folder);
    return system(command);
}

/* Writes the text to the path as a draft; the code of what came of it. */
static enum tv_code write_draft(const char *path, const char *text, struct tv_error *err)
{
    struct tv_draft draft;
    TV_TRY(tv_draft_open(&draft, path, 0666, err));
    assert_int_equal(write(draft.fd, text, strlen(text)), strlen(text));
    return tv_draft_end(&draft, TV_OK, err);
}

static void put(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void check(const char *path, const char *text, mode_t mode)
{
    char content[64] = "";
    struct stat status;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    (void)fgets(content, sizeof(content), file);
    (void)fclose(file);
    assert_string_equal(content, text);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, mode);
}

static int count_drafts(void)
{
    return system("test -z \"$(find . -name '*.part')\"");
}

static void new_file_has_the_mode_that_umask_leaves(void **state)
{
    (void)state;
    assert_int_equal(write_draft("new", "a", NULL), TV_OK);
    check("new", "a", 0644);
    (void)umask(077);
    assert_int_equal(write_draft("own", "a", NULL), TV_OK);
    (void)umask(022);
    check("own", "a", 0600);
    assert_int_equal(count_drafts(), 0);
}

static void replaced_file_keeps_its_mode(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0755, 0200};
    (void)state;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        put("kept", "old", modes[i]);
        assert_int_equal(write_draft("kept", "new", NULL), TV_OK);
        struct stat status;
        assert_int_equal(stat("kept", &status), 0);
        assert_int_equal(status.st_mode & 07777, modes[i]);
        assert_int_equal(status.st_size, 3);
        assert_int_equal(unlink("kept"), 0);
    }
    put("special", "old", 06755); /* new bytes are nobody's to run as somebody else */
    assert_int_equal(write_draft("special", "new", NULL), TV_OK);
    check("special", "new", 0755);
}

static void replaced_file_keeps_its_owner(void **state)
{
    struct stat status;
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: only root may give a file away\n");
        skip();
    }
    put("theirs", "old", 0660);
    assert_int_equal(chown("theirs", NOBODY, NOBODY), 0);
    assert_int_equal(write_draft("theirs", "new", NULL), TV_OK);
    check("theirs", "new", 0660);
    assert_int_equal(stat("theirs", &status), 0);
    assert_int_equal(status.st_uid, NOBODY);
    assert_int_equal(status.st_gid, NOBODY);
}

static void links_are_followed(void **state)
{
    struct stat status;
    (void)state;
    assert_int_equal(mkdir("far", 0755), 0);
    put("far/own", "old", 0600);
    assert_int_equal(symlink("own", "far/link"), 0);
    assert_int_equal(symlink("far/link", "link"), 0);
    assert_int_equal(write_draft("link", "new", NULL), TV_OK);
    check("far/own", "new", 0600);
    /* To where no file is yet. */
    assert_int_equal(symlink("later", "far/dangling"), 0);
    assert_int_equal(symlink("far/dangling", "dangling"), 0);
    assert_int_equal(write_draft("dangling", "first", NULL), TV_OK);
    check("far/later", "first", 0644);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat("dangling", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(symlink("circle", "circle"), 0);
    assert_int_equal(write_draft("circle", "new", NULL), TV_ERR_SYSTEM);
}

static void other_names_keep_the_former_bytes(void **state)
{
    (void)state;
    put("one", "old", 0644);
    assert_int_equal(link("one", "two"), 0);
    assert_int_equal(write_draft("one", "new", NULL), TV_OK);
    check("one", "new", 0644);
    check("two", "old", 0644);
}

static void failure_leaves_the_former_file(void **state)
{
    struct tv_draft draft;
    (void)state;
    put("former", "old", 0600);
    assert_int_equal(tv_draft_open(&draft, "former", 0666, NULL), TV_OK);
    assert_int_equal(write(draft.fd, "half", 4), 4);
    assert_int_equal(tv_draft_end(&draft, TV_ERR_FORMAT, NULL), TV_ERR_FORMAT);
    check("former", "old", 0600);
    assert_int_equal(count_drafts(), 0);
}

static void what_is_no_file_is_refused(void **state)
{
    struct tv_error err;
    (void)state;
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(write_draft("folder", "a", &err), TV_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "folder cannot be written"));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(write_draft("pipe", "a", &err), TV_ERR_SYSTEM);
    assert_int_equal(write_draft("missing/a", "a", &err), TV_ERR_SYSTEM);
    char name[TV_PATH_CAP + 10];
    memset(name, 'a', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    assert_int_not_equal(write_draft(name, "a", &err), TV_OK);
}

/* The code of writing to the path as an ordinary user. */
static enum tv_code write_as_nobody(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(99);
        struct tv_draft draft;
        enum tv_code code = tv_draft_open(&draft, path, 0666, NULL);
        _exit((int)tv_draft_end(&draft, code, NULL));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum tv_code)WEXITSTATUS(status);
}

static void what_the_user_may_not_write_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: only root can become another user\n");
        skip();
    }
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(write_as_nobody("in-an-unwritable-folder"), TV_ERR_SYSTEM);
    assert_int_equal(mkdir("open", 01777), 0);
    assert_int_equal(chmod("open", 01777), 0);
    assert_int_equal(write_as_nobody("open/own"), TV_OK);
    put("open/readonly", "old", 0444);
    assert_int_equal(write_as_nobody("open/readonly"), TV_ERR_SYSTEM);
    /* Writable, but the owner could not be kept. */
    put("open/theirs", "old", 0666);
    assert_int_equal(write_as_nobody("open/theirs"), TV_ERR_SYSTEM);
    check("open/theirs", "old", 0666);
    /* A folder that may not be written, with a file that may. */
    assert_int_equal(mkdir("closed", 0755), 0);
    put("closed/file", "old", 0666);
    assert_int_equal(chown("closed/file", NOBODY, NOBODY), 0);
    assert_int_equal(write_as_nobody("closed/file"), TV_ERR_SYSTEM);
    check("closed/file", "old", 0666);
}

/* What somebody else puts into /tmp must not say where this user writes. */
static void foreign_link_in_a_shared_folder_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: only root can give a link to another user\n");
        skip();
    }
    assert_int_equal(mkdir("shared", 01777), 0);
    assert_int_equal(chmod("shared", 01777), 0);
    put("target", "old", 0644);
    char target[256];
    (void)snprintf(target, sizeof(target), "%s/target", folder);
    assert_int_equal(symlink(target, "shared/link"), 0);
    assert_int_equal(lchown("shared/link", NOBODY, NOBODY), 0);
    assert_int_equal(write_draft("shared/link", "new", NULL), TV_ERR_SYSTEM);
    check("target", "old", 0644);
    /* Also behind a link of one's own, and to where no file is yet. */
    assert_int_equal(symlink("shared/link", "to-shared"), 0);
    assert_int_equal(write_draft("to-shared", "new", NULL), TV_ERR_SYSTEM);
    check("target", "old", 0644);
    assert_int_equal(unlink("target"), 0);
    assert_int_equal(write_draft("shared/link", "new", NULL), TV_ERR_SYSTEM);
    assert_int_not_equal(access("target", F_OK), 0);
    /* The user's own link there is followed, and that of the folder's owner. */
    assert_int_equal(lchown("shared/link", 0, 0), 0);
    assert_int_equal(write_draft("shared/link", "new", NULL), TV_OK);
    check("target", "new", 0644);
    assert_int_equal(lchown("shared/link", NOBODY, NOBODY), 0);
    assert_int_equal(chown("shared", NOBODY, NOBODY), 0);
    assert_int_equal(write_draft("shared/link", "owner's", NULL), TV_OK);
    check("target", "owner's", 0644);
}

/* Never the mode of one file for the bytes of another. */
static void link_that_changes_meanwhile_leads_to_one_file(void **state)
{
    (void)state;
    put("secret", "old", 0600);
    put("public", "old", 0644);
    assert_int_equal(symlink("secret", "moving"), 0);
    pid_t child = fork();
    if (child == 0)
        (void)alarm(60); /* should the test end before it */
    while (child == 0) {
        if (symlink("public", "next") != 0 || rename("next", "moving") != 0 ||
            symlink("secret", "next") != 0 || rename("next", "moving") != 0)
            _exit(1);
    }
    assert_true(child > 0);
    struct stat secret = {0};
    struct stat public = {0};
    bool is_good = true;
    for (unsigned i = 0; i < 400 && is_good; i++) {
        is_good = write_draft("moving", "new", NULL) == TV_OK && stat("secret", &secret) == 0 &&
                  stat("public", &public) == 0 && (secret.st_mode & 0777) == 0600 &&
                  (public.st_mode & 0777) == 0644;
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(is_good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_file_has_the_mode_that_umask_leaves),
        cmocka_unit_test(replaced_file_keeps_its_mode),
        cmocka_unit_test(replaced_file_keeps_its_owner),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(other_names_keep_the_former_bytes),
        cmocka_unit_test(failure_leaves_the_former_file),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(what_the_user_may_not_write_is_refused),
        cmocka_unit_test(foreign_link_in_a_shared_folder_is_refused),
        cmocka_unit_test(link_that_changes_meanwhile_leads_to_one_file),
    };
    return cmocka_run_group_tests_name("os/draft", tests, begin, end);
}
