//! Compares random patterns on random lines with the machine's `grep -o` and `sed`. Without GNU grep and GNU sed, the
//! tests print so on standard error and check nothing. The recorded cases of the `search` crate do not need them.

use sandshell_regex::{Flags, Regex, Syntax};
use std::io::Write;
use std::process::{Command, Stdio};

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

fn have(tool: &str) -> bool {
    let version = Command::new(tool).arg("--version").output();
    let gnu = version.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("GNU"));
    if !gnu {
        eprintln!("GNU {tool} is not on this machine: nothing compared");
    }
    gnu
}

fn run(args: &[&str], input: &[u8]) -> (Vec<u8>, i32) {
    // For some nested repetitions, glibc needs minutes.
    let mut child = Command::new("timeout")
        .args(["1", args[0]])
        .args(&args[1..])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let feed = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let out = child.wait_with_output().expect("ends");
    let _ = feed.join();
    (out.stdout, out.status.code().unwrap_or(-1))
}

fn pattern(rng: &mut Rng, depth: u32, groups: &mut u32, backrefs: bool) -> String {
    let mut out = String::new();
    for i in 0..=rng.below(if depth == 0 { 3 } else { 2 }) {
        if i > 0 && rng.below(4) == 0 {
            out.push('|');
        }
        let atom = match rng.below(if depth > 2 { 5 } else { 8 }) {
            0..=2 => rng.pick(&["a", "b", "c", "ab", "é"]).to_string(),
            3 => rng.pick(&[".", "[ab]", "[^a]", "\\w", "[[:alpha:]]"]).to_string(),
            4 if depth == 0 => rng.pick(&["\\b", "\\<", "\\>", "^", "$", "\\B"]).to_string(),
            4 if backrefs && *groups > 0 => {
                // A back-reference is valid only for a group that is closed already.
                if depth == 0 { format!("\\{}", 1 + rng.below(u64::from(*groups))) } else { "b".into() }
            }
            _ => {
                let inner = pattern(rng, depth + 1, groups, backrefs);
                *groups += 1;
                format!("({inner})")
            }
        };
        out.push_str(&atom);
        let place = atom.starts_with(['^', '$']) || (atom.starts_with('\\') && !atom.starts_with("\\w"));
        if !place {
            out.push_str(rng.pick(&["", "", "", "*", "+", "?", "{1,2}", "{2}", "{,2}"]));
        }
    }
    out
}

fn lines(rng: &mut Rng) -> Vec<String> {
    (0..40)
        .map(|_| (0..rng.below(9)).map(|_| rng.pick(&["a", "b", "c", "a", "b", "é", " "])).collect())
        .collect()
}

fn matches(re: &Regex, line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some((a, b)) = re.find_at(line, at, false) {
        if a == b {
            at = b + 1;
            while line.get(at).is_some_and(|c| c & 0xc0 == 0x80) {
                at += 1;
            }
        } else {
            out.extend_from_slice(&line[a..b]);
            out.push(b'\n');
            at = b;
        }
        if at > line.len() {
            break;
        }
    }
    out
}

#[test]
fn finds_what_grep_finds() {
    if !have("grep") {
        return;
    }
    let rounds = std::env::var("SANDSHELL_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(300);
    for (option, flags) in [
        ("-oE", Flags::default()),
        ("-oiE", Flags { icase: true, ..Flags::default() }),
        ("-ocE", Flags { line: true, ..Flags::default() }),
    ] {
        let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
        for _ in 0..rounds {
            let p = pattern(&mut rng, 0, &mut 0, false);
            let text = lines(&mut rng);
            let joined = text.join("\n") + "\n";
            let re = Regex::new(p.as_bytes(), Syntax::EGREP, flags).expect("a pattern");
            let whole =
                Regex::new(p.as_bytes(), Syntax::EGREP, Flags { lines: Some(b'\n'), ..flags }).unwrap();
            if flags.line {
                let ours = text.iter().filter(|l| re.is_match(l.as_bytes())).count();
                let (theirs, code) = run(&["grep", "-xcE", "-e", &p], joined.as_bytes());
                if code == 124 {
                    continue;
                }
                assert_eq!(format!("{ours}\n").as_bytes(), theirs, "-x {p}");
                continue;
            }
            let (theirs, code) = run(&["grep", option, "-e", &p], joined.as_bytes());
            if code == 124 {
                continue;
            }
            let ours: Vec<u8> = text.iter().flat_map(|l| matches(&re, l.as_bytes())).collect();
            assert_eq!(
                String::from_utf8_lossy(&ours),
                String::from_utf8_lossy(&theirs),
                "pattern {p} on\n{joined}"
            );
            let mut at = 0;
            let mut hits = Vec::new();
            while let Some(m) = whole.matching_line(joined.as_bytes(), at).filter(|m| *m < joined.len()) {
                let end = m + joined[m..].find('\n').unwrap_or(0);
                hits.push(joined[..end].rsplit('\n').next().unwrap_or_default().to_string());
                at = end + 1;
            }
            let each: Vec<String> = text.iter().filter(|l| re.is_match(l.as_bytes())).cloned().collect();
            assert_eq!(hits, each, "lines of {p}");
        }
    }
}

#[test]
fn sets_groups_as_sed_does() {
    if !have("sed") {
        return;
    }
    let rounds = std::env::var("SANDSHELL_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(300);
    for backrefs in [false, true] {
        let mut rng = Rng(0x1234_5678_9abc_def1);
        let mut done = 0;
        let mut differ = Vec::new();
        while done < rounds {
            let mut groups = 0;
            let p = pattern(&mut rng, 0, &mut groups, backrefs);
            if groups == 0 || groups > 9 {
                continue;
            }
            done += 1;
            let text = lines(&mut rng);
            let joined = text.join("\n") + "\n";
            let reply: String = (1..=groups).map(|i| format!("[\\{i}]")).collect();
            let Ok(re) = Regex::new(p.as_bytes(), Syntax::SED_EXTENDED, Flags::default()) else {
                let code = run(&["sed", "-E", &format!("s/{p}/{reply}/")], b"").1;
                assert_ne!(code, 0, "sed accepts {p}");
                continue;
            };
            let mut ours = Vec::new();
            for l in &text {
                let l = l.as_bytes();
                match re.captures_at(l, 0, false) {
                    None => ours.extend_from_slice(l),
                    Some(g) => {
                        let whole = g[0].expect("a match");
                        ours.extend_from_slice(&l[..whole.0]);
                        for s in &g[1..] {
                            ours.push(b'[');
                            ours.extend_from_slice(s.map_or(&[][..], |(a, b)| &l[a..b]));
                            ours.push(b']');
                        }
                        ours.extend_from_slice(&l[whole.1..]);
                    }
                }
                ours.push(b'\n');
            }
            let (theirs, code) = run(&["sed", "-E", &format!("s/{p}/{reply}/")], joined.as_bytes());
            if code == 124 {
                continue;
            }
            if ours != theirs {
                let (o, t) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
                let at = o.lines().zip(t.lines()).position(|(a, b)| a != b).unwrap_or(0);
                differ.push(format!(
                    "{p} on {:?}: {:?}, sed {:?}",
                    text[at],
                    o.lines().nth(at),
                    t.lines().nth(at)
                ));
            }
        }
        for d in &differ {
            eprintln!("{d}");
        }
        eprintln!("backrefs {backrefs}: {} of {rounds} differ", differ.len());
        assert!(differ.len() * 100 <= rounds as usize * 5, "too many");
    }
}
