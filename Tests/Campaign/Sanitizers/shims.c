// Exercises every allocation and every descriptor of the C shims, on success and on failure. It is compiled with
// AddressSanitizer, whose leak detection checks the allocations; after each check, no descriptor may be left.
#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "broken: line %d: %s (%s)\n", __LINE__, #condition, strerror(errno)); \
            exit(1); \
        } \
    } while (0)

static int open_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    EXPECT(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

// Lets the process have `free` more descriptors before the reserved ones begin; a negative number ends this.
static void leave_free(int free) {
    struct rlimit limit;
    EXPECT(!getrlimit(RLIMIT_NOFILE, &limit));
    int next = dup(0);
    EXPECT(next >= 0);
    close(next);
    limit.rlim_cur = free < 0 ? limit.rlim_max : (rlim_t)(next + free + CLINUX_RESERVED_DESCRIPTORS);
    EXPECT(!setrlimit(RLIMIT_NOFILE, &limit));
}

// The linker puts these in place of the functions that they are named after (--wrap).
static int thread_error = 0;
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
    return thread_error ? thread_error : __real_pthread_create(thread, attributes, body, context);
}

static int lacks_memory = 0;
void *__real_malloc(size_t);
void *__wrap_malloc(size_t size) { return lacks_memory ? NULL : __real_malloc(size); }

// As in a kernel before 6.3.
static unsigned rejected_flags = 0;
int __real_memfd_create(const char *, unsigned);
int __wrap_memfd_create(const char *name, unsigned flags) {
    errno = EINVAL;
    return flags & rejected_flags ? -1 : __real_memfd_create(name, flags);
}

static void post(void *semaphore) {
    char name[16];
    EXPECT(!pthread_getname_np(pthread_self(), name, sizeof name));
    EXPECT(!strcmp(name, "a name that is "));
    sem_post(semaphore);
}

static void start_thread(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < 100; i++) {
        EXPECT(!clinux_start_thread("a name that is too long", post, &semaphore));
        sem_wait(&semaphore);
    }
    thread_error = EAGAIN;
    EXPECT(clinux_start_thread("x", post, &semaphore) == EAGAIN);
    thread_error = 0;
    lacks_memory = 1;
    EXPECT(clinux_start_thread("x", post, &semaphore) == ENOMEM);
    lacks_memory = 0;
    sem_destroy(&semaphore);
}

static void open_process(void) {
    int process = clinux_open_process(getpid());
    EXPECT(process >= 0);
    close(process);
    EXPECT(clinux_open_process(-1) == -1);
}

static void memory_file(unsigned rejected) {
    rejected_flags = rejected;
    int file = clinux_memory_file("x");
    EXPECT(file >= 0 && write(file, "abc", 3) == 3);
    EXPECT(!clinux_has_fixed_content(file) && !clinux_seal(file) && clinux_has_fixed_content(file));
    EXPECT(clinux_can_read(file));
    close(file);
    leave_free(0);
    EXPECT(clinux_memory_file("x") == -1 && errno == EMFILE);
    leave_free(-1);
}

static void memory_files(void) {
    memory_file(0);
    memory_file(8);  // MFD_NOEXEC_SEAL
}

static void open_path(void) {
    int path = clinux_open_path("/proc/self/exe/none");
    EXPECT(path == -1);
    path = clinux_open_path("/tmp");
    EXPECT(path >= 0 && !clinux_can_read(path));
    close(path);
    leave_free(0);
    EXPECT(clinux_open_path("/tmp") == -1 && errno == EMFILE);
    leave_free(-1);
}

static void transfer(int count, int free) {
    int pair[2], descriptors[CLINUX_MOST_DESCRIPTORS], received[CLINUX_MOST_DESCRIPTORS], arrived;
    char bytes[8];
    struct iovec part = {.iov_base = "ab", .iov_len = 2};
    int before = open_descriptors();
    EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    for (int i = 0; i < count; i++) descriptors[i] = 0;
    if (free >= 0) leave_free(free);
    EXPECT(clinux_send(pair[0], &part, 1, descriptors, count) == 2);
    EXPECT(clinux_receive(pair[1], bytes, sizeof bytes, received, &arrived) == 2);
    EXPECT(arrived == (free >= 0 && free < count ? -1 : count));
    for (int i = 0; i < arrived; i++) close(received[i]);
    EXPECT(clinux_receive(pair[1], bytes, sizeof bytes, received, &arrived) == -1 && arrived == 0);
    leave_free(-1);
    close(pair[0]);
    close(pair[1]);
    EXPECT(open_descriptors() == before);
}

static void receive(void) {
    transfer(0, -1);
    transfer(1, -1);
    transfer(CLINUX_MOST_DESCRIPTORS, -1);
    transfer(5, 5);
    transfer(5, 3);
    // Not even all reserved slots suffice, so the kernel truncates (MSG_CTRUNC).
    transfer(CLINUX_MOST_DESCRIPTORS, 0);
}

static void accept_connection(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    EXPECT(listening >= 0 && !bind(listening, (struct sockaddr *)&address, sizeof(sa_family_t)) && !listen(listening, 4));
    socklen_t size = sizeof address;
    EXPECT(!getsockname(listening, (struct sockaddr *)&address, &size));
    EXPECT(clinux_accept(listening) == -1 && errno == EAGAIN);
    int clients[2];
    for (int i = 0; i < 2; i++) {
        clients[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT(clients[i] >= 0 && !connect(clients[i], (struct sockaddr *)&address, size));
    }
    int accepted = clinux_accept(listening);
    unsigned user;
    EXPECT(accepted >= 0 && !clinux_peer_user(accepted, &user) && user == getuid());
    EXPECT(clinux_peer_user(0, &user) == -1);
    close(accepted);
    leave_free(0);
    EXPECT(clinux_accept(listening) == -1 && errno == EMFILE);
    leave_free(-1);
    close(clients[0]);
    close(clients[1]);
    close(listening);
}

// The streams are replaced in a child process. It has as many descriptors as before they were closed.
static void occupy_standard_streams(void) {
    int before = open_descriptors();
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        for (int stream = 0; stream <= 2; stream++) close(stream);
        clinux_occupy_standard_streams();
        clinux_occupy_standard_streams();
        char byte;
        int is_right = open_descriptors() == before && read(0, &byte, 1) == -1 && write(1, "x", 1) == -1;
        _exit(is_right ? 0 : 1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

int main(int count, char **words) {
    // Inherited descriptors would take slots that the checks count on.
    if (close_range(3, ~0U, 0)) return 1;
    static const struct {
        const char *name;
        void (*run)(void);
    } checks[] = {
        {"start_thread", start_thread}, {"open_process", open_process}, {"memory_file", memory_files},
        {"open_path", open_path}, {"receive", receive}, {"accept", accept_connection},
        {"occupy_standard_streams", occupy_standard_streams},
    };
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
        int before = open_descriptors();
        checks[i].run();
        if (count > 1 && !strcmp(words[1], "leave-open")) dup(0);
        if (open_descriptors() != before) {
            fprintf(stderr, "broken: %s leaves descriptors open\n", checks[i].name);
            return 1;
        }
        printf("%s\n", checks[i].name);
    }
    return 0;
}
