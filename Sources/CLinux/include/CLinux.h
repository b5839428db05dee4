// What Swift's Glibc module lacks, each with its reason.
#pragma once
#include <sys/epoll.h>    // not in the Glibc module map
#include <sys/eventfd.h>  // not in the Glibc module map

// prlimit's resource constants are an enum in C and an Int32 parameter in Swift: raise the soft limit here.
int clinux_raise_descriptor_limit(void);

// pthread_setname_np hides behind _GNU_SOURCE, which the Glibc module is built without.
void clinux_name_this_thread(const char *name);

// mallopt's parameters are macros. By itself glibc raises its threshold with each large block that is freed, and then
// keeps what a 16 MiB message took.
void clinux_give_back_large_blocks(void);
