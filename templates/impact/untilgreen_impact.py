"""Which tests start which functions: a plugin of pytest that writes it down, one document a process.

It runs in the project's own Python, 3.8 or newer, and changes nothing of the run: what it cannot do it leaves, and it
takes its own traces out of what tests see.
"""

import json
import os
import re
import sys
import time
import zlib

import pytest

TOOL, MOST_TESTS, MOST_NAMES, LARGEST = 3, 50000, 200, 8000000
M = getattr(sys, "monitoring", None)  # Python 3.12
HERE = os.path.dirname(os.path.abspath(__file__))
VARIABLE = "IMPACT_MAP"  # the project's folder, and where to write
DATA = re.compile(r"[\w.-]*[\w-]\.[A-Za-z]\w{0,7}").fullmatch
given = os.environ.pop(VARIABLE, "")
own = None  # the configuration of the run that is written down: tests may begin others
started = []  # each code that begins, once until the next restart_events()
modules, known, kept, names, files = {}, {}, [], [], set()
looking, loaded = True, 0
tests, wide = {}, {}
began = time.time()

for variable, apart, mine in (("PYTHONPATH", os.pathsep, HERE), ("PYTEST_PLUGINS", ",", __name__)):
    others = [one for one in os.environ.pop(variable, "").split(apart) if one and one != mine]
    if others:
        os.environ[variable] = apart.join(others)


def told():
    """The project's folder, and where to write."""
    root, _, folder = given.partition("\n")
    return root, folder


def tops():
    """The project's folder, as it may be named."""
    if not names:
        names.extend({os.path.join(one, "") for one in (told()[0], os.path.realpath(told()[0]))})
    return names


def begin():
    try:
        if M is None or any(map(M.get_tool, range(TOOL + 1))):  # coverage and debuggers go by the same events
            return False
        off, note = M.DISABLE, started.append

        def start(code, _offset):
            note(code)
            return off

        M.use_tool_id(TOOL, "tests by function")
        M.register_callback(TOOL, M.events.PY_START, start)
        M.set_events(TOOL, M.events.PY_START)
        return True
    except Exception:
        return False


on = begin()


def end():
    global on
    if on:
        on = False
        M.set_events(TOOL, 0)
        M.free_tool_id(TOOL)


def place(code):
    """The file of a code relative to the project; "" where it is none of it."""
    name = code.co_filename
    top = next((one for one in tops() if name.startswith(one)), "")
    inside = top and "site-packages" not in name and os.sep + "." not in name[len(top) :]
    return name[len(top) :].replace(os.sep, "/") if inside else ""


def inner(code):
    """The functions in a code, at any depth."""
    for one in code.co_consts:
        if hasattr(one, "co_consts"):
            yield one
            yield from inner(one)


def learn(code):
    """Hear of this function, and of those in it, once a test. Codes are compared by content: too slow to be keys."""
    for one in (code, *inner(code)):
        if id(one) not in known and one.co_name != "<module>":
            known[id(one)] = len(known), one
            M.set_local_events(TOOL, one, M.events.PY_START)


def learn_modules():
    """Hear of the functions of all modules; the numbers of those that are new."""
    global loaded
    number = len(known)
    for code in started[:] if looking else ():
        file = place(code)
        if file and code.co_name == "<module>":
            modules[file] = code
        if file:
            learn(code)
    if len(sys.modules) != loaded:
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if type(file) is not str or file in files or not file.endswith(".py"):
                continue
            files.add(file)
            held = list(getattr(module, "__dict__", {}).values()) if file.startswith(tuple(tops())) else ()
            for one in held:
                of_class = list(vars(one).values()) if isinstance(one, type) else ()
                for each in (one, *of_class):
                    code = getattr(getattr(each, "__func__", each), "__code__", None)
                    if hasattr(code, "co_consts") and place(code):
                        modules.setdefault(place(code), None)
                        learn(code)
        loaded = len(sys.modules)
    return range(number, len(known))


def taken():
    """The functions of the project that began since the last call."""
    found = [known[id(code)][0] for code in started if id(code) in known]
    started.clear()
    return found


