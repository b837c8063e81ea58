/*
 * Runs a fuzzer once over each of the given files and over all files of the given folders: its
 * seeds and the crashes of the past, as an ordinary test on any compiler.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "check.h"

static unsigned replayed;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || status.st_size < 0) {
        perror(path);
        (void)fclose(file);
        return 1;
    }
    size_t len = (size_t)status.st_size;
    /* Exactly as long as the file, so that a sanitizer sees a read past its end. */
    uint8_t *bytes = malloc(len + !len); /* NOLINT: tests may allocate */
    int result = !bytes || fread(bytes, 1, len, file) != len;
    if (result)
        perror(path);
    else
        (void)LLVMFuzzerTestOneInput(bytes, len);
    replayed++;
    free(bytes);
    (void)fclose(file);
    return result;
}

static int replay_folder(const char *path, DIR *folder)
{
    int result = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char file[4096];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        result |= replay_file(file);
    }
    (void)closedir(folder);
    return result;
}

int main(int argc, char **argv)
{
    int result = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        result |= folder ? replay_folder(argv[i], folder) : replay_file(argv[i]);
    }
    printf("%u inputs replayed\n", replayed);
    return result || !replayed;
}
