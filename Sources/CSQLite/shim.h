// SQLite, the transactions and the file format of the store (Debian: libsqlite3-dev).
#pragma once
#include <sqlite3.h>

// sqlite3_db_config takes its arguments by "...", which Swift cannot call. After this call a word in double quotes is a name only:
// a misspelled name is then an error, and not a text.
static inline int csqlite_read_double_quotes_as_names(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return code ? code : sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
