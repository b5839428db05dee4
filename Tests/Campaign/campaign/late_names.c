/* A defect on purpose, for LD_PRELOAD: a file gets its final name only when the next message is sent, not before the
 * database refers to it. Only a kill in between shows it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int folder = -1;
static char from[64], to[64];

int renameat(int old_folder, const char *old, int new_folder, const char *new) {
    if (strncmp(old, "incoming-", 9) != 0) return syscall(SYS_renameat, old_folder, old, new_folder, new);
    snprintf(from, sizeof from, "%s", old);
    snprintf(to, sizeof to, "%s", new);
    folder = new_folder;
    return 0;
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    if (folder >= 0) syscall(SYS_renameat, folder, from, folder, to);
    folder = -1;
    return syscall(SYS_sendmsg, socket, message, flags);
}
