"""An LZMA decoder. The data are literals and matches; a range coder encodes each as a sequence of bits with
adaptive probabilities."""

import re

#: The offsets of the probabilities of each kind of bit.
MATCH, REPEATED, LONG, SLOT, SPECIAL, ALIGN, LENGTH, REPEATED_LENGTH, LITERAL = 0, 192, 240, 432, 688, 816, 832, 1346, 1860
EVEN = 1 << 10
STATE_AFTER_LITERAL = 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5
#: More bytes of input than one symbol can take.
SYMBOL = 24


class Corrupt(Exception):
    """The data are corrupt."""


class Decoder:
    """A decoder and its output: the output is at the end of `out`, which keeps at least as many bytes as the
    dictionary has, if there are as many."""

    def __init__(self, dictionary):
        # Rounded up as in liblzma, which therefore accepts slightly larger distances.
        self.dictionary = max(dictionary, 4096) + 15 & ~15
        self.out, self.dropped = bytearray(), 0

    def set_properties(self, byte):
        """Sets how many bits of the preceding data the probabilities of a literal or match depend on. Returns False
        if the byte is invalid."""
        literal = byte % 9, byte // 9 % 5
        if byte >= 225 or sum(literal) > 4:
            return False
        self.context, self.literal_mask, self.mask = literal[0], (1 << literal[1]) - 1, (1 << byte // 45) - 1
        self.reset()
        return True

    def reset(self):
        """Resets the probabilities, the last distances and the kinds of the last symbols."""
        self.chances = [EVEN] * (LITERAL + (768 << self.context) * (self.literal_mask + 1))
        self.state, self.distances = 0, (0, 0, 0, 0)

    def start(self, data):
        """Reads the four bytes before the first bit."""
        self.width, self.code, self.ended = 0xFFFFFFFF, int.from_bytes(data), False

    def forget_all(self):
        """Clears the dictionary."""
        self.out.clear()
        self.dropped = 0

    def drop(self):
        """Frees output that no distance can reach."""
        if (count := len(self.out) - self.dictionary) > 1 << 20:
            del self.out[:count]
            self.dropped += count

    def wants_byte(self):
        """Whether the coder needs one more byte, through `add`, to be at its end."""
        return self.width < 1 << 24

    def add(self, byte):
        """Adds that byte."""
        self.width, self.code = self.width << 8, self.code << 8 | byte

    def try_run(self, data, at, limit):
        """Like `run`, but stops where the data for a whole symbol are missing. Also returns whether data were
        missing."""
        kept = self.chances.copy(), self.state, self.distances, self.width, self.code
        before = len(self.out)
        try:
            return self.run(data, at, len(data) + 1, limit), False
        except IndexError:
            pass
        whole = len(self.out)
        del self.out[before:]
        self.chances, self.state, self.distances, self.width, self.code = kept
        # Run again, and stop before the incomplete symbol.
        return self.run(data, at, len(data) + 1, whole), True


#: `if zero(PLACE):` is expanded to the decoding of a bit with the probability at that place, `elif one:` to the
#: other case, and `refill` to the code before it: a call for each bit would take more time than everything else.
RUN = '''
def run(self, data, at, stop, limit):
    """Decodes symbols while there is input before `stop` and output before `limit` (the last symbol may exceed it),
    or up to the end marker. Raises IndexError if the input ends within a symbol, which then has no output. Returns
    the position.
    """
    out, chances, dictionary, mask = self.out, self.chances, self.dictionary, self.mask
    context, literal_mask, dropped = self.context, self.literal_mask, self.dropped
    state, (last, second, third, fourth), width, code = self.state, self.distances, self.width, self.code
    while len(out) < limit and at < stop:
        position = dropped + len(out)
        row = MATCH + (state << 4) + (position & mask)
        if zero(row):
            before = out[-1] if out else 0
            base = LITERAL + 768 * ((position & literal_mask) << context | before >> 8 - context)
            symbol = 1
            if state > 6:
                expected = out[-1 - last]
                while symbol < 256:
                    expected <<= 1
                    if zero(base + 256 + (expected & 256) + symbol):
                        symbol <<= 1
                        if expected & 256:
                            break
                    elif one:
                        symbol = symbol << 1 | 1
                        if not expected & 256:
                            break
            while symbol < 256:
                if zero(base + symbol):
                    symbol <<= 1
                elif one:
                    symbol = symbol << 1 | 1
            out.append(symbol & 255)
            state = STATE_AFTER_LITERAL[state]
            continue
        elif one:
            # The number of ones before a zero: none means a new distance; otherwise it selects one of the last
            # distances.
            kind = 0
        while kind < 4:
            if zero(REPEATED + 12 * kind + state):
                break
            elif one:
                kind += 1
        tree = REPEATED_LENGTH if kind else LENGTH
        if kind == 1:
            if zero(LONG + row):
                tree = None
            elif one:
                pass
        if tree is None:
            length, state = 1, 9 if state < 7 else 11
        else:
            which = 0
            while which < 2:
                if zero(tree + which):
                    break
                elif one:
                    which += 1
            base = tree + 2 + 128 * which + (8 * (position & mask) if which < 2 else 0)
            size, symbol = 8 if which < 2 else 256, 1
            while symbol < size:
                if zero(base + symbol):
                    symbol <<= 1
                elif one:
                    symbol = symbol << 1 | 1
            length = symbol - size + 2 + 8 * which
            if kind:
                state = 8 if state < 7 else 11
            else:
                state = 7 if state < 7 else 10
        if kind == 0:
            base, symbol = SLOT + 64 * min(length - 2, 3), 1
            while symbol < 64:
                if zero(base + symbol):
                    symbol <<= 1
                elif one:
                    symbol = symbol << 1 | 1
            slot = symbol - 64
            distance = slot
            if slot > 3:
                count = (slot >> 1) - 1
                distance = (2 | slot & 1) << count
                base = SPECIAL + distance - slot
                if slot > 13:
                    # These bits have equal probabilities.
                    for place in range(count - 1, 3, -1):
                        refill
                        width >>= 1
                        if code >= width:
                            code -= width
                            distance += 1 << place
                    base, count = ALIGN, 4
                symbol = 1
                for bit in range(count):
                    if zero(base + symbol):
                        symbol <<= 1
                    elif one:
                        symbol = symbol << 1 | 1
                        distance += 1 << bit
            last, second, third, fourth = distance, last, second, third
            if distance == 0xFFFFFFFF:
                self.ended = True
                break
            if distance >= dictionary:
                raise Corrupt
        elif kind == 2:
            last, second = second, last
        elif kind == 3:
            last, second, third = third, last, second
        elif kind == 4:
            last, second, third, fourth = fourth, last, second, third
        begin = len(out) - last - 1
        if begin < 0:
            raise Corrupt
        if length <= last + 1:
            out += out[begin:begin + length]
        else:
            out += (out[begin:] * (length // (last + 1) + 1))[:length]
    self.state, self.distances, self.width, self.code = state, (last, second, third, fourth), width, code
    return at
'''
REFILL = """
if width < 0x1000000:
    width <<= 8
    code = code << 8 | data[at]
    at += 1
"""
ZERO = REFILL + r"""
place = \2
chance = chances[place]
bound = (width >> 11) * chance
if code < bound:
    width = bound
    chances[place] = chance + (2048 - chance >> 5)
"""
ONE = """
else:
    width -= bound
    code -= bound
    chances[place] = chance - (chance >> 5)
"""


def _expanded(source):
    for pattern, instead in (r"refill()", REFILL), (r"if zero\((.*)\):", ZERO), (r"elif one:()", ONE):
        instead = "\n".join(r"\1" + line for line in instead.strip().splitlines())
        source = re.sub(rf"^( *){pattern}$", instead, source, flags=re.MULTILINE)
    return source


exec(compile(_expanded(RUN), __file__, "exec"))
Decoder.run = run
