/* Kills a process at its N-th system call, counted over all of its threads.
 *
 *     stopper N entry|exit --pid PID
 *     stopper N entry|exit COMMAND ARGUMENT...
 *
 * A running process is counted from the line "ready" on, a command from its start. At `entry`, the N-th call is not
 * carried out; at `exit`, it is, but the process does not learn its result. After SIGUSR1, the process is killed as soon
 * as it makes no call for 30 ms, even if it has not made N. The last line is "killed COUNT CALL", where CALL is the call
 * at which it was killed, or "end". With the variable STOPPER_TRACE, the numbers of all calls go to that file.
 * Processes that the process starts are neither counted nor killed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_BEFORE = 5, QUIET_AFTER = 30 };

static sigset_t signals;
static long wanted, counted, last_call;
static int at_exit, counts;
static pid_t process, chosen;
static FILE *trace;

static void finish(const char *where) {
    int status;
    kill(process, SIGKILL);
    while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR) {}
    printf("killed %ld %s\n", counted, where);
    exit(0);
}

static void finish_at_call(void) {
    char text[32];
    snprintf(text, sizeof text, "%ld", last_call);
    finish(text);
}

/* Counts a call, and kills the process if it is the wanted one. */
static void syscall_stop(pid_t thread) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0 || !counts) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        counted++;
        if (trace) fprintf(trace, "%ld\n", (long)info.entry.nr);
        if (counted != wanted) return;
        last_call = info.entry.nr;
        chosen = thread;
        if (!at_exit) finish_at_call();
    } else if (thread == chosen && at_exit) {
        finish_at_call();
    }
}

/* Handles one stop of a thread, and lets it continue to its next call. */
static void stopped(pid_t thread, int status) {
    int number = WSTOPSIG(status), event = status >> 16;
    int passed = 0;
    if (number == (SIGTRAP | 0x80)) syscall_stop(thread);
    else if (event == PTRACE_EVENT_EXEC) counts = 1;
    else if (event == 0) passed = number;
    ptrace(PTRACE_SYSCALL, thread, 0, passed);
}

/* Handles stops until there is none for some milliseconds; with -1, until SIGUSR1. */
static void follow(long quiet) {
    struct timespec time = {.tv_nsec = quiet * 1000000};
    for (;;) {
        int status;
        pid_t thread;
        while ((thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
            if (WIFSTOPPED(status)) stopped(thread, status);
        if (thread < 0) finish("end");
        // A stop is announced by SIGCHLD, which stays pending until it is fetched here.
        int number = quiet < 0 ? sigwaitinfo(&signals, 0) : sigtimedwait(&signals, 0, &time);
        if (number == SIGUSR1 || (number < 0 && errno == EAGAIN)) return;
    }
}

static const long OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

static int fail(const char *what) {
    fprintf(stderr, "stopper: %s: %s\n", what, strerror(errno));
    return 1;
}

/* Attaches to all threads. A thread that starts meanwhile is found in the next round. */
static int attach(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)process);
    for (int found = 1; found;) {
        found = 0;
        DIR *threads = opendir(folder);
        if (!threads) return fail(folder);
        for (struct dirent *entry; (entry = readdir(threads));) {
            pid_t thread = atoi(entry->d_name);
            if (thread && ptrace(PTRACE_SEIZE, thread, 0, OPTIONS) == 0) {
                ptrace(PTRACE_INTERRUPT, thread, 0, 0);
                found = 1;
            }
        }
        closedir(threads);
    }
    return 0;
}

static int start(char **command) {
    int gate[2];
    char byte = 0;
    if (pipe(gate) != 0 || (process = fork()) < 0) return fail("fork");
    if (process == 0) {
        close(gate[1]);
        sigprocmask(SIG_UNBLOCK, &signals, 0);
        if (read(gate[0], &byte, 1) == 1) execv(command[0], command);
        _exit(127);
    }
    close(gate[0]);
    if (ptrace(PTRACE_SEIZE, process, 0, OPTIONS) != 0) return fail("PTRACE_SEIZE");
    if (write(gate[1], &byte, 1) != 1) return fail("write");
    close(gate[1]);
    return 0;
}

int main(int count, char **words) {
    if (count < 4) return fail("missing arguments");
    wanted = atol(words[1]);
    at_exit = strcmp(words[2], "exit") == 0;
    if (getenv("STOPPER_TRACE")) trace = fopen(getenv("STOPPER_TRACE"), "w");
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, 0);
    setvbuf(stdout, 0, _IOLBF, 0);
    if (strcmp(words[3], "--pid") == 0 && count > 4) {
        process = atoi(words[4]);
        if (attach()) return 1;
        follow(QUIET_BEFORE);
        counts = 1;
    } else if (start(words + 3)) {
        return 1;
    }
    puts("ready");
    follow(-1);
    follow(QUIET_AFTER);
    finish("end");
}
