// jemalloc in the place of the C library's malloc(3) (Debian: libjemalloc-dev): a program that links this is served by it.
#pragma once

// Gives to the system what is free, at once: jemalloc does so over some seconds, but only while it is called.
void cjemalloc_give_memory_back(void);
