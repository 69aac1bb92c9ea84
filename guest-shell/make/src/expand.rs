//! Expansion of references.

use crate::patsubst::patsubst;
use crate::say::{Result, bytes};
use crate::session::Make;
use crate::text::{Text, join};
use crate::vars::reference_len;

/// References may be nested this deep.
const DEEPEST: usize = 400;

impl Make {
    /// The text with its references replaced.
    ///
    /// # Errors
    /// If a reference is not closed, if a variable refers to itself, or as a function says.
    pub(crate) fn expand(&mut self, text: &[u8]) -> Result<Text> {
        let mut out = Text::with_capacity(text.len());
        let mut at = 0;
        while let Some(dollar) = text.iter().skip(at).position(|b| *b == b'$').map(|p| p + at) {
            out.extend_from_slice(text.get(at..dollar).unwrap_or_default());
            let rest = text.get(dollar..).unwrap_or_default();
            at = dollar + self.reference(rest, &mut out)?;
        }
        out.extend_from_slice(text.get(at..).unwrap_or_default());
        Ok(out)
    }

    // Expands the reference that `text` begins with; returns its length.
    fn reference(&mut self, text: &[u8], out: &mut Text) -> Result<usize> {
        let (open, close) = match text.get(1) {
            None => return Ok(1),
            Some(b'$') => {
                out.push(b'$');
                return Ok(2);
            }
            Some(b'(') => (b'(', b')'),
            Some(b'{') => (b'{', b'}'),
            Some(b) if crate::text::is_space(*b) => {
                // The dollar is nothing.
                return Ok(1);
            }
            Some(b) => {
                let value = self.var_value(&[*b])?;
                out.extend_from_slice(&value);
                return Ok(2);
            }
        };
        let len = reference_len(text);
        if text.get(len - 1) != Some(&close) || len < 3 {
            if let Some(name) = crate::functions::called(text.get(2..).unwrap_or_default()) {
                let text = bytes!("unterminated call to function '", name, "': missing '", [close], "'");
                return Err(self.fatal(self.loc.as_ref(), &text));
            }
            return Err(self.fatal(self.loc.as_ref(), b"unterminated variable reference"));
        }
        let inner = text.get(2..len - 1).unwrap_or_default();
        self.nesting += 1;
        if self.nesting > DEEPEST {
            return Err(self.fatal(self.loc.as_ref(), b"references are nested too deep"));
        }
        if let Some(value) = self.function(inner, open, close)? {
            out.extend_from_slice(&value);
        } else {
            let name = if inner.contains(&b'$') { self.expand(inner)? } else { inner.to_vec() };
            let value = self.named(&name)?;
            out.extend_from_slice(&value);
        }
        self.nesting -= 1;
        Ok(len)
    }

    // `NAME` or `NAME:FROM=TO`.
    fn named(&mut self, name: &[u8]) -> Result<Text> {
        let Some(colon) = name.iter().position(|b| *b == b':') else { return self.var_value(name) };
        let rest = name.get(colon + 1..).unwrap_or_default();
        let Some(equals) = rest.iter().position(|b| *b == b'=') else { return self.var_value(name) };
        let (from, to) = (rest.get(..equals).unwrap_or_default(), rest.get(equals + 1..).unwrap_or_default());
        let value = self.var_value(name.get(..colon).unwrap_or_default())?;
        Ok(if from.contains(&b'%') {
            patsubst(from, to, &value)
        } else {
            patsubst(&bytes!("%", from), &bytes!("%", to), &value)
        })
    }

    /// The expanded value of a variable.
    pub(crate) fn var_value(&mut self, name: &[u8]) -> Result<Text> {
        self.var_value_below(name, self.scopes.len())
    }

    fn var_value_below(&mut self, name: &[u8], below: usize) -> Result<Text> {
        if let Some(value) = self.special(name) {
            return Ok(value);
        }
        let Some((var, scope)) = self.find_var_below(name, below) else {
            if self.o.warn_undefined {
                self.warn(self.loc.as_ref(), &bytes!("warning: undefined variable '", name, "'"));
            }
            return Ok(Text::new());
        };
        if !var.append && (!var.recursive || !var.value.contains(&b'$')) {
            return Ok(var.value);
        }
        let mut value = Text::new();
        if var.append {
            value = self.var_value_below(name, scope)?;
        }
        let own = if var.recursive {
            if !var.append && self.expanding.iter().any(|n| n == name) && !name.is_empty() {
                let text = bytes!("Recursive variable '", name, "' references itself (eventually)");
                let loc = self.var_locs.get(name).or(self.loc.as_ref());
                return Err(self.fatal(loc, &text));
            }
            self.expanding.push(name.to_vec());
            let own = self.expand(&var.value)?;
            self.expanding.pop();
            own
        } else {
            var.value
        };
        if !value.is_empty() && !own.is_empty() {
            value.push(b' ');
        }
        value.extend_from_slice(&own);
        Ok(value)
    }

    // Variables that are computed when asked for.
    fn special(&self, name: &[u8]) -> Option<Text> {
        match name {
            b".VARIABLES" => {
                let mut names: Vec<&Text> = self.global.keys().collect();
                names.sort();
                Some(join(names))
            }
            b".SHELLSTATUS" => {
                Some(self.shell_status.map(|s| s.to_string().into_bytes()).unwrap_or_default())
            }
            _ => None,
        }
    }
}
