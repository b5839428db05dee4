// Large payloads: prints the speed of the fastest round. The first round is not measured; with "kept", the first two.
// payload memfd MIB ROUNDS | payload kept MIB ROUNDS | payload blob MIB ROUNDS DIRECTORY
//   memfd  fills and seals a memory file, maps it as a reader would, and compares the bytes
//   kept   the same, but keeps the file of the previous round until the next one is filled
//   blob   copies a filled memory file to a file in DIRECTORY with sendfile and fdatasync, maps that file, and compares
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int filled(const char *bytes, size_t size) {
    int fd = memfd_create("floor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, bytes + done, size - done);
        if (n <= 0) exit(74);
        done += n;
    }
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)) exit(74);
    return fd;
}

static void compare(int fd, const char *bytes, size_t size) {
    void *seen = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (seen == MAP_FAILED || memcmp(seen, bytes, size)) {
        fprintf(stderr, "bytes differ\n");
        exit(1);
    }
    munmap(seen, size);
}

static void to_file(int fd, const char *path, const char *bytes, size_t size) {
    int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    for (off_t at = 0; (size_t)at < size;)
        if (sendfile(file, fd, &at, size - at) <= 0) exit(74);
    if (fdatasync(file)) exit(74);
    compare(file, bytes, size);
    close(file);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: payload memfd|kept|blob MIB ROUNDS [DIRECTORY]\n");
        return 64;
    }
    size_t size = (size_t)atol(argv[2]) << 20;
    int blob = !strcmp(argv[1], "blob"), kept = !strcmp(argv[1], "kept"), rounds = atoi(argv[3]), before = -1;
    char *bytes = malloc(size), path[4200];
    double fastest = 0;
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 2654435761u >> 13);
    snprintf(path, sizeof path, "%s/floor.blob", argc > 4 ? argv[4] : ".");
    for (int round = 0; round <= rounds + kept; round++) {
        double start = now();
        int fd = filled(bytes, size);
        if (before >= 0) close(before);
        if (blob) to_file(fd, path, bytes, size);
        else compare(fd, bytes, size);
        before = kept ? fd : -1;
        if (!kept) close(fd);
        double took = now() - start;
        if (round > kept && (fastest == 0 || took < fastest)) fastest = took;
    }
    unlink(path);
    printf("{\"mib\": %zu, \"gb-per-s\": %f}\n", size >> 20, size / fastest / 1e9);
    return 0;
}
