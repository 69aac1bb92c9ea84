//! `[[ ]]`.

use crate::builtins::{test as test_builtin, test_host::Host};
use crate::expand::Mode;
use crate::options::Shopt;
use crate::regex::Regex;
use crate::shell::{Flow, Run, Shell};
use crate::variables::Name;
use sandshell_syntax::ast::{Command, Comparison, Condition, PatternWord};
use sandshell_syntax::pattern::{Pattern, PatternOptions};
use std::rc::Rc;

impl Shell {
    pub(crate) fn run_conditional(&mut self, e: &Condition, command: &Rc<Command>) -> Run {
        if !self.before_command(command)? {
            return Ok(());
        }
        self.status = match self.condition(e, false) {
            Ok(true) => 0,
            Ok(false) => 1,
            // An operand that is not a number, or not a regular expression, only fails the test. Errors of expansions
            // end more than that.
            Err(flow) => match self.failed_test.take().filter(|_| flow == Flow::Return) {
                Some(status) => status,
                None => return Err(flow),
            },
        };
        Ok(())
    }

    fn condition(&mut self, e: &Condition, inverted: bool) -> Run<bool> {
        match e {
            Condition::All(operands) => {
                for operand in operands {
                    if !self.condition(operand, false)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Condition::Any(operands) => {
                for operand in operands {
                    if self.condition(operand, false)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Condition::Not(a) => Ok(!self.condition(a, !inverted)?),
            Condition::Group(a) => self.condition(a, false),
            Condition::Word(w) => {
                let text = self.expand_text(w)?;
                self.trace_unary(inverted, b'n', &text);
                Ok(!text.is_empty())
            }
            Condition::Unary(op, w) => {
                let text = match *op == b'v' {
                    true => self.arith_operand(w)?,
                    false => self.expand_text(w)?.into_vec(),
                };
                self.trace_unary(inverted, *op, &text);
                let mut host = Host::conditional(self);
                let answer = test_builtin::unary(*op, &text, &mut host);
                if let Some(flow) = host.gone {
                    return Err(flow);
                }
                match answer {
                    Ok(b) => Ok(b),
                    Err(message) => {
                        self.error([b"[[: ", &*message].concat());
                        Err(self.fail_test(1))
                    }
                }
            }
            Condition::Binary(left, op, right) => {
                let left = match op.is_numeric() {
                    true => self.arith_operand(left)?,
                    false => self.expand_text(left)?.into_vec(),
                };
                self.binary_condition(&left, *op, right, inverted)
            }
        }
    }

    fn binary_condition(
        &mut self,
        left: &[u8],
        op: Comparison,
        right: &PatternWord,
        inverted: bool,
    ) -> Run<bool> {
        match op {
            Comparison::Equal | Comparison::EqualEqual | Comparison::NotEqual => {
                // Extended patterns are always enabled here.
                let options = PatternOptions { extglob: true, nocase: self.opts.shopt(Shopt::nocasematch) };
                let matched = if self.tracing() {
                    let shown = self.traced_pattern(right)?;
                    self.trace_binary(inverted, op, left, &shown);
                    Pattern::new(&shown, options).matches(left)
                } else {
                    self.pattern_with(right, options)?.matches(left)
                };
                Ok(matched == (op != Comparison::NotEqual))
            }
            Comparison::Regex => self.regex_condition(left, right, inverted),
            _ => {
                let right = match op.is_numeric() {
                    true => self.arith_operand(&right.word)?,
                    false => self.expand_text(&right.word)?.into_vec(),
                };
                self.trace_binary(inverted, op, left, &right);
                match op {
                    Comparison::Less => Ok(left < &*right),
                    Comparison::Greater => Ok(left > &*right),
                    Comparison::NewerThan | Comparison::OlderThan | Comparison::SameFile => {
                        use crate::builtins::test::TestHost;
                        let letter = match op {
                            Comparison::NewerThan => b'n',
                            Comparison::OlderThan => b'o',
                            _ => b'e',
                        };
                        Ok(Host::new(self).compare_files(letter, left, &right))
                    }
                    _ => {
                        let a = self.test_number(left)?;
                        let b = self.test_number(&right)?;
                        Ok(match op {
                            Comparison::NumEq => a == b,
                            Comparison::NumNe => a != b,
                            Comparison::NumLt => a < b,
                            Comparison::NumLe => a <= b,
                            Comparison::NumGt => a > b,
                            _ => a >= b,
                        })
                    }
                }
            }
        }
    }

    fn test_number(&mut self, text: &[u8]) -> Run<i64> {
        self.arith_evaluate(text, Some(b"[[")).map_err(|flow| match flow {
            Flow::Discard => self.fail_test(1),
            flow => flow,
        })
    }

    // Ends the test with a status.
    fn fail_test(&mut self, status: i32) -> Flow {
        self.failed_test = Some(status);
        Flow::Return
    }

    fn regex_condition(&mut self, left: &[u8], right: &PatternWord, inverted: bool) -> Run<bool> {
        let source = self.expand_mode(&right.word, Mode::Regex)?;
        self.trace_binary(inverted, Comparison::Regex, left, &source);
        let nocase = self.opts.shopt(Shopt::nocasematch);
        let mut key = source.clone();
        key.push(u8::from(nocase));
        let regex = match self.regex_cache.get(&key) {
            Some(r) => Rc::clone(r),
            None => match Regex::new(&source, nocase) {
                Ok(r) => {
                    if self.regex_cache.len() > 64 {
                        self.regex_cache.clear();
                    }
                    let r = Rc::new(r);
                    self.regex_cache.insert(key, Rc::clone(&r));
                    r
                }
                Err(_) => {
                    return Err(self.fail_test(2));
                }
            },
        };
        let name = Name::new(b"BASH_REMATCH");
        let found = regex.find(left);
        let groups: Vec<Vec<u8>> = match &found {
            Some(groups) => groups
                .iter()
                .map(|g| g.and_then(|(a, b)| left.get(a..b)).unwrap_or_default().to_vec())
                .collect(),
            None => Vec::new(),
        };
        // bash always assigns the global variable.
        let local = self.vars.begin_global(name);
        self.vars.take(name);
        let assigned = self.assign_list(name, groups);
        self.vars.end_global(name, local);
        assigned?;
        Ok(found.is_some())
    }
}
