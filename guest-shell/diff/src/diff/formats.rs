//! The formats of `-D`, `--…-group-format` and `--…-line-format`.

pub(crate) const UNCHANGED: usize = 0;
pub(crate) const OLD: usize = 1;
pub(crate) const NEW: usize = 2;
pub(crate) const CHANGED: usize = 3;

/// The formats that were given. The others have defaults.
#[derive(Default)]
pub(crate) struct Formats {
    lines: [Option<Vec<u8>>; 3],
    groups: [Option<Vec<u8>>; 4],
}

impl Formats {
    /// Sets the format of unchanged, old or new lines.
    ///
    /// # Errors
    /// The format, if a different one was set before.
    pub(crate) fn set_line(&mut self, which: usize, format: &[u8]) -> Result<(), Vec<u8>> {
        set(self.lines.get_mut(which), format)
    }

    /// Does the same for groups that are unchanged, old, new or changed.
    pub(crate) fn set_group(&mut self, which: usize, format: &[u8]) -> Result<(), Vec<u8>> {
        set(self.groups.get_mut(which), format)
    }

    /// Sets the group formats to preprocessor conditionals.
    pub(crate) fn set_ifdef(&mut self, name: &[u8]) -> Result<(), Vec<u8>> {
        let join = |parts: &[&str]| parts.join("\0").into_bytes();
        let named = |parts: &[&str]| {
            let text = join(parts);
            text.iter().flat_map(|b| if *b == 0 { name.to_vec() } else { vec![*b] }).collect::<Vec<u8>>()
        };
        self.set_group(UNCHANGED, b"%=")?;
        self.set_group(OLD, &named(&["#ifndef ", "\n%<#endif /* ! ", " */\n"]))?;
        self.set_group(NEW, &named(&["#ifdef ", "\n%>#endif /* ", " */\n"]))?;
        self.set_group(CHANGED, &named(&["#ifndef ", "\n%<#else /* ", " */\n%>#endif /* ", " */\n"]))
    }

    /// Whether unchanged lines produce no output.
    pub(crate) fn hides_unchanged(&self) -> bool {
        let group = self.group(UNCHANGED);
        group.is_empty() || group == b"%=" && self.line(UNCHANGED).is_empty()
    }

    pub(crate) fn line(&self, which: usize) -> &[u8] {
        self.lines[which].as_deref().unwrap_or(b"%l\n")
    }

    pub(crate) fn group(&self, which: usize) -> Vec<u8> {
        let given = |w: usize| self.groups[w].clone();
        match (which, given(which)) {
            (_, Some(format)) => format,
            (UNCHANGED, None) => b"%=".to_vec(),
            (OLD, None) => given(CHANGED).unwrap_or_else(|| b"%<".to_vec()),
            (NEW, None) => given(CHANGED).unwrap_or_else(|| b"%>".to_vec()),
            _ => [self.group(OLD), self.group(NEW)].concat(),
        }
    }
}

fn set(place: Option<&mut Option<Vec<u8>>>, format: &[u8]) -> Result<(), Vec<u8>> {
    match place {
        Some(Some(old)) if old != format => Err(format.to_vec()),
        Some(place) => {
            *place = Some(format.to_vec());
            Ok(())
        }
        None => Ok(()),
    }
}
