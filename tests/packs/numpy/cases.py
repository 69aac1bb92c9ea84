"""What numpy answers, natively and in the sandbox. `cases.expected` is what native numpy 2.3.5 answered on x86-64."""

import io
import warnings

import numpy as np

rng = np.random.default_rng(7)
table = rng.normal(size=(6, 4)).round(6)
big, zeros = np.array([1e308, np.inf, 1, -1] * 7), np.zeros(28)
grid = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
CASES = """
np.__version__
np.array([1.5, 2, 3]) ** 2
table.mean(axis=0), table.std(axis=1)
np.linalg.solve([[3., 1], [1, 2]], [9., 8])
np.linalg.svd(table, compute_uv=False)
np.linalg.eigvals([[2., 1], [1, 3]])
np.linalg.inv([[1., 2], [2, 4]])
np.fft.fft([1, 2, 3, 4]), np.fft.irfft(np.fft.rfft(table[0]))
np.unique([3, 1, 3, 2], return_counts=True)[1].tolist()
grid.sum(axis=(0, 2)), grid[:, ::-1, 1:3]
np.einsum('ijk,ijk->i', grid, grid)
np.sort(table.ravel())[:5], np.argsort([3, 1, 2]).tolist()
np.percentile(table, [10, 50, 90])
np.interp(2.5, [1, 2, 3], [3, 2, 0]), np.polyfit([0, 1, 2, 3], [1, 3, 5, 7], 1).round(6)
np.array(['b', 'a', 'zz']).astype('U1'), np.char.upper(['abc', 'd'])
np.datetime64('2024-02-29') + np.timedelta64(1, 'D'), np.busday_count('2024-01-01', '2024-02-01')
np.array([(1, 'x'), (2, 'y')], dtype=[('n', 'i4'), ('s', 'U3')])['s']
np.loadtxt(io.StringIO('1,2\\n3,4'), delimiter=',')
np.ma.masked_invalid([1, np.nan, 3]).mean()
np.random.default_rng(1).integers(0, 100, 5, dtype=np.int64), np.random.RandomState(3).rand(3)
np.float32(1) / 3, np.float16(65504) * 2
np.array([1.0, 0, -1]) / 0
np.log(np.array([1.0, 0, -1])), np.log(0.0)
np.exp(np.array([1.0, 1000])), np.array([1e300]) * 1e300
np.sqrt(-1.0), np.arcsin(2.0), np.float64(1) / 0
np.power(0.0, -1), np.power(np.array([-8.0]), 1 / 3), np.reciprocal(np.array([0.0, 2]))
np.array([1.0, np.inf, np.nan]) - np.array([1.0, np.inf, 1])
np.add.reduce(np.array([1e308, 1e308])), np.array([np.inf, -np.inf]).sum(), np.cumsum(np.array([1e308, 1e308]))
np.divide(1.0, np.array([0.0, 2]), where=[False, True], out=np.zeros(2))
np.array([1e10, np.nan, -3.7]).astype(np.int32), np.array([300.7]).astype(np.uint8), np.array([1e300]).astype(np.float32)
np.array([1, 2], dtype=np.int64) // 0, np.int64(5) % 0
np.int8(100) + np.int8(100), np.array([200], dtype=np.uint8) + np.uint8(100)
np.array([1 + 2j, 0]) / 0
np.divmod(np.array([7.0, 1]), np.array([2.0, 0]))
raised(lambda: np.array([1.0]) / 0), raised(lambda: np.exp(1000.0)), raised(lambda: np.sqrt([-1.0]))
np.array([1, 2, 3]) @ np.array([4, 5, 6]), np.eye(3)[1], np.kron([1, 2], [1, 1])
np.zeros((2, 3)) + np.ones(4)
np.array([[1, 2], [3]])
np.add(big, big, out=big)[:4], np.divide(big, zeros, out=zeros)[:4]
np.maximum.reduce(np.append(np.arange(40.0), [np.nan, 1])), np.fmax.reduce(np.append(np.arange(40.0), [np.nan, 1])), np.arange(-30.0, 30).min()
np.maximum(np.arange(40.0), 17)[14:20], np.less(np.arange(40), 17)[14:20], np.isfinite(big)[:4], np.arange(-100, 100, dtype=np.int8).max()
np.exp(np.linspace(-5, 5, 33))[::8], np.log(np.linspace(0, 5, 33))[::8], np.exp(np.full(20, 1000.0))[0]
(np.arange(1e4).reshape(100, 100) @ np.ones((100, 101)))[::33, 50], np.arange(300.0).reshape(3, 100) @ np.arange(100.0)
np.array([1 + 2j, 3 - 1j] * 10)[3:8] * 1j, (np.array([1 + 2j, 3 - 1j] * 10) * np.array([2 - 1j] * 20))[:2]
np.frexp(np.array([np.inf, np.nan, 8.0])), np.array([70000.0, 1]).astype(np.float16), np.array([np.inf], np.float16).astype(np.int32)
np.dot(np.array([1.0, 1]), np.array([-np.inf, np.inf]))
""".strip().splitlines()


def raised(function):
    """The error of a function when errors are to be raised."""
    with np.errstate(all="raise"):
        try:
            return function()
        except FloatingPointError as error:
            return str(error)


np.set_printoptions(precision=6, suppress=True)
for case in CASES:
    print(">>>", case)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            answer = eval(case)
            # Their texts: the default type of integers differs.
            print(*(answer if isinstance(answer, tuple) else [answer]), sep="; ")
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    for warning in told:
        print(f"{warning.category.__name__}: {warning.message}")
x = np.array([1.0, 0, 3])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    x /= 0
    x *= 2
print(x, [str(warning.message) for warning in told])
