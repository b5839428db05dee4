#include "CJemalloc.h"

#if !__has_include(<jemalloc/jemalloc.h>)
#error "swift-ipc needs jemalloc. On Debian: sudo apt install libjemalloc-dev"
#endif
#include <jemalloc/jemalloc.h>

// Options that jemalloc reads on first use (jemalloc(3), "TUNING"). Blocks of 256 KiB or more return to the system as
// soon as they are freed, so an idle broker does not keep the memory of a 16 MiB message.
const char *malloc_conf = "oversize_threshold:262144";

#define TEXT(number) #number
#define ARENA(number, verb) "arena." TEXT(number) "." verb

void cjemalloc_give_memory_back(void) {
    // Empty this thread's cache first, because purging the arenas does not free what the cache holds.
    mallctl("thread.tcache.flush", 0, 0, 0, 0);
    mallctl(ARENA(MALLCTL_ARENAS_ALL, "purge"), 0, 0, 0, 0);
}
