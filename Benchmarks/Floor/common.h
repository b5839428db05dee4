// Helpers that the C programs in this folder share.
#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Returns the time of a clock that never jumps, in seconds.
static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline void die(const char *what, DBusError *e) {
    fprintf(stderr, "%s: %s\n", what, e && e->message ? e->message : "?");
    exit(1);
}

static inline int by_size(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

/// Sorts the values and returns the median.
static inline double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/// Prints "ready", a line for which the parent process waits.
static inline void ready(void) {
    puts("ready");
    fflush(stdout);
}
