//! Prompt strings: backslash escapes, then expansions.

use crate::builtins;
use crate::options::Shopt;
use crate::shell::{Run, Shell};
use crate::text;
use crate::variables::Name;
use sandshell_sys as sys;

impl Shell {
    /// Expands `PS1` and other prompt strings.
    pub(crate) fn prompt(&mut self, text: &[u8]) -> Run<Vec<u8>> {
        let expands = self.opts.shopt(Shopt::promptvars) || self.posix();
        let decoded = self.prompt_escapes(text, expands);
        if !expands {
            return Ok(decoded);
        }
        // If the text cannot be expanded, it is shown as it is.
        let line = self.line;
        let word = {
            let mut host = crate::exec::input::TextHost { shell: self };
            sandshell_syntax::parser::parse_prompt(&decoded, line, &mut host)
        };
        match word {
            Ok(word) => self.expand_quoted(&word.parts).or(Ok(decoded)),
            Err(_) => Ok(decoded),
        }
    }

    /// Expands text as in double quotes.
    pub(crate) fn prompt_expand(&mut self, text: &[u8]) -> Run<Vec<u8>> {
        if !text.iter().any(|b| matches!(b, b'$' | b'`' | b'\\')) {
            return Ok(text.to_vec());
        }
        let line = self.line;
        let word = {
            let mut host = crate::exec::input::TextHost { shell: self };
            sandshell_syntax::parser::parse_quoted_text(text, line, &mut host)
        };
        match word {
            Ok(word) => self.expand_quoted(&word.parts),
            Err(_) => Ok(text.to_vec()),
        }
    }

    // Decodes backslash escapes. `quote`: protects inserted text from the expansions that follow.
    fn prompt_escapes(&mut self, prompt: &[u8], quote: bool) -> Vec<u8> {
        let quoted = |text: &[u8]| if quote { quote_for_double_quotes(text) } else { text.to_vec() };
        let mut out = Vec::with_capacity(prompt.len());
        let mut i = 0;
        let at = |i: usize| prompt.get(i).copied();
        let now = || i64::try_from(sys::realtime() / 1_000_000_000).unwrap_or(0);
        while let Some(b) = at(i) {
            i += 1;
            if b != b'\\' {
                out.push(b);
                continue;
            }
            let Some(c) = at(i) else {
                out.push(b'\\');
                break;
            };
            i += 1;
            match c {
                b'a' => out.push(7),
                b'e' => out.push(27),
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                // The backslash quotes in the expansions that follow.
                b'\\' => out.push(b'\\'),
                b'$' => out.extend_from_slice(&quoted(if sys::getids().0 == 0 { b"#" } else { b"$" })),
                // The line editor must know what takes no room on the screen.
                b'[' if self.edits_prompt => out.push(1),
                b']' if self.edits_prompt => out.push(2),
                b'[' | b']' => {}
                b's' => out.extend_from_slice(&quoted(
                    self.invoked_as.rsplit(|b| *b == b'/').next().unwrap_or_default(),
                )),
                b'u' => {
                    let user = self.value(Name::new(b"USER")).map(|v| v.into_owned());
                    out.extend_from_slice(&user.unwrap_or_else(|| b"user".to_vec()));
                }
                b'h' => {
                    let host = sys::hostname();
                    out.extend_from_slice(host.split(|b| *b == b'.').next().unwrap_or_default());
                }
                b'H' => out.extend_from_slice(&sys::hostname()),
                b'v' => out.extend_from_slice(b"5.2"),
                b'V' => out.extend_from_slice(b"5.2.15"),
                b'j' => out.extend_from_slice(self.jobs.list.len().to_string().as_bytes()),
                b'l' => out.extend_from_slice(b"tty"),
                // A prompt has the number of the next command.
                b'#' => out.extend_from_slice(
                    (self.commands_read + usize::from(self.at_prompt)).to_string().as_bytes(),
                ),
                b'!' => out
                    .extend_from_slice((self.record.dropped + self.history.len() + 1).to_string().as_bytes()),
                b'w' | b'W' => {
                    let dir = self.logical_cwd();
                    let home = self.names.home;
                    let home = self.value(home).map(|v| v.into_owned()).unwrap_or_default();
                    if c == b'W' && dir != home {
                        let base = dir.rsplit(|b| *b == b'/').next().unwrap_or_default();
                        out.extend_from_slice(&quoted(if base.is_empty() { b"/" } else { base }));
                    } else {
                        let below = match dir.strip_prefix(home.as_slice()) {
                            Some(below @ ([] | [b'/', ..])) if !home.is_empty() => Some(below),
                            _ => None,
                        };
                        let shown = below.map_or(dir.clone(), |below| [b"~", below].concat());
                        let kept = self.value(Name::new(b"PROMPT_DIRTRIM"));
                        let kept =
                            kept.and_then(|v| text::parse_integer(&v)).filter(|_| c == b'w').unwrap_or(0);
                        out.extend_from_slice(&quoted(&trim_directories(shown, kept)));
                    }
                }
                b't' => out.extend_from_slice(&builtins::time_zone::format(self, b"%H:%M:%S", now())),
                b'T' => out.extend_from_slice(&builtins::time_zone::format(self, b"%I:%M:%S", now())),
                b'@' => out.extend_from_slice(&builtins::time_zone::format(self, b"%I:%M %p", now())),
                b'A' => out.extend_from_slice(&builtins::time_zone::format(self, b"%H:%M", now())),
                b'd' => out.extend_from_slice(&builtins::time_zone::format(self, b"%a %b %d", now())),
                b'D' => {
                    let mut format = Vec::new();
                    if at(i) == Some(b'{') {
                        i += 1;
                        while let Some(c) = at(i) {
                            i += 1;
                            if c == b'}' {
                                break;
                            }
                            format.push(c);
                        }
                    }
                    if format.is_empty() {
                        format = b"%X".to_vec();
                    }
                    out.extend_from_slice(&builtins::time_zone::format(self, &format, now()));
                }
                b'0'..=b'7' => {
                    let mut n = u32::from(c - b'0');
                    let mut used = 1;
                    while used < 3
                        && let Some(d) = at(i).filter(|d| (b'0'..=b'7').contains(d))
                    {
                        n = n * 8 + u32::from(d - b'0');
                        i += 1;
                        used += 1;
                    }
                    out.push((n & 0xff) as u8);
                }
                _ => out.extend_from_slice(&[b'\\', c]),
            }
        }
        out
    }
}

// Shortens a path to its last `kept` directories and `...`. With 0, all are kept.
fn trim_directories(path: Vec<u8>, kept: i64) -> Vec<u8> {
    let start = match path.first() {
        Some(b'~') => path.iter().position(|b| *b == b'/').map_or(path.len(), |at| at + 1),
        _ => 0,
    };
    let slashes: Vec<usize> = (start..path.len()).filter(|at| path.get(*at) == Some(&b'/')).collect();
    let cut = usize::try_from(kept).ok().filter(|n| *n > 0).and_then(|n| slashes.len().checked_sub(n));
    match cut.and_then(|at| slashes.get(at)) {
        // `...` must be shorter than what it replaces.
        Some(at) if at - start > 3 => {
            [path.get(..start).unwrap_or_default(), b"...", path.get(*at..).unwrap_or_default()].concat()
        }
        _ => path,
    }
}

fn quote_for_double_quotes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for b in text {
        if matches!(b, b'$' | b'`' | b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*b);
    }
    out
}
