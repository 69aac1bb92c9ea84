#!/usr/bin/env python3
"""Tests of this program, with made-up originals."""

import tempfile
import unittest
from pathlib import Path

import accepted
import cases
import check
import corpus
import facts
import lexer
import names
import strings
import tree
from finding import Finding
from runs import Runs

ORIGINAL = r"""
/* The walrus keeps its seven grey buckets behind the old tin shed. */
static int bucket_walk_depth;
static const int sizes[] = { 17, 4, 99, 3, 1024, 58, 7 };

int
paint_grey_bucket (struct bucket *b, int how)
{
  while (next_grey_bucket (b))
    if (how > 2)
      return spill_bucket_paint (b);
    else
      rinse_paint_brush (b, how);
  error (0, 0, _("bucket %d of the walrus has no paint left in it"), how);
  puts ("Usage: a walrus paints each of its buckets in turn\n");
}
"""
OURS = r"""
//! Our painter: the walrus keeps its seven grey buckets behind the house.
const SIZES: [i32; 7] = [17, 4, 99, 3, 0x400, 58, 7];
const OTHER: [i32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn paint_grey_bucket(b: &mut Bucket, bucket_walk_depth: i32) -> i32 {
    while next_grey_bucket(b) {
        if bucket_walk_depth > 2 {
            return spill_bucket_paint(b);
        } else {
            rinse_paint_brush(b);
        }
    }
    warn!("bucket {bucket_walk_depth} of the walrus has no paint left in it");
    println!("usage: a walrus paints each of its buckets in turn");
}
"""
SUITE = "name=grey\ncase $name in\n  g*) echo it is a grey one ;;\n  *) echo other\nesac\n"


