/* Usage: draw-pages FOLDER. Writes each page of gallery.h into FOLDER as NAME.html, and their style
 * and script into FOLDER/static. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "gallery.h"

static int write_file(const char *folder, const char *name, struct tv_str bytes)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.at, 1, bytes.len, file) != bytes.len || fclose(file)) {
        perror(path);
        return 1;
    }
    return 0;
}

static int write_page(const char *folder, const struct tv_told_site *site,
                      const struct gallery_page *page)
{
    char name[64];
    struct tv_buffer bytes;
    snprintf(name, sizeof(name), "%s.html", page->name);
    tv_buffer_init(&bytes, tv_alloc_libc());
    int status = page->write(site, tv_buffer_sink(&bytes), NULL) != TV_OK ||
                 write_file(folder, name, tv_buffer_view(&bytes));
    tv_buffer_release(&bytes);
    return status;
}

int main(int argc, char **argv)
{
    char folder[4096];
    struct tv_page_files files;
    struct tv_told_site site = {&files, TV_STR(""), TV_STR("https://traces.example"), TV_STR(""),
                                true};
    if (argc != 2)
        return 2;
    tv_page_files_init(&files);
    snprintf(folder, sizeof(folder), "%s/static", argv[1]);
    mkdir(folder, 0777);
    int status = write_file(folder, files.style.name, files.style.bytes);
    if (files.script.name[0])
        status |= write_file(folder, files.script.name, files.script.bytes);
    for (size_t i = 0; i < gallery_len; i++)
        status |= write_page(argv[1], &site, &gallery[i]);
    return status;
}
