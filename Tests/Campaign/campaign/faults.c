// Makes one file operation of a process fail: the N-th of a kind on files below a folder, once or from then on. The
// fault is in a file that the row maps too, so that it can set the fault, see its effect and remove it at any time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPEN, CREATE, READ, WRITE, SIZE, SYNC, RENAME, UNLINK, MKDIR, KINDS };
enum { FAIL, SHORT, HIDE };

// The same layout is in faults.py.
struct state {
    _Atomic uint32_t armed, kind, number, error, way, repeats;
    _Atomic uint32_t fired;
    _Atomic uint32_t counts[KINDS];
    char file[PATH_MAX];
};

static struct state *state;
static const char *root;

// The length of the write-ahead log at its last flush.
static _Atomic off_t flushed;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_STATE");
    root = getenv("FAULTS_ROOT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0 || !root) return;
    char log[PATH_MAX];
    struct stat status;
    snprintf(log, sizeof log, "%s/store/store.sqlite-wal", root);
    if (stat(log, &status) == 0) flushed = status.st_size;
    void *mapped = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) state = mapped;
}

static int is_ours(const char *path) { return strncmp(path, root, strlen(root)) == 0; }

// Whether this call is to fail. Counts the calls of each kind.
static int is_due(int kind, const char *path) {
    if (!is_ours(path)) return 0;
    uint32_t number = atomic_fetch_add(&state->counts[kind], 1) + 1;
    if (!state->armed || state->kind != (uint32_t)kind) return 0;
    if (number != state->number && !(state->repeats && number > state->number)) return 0;
    if (atomic_fetch_add(&state->fired, 1) == 0) snprintf(state->file, sizeof state->file, "%s", path);
    errno = (int)state->error;
    return 1;
}

static int is_due_on(int kind, int descriptor) {
    if (!state) return 0;
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    int before = errno;
    ssize_t length = readlink(name, path, sizeof path - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return is_due(kind, path);
}

static int is_due_at(int kind, int folder, const char *name) {
    if (!state) return 0;
    if (name[0] == '/' || folder == AT_FDCWD) return is_due(kind, name);
    return is_due_on(kind, folder);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPENING(name, folder, call, ...) \
    int name(__VA_ARGS__, int flags, ...) { \
        REAL(name); \
        mode_t mode = 0; \
        va_list rest; \
        va_start(rest, flags); \
        if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return is_due_at(flags & O_CREAT ? CREATE : OPEN, folder, path) ? -1 : call; \
    }
OPENING(open, AT_FDCWD, real(path, flags, mode), const char *path)
OPENING(open64, AT_FDCWD, real(path, flags, mode), const char *path)
OPENING(openat, folder, real(folder, path, flags, mode), int folder, const char *path)
OPENING(openat64, folder, real(folder, path, flags, mode), int folder, const char *path)

// A call that transfers bytes: it can fail, transfer the half, or report success without an effect.
#define TRANSFER(kind, name, call, half, ...) \
    ssize_t name(int file, __VA_ARGS__) { \
        REAL(name); \
        if (!is_due_on(kind, file)) return call; \
        if (state->way == HIDE) return (ssize_t)size; \
        if (state->way == SHORT && size > 1) return half; \
        return -1; \
    }
TRANSFER(READ, read, real(file, data, size), real(file, data, size / 2), void *data, size_t size)
TRANSFER(READ, pread, real(file, data, size, at), real(file, data, size / 2, at), void *data, size_t size, off_t at)
TRANSFER(READ, pread64, real(file, data, size, at), real(file, data, size / 2, at), void *data, size_t size, off64_t at)
TRANSFER(WRITE, write, real(file, data, size), real(file, data, size / 2), const void *data, size_t size)
TRANSFER(WRITE, pwrite, real(file, data, size, at), real(file, data, size / 2, at), const void *data, size_t size, off_t at)
TRANSFER(WRITE, pwrite64, real(file, data, size, at), real(file, data, size / 2, at), const void *data, size_t size,
         off64_t at)

// After a failed flush, the kernel forgets the bytes that it could not write. For the write-ahead log, which grows at its
// end, this cuts off what was written since the last flush.
static int fails_sync(int file, int is_data) {
    if (!state) return 0;
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    struct stat status;
    int is_log = is_data && length > 4 && strcmp(path + length - 4, "-wal") == 0 && fstat(file, &status) == 0;
    int is_failure = is_due(SYNC, path);
    if (is_log && !is_failure) flushed = status.st_size;
    if (is_log && is_failure && status.st_size > flushed) {
        int error = errno;
        if (truncate(path, flushed) != 0) abort();
        errno = error;
    }
    return is_failure;
}

// A call that returns 0: it can fail, or report success without an effect.
#define CHANGE(due, name, call, ...) \
    int name(__VA_ARGS__) { \
        REAL(name); \
        if (!(due)) return call; \
        return state->way == HIDE ? 0 : -1; \
    }
CHANGE(is_due_on(SIZE, file), ftruncate, real(file, size), int file, off_t size)
CHANGE(is_due_on(SIZE, file), ftruncate64, real(file, size), int file, off64_t size)
CHANGE(is_due_on(SIZE, file), fallocate, real(file, mode, at, size), int file, int mode, off_t at, off_t size)
CHANGE(fails_sync(file, 0), fsync, real(file), int file)
CHANGE(fails_sync(file, 1), fdatasync, real(file), int file)
CHANGE(is_due_at(RENAME, AT_FDCWD, old), rename, real(old, new), const char *old, const char *new)
CHANGE(is_due_at(RENAME, a, old), renameat, real(a, old, b, new), int a, const char *old, int b, const char *new)
CHANGE(is_due_at(UNLINK, AT_FDCWD, path), unlink, real(path), const char *path)
CHANGE(is_due_at(UNLINK, folder, path), unlinkat, real(folder, path, flags), int folder, const char *path, int flags)
CHANGE(is_due_at(MKDIR, AT_FDCWD, path), mkdir, real(path, mode), const char *path, mode_t mode)
CHANGE(is_due_at(MKDIR, folder, path), mkdirat, real(folder, path, mode), int folder, const char *path, mode_t mode)
