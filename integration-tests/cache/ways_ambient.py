"""What surrounds a program: environment, clocks, files, settings, registries, and names that are computed."""

# ruff: noqa: E501 - tables

from __future__ import annotations

from ways import Way

_READS = """
os.environ          | int(os.environ["WAY_A"])           | os.environ["WAY_A"] = "2"
os.environ.get      | int(os.environ.get("WAY_B", "1"))  | os.environ["WAY_B"] = "2"
os.getenv           | int(os.getenv("WAY_C", "1"))       | os.environ["WAY_C"] = "2"
os.environ in a helper | from_environment()              | os.environ["WAY_D"] = "2"
environ as a mapping | int(dict(os.environ).get("WAY_E", 1)) | os.environ["WAY_E"] = "2"
an alias of environ | int(E.get("WAY_F", 1))             | os.environ["WAY_F"] = "2"
working directory   | len(os.getcwd())                   | os.chdir("/")
Path.cwd            | len(pathlib.Path.cwd().parts)      | os.chdir("/usr")
a file              | int(open(FILE).read())             | pathlib.Path(FILE).write_text("2")
a file by pathlib   | int(P.read_text())                 | P.write_text("3")
existence of a file | 2 if os.path.exists(FILE + ".a") else 1 | pathlib.Path(FILE + ".a").touch()
time zone           | time.localtime(0).tm_hour          | os.environ["TZ"] = "ABC-5"; time.tzset()
patched clock       | time.time() > 0                    | time.time = lambda: -1.0
random state        | random.getstate()[1][1] % 997      | random.seed(7)
numpy random state  | np.random.get_state()[1][0] % 997  | np.random.seed(7)
np.geterr           | len(np.geterr()["divide"])         | np.seterr(divide="ignore" if np.geterr()["divide"] != "ignore" else "raise")
numpy print options | np.get_printoptions()["precision"] | np.set_printoptions(precision=3)
numpy buffer size   | np.getbufsize()                    | np.setbufsize(16384)
level of a logger   | logging.getLogger("way").level     | logging.getLogger("way").setLevel(30)
level of the root   | logging.getLogger().level          | logging.getLogger().setLevel(35)
level by a global   | LOG.level                          | LOG.setLevel(35)
logger asked        | 2 if LOG.isEnabledFor(10) else 1   | LOG.setLevel(5)
logger by getattr   | getattr(LOG, "lev" + "el")         | LOG.setLevel(25)
handlers            | len(LOG.handlers)                  | LOG.addHandler(logging.NullHandler())
logging.disable     | logging.root.manager.disable       | logging.disable(10)
ABC.register        | 2 if isinstance(M, Abstract) else 1 | Abstract.register(Mine)
subclass of an ABC registered | 2 if isinstance(M, Abstract2) else 1 | Abstract3.register(Mine)
library's ABC       | 2 if isinstance(M, collections.abc.Sequence) else 1 | collections.abc.Sequence.register(Mine)
number's ABC        | 2 if isinstance(M, numbers.Real) else 1 | numbers.Real.register(Mine)
ABC in a match      | matched(M)                         | Abstract4.register(Mine)
issubclass          | 2 if issubclass(Mine, Abstract5) else 1 | Abstract5.register(Mine)
singledispatch      | dispatched(M)                      | dispatched.register(Mine, lambda x: 7)
subclasses          | len(Registry.__subclasses__())     | type("New", (Registry,), {})
class registry      | len(Registry.known)                | type("New2", (Registry,), {})
globals of a function | f.__globals__["G1"]              | G1 = 2
globals by an alias | (lambda h: h.__globals__["G2"])(f) | G2 = 2
globals()           | globals()["G3"]                    | G3 = 2
vars of a module    | vars(sys.modules[__name__])["G4"]  | G4 = 2
dict of a module    | ME.__dict__["G5"]                  | G5 = 2
getattr, computed   | getattr(ME, "G" + "6")             | G6 = 2
attrgetter of a module | operator.attrgetter("G7")(ME)   | G7 = 2
attrgetter, global  | GET8(ME)                           | G8 = 2
sys.modules         | sys.modules[__name__].G9           | G9 = 2
presence in sys.modules | 2 if "way_absent" in sys.modules else 1 | sys.modules["way_absent"] = sys
import_module       | importlib.import_module(__name__).G10 | G10 = 2
__import__          | __import__(__name__).G11           | G11 = 2
eval                | eval("G12")                        | G12 = 2
frame               | sys._getframe().f_globals["G13"]   | G13 = 2
inspect             | inspect.currentframe().f_globals["G14"] | G14 = 2
closure of a function | k.__closure__[0].cell_contents   | set_cell(2)
gc                  | gc.isenabled()                     | gc.disable()
recursion limit     | sys.getrecursionlimit()            | sys.setrecursionlimit(1357)
sys.path            | len(sys.path)                      | sys.path.append("/nowhere")
sys.argv            | len(sys.argv)                      | sys.argv.append("x")
switch interval     | sys.getswitchinterval() > 0.1      | sys.setswitchinterval(0.2)
warnings filters    | len(warnings.filters)              | warnings.filterwarnings("ignore", "way")
decimal context     | decimal.getcontext().prec          | decimal.getcontext().prec = 11
decimal division    | len(str(D / 3))                    | decimal.getcontext().prec = 13
locale              | len(locale.setlocale(locale.LC_NUMERIC)) | locale.setlocale(locale.LC_NUMERIC, "C.UTF-8")
context variable    | VAR.get()                          | VAR.set(2)
thread local        | LOCAL.a                            | LOCAL.a = 2
thread's name       | len(threading.current_thread().name) | threading.current_thread().name = "a name that is longer"
active threads      | threading.active_count() > 1       | import time as t; threading.Thread(target=t.sleep, args=(600,), daemon=True).start()
environment by a class | Config.size                     | os.environ["WAY_G"] = "2"
cached helper       | cached()                           | cached.cache_clear(); os.environ["WAY_H"] = "2"
counter             | next(COUNTS) > 40                  | COUNTS = itertools.count(100)
generator           | GENERATOR.gi_running or G15        | G15 = 7
umask               | os.stat(FILE).st_mode & 0o777      | os.chmod(FILE, 0o400)
doc of a function   | len(f.__doc__ or "")               | f.__doc__ = "long text"
name of a function  | len(f.__name__)                    | f.__name__ = "another"
name by an alias    | (lambda h: len(h.__qualname__))(f) | f.__qualname__ = "another"
annotations         | f.__annotations__["a"]             | f.__annotations__["a"] = 5
doc of a class      | len(Mine.__doc__ or "")            | Mine.__doc__ = "long text"
flags               | sys.flags.optimize or G16          | G16 = 3
float info by name  | getattr(sys.float_info, "dig") * G17 | G17 = 3
date of today       | datetime.date.today().year < 2000  | datetime = types.SimpleNamespace(date=types.SimpleNamespace(today=lambda: types.SimpleNamespace(year=1)))
now by an instance  | STAMP.now().year < 9000            | STAMP = types.SimpleNamespace(now=lambda: types.SimpleNamespace(year=9999))
local time of a date | STAMP2.timestamp() % 86400        | os.environ["TZ"] = "ABC-7"; time.tzset()
"""

