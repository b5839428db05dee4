// XXH3, for row checksums and value digests, runs at memory speed (Debian: libxxhash-dev).
#pragma once
#if !__has_include(<xxhash.h>)
#error "swift-ipc needs xxHash. On Debian: sudo apt install libxxhash-dev"
#endif
#include <xxhash.h>
