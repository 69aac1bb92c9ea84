// A heavy job: what an interpreter is slow at. Numbers in arrays, objects, calls, strings.
function sieve(limit) {
  const composite = new Uint8Array(limit);
  let count = 0;
  for (let i = 2; i < limit; i++) {
    if (composite[i]) continue;
    count++;
    for (let j = i * i; j < limit; j += i) composite[j] = 1;
  }
  return count;
}

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));

function words(count) {
  const seen = new Map();
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const word = `w${state % 5003}`;
    seen.set(word, (seen.get(word) ?? 0) + 1);
  }
  return [...seen].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).length;
}

if (sieve(2_000_000) !== 148933 || fib(24) !== 46368 || words(200_000) > 5003) process.exit(1);
