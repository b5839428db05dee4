// XXH3, the checksum of rows and the digest of values: memory speed (Debian: libxxhash-dev).
#pragma once
#include <xxhash.h>
