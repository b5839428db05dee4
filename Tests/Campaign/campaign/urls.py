"""Hostile URLs: the list in corpus/u1, their mutations, and what must happen to each."""

import re

from campaign.shard import ROOT

FILE = ROOT / "Tests/Campaign/corpus/u1/urls.txt"
MOST_BYTES = 1 << 20
# What the claims of the row are. Schemes are compared without case.
CLAIMS = {"camp-one": "campaign.One", "camp-two": "campaign.Two", "camp.three+3": "campaign.Two"}
DESKTOP = "camp-desk"
SCHEME = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]{0,254}):")


def listed():
    """The URLs of the file, as bytes."""
    lines = FILE.read_text().split("\n")
    return [decoded(line) for line in lines if line and not line.startswith(("# ", "## "))]


def decoded(line):
    """The bytes for which a line of the file stands."""
    def replaced(match):
        kind, text = match.group(1)[:1], match.group(1)
        if kind == "x":
            return bytes([int(text[1:], 16)])
        if kind in "uU":
            return chr(int(text[1:], 16)).encode()
        if kind == "s":
            return b" "
        if kind == "\\":
            return b"\\"
        count, repeated = text[1:-1].split(" ", 1)
        return decoded(repeated) * int(count)

    parts, place = [], 0
    for match in re.finditer(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|s|\\|\{[0-9]+ [^}]+\})", line):
        parts += [line[place:match.start()].encode(), replaced(match)]
        place = match.end()
    return b"".join(parts) + line[place:].encode()


def is_text(url):
    """Whether D-Bus can carry it as a string."""
    try:
        url.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in url


def scheme(url):
    """The scheme in lower case; None if this is no URL that the broker accepts (I20, RFC 3986 section 3.1)."""
    if len(url) > MOST_BYTES or re.search(rb"[\x00-\x1f\x7f]", url):
        return None
    match = SCHEME.match(url)
    return match and match.group(1).decode().lower()


class Mutator:
    """Changes URLs of the list, a few steps at a time."""

    TOKENS = [b"%u", b"%f", b"%00", b"%25", b"%", b"$(touch camp-pwned)", b"`", b"'", b'"', b"\\", b";", b"|", b"&",
              b"\n", b"\0", b"\x1b", b"\x7f", b" ", b"-", b"--", b":", b"/", b"//", b"..", b"@", b"#", b"?", b"+", b".",
              b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xc3\xa9", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80",
              b"camp-one:", b"camp-two:", b"Camp.Three+3:", b"camp-none:", b"javascript:", b"file:///", b"https://"]

    def __init__(self, random):
        self.random = random
        everything = listed()
        self.short = [url for url in everything if len(url) <= 2_000]
        self.long = [url for url in everything if len(url) > 2_000]

    def url(self):
        url = bytearray(self.random.choice(self.long if self.random.random() < 0.002 else self.short))
        for _ in range(self.random.choice([1, 1, 2, 3])):
            self.step(url)
        return bytes(url)

    def step(self, url):
        """Changes one place, mostly behind the scheme, so that many mutations are still delivered."""
        colon = url.find(b":") + 1
        least = 0 if self.random.random() < 0.25 else colon
        place = self.random.randrange(least, len(url) + 1)
        match self.random.randrange(8):
            case 0 | 1:
                url[place:place] = self.random.choice(self.TOKENS)
            case 2:
                url[place:place + self.random.choice([1, 1, 4])] = b""
            case 3:
                url[place:place + 1] = bytes([self.random.randrange(256)])
            case 4:
                url[place:place + 1] = chr(self.random.choice([
                    self.random.randrange(0x20, 0x7f), self.random.randrange(0x80, 0x800),
                    self.random.randrange(0xe000, 0x11_0000)])).encode()
            case 5:
                url[:colon] = url[:colon].swapcase()
            case 6:
                url[place:] = self.random.choice(self.short)[self.random.randrange(3):]
            case _:
                url[place:place + 1] = b"".join(b"%%%02X" % byte for byte in url[place:place + 1])
