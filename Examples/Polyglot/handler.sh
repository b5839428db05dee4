#!/bin/sh
# A handler in shell. A script cannot export an object on a bus, so ipc-server does, and runs these commands for each
# request: the text is on their standard input, and what they print is the reply. What they tell goes to standard error.
exec ipc-server --application demo.polyglot.Shell --scheme polyglot.shell --exec '
    text=$(cat && printf .) # the shell cuts line ends off, but not in front of a dot
    text=${text%.}
    printf "%s\n" "$IPC_URL" "$text" >&2
    printf "Shell has: %s" "$text"
' 2>&1 >/dev/null
