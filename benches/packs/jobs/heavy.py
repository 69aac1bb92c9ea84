"""A heavy job: what the interpreter itself does. Numbers, calls, dictionaries, strings, sorting, objects."""


class Body:
    """A point that moves."""

    def __init__(self, x, v):
        self.x, self.v = x, v

    def move(self, bodies, step):
        """Moves it in the field of the others."""
        for other in bodies:
            if other is not self:
                distance = other.x - self.x
                self.v += step * distance / (abs(distance) ** 3 + 0.01)
        self.x += step * self.v


def fib(n):
    """Calls."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def words(count):
    """Dictionaries and strings."""
    seen, state = {}, 1
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2147483648
        word = f"w{state % 5003}"
        seen[word] = seen.get(word, "") + chr(97 + state % 26)
    return len(sorted(seen.items(), key=lambda item: (-len(item[1]), item[0])))


bodies = [Body(float(n), 0.0) for n in range(8)]
for _ in range(10_000):
    for body in bodies:
        body.move(bodies, 0.001)
assert fib(25) == 75025 and words(300_000) <= 5003 and sum(i * i % 7 for i in range(1_000_000)) > 0
