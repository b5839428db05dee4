// The parts of Linux that Swift's Glibc module lacks, each with the reason. Functions return -1 with errno if they fail.
#pragma once
#include <sys/epoll.h>    // not in the Glibc module map
#include <sys/eventfd.h>  // not in the Glibc module map
#include <sys/uio.h>      // struct iovec

// prlimit's resource constants are an enum in C and an Int32 parameter in Swift. Raises the soft limit, and returns the count of
// descriptors that the process may have open; -1 if that is unknown.
long clinux_raise_descriptor_limit(void);

// A process that starts with a closed standard stream would get its number for the next socket, and print into that. Opens a file
// there that refuses the stream's operation (EBADF), as glibc does for setuid programs.
void clinux_occupy_standard_streams(void);

// pthread_create for a detached thread with a name, in one step: pthread_setname_np hides behind _GNU_SOURCE, without which the
// Glibc module is built. Returns 0, or the number of the error.
int clinux_start_thread(const char *name, void (*body)(void *), void *context);

// Only C can compare SIG_IGN, which is a cast: whether the process ignores a signal.
int clinux_is_ignored(int signal);

// Older C libraries have no pidfd_open(2): a descriptor that is readable when the process has ended.
int clinux_open_process(int pid);

// prctl has variable arguments. After this, the process leaves no core file, and only root reads its memory.
int clinux_forbid_dumps(void);
// Whether the process would leave a core file.
int clinux_may_be_dumped(void);

// memfd_create and the seals of fcntl hide behind _GNU_SOURCE. A new memory file that can be sealed, is closed on exec and, if the
// kernel supports that, is never executable.
int clinux_memory_file(const char *name);

// Fixes the length and the content of a memory file (F_ADD_SEALS). Fails if a process has mapped it for writing.
int clinux_seal(int descriptor);

// Whether neither length nor content can change (F_GET_SEALS, fstatfs). F_SEAL_FUTURE_WRITE alone does not suffice: a mapping may
// still write. Nor does a memory file of huge pages, which do not exist before the first access.
int clinux_has_fixed_content(int descriptor);

// O_PATH hides as well: a descriptor that only stands for a file, such as a socket, and follows no link. Fails with EMFILE also if
// only a reserved place is free.
int clinux_open_path(const char *path);

// Whether a descriptor can be read: it is neither O_PATH, which hides as well, nor open for writing alone (F_GETFL).
int clinux_can_read(int descriptor);

// sync_file_range hides as well: begins to write a part of a file to the disk and does not wait.
int clinux_begin_write_back(int descriptor, long start, long count);

// syncfs hides as well: waits until all of a file system is on its disk. Fails if a write has failed since the descriptor was opened
// (Linux 5.8).
int clinux_sync_file_system(int descriptor);

// struct ucred hides behind _GNU_SOURCE: the user of the process at the other end of a unix socket (SO_PEERCRED).
int clinux_peer_user(int socket, unsigned *user);

// The macros of cmsg(3) are no functions. Descriptors leave with the first byte. Never blocks.
#define CLINUX_MOST_DESCRIPTORS 253  // SCM_MAX_FD of the kernel

long clinux_send(int socket, const struct iovec *parts, int part_count, const int *descriptors, int count);

// Receives in the same way. descriptors must have room for CLINUX_MOST_DESCRIPTORS. If the process has no room for all of them,
// count is -1: all are closed, and the bytes are kept.
long clinux_receive(int socket, void *bytes, long size, int *descriptors, int *count);

// The last places of the table of descriptors (RLIMIT_NOFILE): an arriving message and a file of the store need one for a moment.
// The system assigns the lowest free number, so a descriptor with one of these numbers shows that all lower ones are taken.
#define CLINUX_RESERVED_DESCRIPTORS 24

// Whether a descriptor has one of the last places.
int clinux_is_reserved(int descriptor);

// accept4 hides as well. Fails with EMFILE also if only a reserved place is free.
int clinux_accept(int socket);

// malloc.h is not imported: all threads share one heap, which saves the memory of further ones (M_ARENA_MAX).
void clinux_share_heap(void);

// secure_getenv hides as well: a variable of the environment, unless the program runs with the rights of another user.
const char *clinux_environment(const char *name);

// For the linker alone: a static program links libdbus without libsystemd, and gets no socket from systemd. See the Makefile.
int clinux_no_sockets(void);
