//! `getopts`

use super::args;
use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::text;
use sandshell_syntax::name::is_name;

/// The position of `getopts`, for each scope that has an `OPTIND` of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Getopts {
    states: Vec<(u32, State)>,
}

/// The position of `getopts` inside a word of grouped options.
#[derive(Clone, Debug, Default)]
struct State {
    /// Offset of the next letter in the word, 0 at its start.
    inside: usize,
    /// The value of `OPTIND` that `inside` belongs to.
    word: i64,
    /// The word that comes next if `OPTIND` could not be set.
    unseen: Option<i64>,
}

impl Getopts {
    /// The `OPTIND` of a scope was assigned: the next call begins at the start of a word.
    pub(crate) fn reset(&mut self, scope: u32) {
        let state = self.at(scope);
        (state.inside, state.unseen) = (0, None);
    }

    // The state of a scope. Scopes inside it have ended, so their states are dropped.
    fn at(&mut self, scope: u32) -> &mut State {
        self.states.retain(|s| s.0 <= scope);
        let position = self.states.iter().position(|s| s.0 == scope).unwrap_or_else(|| {
            self.states.push((scope, State::default()));
            self.states.len() - 1
        });
        &mut self.states[position].1
    }
}

pub(super) fn getopts(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let at = match args::none(shell, args) {
        Ok(at) => at,
        Err(status) => return Ok(status),
    };
    let (Some(spec), Some(name)) = (args.get(at), args.get(at + 1)) else {
        return Ok(args::usage(shell, args));
    };
    let words: Vec<Field> = match args.get(at + 2..) {
        Some(rest) if !rest.is_empty() => rest.to_vec(),
        _ => shell.args.to_vec(),
    };
    let silent = spec.first() == Some(&b':');
    let opterr = shell.names.opterr;
    let quiet = silent || shell.value(opterr).is_some_and(|v| !v.is_empty() && leading_number(&v) == 0);
    let optind = shell.names.optind;
    let mut index = shell.value(optind).and_then(|v| text::parse_integer(&v)).unwrap_or(1).max(1);
    let scope = shell.vars.get(optind).map_or(0, |v| v.scope);
    let mut state = shell.getopts.at(scope).clone();
    index = state.unseen.unwrap_or(index);
    if state.word != index {
        state.inside = 0;
    }
    let word = usize::try_from(index - 1).ok().and_then(|i| words.get(i));
    let mut outcome = Outcome { letter: b"?".to_vec(), argument: None, status: 0 };
    let mut message = None;
    if state.inside == 0 || word.is_none() {
        state.inside = 0;
        match word {
            Some(w) if &**w == b"--" => {
                index += 1;
                outcome.status = 1;
            }
            Some(w) if w.len() > 1 && w.first() == Some(&b'-') => state.inside = 1,
            _ => {
                outcome.status = 1;
                index = index.min(i64::try_from(words.len()).unwrap_or(i64::MAX).saturating_add(1));
            }
        }
    }
    if outcome.status == 0
        && let Some(word) = word
    {
        let letter = word.get(state.inside).copied().unwrap_or(b'?');
        state.inside += 1;
        let more = state.inside < word.len();
        let position = spec.iter().skip(usize::from(silent)).position(|l| *l == letter && letter != b':');
        let position = position.map(|p| p + usize::from(silent));
        match position {
            None => {
                if !more {
                    index += 1;
                    state.inside = 0;
                }
                message = Some([b": illegal option -- ".as_slice(), &[letter]].concat());
                if silent {
                    outcome.argument = Some(vec![letter]);
                }
            }
            Some(p) if spec.get(p + 1) == Some(&b':') => {
                let rest = word.get(state.inside..).unwrap_or_default().to_vec();
                state.inside = 0;
                index += 1;
                if !rest.is_empty() {
                    outcome.letter = vec![letter];
                    outcome.argument = Some(rest);
                } else if let Some(next) = usize::try_from(index - 1).ok().and_then(|i| words.get(i)) {
                    outcome.letter = vec![letter];
                    outcome.argument = Some(next.to_vec());
                    index += 1;
                } else {
                    message = Some([b": option requires an argument -- ".as_slice(), &[letter]].concat());
                    if silent {
                        outcome.letter = b":".to_vec();
                        outcome.argument = Some(vec![letter]);
                    }
                }
            }
            Some(_) => {
                outcome.letter = vec![letter];
                if !more {
                    index += 1;
                    state.inside = 0;
                }
            }
        }
    }
    if let Some(message) = message
        && !quiet
    {
        let line = [&*shell.arg0, &message, b"\n"].concat();
        shell.write_error(&line);
    }
    finish(shell, args, name, index, outcome, (scope, state))
}

// The number at the start of a text, 0 if it begins with none.
fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let sign = usize::from(text.first().is_some_and(|b| matches!(b, b'+' | b'-')));
    let digits = text.iter().skip(sign).take_while(|b| b.is_ascii_digit()).count();
    text::parse_integer(text.get(..sign + digits).unwrap_or_default()).unwrap_or(0)
}

struct Outcome {
    letter: Vec<u8>,
    argument: Option<Vec<u8>>,
    status: i32,
}

fn finish(
    shell: &mut Shell,
    args: &[Field],
    name: &[u8],
    index: i64,
    outcome: Outcome,
    (scope, mut state): (u32, State),
) -> Run<i32> {
    let optind = shell.names.optind;
    let optarg = shell.names.optarg;
    state.unseen =
        if args::tolerate(shell.assign(optind, &text::number(index), false))? { None } else { Some(index) };
    let valid = outcome.letter != b"?";
    match outcome.argument {
        Some(a) => {
            args::tolerate(shell.assign(optarg, &a, false))?;
        }
        // An option without argument leaves a readonly variable as it is; an error and the end of the options unset it.
        None if valid && !args::tolerate(shell.check_writable(optarg))? => {}
        None => shell.unset_variable(optarg),
    }
    state.word = index;
    let mut status = outcome.status;
    if is_name(name) {
        // After the last option the status reports the end, whether or not the variable can be set.
        if !args::tolerate(shell.set(name, &outcome.letter))? && status == 0 {
            status = 2;
        }
    } else {
        status = args::invalid_identifier(shell, args, name);
    }
    // The assignment of OPTIND above has reset the state.
    *shell.getopts.at(scope) = state;
    Ok(status)
}