class Made(unittest.TestCase):
    """A repository and a cache in a folder for temporary files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.cache = Path(folder.name) / "ours", Path(folder.name) / "cache"
        self.write("guest-shell/paint.rs", OURS)
        self.write("src/ordinary.rs", "fn ordinary_name_of_all() {}\n")
        original = self.cache / "walrus"
        (original / "tests").mkdir(parents=True)
        (original / "paint.c").write_text(ORIGINAL)
        (original / "tests/grey.sh").write_text(SUITE)
        self.originals = corpus.load({"walrus": original}, {}, self.cache)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self, rules=""):
        every = check.find(self.root, self.originals, accepted.Accepted(rules))
        kinds = {}
        for finding in every:
            kinds.setdefault(finding.kind, []).append(finding)
        return kinds


class Findings(Made):
    def test_names(self):
        (found,) = self.found()["names"]
        self.assertEqual(found.originals, ("walrus",))
        self.assertIn("bucket_walk_depth", found.text)

    def test_accepted_names_do_not_count(self):
        rule = '[[accept]]\nkind = "names"\npattern = ".*bucket.*|.*paint.*"\nreason = "ours"\n'
        self.assertNotIn("names", self.found(rule))

    def test_functions(self):
        (found,) = self.found()["function"]
        self.assertIn("paint_grey_bucket like paint_grey_bucket", found.text)
        self.assertEqual(found.line, 6)

    def test_numbers(self):
        (found,) = self.found()["numbers"]
        self.assertEqual(found.text, "17 4 99 3 1024 58 7")

    def test_constants(self):
        self.write("guest-shell/paint.rs", "fn f() -> u32 { if 7919 > 1 { 40487 } else { 61843 } }\n")
        self.assertNotIn("constants", self.found())
        original = [tree.Read("c.c", "source", "", facts.read("int f () { return 40487 + 7919 * 61843; }", lexer.C))]
        self.originals["seal"] = original
        (found,) = self.found()["constants"]
        self.assertEqual((found.text, found.originals), ("7919 40487 61843", ("seal",)))

    def test_strings(self):
        message, usage = sorted(self.found()["string"], key=lambda f: f.line)
        self.assertEqual(message.text, "bucket \x01 of the walrus has no paint left in it")
        self.assertEqual(message.caller, "error")
        self.assertEqual((usage.line, usage.caller), (15, "puts"))

    def test_comments(self):
        (found,) = self.found()["comment"]
        self.assertEqual(found.text, "the walrus keeps its seven grey buckets behind the")

    def test_what_is_all_our_own(self):
        text = '/// Ours.\nfn own() { println!("a text of our own that is as long as any"); }\n'
        self.write("guest-shell/paint.rs", text)
        self.assertEqual(self.found(), {})


class Cases(Made):
    def cases(self, name, text):
        self.write(f"tests/differential/{name}", text)
        return list(cases.find(self.root / "tests/differential", self.root, self.originals))

    def test_spaces_and_semicolons_are_alike(self):
        script = "x=1; case $name in g*) echo it is a grey one;; *) echo other; esac"
        (found,) = self.cases("shell/a.lines", f"# a remark\necho ours\n{script}\n")
        self.assertEqual((found.file, found.line), ("tests/differential/shell/a.lines", 3))
        self.assertEqual(found.caller, "tests/grey.sh")

    def test_escaped_newlines(self):
        script = r"bash <<< $'case $name in\n  g*) echo it is a grey one;;\n*) echo other'"
        self.assertEqual(len(self.cases("a.lines", f"{script}\n")), 1)

    def test_short_ones_count_only_whole(self):
        self.assertEqual(len(self.cases("a.lines", "g*) echo it is a grey one;;\n")), 1)
        self.assertEqual(self.cases("a.lines", "x; g*) echo it is a grey one;; x\n"), [])

    def test_blocks(self):
        text = "=== one\necho ours\n--- stdout\nours\n=== two\nname=grey\ncase $name in\ng*) echo it is a grey one;;\n"
        (found,) = self.cases("a.cases", text)
        self.assertEqual(found.line, 6)


class Rules(unittest.TestCase):
    def finding(self, text="the text", caller="", original="walrus"):
        return Finding("string", "guest-shell/a.rs", 1, text, (original,), caller, 2.0)

    def rules(self, conditions, answers=""):
        return accepted.Accepted(f'[[accept]]\nkind = "string"\nreason = "why"\n{conditions}\n', answers)

    def test_conditions(self):
        self.assertEqual(self.rules('file = "guest-shell/*"').reason(self.finding()), "why")
        self.assertIsNone(self.rules('file = "src/*"').reason(self.finding()))
        self.assertIsNone(self.rules('original = "seal"').reason(self.finding()))
        self.assertIsNone(self.rules('pattern = "^text"').reason(self.finding()))
        self.assertEqual(self.rules("reporter = true").reason(self.finding(caller="xwarnx")), "why")
        self.assertIsNone(self.rules("reporter = true").reason(self.finding(caller="puts")))

    def test_recorded(self):
        rules = self.rules("recorded = true", "walrus: no paint in it\n")
        self.assertEqual(rules.reason(self.finding("\x01: no paint in \x01")), "why")
        self.assertIsNone(rules.reason(self.finding("\x01: no brush in it")))

    def test_unused_rules_are_told(self):
        rules = self.rules('pattern = "text"')
        self.assertEqual(len(rules.unused()), 1)
        rules.reason(self.finding())
        self.assertEqual(rules.unused(), [])

    def test_a_reason_is_needed(self):
        with self.assertRaises(ValueError):
            accepted.Accepted('[[accept]]\nkind = "string"\n')


class Parts(unittest.TestCase):
    def test_names_of_both_languages(self):
        for name in ("readNextLine", "read_next_line", "READ_NEXT_LINE", "ReadNextLine"):
            self.assertEqual(facts.plain_name(name), "read_next_line")

    def test_placeholders_and_quotes(self):
        self.assertEqual(facts.plain_text("‘%s’:\n  %-5.2ld"), "'\x01': \x01")
        self.assertEqual(facts.plain_text("`{name}': {:>5}"), "'\x01': \x01")

    def test_joined_strings_and_escapes(self):
        found = facts.read(r'f ("a\tb" "\x41\n");', lexer.C).literals
        self.assertEqual([(x.text, x.caller) for x in found], [("a\tbA\n", "f")])
        found = facts.read('f(r#"a "b""#, "c\\\n   d", \'"\')', lexer.RUST).literals
        self.assertEqual([x.text for x in found], ['a "b"', "cd"])

    def test_runs(self):
        runs = Runs(6)
        runs.add("key", "abcdefgh")
        self.assertEqual(runs.shared("xxbcdefgyy"), [("key", "bcdefg")])
        self.assertEqual(runs.shared("xxbcdefyy"), [])

    def test_numbers_that_tell(self):
        self.assertFalse(strings.tells((1, 2, 3, 4, 5, 6)))
        self.assertFalse(strings.tells((16, 32, 64, 128, 256, 512)))
        self.assertTrue(strings.tells((17, 4, 99, 3, 1024, 58)))

    def test_rarity(self):
        read = tree.Read("a.c", "source", "", facts.read("int rare_name_here, shared_name;", lexer.C))
        other = tree.Read("b.c", "source", "", facts.read("int shared_name;", lexer.C))
        rarity = names.Rarity({"a": [read], "b": [other]}, {"common_name"})
        rated = [rarity.of(name) for name in ("rare_name_here", "shared_name", "common_name", "other")]
        self.assertEqual(rated, [2, 0.5, 0, 0])


if __name__ == "__main__":
    unittest.main()
