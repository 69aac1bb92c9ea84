"""What LZMA made of data, read back: literals and matches, each a row of bits whose chances a range coder follows."""

import re

#: Where the chances of each kind of bit are.
MATCH, REPEATED, LONG, SLOT, SPECIAL, ALIGN, LENGTH, REPEATED_LENGTH, LITERAL = 0, 192, 240, 432, 688, 816, 832, 1346, 1860
EVEN = 1 << 10
STATE_AFTER_LITERAL = 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5
#: More than a symbol can take of the input.
SYMBOL = 24


class Corrupt(Exception):
    """Data that no encoder made."""


class Decoder:
    """A decoder and what it has decoded: `out` ends with it, and is as long as the dictionary at least, if there is as much."""

    def __init__(self, dictionary):
        # As liblzma does, which takes somewhat larger distances for it.
        self.dictionary = max(dictionary, 4096) + 15 & ~15
        self.out, self.dropped = bytearray(), 0

    def set_properties(self, byte):
        """Takes how many bits of what is before a literal or a match its chances depend on. False if there are none such."""
        literal = byte % 9, byte // 9 % 5
        if byte >= 225 or sum(literal) > 4:
            return False
        self.context, self.literal_mask, self.mask = literal[0], (1 << literal[1]) - 1, (1 << byte // 45) - 1
        self.reset()
        return True

    def reset(self):
        """Forgets the chances, the last distances and the kinds of the last symbols."""
        self.chances = [EVEN] * (LITERAL + (768 << self.context) * (self.literal_mask + 1))
        self.state, self.distances = 0, (0, 0, 0, 0)

    def start(self, data):
        """Takes the four bytes that are before the first bit."""
        self.width, self.code, self.ended = 0xFFFFFFFF, int.from_bytes(data), False

    def forget_all(self):
        """Makes the dictionary empty."""
        self.out.clear()
        self.dropped = 0

    def drop(self):
        """Frees what no distance reaches."""
        if (count := len(self.out) - self.dictionary) > 1 << 20:
            del self.out[:count]
            self.dropped += count

    def wants_byte(self):
        """Whether there is one more byte, to be given to `add`, before the coder is at its end."""
        return self.width < 1 << 24

    def add(self, byte):
        """Takes that byte."""
        self.width, self.code = self.width << 8, self.code << 8 | byte

    def try_run(self, data, at, limit):
        """What `run` does, as far as there is data for whole symbols. Returns also whether there was too little."""
        kept = self.chances.copy(), self.state, self.distances, self.width, self.code
        before = len(self.out)
        try:
            return self.run(data, at, len(data) + 1, limit), False
        except IndexError:
            pass
        whole = len(self.out)
        del self.out[before:]
        self.chances, self.state, self.distances, self.width, self.code = kept
        # This time it ends before the symbol that is not there as a whole.
        return self.run(data, at, len(data) + 1, whole), True


#: `if zero(PLACE):` stands for the decoding of a bit whose chance is there, `elif one:` for the other case, `refill` for what
#: comes before: a call for each bit would take more time than all else.
RUN = '''
def run(self, data, at, stop, limit):
    """Decodes symbols while there is input before `stop` and output before `limit`, which the last may pass, or to the end
    marker; IndexError is raised when the input ends within a symbol, whose output is not there then. Returns where it is.
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
            # No one before a zero: a new distance; some: which of the last.
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
                    # These are as likely one as zero.
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
