// Moves the clocks of a process, as settimeofday(2) and suspending the machine do, also while it runs.
// CLOCK_FILE: a file of three signed 64-bit numbers, in nanoseconds, which are added to CLOCK_REALTIME (and what derives
// from it), CLOCK_BOOTTIME and CLOCK_MONOTONIC. Timers of the kernel do not move, just as in a suspended machine.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offsets;

__attribute__((constructor)) static void start(void) {
    const char *file = getenv("CLOCK_FILE");
    int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *place = mmap(NULL, 24, PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (place != MAP_FAILED) offsets = place;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (result || !offsets) return result;
    int64_t more = 0;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) more = offsets[0];
    if (clock == CLOCK_BOOTTIME) more = offsets[1];
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW) more = offsets[2];
    int64_t nanoseconds = time->tv_nsec + more % 1000000000;
    time->tv_sec += more / 1000000000;
    if (nanoseconds < 0) {
        nanoseconds += 1000000000;
        time->tv_sec--;
    }
    time->tv_sec += nanoseconds / 1000000000;
    time->tv_nsec = nanoseconds % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
