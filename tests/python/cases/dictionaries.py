import random, hashlib
random.seed(5)
class S(str): pass
class H(str):
    def __hash__(self): return 7
    def __eq__(self, other): return str.__eq__(self, other)
    __slots__ = ()
class O: pass
def key(n):
    k = random.choice("abcdefg") + str(random.randrange(n))
    kind = random.random()
    if kind < .6: return k
    if kind < .7: return "".join(list(k))      # equal, another object
    if kind < .75: return S(k)
    if kind < .8: return H(k)
    if kind < .85: return random.randrange(n)
    if kind < .9: return (k, 1)
    if kind < .95: return "é" + k
    return k.encode()
out = hashlib.sha256()
def note(*things):
    for t in things: out.update(repr(t).encode() + b";")
for size, rounds in ((5, 3000), (100, 5000), (300, 8000), (70000, 200000)):
    d = {}
    for i in range(rounds):
        k = key(size); op = random.random()
        if op < .5: d[k] = i
        elif op < .65: note(d.get(k))
        elif op < .75: note(k in d)
        elif op < .85: note(d.pop(k, None))
        elif op < .9: note(d.setdefault(k, i))
        elif op < .93:
            try: note(d[k])
            except KeyError as e: note("KeyError", type(e.args[0]).__name__)
        elif op < .95:
            try: del d[k]
            except KeyError: note("no")
        elif op < .951: d = dict(d)
        elif op < .9512: d.clear()
    note(len(d), sorted(map(repr, d.items())) if size < 1000 else sum(len(repr(x)) * i for i, x in enumerate(d)))
    note(list(d)[:50] == list(dict(d))[:50])
for r in range(2000):
    o = O()
    for i in range(random.randrange(40)):
        name = random.choice("abcdefghijklmnopqrstuvwxyz") * random.randrange(1, 3)
        op = random.random()
        if op < .5: setattr(o, name, i)
        elif op < .7: note(getattr(o, name, None))
        elif op < .8: note(name in o.__dict__, o.__dict__.get(name))
        elif op < .9:
            try: delattr(o, name)
            except AttributeError as e: note(str(e))
        else: o.__dict__[name] = -i
    note(o.__dict__)
g = {"__builtins__": __builtins__}
for i in range(300):
    n = random.choice("xyzw") + str(i % 7)
    code = random.choice([f"{n} = {i}", f"r = {n}", f"del {n}", f"r = len([{i}])", f"r = {n} + 1", "for q in range(3): s = q", f"global_{n} = r", "len = 5", "del len"])
    try: exec(compile(code, "<c>", "exec"), g); note(g.get("r"))
    except Exception as e: note(type(e).__name__, str(e))
class L(dict):
    def __missing__(self, k): return "m" + k
l = L()
exec("a = b; c = a + zz", {}, l); note(dict(l))
class M:
    def __getitem__(self, k):
        if k == "known": return 1
        raise KeyError(k)
    def __setitem__(self, k, v): note(k, v)
exec("a = known; b = len", {}, M())
print(out.hexdigest())
---
import sys
class Odd(str):
    def __hash__(self): return hash("plain")
    def __eq__(self, other): return True
table = {"plain": 1}
print(table.get(Odd("x")), table["pla" + "in"], {Odd("y"): 2}.get("plain"), Odd("z") in table)
table[Odd("w")] = 3
print(table, len(table))
