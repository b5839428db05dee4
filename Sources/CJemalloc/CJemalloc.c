#include "CJemalloc.h"

#include <jemalloc/jemalloc.h>

// What jemalloc reads at its first use (jemalloc(3), "TUNING"). Blocks of 256 KiB or more go back to the system as soon as they
// are freed: what a message of 16 MiB took is not kept by a broker that is idle afterwards.
const char *malloc_conf = "oversize_threshold:262144";

#define TEXT(number) #number
#define ARENA(number, verb) "arena." TEXT(number) "." verb

void cjemalloc_give_memory_back(void) {
    // The cache of this thread, which its arena does not see, then all arenas.
    mallctl("thread.tcache.flush", 0, 0, 0, 0);
    mallctl(ARENA(MALLCTL_ARENAS_ALL, "purge"), 0, 0, 0, 0);
}