def again():
    """From now on each function tells it once more that it begins."""
    global looking
    if looking:  # until now all codes did, for the sake of modules
        M.set_events(TOOL, 0)
        learn_modules()
        looking = False
    started.clear()
    M.restart_events()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    global own, given
    if own is None:
        own = config
        given = given or getattr(config, "workerinput", {}).get(VARIABLE, "")
        if HERE in sys.path:
            sys.path.remove(HERE)
        if not given:
            end()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """A worker of pytest-xdist begins."""
    node.workerinput[VARIABLE] = given


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if not on or item.config is not own or len(tests) >= MOST_TESTS or M.get_tool(1) or M.get_tool(0):
        if item.config is own:
            end()
        yield
        return
    learn_modules()
    again()
    since = time.perf_counter()
    yield
    if on:
        row = {*taken(), *learn_modules()}  # what was imported meanwhile may have begun
        for defs in getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).values():
            for one in defs:
                row.update(wide.get(id(one), ()))
        tests[item.nodeid] = row, round(1000 * (time.perf_counter() - since), 1)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    """What a fixture of wider scope starts is started for all who use it."""
    if not on or looking or fixturedef.scope == "function" or request.config is not own:
        yield
        return
    before = started[:]
    again()
    yield
    if on:
        theirs = started[:]
        wide[id(fixturedef)] = {*taken(), *learn_modules()}
        kept.append(fixturedef)  # its number is its own
        started.extend((*before, *theirs))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    if session.config is own and on:
        try:
            end()
            write(session.config)
        except Exception as error:
            with open(os.path.join(told()[1], "failed"), "a") as file:
                file.write("%s: %s\n" % (type(error).__name__, error))
    yield


def last_line(code):
    return max([line for _, _, line in code.co_lines() if line] or [code.co_firstlineno])


def imported(file, names, places):
    """The files of the project that these names may import: more than it does, where an attribute has such a name."""
    parts = file[:-3].split("/")
    parents = ["/".join(parts[:end]) + "/" if end else "" for end in range(len(parts))]
    for name in names:
        if name.replace(".", "a").isidentifier():
            tail = name.replace(".", "/")
            for top in (*parents, "src/"):
                for path in (top + tail + ".py", top + tail + "/__init__.py"):
                    if path in places and path != file:
                        yield places[path]


def described(file, places, numbers):
    """What is known of a file; None of one that is gone, or was written since."""
    path = os.path.join(told()[0], file)
    if not os.path.isfile(path) or os.stat(path).st_mtime > began:
        return None
    with open(path, "rb") as stream:
        text = stream.read(2000000)
    module = modules[file]
    by_place = numbers.get(file, {})
    spans = {(first, last): number for (first, last), number in by_place.items()}
    codes = [module, *inner(module)] if module is not None else []
    names, data = set(), set()
    for code in codes:
        names.update(code.co_names)
        data.update(one.rpartition("/")[2] for one in code.co_consts if type(one) is str and len(one) < 200)
        # classes have no locals of their own
        if code is not module and code.co_name != "<lambda>" and code.co_flags & 2:
            spans.setdefault((code.co_firstlineno, last_line(code)), -1)
    return {
        "file": file,
        "lines": "".join("%04x" % (zlib.crc32(line.rstrip()) & 0xFFFF) for line in text.split(b"\n")),
        "functions": [[first, last, number] for (first, last), number in sorted(spans.items())],
        "imports": sorted(set(imported(file, names, places))),
        "names": sorted(filter(DATA, data))[:MOST_NAMES],
    }


def write(config):
    numbers = {}
    begun = set().union(*(row for row, _ in tests.values()))
    for number, code in known.values():
        if number in begun:
            numbers.setdefault(place(code), {})[code.co_firstlineno, last_line(code)] = number
    places = {file: number for number, file in enumerate(sorted(modules))}
    described_files = [described(file, places, numbers) for file in places]
    root, folder = told()
    top = str(getattr(config, "rootpath", None) or config.rootdir)
    base = os.path.relpath(os.path.realpath(top), os.path.realpath(root)).replace(os.sep, "/")
    rows, found = {}, []
    for test, (started, took) in tests.items():
        file, _, name = test.partition("::")
        row = tuple(sorted(started))
        file = os.path.normpath(os.path.join(base, file)).replace(os.sep, "/")
        found.append([file, name, rows.setdefault(row, len(rows)), took])
    if found:
        text = json.dumps({"files": described_files, "rows": list(rows), "tests": found}, separators=(",", ":"))
        if len(text) < LARGEST:
            with open(os.path.join(folder, "%d.json" % os.getpid()), "w") as file:
                file.write(text)
