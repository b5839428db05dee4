#include "CJemalloc.h"

// What jemalloc reads at its first use (jemalloc(3), "TUNING"). Blocks of 256 KiB or more go back to the system as soon as they
// are freed: what a message of 16 MiB took is not kept by a broker that is idle afterwards.
const char *malloc_conf = "oversize_threshold:262144";
