// SQLite provides the store's transactions and file format (Debian: libsqlite3-dev).
#pragma once
#if !__has_include(<sqlite3.h>)
#error "swift-ipc needs SQLite. On Debian: sudo apt install libsqlite3-dev"
#endif
#include <sqlite3.h>

// Makes SQLite treat a word in double quotes only as a name, so that a misspelled name is an error and not a string.
// sqlite3_db_config takes its arguments by "...", which Swift cannot call.
static inline int csqlite_read_double_quotes_as_names(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return code ? code : sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

// Closing the last connection to a database then leaves its write-ahead log as it is.
static inline int csqlite_keep_log_on_close(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
