#define _GNU_SOURCE
#include "CLinux.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

int clinux_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -1;
    if (limit.rlim_cur == limit.rlim_max) return 0;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

void clinux_name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void clinux_give_back_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
    mallopt(M_ARENA_MAX, 2);
}
