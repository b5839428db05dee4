// The Linux functions that Swift's Glibc module lacks, each with the reason. The Glibc module is built without
// _GNU_SOURCE. Unless stated otherwise, a function that fails returns -1 and sets errno.
#pragma once
#include <sys/epoll.h>    // not in the Glibc module map
#include <sys/eventfd.h>  // not in the Glibc module map
#include <sys/uio.h>      // struct iovec

// Raises the soft limit for open descriptors to the hard limit, and returns it; -1 if it is unknown. The resource
// constants of prlimit(2) are an enum in C, but the parameter is an Int32 in Swift.
long clinux_raise_descriptor_limit(void);

// Replaces closed standard streams with files that cannot be used (EBADF), as glibc does for setuid programs.
// Otherwise, the next socket would get the number of a closed stream, and output would go to that socket.
void clinux_occupy_standard_streams(void);

// Starts a detached thread with a name. pthread_setname_np needs _GNU_SOURCE. Returns 0 or an error number.
int clinux_start_thread(const char *name, void (*body)(void *), void *context);

// Whether the process ignores a signal. Swift cannot compare a function pointer with SIG_IGN.
int clinux_is_ignored(int signal);

// Returns a descriptor that becomes readable when the process has exited. Older C libraries have no pidfd_open(2).
int clinux_open_process(int pid);

// Makes the process leave no core file, and lets only root read its memory. Swift cannot call prctl, which is variadic.
int clinux_forbid_dumps(void);
// Whether the process would leave a core file if it crashed.
int clinux_may_be_dumped(void);

// Creates a memory file that can be sealed and is closed on exec. If the kernel supports it, the file can never be
// executed. memfd_create and the seals of fcntl need _GNU_SOURCE.
int clinux_memory_file(const char *name);

// Makes a memory file's length and content immutable (F_ADD_SEALS). Fails if a process has mapped it for writing.
int clinux_seal(int descriptor);

// Whether a memory file's length and content cannot change (F_GET_SEALS, fstatfs). F_SEAL_FUTURE_WRITE is not enough:
// existing mappings can still write. Nor are seals on a file of huge pages, which are allocated on first access.
int clinux_has_fixed_content(int descriptor);

// Opens a descriptor that only identifies a file, such as a socket, without following a link. Fails with EMFILE if only
// reserved slots are free. O_PATH needs _GNU_SOURCE.
int clinux_open_path(const char *path);

// Whether a descriptor can be read: it is neither write-only nor O_PATH (F_GETFL). O_PATH needs _GNU_SOURCE.
int clinux_can_read(int descriptor);

// Starts writing a part of a file to disk, without waiting for the disk. sync_file_range needs _GNU_SOURCE.
int clinux_begin_write_back(int descriptor, long start, long count);

// Waits until all changes to the descriptor's file system are on disk. Since Linux 5.8, fails if a write has failed
// since the descriptor was opened. syncfs needs _GNU_SOURCE.
int clinux_sync_file_system(int descriptor);

// Gets the user of the process at the other end of a unix socket (SO_PEERCRED). struct ucred needs _GNU_SOURCE.
int clinux_peer_user(int socket, unsigned *user);

#define CLINUX_MOST_DESCRIPTORS 253  // the kernel's SCM_MAX_FD

// Sends bytes, with descriptors attached to the first. Never blocks. Swift does not import the macros of cmsg(3).
long clinux_send(int socket, const struct iovec *parts, int part_count, const int *descriptors, int count);

// Receives bytes and descriptors without blocking. descriptors must have room for CLINUX_MOST_DESCRIPTORS. If the
// process cannot keep all arriving descriptors, it closes them all and sets count to -1, but still returns the bytes.
long clinux_receive(int socket, void *bytes, long size, int *descriptors, int *count);

// The number of slots at the end of the descriptor table (RLIMIT_NOFILE) reserved for descriptors in arriving messages
// and for the store's files. The system assigns the lowest free slot, so it uses these only when all others are taken.
#define CLINUX_RESERVED_DESCRIPTORS 24

int clinux_is_reserved(int descriptor);

// Accepts a connection. Fails with EMFILE if only reserved slots are free. accept4 needs _GNU_SOURCE.
int clinux_accept(int socket);

// Makes all threads share one heap (M_ARENA_MAX), which saves memory. Swift's Glibc module does not import malloc.h.
void clinux_share_heap(void);

// Returns an environment variable, unless the program runs with another user's rights. secure_getenv needs _GNU_SOURCE.
const char *clinux_environment(const char *name);

// Reports no sockets. The linker puts this in place of the libsystemd functions that a static libdbus calls (Makefile).
int clinux_no_sockets(void);
