#!/bin/sh
# A handler in shell. A script cannot export an object on a bus, so ipc-server does this, and runs these commands for
# each request: the text is their standard input, their standard output is the reply, and standard error is shown.
exec ipc-server --application demo.polyglot.Shell --scheme polyglot.shell --exec '
    text=$(cat && printf .) # the dot keeps the shell from removing newlines at the end
    text=${text%.}
    printf "%s\n" "$IPC_URL" "$text" >&2
    printf "Shell has: %s" "$text"
' 2>&1 >/dev/null
