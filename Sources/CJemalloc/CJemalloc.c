#include "CJemalloc.h"

#if !__has_include(<jemalloc/jemalloc.h>)
#error "swift-ipc needs jemalloc. On Debian: sudo apt install libjemalloc-dev"
#endif
#include <jemalloc/jemalloc.h>

// Options that jemalloc reads on first use (jemalloc(3), "TUNING"). Freed blocks of any size are used again. By default,
// long ones return to the system at once, and the next value of 12 MiB has to wait 5 ms for new pages. Blocks that are
// not used again return after a second, or when the broker is quiet (cjemalloc_give_memory_back).
const char *malloc_conf = "oversize_threshold:0,dirty_decay_ms:1000";

#define TEXT(number) #number
#define ARENA(number, verb) "arena." TEXT(number) "." verb

void cjemalloc_give_memory_back(void) {
    // Empty this thread's cache first, because purging the arenas does not free what the cache holds.
    mallctl("thread.tcache.flush", 0, 0, 0, 0);
    mallctl(ARENA(MALLCTL_ARENAS_ALL, "purge"), 0, 0, 0, 0);
}
