//! Expansion of words.

mod arith;
pub(crate) mod assignment;
mod brace;
mod builder;
pub(crate) mod command;
pub(crate) mod glob;
pub(crate) mod param;
mod slice;
mod tilde;
pub(crate) mod transform;

pub(crate) use builder::{Builder, Mode};

use crate::field::Field;
use crate::options::flag;
use crate::shell::{Flow, Run, Shell};
use sandshell_syntax::ast::{Param, ParamOp, Word, WordPart};

impl Shell {
    /// Expands words to fields: all expansions, splitting and pathname expansion.
    pub(crate) fn fields_of_words(&mut self, words: &[Word]) -> Run<Vec<Field>> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            self.expand_word_into(word, &mut out)?;
        }
        Ok(out)
    }

    /// Expands one word to any number of fields.
    #[inline]
    pub(crate) fn expand_word_into(&mut self, word: &Word, out: &mut Vec<Field>) -> Run {
        if let Some(text) = &word.literal {
            out.push(Field::Shared(text.clone()));
            return Ok(());
        }
        if let [part] = word.parts.as_slice()
            && self.expand_simple_part(part, out)?
        {
            return Ok(());
        }
        if word.braces.is_some() && self.opts.has(flag::BRACEEXPAND) {
            return self.expand_braces(word, out);
        }
        self.expand_word_parts(word, out)
    }

    // The fast path for `$x`, `"$x"` and quoted text alone.
    fn expand_simple_part(&mut self, part: &WordPart, out: &mut Vec<Field>) -> Run<bool> {
        match part {
            WordPart::Quoted(text) => {
                out.push(Field::Shared(text.clone()));
                Ok(true)
            }
            WordPart::DoubleQuoted(parts) => {
                let [WordPart::Param(p)] = parts.as_slice() else {
                    if let [WordPart::Literal(text)] = parts.as_slice() {
                        out.push(Field::Shared(text.clone()));
                        return Ok(true);
                    }
                    return Ok(false);
                };
                match (&p.param, &p.op) {
                    (Param::Variable(name), ParamOp::Value) if !p.indirect => {
                        if let Some(v) = self.value(*name) {
                            out.push(Field::Owned(v.into_owned()));
                            return Ok(true);
                        }
                        Ok(false)
                    }
                    (Param::Positional(n), ParamOp::Value) if !p.indirect => {
                        if let Some(v) = self.args.get(*n as usize - 1) {
                            out.push(v.clone());
                            return Ok(true);
                        }
                        Ok(false)
                    }
                    (Param::Special(b'@'), ParamOp::Value) if !p.indirect => {
                        out.extend(self.args.iter().cloned());
                        Ok(true)
                    }
                    _ => Ok(false),
                }
            }
            WordPart::Param(p) => match (&p.param, &p.op) {
                (Param::Variable(name), ParamOp::Value) if !p.indirect => {
                    let plain = |v: &[u8], ifs: &crate::shell::Ifs| {
                        !v.is_empty()
                            && v.iter().all(|b| {
                                !ifs.may_split(*b) && !matches!(b, b'*' | b'?' | b'[' | b'\\' | b'(')
                            })
                    };
                    // Reads the fields directly, because the value borrows `vars` while `ifs` is needed too.
                    if let Some(v) = self.vars.get(*name)
                        && !v.has(crate::variables::attr::NAMEREF)
                        && let Some(v) = v.get()
                        && plain(v, &self.ifs)
                    {
                        out.push(Field::Owned(v.to_vec()));
                        return Ok(true);
                    }
                    Ok(false)
                }
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Expands the parts of a word, without its braces.
    pub(crate) fn expand_word_parts(&mut self, word: &Word, out: &mut Vec<Field>) -> Run {
        if let Some(text) = &word.literal {
            out.push(Field::Shared(text.clone()));
            return Ok(());
        }
        let glob = !self.opts.has(flag::NOGLOB);
        let mut made = Vec::new();
        let mut b = Builder::fields(&mut made, glob);
        b.unsplit = ends_in_lone_dollar(&word.parts);
        self.expand_parts(&word.parts, false, &mut b)?;
        b.end_field();
        for m in made {
            match m.pattern {
                Some(pattern) => self.expand_pathnames(m.field, &pattern, out)?,
                None => out.push(m.field),
            }
        }
        Ok(())
    }

    /// Expands parts into a builder. `quoted`: they are inside double quotes.
    pub(crate) fn expand_parts(&mut self, parts: &[WordPart], quoted: bool, b: &mut Builder<'_>) -> Run {
        for part in parts {
            match part {
                WordPart::Literal(text) => {
                    if quoted {
                        b.quoted(text);
                    } else {
                        b.literal(text);
                    }
                }
                WordPart::Quoted(text) => {
                    b.quoted(text);
                    b.mark_quoted();
                }
                WordPart::DoubleQuoted(inner) => {
                    let outer = std::mem::replace(&mut b.empty_list, false);
                    self.expand_parts(inner, true, b)?;
                    if !std::mem::replace(&mut b.empty_list, outer) {
                        b.mark_quoted();
                    }
                }
                WordPart::Param(p) => self.expand_param(p, quoted, b)?,
                WordPart::Command(c) => {
                    let text = self.command_substitution(c)?;
                    if quoted {
                        b.quoted(&text);
                    } else {
                        b.split(&text, &self.ifs);
                    }
                }
                WordPart::Arith(a) => {
                    let n = match self.arith(a) {
                        Ok(n) => n,
                        // In POSIX mode, an expansion error ends the shell.
                        Err(Flow::Discard) if self.posix() => return Err(self.fatal_expansion()),
                        Err(flow) => return Err(flow),
                    };
                    let text = crate::text::number(n);
                    if quoted {
                        b.quoted(&text);
                    } else {
                        b.split(&text, &self.ifs);
                    }
                }
                WordPart::Process(p) => {
                    let path = self.process_substitution(p)?;
                    b.literal(&path);
                }
                WordPart::Tilde(user) => {
                    let text = self.expand_tilde(user);
                    b.mark_quoted();
                    b.quoted(&text);
                }
            }
        }
        Ok(())
    }

    /// Expands the word of `${x:-word}`, in which unquoted literals are split too.
    pub(crate) fn expand_default(&mut self, word: &Word, quoted: bool, b: &mut Builder<'_>) -> Run {
        if quoted || b.mode != Mode::Fields {
            // An empty list in here does not remove the field that the outer quotes make.
            let empty_list = b.empty_list;
            let done = self.expand_parts(&word.parts, quoted, b);
            b.empty_list = empty_list;
            return done;
        }
        let outer = std::mem::replace(&mut b.flat_lists, true);
        for part in &word.parts {
            match part {
                WordPart::Literal(text) => b.split(text, &self.ifs),
                other => self.expand_parts(std::slice::from_ref(other), false, b)?,
            }
        }
        b.flat_lists = outer;
        Ok(())
    }

    /// Expands a word to one string: for assignments, redirections, `case` words, `[[ ]]`.
    pub(crate) fn expand_text(&mut self, word: &Word) -> Run<Field> {
        if let Some(text) = &word.literal {
            return Ok(Field::Shared(text.clone()));
        }
        self.expand_mode(word, Mode::Text).map(Field::Owned)
    }

    /// Expands a word to one string, with a given mode.
    pub(crate) fn expand_mode(&mut self, word: &Word, mode: Mode) -> Run<Vec<u8>> {
        let mut b = Builder::single(mode);
        self.expand_parts(&word.parts, false, &mut b)?;
        Ok(b.into_text())
    }

    /// Expands the body of a here-document.
    pub(crate) fn expand_here_document(&mut self, parts: &[WordPart]) -> Run<Vec<u8>> {
        let mut b = Builder::single(Mode::Text);
        b.here_document = true;
        self.expand_parts(parts, true, &mut b)?;
        Ok(b.into_text())
    }

    /// Expands the parts of arithmetic text, as inside double quotes.
    pub(crate) fn expand_quoted(&mut self, parts: &[WordPart]) -> Run<Vec<u8>> {
        let mut b = Builder::single(Mode::Text);
        self.expand_parts(parts, true, &mut b)?;
        Ok(b.into_text())
    }

    /// Expands the target of a redirection to one field. Pathname expansion applies only outside POSIX mode and if it
    /// gives one name.
    pub(crate) fn expand_redirect_target(&mut self, word: &Word) -> Run<Option<Field>> {
        if let Some(text) = &word.literal {
            return Ok(Some(Field::Shared(text.clone())));
        }
        let braces = word.braces.is_some() && self.opts.has(crate::options::flag::BRACEEXPAND);
        if self.posix() && !self.opts.interactive && !braces {
            // In this case the word stays one field, whatever it contains.
            return Ok(Some(Field::Owned(self.expand_text(word)?.to_vec())));
        }
        let mut out = Vec::new();
        self.expand_word_into(word, &mut out)?;
        Ok(if out.len() == 1 { out.pop() } else { None })
    }
}

// As in bash, a `$` that begins no expansion prevents the splitting of earlier expansions in the word.
fn ends_in_lone_dollar(parts: &[WordPart]) -> bool {
    parts
        .iter()
        .rev()
        .take_while(|p| !matches!(p, WordPart::Param(_) | WordPart::Command(_) | WordPart::Arith(_)))
        .any(|p| matches!(p, WordPart::Literal(text) if text.contains(&b'$')))
}
