// Tells ThreadSanitizer what orders the accesses of two threads where Swift's libraries, which are not built with it, do not.
// Linked into a program, these functions take the place of the libraries', and call them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *);
void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// A contended Mutex: the kernel hands it to the next thread.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF handle) {
    ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, handle);
    __tsan_acquire(handle);
}

SWIFT _Bool try_lock_slow(SELF handle) __asm__(TRY_LOCK);
SWIFT _Bool try_lock_slow(SELF handle) {
    _Bool is_locked = ((SWIFT _Bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK))(handle);
    if (is_locked) __tsan_acquire(handle);
    return is_locked;
}

SWIFT void unlock_slow(SELF handle) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF handle) {
    __tsan_release(handle);
    ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(handle);
}

// A continuation that is resumed before its task waits for it: swift_continuation_resume releases the task, but
// swift_continuation_await does not acquire it if it need not wait.
#define ASYNC __attribute__((swiftasynccall))
SWIFT void *swift_task_getCurrent(void);

ASYNC void swift_continuation_await(void *context);
ASYNC void swift_continuation_await(void *context) {
    typedef ASYNC void (*function)(void *);
    static function await;
    function next = __atomic_load_n(&await, __ATOMIC_RELAXED);
    if (!next) {
        next = (function)dlsym(RTLD_NEXT, "swift_continuation_await");
        __atomic_store_n(&await, next, __ATOMIC_RELAXED);
    }
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return next(context);
}
