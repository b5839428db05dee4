"""The contract as dbus/*.xml states it: interfaces, members, options, and names of errors."""

import dataclasses
import functools
import re
import xml.etree.ElementTree as tree

from campaign.shard import ROOT

ERRORS = "org.swiftipc.Error."
# The broker has these interfaces; programs implement the others.
OF_BROKER = ("Broker1", "Schemes1", "URLs1", "Pasteboards1", "Simple1")
OF_PASTEBOARDS = ("Pasteboard1",)


@dataclasses.dataclass(frozen=True)
class Method:
    interface: str
    name: str
    # The names and the types of the arguments.
    arguments: tuple
    # For each argument that is a dictionary: the types of its keys.
    keys: dict

    @property
    def signature(self):
        return "".join(kind for _, kind in self.arguments)


@dataclasses.dataclass(frozen=True)
class Interface:
    name: str
    methods: tuple
    properties: dict
    signals: tuple


@functools.cache
def interfaces():
    """All interfaces of org.swiftipc by their last name, such as URLs1."""
    found = [interface(path.read_text()) for path in sorted((ROOT / "dbus").glob("org.swiftipc.*.xml"))]
    return {one.name.removeprefix("org.swiftipc."): one for one in found}


def interface(text):
    element = tree.fromstring(text).find("interface")
    methods = []
    for method in element.findall("method"):
        incoming = tuple((arg.get("name"), arg.get("type")) for arg in method.findall("arg")
                         if arg.get("direction") == "in")
        keys = {name: documented_keys(text, method.get("name"), name) for name, kind in incoming if kind == "a{sv}"}
        methods.append(Method(element.get("name"), method.get("name"), incoming, keys))
    return Interface(
        element.get("name"), tuple(methods),
        {one.get("name"): (one.get("type"), one.get("access")) for one in element.findall("property")},
        tuple(one.get("name") for one in element.findall("signal")))


def documented_keys(text, method, argument):
    """The keys that the comment of a method lists, such as `@options: if-change-count (t), id (s).`"""
    comment = re.search(rf"<!--\s+{method}:\n(.*?)-->", text, re.DOTALL).group(1)
    line = re.search(rf"@{argument}: (.*)", comment).group(1)
    return dict(re.findall(r"([a-z-]+) \(([a-z{}()]+)\)", line))


@functools.cache
def error_names():
    """The errors of the broker that the comment of org.swiftipc.Broker1 lists."""
    text = (ROOT / "dbus/org.swiftipc.Broker1.xml").read_text()
    listed = text[text.index("the exit codes that the tools derive"):text.index("Each name is short for")]
    words = re.findall(r"``([A-Z][A-Za-z]+)``", listed)
    # The library reports these two; the broker never sends them.
    return {ERRORS + word for word in words} - {ERRORS + "NoBus", ERRORS + "TimedOut"}


@functools.cache
def standard_errors():
    """The errors of D-Bus that a peer answers for an object, an interface or a member that it does not have, for a
    property that cannot be set, and for members that need a bus. Simple1.OpenText answers `Failed`."""
    words = ("UnknownObject", "UnknownInterface", "UnknownMethod", "UnknownProperty", "PropertyReadOnly",
             "NotSupported", "Failed")
    return {f"org.freedesktop.DBus.Error.{word}" for word in words}
