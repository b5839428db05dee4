// What the programs of the floor share.
#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Seconds of a clock that does not jump.
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

/// The middle one.
static inline double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/// Says that it is there, to the parent that reads one line.
static inline void ready(void) {
    puts("ready");
    fflush(stdout);
}
