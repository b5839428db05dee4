// Messages without a broker: each is a file that is flushed to disk, noticed through inotify, and answered with a file.
//   file server FOLDER                  reads each file in FOLDER/in and answers with a file in FOLDER/out
//   file client FOLDER COUNT BYTES      writes, syncs and renames one file at a time; prints one line of JSON
#include "common.h"
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/// Writes a file under a temporary name, flushes it to disk if `sync` is set, and renames it to `name`.
static void put(const char *folder, const char *name, const char *bytes, size_t size, int sync) {
    char path[4200], place[4200];
    snprintf(path, sizeof path, "%s/.%s", folder, name);
    snprintf(place, sizeof place, "%s/%s", folder, name);
    int f = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (f < 0 || write(f, bytes, size) != (ssize_t)size || (sync && fsync(f)) || rename(path, place)) exit(74);
    close(f);
}

/// Waits for the next file that is renamed into the watched folder, and stores its name in `name`.
static void next(int watch, char *name) {
    static char events[1 << 16];
    static ssize_t have, at;
    if (at >= have) {
        have = read(watch, events, sizeof events);
        at = 0;
        if (have <= 0) exit(74);
    }
    struct inotify_event *event = (struct inotify_event *)(events + at);
    strcpy(name, event->name);
    at += sizeof *event + event->len;
}

static int watching(const char *folder) {
    int watch = inotify_init1(IN_CLOEXEC);
    if (watch < 0 || inotify_add_watch(watch, folder, IN_MOVED_TO) < 0) exit(74);
    return watch;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: file server|client FOLDER ...\n");
        return 64;
    }
    char in[4200], out[4200], name[256], path[8500];
    snprintf(in, sizeof in, "%s/in", argv[2]);
    snprintf(out, sizeof out, "%s/out", argv[2]);
    mkdir(in, 0700);
    mkdir(out, 0700);
    if (!strcmp(argv[1], "server")) {
        static char bytes[1 << 20];
        int watch = watching(in);
        ready();
        for (;;) {
            next(watch, name);
            snprintf(path, sizeof path, "%s/%s", in, name);
            int f = open(path, O_RDONLY);
            if (f < 0 || read(f, bytes, sizeof bytes) < 0) exit(74);
            close(f);
            unlink(path);
            put(out, name, "handled", 7, 0);
        }
    }
    int count = atoi(argv[3]), size = atoi(argv[4]), watch = watching(out);
    char *bytes = calloc(1, size + 1);
    double *took = calloc(count, sizeof *took), start = now();
    for (int i = 0; i < count; i++) {
        double before = now();
        snprintf(path, sizeof path, "m%d", i);
        put(in, path, bytes, size, 1);
        next(watch, name);
        snprintf(path, sizeof path, "%s/%s", out, name);
        unlink(path);
        took[i] = now() - before;
    }
    double all = now() - start;
    printf("{\"count\": %d, \"seconds\": %f, \"rate\": %.1f, \"p50\": %.2f}\n", count, all, count / all,
           median(took, count) * 1e6);
    return 0;
}
