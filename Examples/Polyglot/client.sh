#!/bin/sh
# A client in shell, with busctl and jq: client.sh URL TEXT
answer=$(busctl --user --timeout=30 --json=short -- call \
    org.swiftipc.Broker1 /org/swiftipc/Broker1 org.swiftipc.URLs1 OpenURL 'sa{sv}' "$1" \
    1 items 'aa(sv)' 1 1 'text/plain;charset=utf-8' s "$2") || exit # no handler was called
outcome=$(printf '%s\n' "$answer" | jq -r '.data[0].outcome.data')
if [ "$outcome" != handled ]; then
    printf '%s\n' "$outcome" >&2
    exit 1
fi
printf '%s\n' "$answer" | jq -r '.data[0].items.data[0][0][1].data'