_SETUP = """\
import abc, collections.abc, contextvars, datetime, decimal, functools, gc, importlib, inspect, itertools, locale
import logging, numbers, operator, os, pathlib, random, sys, tempfile, threading, time, types, warnings
import numpy as np
ME = sys.modules[__name__]
E = os.environ
E.setdefault("WAY_A", "1")
E.setdefault("WAY_H", "1")
FILE = tempfile.mktemp()
pathlib.Path(FILE).write_text("1")
P = pathlib.Path(FILE)
LOG = logging.getLogger(__name__)
class Abstract(abc.ABC): pass
class Abstract2(abc.ABC): pass
class Abstract3(Abstract2): pass
class Abstract4(abc.ABC): pass
class Abstract5(abc.ABC): pass
class Mine: pass
M = Mine()
class Registry:
    known = []
    def __init_subclass__(cls): Registry.known.append(cls)
@functools.singledispatch
def dispatched(x): return 1
def matched(x):
    match x:
        case Abstract4(): return 2
    return 1
def f(a: 1 = 1): return a
def _cell():
    n = 1
    def k(): return n
    def set_cell(value):
        nonlocal n
        n = value
    return k, set_cell
k, set_cell = _cell()
def from_environment(): return int(os.environ.get("WAY_D", "1"))
class Config:
    @property
    def _size(self): return int(os.environ.get("WAY_G", "1"))
    size = property(lambda self: self._size)
Config = Config()
@functools.cache
def cached(): return int(os.environ["WAY_H"])
G1 = G2 = G3 = G4 = G5 = G6 = G7 = G8 = G9 = G10 = G11 = G12 = G13 = G14 = G15 = G16 = G17 = 1
GET8 = operator.attrgetter("G8")
D = decimal.Decimal(1)
VAR = contextvars.ContextVar("VAR", default=1)
LOCAL = threading.local()
LOCAL.a = 1
COUNTS = itertools.count()
GENERATOR = (i for i in ())
STAMP = datetime.datetime(2024, 1, 1)
STAMP2 = datetime.datetime(2024, 1, 1)
"""


def _way(line: str) -> Way:
    name, read, change = (part.strip() for part in line.split(" | "))
    return Way(f"ambient {name}", read, change, _SETUP)


WAYS = [_way(line) for line in _READS.strip().splitlines()]
