//! `test` and `[`: the builtins that evaluate the expression.

use super::args;
use super::test_host::Host;
use crate::field::Field;
use crate::shell::{Run, Shell};

pub(super) fn test(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    evaluate(shell, args, args.get(1..).unwrap_or_default(), b"")
}

/// `[`
pub(super) fn bracket(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    match args.get(1..).and_then(<[Field]>::split_last) {
        Some((last, words)) if &**last == b"]" => evaluate(shell, args, words, b", found ]"),
        _ => {
            args::fail(shell, args, "missing `]'");
            Ok(2)
        }
    }
}

// In a message about a missing parenthesis at the end, `end` is added.
fn evaluate(shell: &mut Shell, args: &[Field], words: &[Field], end: &[u8]) -> Run<i32> {
    let words: Vec<&[u8]> = words.iter().map(|w| &**w).collect();
    let mut host = Host::new(shell);
    let answer = super::test::evaluate(&words, &mut host);
    if let Some(flow) = host.gone {
        return Err(flow);
    }
    match answer {
        Ok(value) => Ok(i32::from(!value)),
        Err(mut message) => {
            if message.as_slice() == b"`)' expected" {
                message.extend_from_slice(end);
            }
            args::fail(shell, args, message);
            Ok(2)
        }
    }
}
