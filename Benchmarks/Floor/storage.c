// The cost of durability in DIRECTORY: storage DIRECTORY [sync]
//   times an fdatasync of 4 KiB and, without "sync", SQLite commits of one row and of 64 rows
#include "common.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

/// Returns the median time of one write of 4 KiB with fdatasync, in microseconds.
static double sync_cost(const char *directory) {
    char path[4200], block[4096];
    memset(block, 1, sizeof block);
    snprintf(path, sizeof path, "%s/floor.sync", directory);
    int f = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600), n = 500;
    double took[500];
    for (int i = 0; i < n; i++) {
        double start = now();
        if (write(f, block, sizeof block) != sizeof block || fdatasync(f)) exit(74);
        took[i] = now() - start;
    }
    close(f);
    unlink(path);
    return median(took, n) * 1e6;
}

/// Writes `n` rows in commits of `batch` rows; returns the time per row in microseconds.
static double commit_cost(const char *directory, int batch, int n) {
    char path[4200], other[4300], bytes[256];
    memset(bytes, 'x', sizeof bytes);
    snprintf(path, sizeof path, "%s/floor.sqlite", directory);
    unlink(path);
    sqlite3 *db;
    sqlite3_stmt *insert;
    if (sqlite3_open(path, &db)) exit(74);
    sqlite3_exec(db,
                 "pragma locking_mode=exclusive; pragma journal_mode=wal; pragma synchronous=full;"
                 "create table item(id integer primary key, board integer, data blob)",
                 0, 0, 0);
    sqlite3_prepare_v2(db, "insert into item(board,data) values(1,?)", -1, &insert, 0);
    double start = now();
    for (int i = 0; i < n;) {
        sqlite3_exec(db, "begin immediate", 0, 0, 0);
        for (int k = 0; k < batch && i < n; k++, i++) {
            sqlite3_bind_blob(insert, 1, bytes, sizeof bytes, SQLITE_STATIC);
            sqlite3_step(insert);
            sqlite3_reset(insert);
        }
        sqlite3_exec(db, "commit", 0, 0, 0);
    }
    double took = (now() - start) / n * 1e6;
    sqlite3_finalize(insert);
    sqlite3_close(db);
    unlink(path);
    snprintf(other, sizeof other, "%s-wal", path);
    unlink(other);
    return took;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: storage DIRECTORY [sync]\n");
        return 64;
    }
    double sync = sync_cost(argv[1]), one = 0, many = 0;
    if (argc < 3) {
        one = commit_cost(argv[1], 1, 1000);
        many = commit_cost(argv[1], 64, 50000);
    }
    printf("{\"fdatasync\": %.2f, \"commit\": %.2f, \"commit-of-64\": %.2f}\n", sync, one, many);
    return 0;
}
