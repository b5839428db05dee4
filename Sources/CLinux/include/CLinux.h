// The parts of Linux that Swift's Glibc module lacks, each with the reason. That module is built without _GNU_SOURCE.
// Functions return -1 with errno if they fail.
#pragma once
#include <sys/epoll.h>    // not in the Glibc module map
#include <sys/eventfd.h>  // not in the Glibc module map
#include <sys/uio.h>      // struct iovec

// Raises the soft limit, and returns how many descriptors the process may have open; -1 if that is unknown. prlimit's
// resource constants are an enum in C but an Int32 parameter in Swift.
long clinux_raise_descriptor_limit(void);

// If a process starts with a closed standard stream, the next socket gets its number, and output goes to that socket.
// This opens a file there that rejects the stream's operation (EBADF), as glibc does for setuid programs.
void clinux_occupy_standard_streams(void);

// Starts a detached thread with a name. pthread_setname_np needs _GNU_SOURCE. Returns 0, or the error number.
int clinux_start_thread(const char *name, void (*body)(void *), void *context);

// Whether the process ignores a signal. Only C can compare SIG_IGN, which is a cast.
int clinux_is_ignored(int signal);

// Returns a descriptor that becomes readable when the process has exited. Older C libraries have no pidfd_open(2).
int clinux_open_process(int pid);

// After this, the process leaves no core file, and only root can read its memory. prctl has variable arguments.
int clinux_forbid_dumps(void);
// Whether the process would leave a core file.
int clinux_may_be_dumped(void);

// Creates a memory file that can be sealed, is closed on exec and, if the kernel supports that, can never be executed.
// memfd_create and the seals of fcntl need _GNU_SOURCE.
int clinux_memory_file(const char *name);

// Makes a memory file's length and content immutable (F_ADD_SEALS). Fails if a process has mapped it for writing.
int clinux_seal(int descriptor);

// Whether neither length nor content can change (F_GET_SEALS, fstatfs). F_SEAL_FUTURE_WRITE alone is not enough, because a
// mapping may still write. Nor is a memory file of huge pages, which do not exist until they are first accessed.
int clinux_has_fixed_content(int descriptor);

// Opens a descriptor that only identifies a file, such as a socket, without following a link. Fails with EMFILE even if
// a reserved slot is free. O_PATH needs _GNU_SOURCE.
int clinux_open_path(const char *path);

// Whether a descriptor can be read: it is neither open only for writing (F_GETFL) nor O_PATH, which needs _GNU_SOURCE.
int clinux_can_read(int descriptor);

// Starts writing a part of a file to disk, and does not wait. sync_file_range needs _GNU_SOURCE.
int clinux_begin_write_back(int descriptor, long start, long count);

// Waits until a whole file system is on its disk. Fails if a write has failed since the descriptor was opened (Linux
// 5.8). syncfs needs _GNU_SOURCE.
int clinux_sync_file_system(int descriptor);

// Gets the user of the process at the other end of a unix socket (SO_PEERCRED). struct ucred needs _GNU_SOURCE.
int clinux_peer_user(int socket, unsigned *user);

#define CLINUX_MOST_DESCRIPTORS 253  // SCM_MAX_FD of the kernel

// Sends bytes, and descriptors with the first byte. Never blocks. Swift does not import the macros of cmsg(3).
long clinux_send(int socket, const struct iovec *parts, int part_count, const int *descriptors, int count);

// Receives without blocking. descriptors must have room for CLINUX_MOST_DESCRIPTORS. If the process has no room for all
// of them, count is -1: all are closed, and the bytes are kept.
long clinux_receive(int socket, void *bytes, long size, int *descriptors, int *count);

// The last slots of the descriptor table (RLIMIT_NOFILE): an arriving message and a file of the store briefly need one each. The
// system assigns the lowest free number, so if a descriptor has one of these numbers, all lower ones are taken.
#define CLINUX_RESERVED_DESCRIPTORS 24

// Whether a descriptor is in one of the last slots.
int clinux_is_reserved(int descriptor);

// Accepts a connection. Fails with EMFILE even if a reserved slot is free. accept4 needs _GNU_SOURCE.
int clinux_accept(int socket);

// Makes all threads share one heap, which saves the memory of further heaps (M_ARENA_MAX). malloc.h is not imported.
void clinux_share_heap(void);

// Returns an environment variable, unless the program runs with another user's rights. secure_getenv needs _GNU_SOURCE.
const char *clinux_environment(const char *name);

// Only for the linker: a static program links libdbus without libsystemd, and gets no socket from systemd. See the Makefile.
int clinux_no_sockets(void);
