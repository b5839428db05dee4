// jemalloc in the place of the C library's malloc(3) (Debian: libjemalloc-dev). There is nothing to call: a program that links
// this is served by it.
#pragma once
