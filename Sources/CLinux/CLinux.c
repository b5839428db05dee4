#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
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

struct thread_start {
    char name[16];
    void (*body)(void *);
    void *context;
};

static void *run_thread(void *start) {
    struct thread_start own = *(struct thread_start *)start;
    free(start);
    pthread_setname_np(pthread_self(), own.name);
    own.body(own.context);
    return NULL;
}

int clinux_start_thread(const char *name, void (*body)(void *), void *context) {
    struct thread_start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    snprintf(start->name, sizeof start->name, "%s", name);
    start->body = body;
    start->context = context;
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run_thread, start);
    if (error) free(start);
    else pthread_detach(thread);
    return error;
}

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static const int content_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

int clinux_is_reserved(int descriptor) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY) return 0;
    return (rlim_t)descriptor + CLINUX_RESERVED_DESCRIPTORS >= limit.rlim_cur;
}

// Returns the descriptor or, if it is in a reserved slot, closes it and fails with EMFILE.
static int lasting(int descriptor) {
    if (descriptor < 0 || !clinux_is_reserved(descriptor)) return descriptor;
    close(descriptor);
    errno = EMFILE;
    return -1;
}

int clinux_memory_file(const char *name) {
    // Kernels before 6.3 reject MFD_NOEXEC_SEAL.
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return lasting(descriptor >= 0 ? descriptor : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

int clinux_seal(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, content_seals | F_SEAL_SEAL); }

int clinux_open_path(const char *path) { return lasting(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)); }

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

int clinux_peer_user(int socket, unsigned *user) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size)) return -1;
    *user = peer.uid;
    return 0;
}

long clinux_send(int socket, const struct iovec *parts, int part_count, const int *descriptors, int count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int) * CLINUX_MOST_DESCRIPTORS)];
    } control;
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = part_count};
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

long clinux_receive(int socket, void *bytes, long size, int *descriptors, int *count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int) * CLINUX_MOST_DESCRIPTORS)];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *count = 0;
    long received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int more = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors + *count, CMSG_DATA(header), sizeof(int) * more);
        *count += more;
    }
    int is_full = message.msg_flags & MSG_CTRUNC;
    for (int i = 0; i < *count; i++) is_full |= clinux_is_reserved(descriptors[i]);
    if (is_full) {
        for (int i = 0; i < *count; i++) close(descriptors[i]);
        *count = -1;
    }
    return received;
}

int clinux_accept(int socket) { return lasting(accept4(socket, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

void clinux_share_heap(void) { mallopt(M_ARENA_MAX, 1); }

// Programs at a fixed address need no relocation code, so the linker replaces it with this function (Makefile).
void clinux_nothing(void) {}

void clinux_occupy_standard_streams(void) {
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

const char *clinux_environment(const char *name) { return secure_getenv(name); }

int clinux_no_sockets(void) { return 0; }
