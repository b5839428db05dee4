// jemalloc in place of the C library's malloc(3), for every program that links this (Debian: libjemalloc-dev).
#pragma once

// Returns free memory to the system immediately. jemalloc itself does so over some seconds, but only while it is called.
void cjemalloc_give_memory_back(void);
