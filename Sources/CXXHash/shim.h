// XXH3, for row checksums and value digests, runs at memory speed (Debian: libxxhash-dev).
#pragma once
#include <xxhash.h>
