// Leaks at each 20th message that a program receives: memory, a descriptor or a thread, as the variable LEAK says.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void *sleeper(void *nothing) {
    for (;;) pause();
    return nothing;
}

static void leak(int descriptor) {
    const char *kind = getenv("LEAK");
    pthread_t thread;
    if (!kind) return;
    if (!strcmp(kind, "memory"))
        memset(mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 1 << 20);
    if (!strcmp(kind, "descriptors")) dup(descriptor);
    if (!strcmp(kind, "threads")) pthread_create(&thread, 0, sleeper, 0);
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
    static atomic_int count;
    ssize_t (*real)(int, struct msghdr *, int) = dlsym(RTLD_NEXT, "recvmsg");
    if (++count % 20 == 0) leak(descriptor);
    return real(descriptor, message, flags);
}
