// Lets allocations fail, as if memory were exhausted, and counts them.
// NOALLOC_FILE: a file of four 64-bit numbers that the test shares with the process:
//   0: how many allocations there were since the test set it to 0
//   1: the number of the first one that fails; 0 for none
//   2: how many fail, from that one on
//   3: how many have failed
// The file must exist. Allocations before the first look at it do not count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uint64_t *shared;

__attribute__((constructor)) static void start(void) {
    const char *file = getenv("NOALLOC_FILE");
    int descriptor = file ? open(file, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *place = (void *)syscall(SYS_mmap, NULL, 32, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (place != MAP_FAILED) shared = place;
}

static int fails(void) {
    if (!shared) return 0;
    uint64_t number = __atomic_add_fetch(&shared[0], 1, __ATOMIC_SEQ_CST);
    uint64_t first = shared[1];
    if (!first || number < first || number >= first + shared[2]) return 0;
    __atomic_add_fetch(&shared[3], 1, __ATOMIC_SEQ_CST);
    errno = ENOMEM;
    return 1;
}

// dlsym may itself allocate before it has found calloc; it then gets memory from here, which is never freed.
static char early[4096];
static size_t used;

static void *early_memory(size_t size) {
    used = (used + 15) & ~(size_t)15;
    void *place = early + used;
    used += size;
    return used <= sizeof early ? place : NULL;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, #name);

void *malloc(size_t size) {
    REAL(void *, malloc, size_t)
    return fails() ? NULL : real(size);
}

void *calloc(size_t count, size_t size) {
    static void *(*real)(size_t, size_t);
    static int looks;
    if (!real) {
        if (looks) return early_memory(count * size);
        looks = 1;
        real = dlsym(RTLD_NEXT, "calloc");
    }
    return fails() ? NULL : real(count, size);
}

void *realloc(void *place, size_t size) {
    REAL(void *, realloc, void *, size_t)
    return fails() ? NULL : real(place, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
    REAL(int, posix_memalign, void **, size_t, size_t)
    return fails() ? ENOMEM : real(place, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    REAL(void *, aligned_alloc, size_t, size_t)
    return fails() ? NULL : real(alignment, size);
}

void free(void *place) {
    REAL(void, free, void *)
    if ((char *)place < early || (char *)place >= early + sizeof early) real(place);
}

void *mmap(void *place, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (flags & MAP_ANONYMOUS && fails()) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, place, size, protection, flags, descriptor, offset);
}

void *mmap64(void *place, size_t size, int protection, int flags, int descriptor, off_t offset)
    __attribute__((alias("mmap")));
