// What Swift's Glibc module lacks, each with its reason.
#pragma once
#include <sys/epoll.h>    // not in the Glibc module map
#include <sys/eventfd.h>  // not in the Glibc module map
#include <sys/uio.h>      // struct iovec

// prlimit's resource constants are an enum in C and an Int32 parameter in Swift: raise the soft limit here,
// and give the number that the process may have open now; -1 where that is not known.
long clinux_raise_descriptor_limit(void);

// pthread_setname_np hides behind _GNU_SOURCE, which the Glibc module is built without.
void clinux_name_this_thread(const char *name);

// Who is started with a closed standard stream would get its number for the next socket, and print into that. Something stands there
// from now on that refuses what the stream is for (EBADF), as glibc has it for setuid programs.
void clinux_occupy_standard_streams(void);

// stdout is a global variable, which Swift does not let pass: what is printed leaves line by line from now on (setvbuf).
void clinux_buffer_lines_of_output(void);

// pthread_create with a detached thread that has a name, in one step: pthread_t and the attributes are shapes that Swift would have
// to keep alive. 0, or the number of the error.
int clinux_start_thread(const char *name, void (*body)(void *), void *context);

// SIG_IGN is a cast that can be compared in C alone: whether the process ignores a signal.
int clinux_is_ignored(int signal);

// pidfd_open(2) is no function of older C libraries: a descriptor that is readable when the process has ended; -1 and errno
// where there is none.
int clinux_open_process(int pid);

// prctl takes its arguments by “...”: after this the process leaves no core file, and only root reads its memory.
int clinux_forbid_dumps(void);
// Whether it would leave one.
int clinux_may_be_dumped(void);

// memfd_create and the seals of fcntl hide behind _GNU_SOURCE. A new memory file that can be sealed, closed on exec and,
// where the kernel knows that, never executable; -1 and errno where there is none.
int clinux_memory_file(const char *name);

// Fixes length and content of a memory file for ever (F_ADD_SEALS); -1 and errno where somebody has it mapped for writing.
int clinux_seal(int descriptor);

// Whether neither length nor content can change any more (F_GET_SEALS, fstatfs). F_SEAL_FUTURE_WRITE alone does not do:
// a mapping may still write. Nor does a memory file of huge pages, which are not there before they are touched.
int clinux_has_fixed_content(int descriptor);

// O_PATH hides as well: a descriptor that only stands for a file, a socket for instance, and follows no link; -1 and errno,
// EMFILE also where only a reserved place is free.
int clinux_open_path(const char *path);

// Whether a descriptor can be read from: it is neither O_PATH, which hides as well, nor open for writing alone (F_GETFL).
int clinux_can_read(int descriptor);

// sync_file_range hides as well: begins to write a part of a file to the disk and does not wait.
int clinux_begin_write_back(int descriptor, long start, long count);

// syncfs hides as well: waits until all of a file system is on its disk; -1 and errno where something is not, since the
// descriptor was opened (Linux 5.8).
int clinux_sync_file_system(int descriptor);

// fallocate hides as well: takes the room for so many bytes and leaves the length of the file; -1 and errno, EFBIG too, of
// which the system tells only who makes a file longer.
int clinux_reserve(int descriptor, long count);

// struct ucred hides behind _GNU_SOURCE: the user of the process at the other end of a unix socket (SO_PEERCRED).
int clinux_peer_user(int socket, unsigned *user);

// The macros of cmsg(3) are no functions. Descriptors go with the first byte; never blocks.
#define CLINUX_MOST_DESCRIPTORS 253  // SCM_MAX_FD of the kernel

long clinux_send(int socket, const struct iovec *parts, int part_count, const int *descriptors, int count);

// Receives in the same way; there has to be room for CLINUX_MOST_DESCRIPTORS. The count is -1 if the process has no place for
// all of them: none is kept, and the bytes are. Never blocks.
long clinux_receive(int socket, void *bytes, long size, int *descriptors, int *count);

// The last places of the table of descriptors (RLIMIT_NOFILE): a message that arrives, or a file of the store, needs one for a
// moment. The system gives the lowest free number, so a descriptor with one of these numbers says that all below are taken.
#define CLINUX_RESERVED_DESCRIPTORS 24

// Whether a descriptor has one of the last places.
int clinux_is_reserved(int descriptor);

// accept4 hides as well; -1 and EMFILE also where only a reserved place is free.
int clinux_accept(int socket);

// malloc.h is not imported: all threads share one heap, which saves the making of a second one (M_ARENA_MAX).
void clinux_share_heap(void);

// secure_getenv hides as well: a variable of the environment, unless the program runs with the rights of another user.
const char *clinux_environment(const char *name);

// For the linker alone: a static program links libdbus without libsystemd, and gets no socket from systemd. See the Makefile.
int clinux_no_sockets(void);
