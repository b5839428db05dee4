// Lets reads of one part of one file fail with EIO, as from a disk with an unreadable sector.
// EIO_FILE: the end of the file's path. EIO_FROM, EIO_TO: the first byte, and the one after the last.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int descriptor, size_t count, off_t offset) {
    const char *file = getenv("EIO_FILE"), *from = getenv("EIO_FROM"), *to = getenv("EIO_TO");
    if (!file || !from || !to) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    size_t wanted = strlen(file);
    if ((size_t)length < wanted || strcmp(path + length - wanted, file)) return 0;
    return offset < atoll(to) && offset + (off_t)count > atoll(from);
}

#define READ(name, offset_type) \
    ssize_t name(int descriptor, void *data, size_t count, offset_type offset) { \
        if (fails(descriptor, count, offset)) { \
            errno = EIO; \
            return -1; \
        } \
        ssize_t (*real)(int, void *, size_t, offset_type) = dlsym(RTLD_NEXT, #name); \
        return real(descriptor, data, count, offset); \
    }

READ(pread, off_t)
READ(pread64, off64_t)

ssize_t read(int descriptor, void *data, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    off_t offset = lseek(descriptor, 0, SEEK_CUR);
    if (offset >= 0 && fails(descriptor, count, offset)) {
        errno = EIO;
        return -1;
    }
    return real(descriptor, data, count);
}
