// Wrong patterns, and numbers of two kinds.
const wrong = ['(', '[', '*', 'a**', ')', '(?<a', '(?<a>x)(?<a>y)', 'a{2,1}', '[b-a]', '(?z)', '\\k<x>/u', '\\p{Foo}/u', 'a/gg', 'a/x', '\\1/u',
  '(?<1a>)', '(?:', '+', '?', '(?', '(?<', '\\x/u', '\\-/u'];
const tried = (work) => {
  try {
    console.log(String(work()));
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
for (const text of wrong) tried(() => new RegExp(...text.split('/')));
for (const work of [() => 1n + 1, () => 2 * 3n, () => 1n - 0.5, () => 5n % 2, () => 2n ** 2, () => +1n, () => Math.max(1n), () => 'a' + 1n, () => 1n < 2,
  () => 1n == 1, () => ({}) + 1n, () => 1n + null, () => true * 1n, () => 1n + 2n, () => [1n] * 2n]) tried(work);
