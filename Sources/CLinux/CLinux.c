#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

long clinux_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return -1;
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit)) limit.rlim_cur = before;
    return limit.rlim_cur > 1 << 30 ? 1 << 30 : (long)limit.rlim_cur;
}

int clinux_is_ignored(int signal) {
    struct sigaction present;
    return !sigaction(signal, 0, &present) && present.sa_handler == SIG_IGN;
}

int clinux_open_process(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

void clinux_name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void clinux_give_back_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
    mallopt(M_ARENA_MAX, 2);
}

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static const int content_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

int clinux_memory_file(const char *name) {
    // Kernels before 6.3 do not know the last flag.
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return descriptor >= 0 ? descriptor : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int clinux_seal(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, content_seals | F_SEAL_SEAL); }

int clinux_has_fixed_content(int descriptor) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & content_seals) != content_seals) return 0;
    struct statfs system;
    return !fstatfs(descriptor, &system) && system.f_type == TMPFS_MAGIC;
}

int clinux_can_read(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_WRONLY;
}

int clinux_begin_write_back(int descriptor, long start, long count) {
    return sync_file_range(descriptor, start, count, SYNC_FILE_RANGE_WRITE);
}

int clinux_sync_file_system(int descriptor) { return syncfs(descriptor); }

int clinux_may_be_dumped(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
