"""The values that a broker can write to a row. It shares no code with the broker."""

import re
import struct

APPLICATION = re.compile(r"[A-Za-z_-][A-Za-z0-9_-]*(\.[A-Za-z_-][A-Za-z0-9_-]*)+")
SNAP = re.compile(r"snap\.[!-\-/-~]+")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,254}:[^\x00-\x1f\x7f]*")
ID = re.compile(r"[A-Za-z0-9-]{16,64}")
OUTCOMES = {"handled", "delivered", "declined", "cancelled", "failed", "unavailable", "timed-out", "expired", "queued"}
STEPS = {"accepted", "queued", "starting", "start-failed", "delivered", "answered", "handed-back", "handler-left",
         "cancel-asked", "recovered", "ended", "answered-late", "retried"}
UNKNOWN, CLAIMED, SANDBOXED, OWNED = range(4)


def possible(table, row):
    """Whether a broker can have written the names, ids, URLs and steps of a row. Other columns are not judged."""
    if table == "open_request":
        return (source(row[6], [row[5]]) and matches(APPLICATION, row[10], 255) and matches(URL, row[26], 1 << 20)
                and (row[19] is None or matches(ID, row[19])) and steps(row[28])
                and all(word is None or word in OUTCOMES for word in row[3:5]))
    if table == "version":
        return source(row[11], [row[10]])
    return table != "pasteboard" or source(row[6], [UNKNOWN, CLAIMED, SANDBOXED, OWNED])


def matches(pattern, text, most=64):
    return isinstance(text, str) and len(text.encode("utf-8", "surrogateescape")) <= most and bool(
        pattern.fullmatch(text))


def source(text, strengths):
    """Whether a program whose id is proven in one of these ways can have the id."""
    return any(text == "" if strength == UNKNOWN else matches(APPLICATION, text, 255) or (
        strength == SANDBOXED and matches(SNAP, text, 255)) for strength in strengths)


def steps(packed):
    """Whether bytes are the packed steps of a trace: kind, time, attempt, program, size, detail."""
    place = 0

    def number():
        nonlocal place
        place += 8
        return struct.unpack_from("<Q", packed, place - 8)[0]

    def field():
        nonlocal place
        length = number()
        place += length
        if place > len(packed):
            raise struct.error
        return packed[place - length:place]

    try:
        while place < len(packed):
            if field().decode() not in STEPS:
                return False
            number(), number(), field(), number(), field()
    except (struct.error, UnicodeDecodeError):
        return False
    return True
