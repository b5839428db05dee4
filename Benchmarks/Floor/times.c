// Runs a command COUNT times in turn: times COUNT COMMAND [ARGUMENT ...]. Prints the median time of a process, in ms.
// The output of the command is discarded. Exits with 1 as soon as the command fails.
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: times COUNT COMMAND ...\n");
        return 64;
    }
    int count = atoi(argv[1]);
    double *took = calloc(count, sizeof *took);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < count; i++) {
        double start = now();
        pid_t child;
        int status;
        if (posix_spawnp(&child, argv[2], &files, NULL, argv + 2, environ)) die(argv[2], NULL);
        if (waitpid(child, &status, 0) != child || status) {
            fprintf(stderr, "%s ended with the status %d\n", argv[2], status);
            return 1;
        }
        took[i] = now() - start;
    }
    printf("{\"count\": %d, \"ms\": %f}\n", count, median(took, count) * 1e3);
    return 0;
}
