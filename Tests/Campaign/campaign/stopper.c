/* Runs a program, and kills it at one of its system calls, counted over all of its threads.
 *
 *     stopper start|later entry|exit POINT TRACE COMMAND ARGUMENT...
 *
 * Calls are counted from the start of the program, or with `later` from SIGUSR2 on, which is answered with the line
 * "ready". POINT is N for the N-th call, or CALL:N for the N-th call with the number CALL. At `entry`, that call is not
 * carried out; at `exit`, it is, but the program does not learn its result. After SIGUSR1, the program is killed as soon
 * as it makes no call for 30 ms, even if it has not come to the point. The last line is "killed COUNT CALL", where CALL
 * is the number of the call at which the program was killed, or -1. The file TRACE gets a line for each counted call: its
 * number, and 1 if it changes something outside of the program. Processes that the program starts are neither counted
 * nor killed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_BEFORE = 5, QUIET_AFTER = 30 };

static const long OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
static sigset_t signals;
static long wanted, counted, matched, wanted_call = -1;
/* `stops`: threads stop at their calls; `counts`: these calls are counted. */
static int at_exit, from_start, stops, counts;
static pid_t program, chosen;
static FILE *trace;

static int fail(const char *what) {
    fprintf(stderr, "stopper: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void finish(long call) {
    int status;
    kill(program, SIGKILL);
    while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR) {}
    fclose(trace);
    printf("killed %ld %ld\n", counted, call);
    exit(0);
}

/* Whether a call changes files or sends something. Of the calls in between, a kill shows the same state. */
static int changes(long call) {
    switch (call) {
#ifdef SYS_open
    case SYS_open: case SYS_mkdir: case SYS_rename: case SYS_unlink:
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_openat: case SYS_mkdirat: case SYS_renameat2: case SYS_unlinkat: case SYS_pwrite64: case SYS_pwritev:
    case SYS_ftruncate: case SYS_fallocate: case SYS_fsync: case SYS_fdatasync: case SYS_sync_file_range:
    case SYS_sendfile: case SYS_copy_file_range: case SYS_fchmod: case SYS_fchown: case SYS_flock: case SYS_connect:
    case SYS_sendmsg: return 1;
    default: return 0;
    }
}

/* Counts a call, and kills the program if it is the wanted one. */
static void at_call(pid_t thread) {
    struct __ptrace_syscall_info info;
    if (!counts || ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) {
        if (thread == chosen) finish(wanted_call);
        return;
    }
    long call = info.entry.nr;
    counted++;
    fprintf(trace, "%ld %d\n", call, changes(call));
    if (chosen || (wanted_call >= 0 && call != wanted_call) || ++matched != wanted) return;
    if (!at_exit) finish(call);
    chosen = thread;
    wanted_call = call;
}

/* Handles one stop of a thread, and lets it continue, up to its next call if calls are counted. */
static void stopped(pid_t thread, int status) {
    int number = WSTOPSIG(status), event = status >> 16;
    if (number == (SIGTRAP | 0x80)) at_call(thread);
    if (event == PTRACE_EVENT_EXEC) stops = counts = from_start;
    int passed = event == 0 && number != (SIGTRAP | 0x80) ? number : 0;
    ptrace(stops ? PTRACE_SYSCALL : PTRACE_CONT, thread, 0, passed);
}

/* Interrupts all threads, so that they stop at their calls from now on. */
static void begin(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)program);
    DIR *threads = opendir(folder);
    if (!threads) return;
    stops = 1;
    for (struct dirent *entry; (entry = readdir(threads));)
        if (atoi(entry->d_name)) ptrace(PTRACE_INTERRUPT, atoi(entry->d_name), 0, 0);
    closedir(threads);
}

/* Handles stops until there is none for some milliseconds, or a signal comes; without an end if `quiet` is 0. */
static int follow(long quiet) {
    struct timespec time = {.tv_nsec = quiet * 1000000};
    for (;;) {
        int status;
        pid_t thread;
        while ((thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
            if (WIFSTOPPED(status)) stopped(thread, status);
        if (thread < 0) finish(-1);
        // A stop is announced by SIGCHLD, which stays pending until it is fetched here.
        int number = quiet ? sigtimedwait(&signals, 0, &time) : sigwaitinfo(&signals, 0);
        if (number == SIGUSR1 || number == SIGUSR2 || (number < 0 && errno == EAGAIN)) return number;
    }
}

static void start(char **command) {
    int gate[2];
    char byte = 0;
    if (pipe(gate) != 0 || (program = fork()) < 0) fail("fork");
    if (program == 0) {
        close(gate[1]);
        dup2(2, 1);
        sigprocmask(SIG_UNBLOCK, &signals, 0);
        if (read(gate[0], &byte, 1) == 1) execv(command[0], command);
        _exit(127);
    }
    close(gate[0]);
    if (ptrace(PTRACE_SEIZE, program, 0, OPTIONS) != 0) fail("ptrace");
    if (write(gate[1], &byte, 1) != 1) fail("write");
    close(gate[1]);
}

int main(int count, char **words) {
    if (count < 6) fail("arguments are missing");
    from_start = strcmp(words[1], "start") == 0;
    at_exit = strcmp(words[2], "exit") == 0;
    char *colon = strchr(words[3], ':');
    if (colon) wanted_call = atol(words[3]);
    wanted = atol(colon ? colon + 1 : words[3]);
    trace = fopen(words[4], "we");
    if (!trace) fail(words[4]);
    setvbuf(stdout, 0, _IOLBF, 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigprocmask(SIG_BLOCK, &signals, 0);
    start(words + 5);
    while (follow(0) == SIGUSR2) {
        begin();
        while (follow(QUIET_BEFORE) > 0) {}
        counts = 1;
        puts("ready");
    }
    while (follow(QUIET_AFTER) > 0) {}
    finish(-1);
}
