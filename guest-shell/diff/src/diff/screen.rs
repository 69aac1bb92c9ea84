//! Colours of the output.

use crate::say;
use sandshell_cli::out;

/// What a coloured piece of the output is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Header,
    LineNumber,
    Added,
    Deleted,
}

/// The SGR sequences of `--palette`.
#[derive(Clone, Debug)]
pub(crate) struct Palette {
    reset: Vec<u8>,
    header: Vec<u8>,
    line_number: Vec<u8>,
    added: Vec<u8>,
    deleted: Vec<u8>,
    off: bool,
}

impl Palette {
    /// The default palette, changed by a list like `ad=32:de=31`. A list that cannot be parsed turns colours off.
    pub(crate) fn new(list: Option<&[u8]>) -> Self {
        let mut palette = Self {
            reset: b"0".to_vec(),
            header: b"1".to_vec(),
            line_number: b"36".to_vec(),
            added: b"32".to_vec(),
            deleted: b"31".to_vec(),
            off: false,
        };
        for item in list.unwrap_or_default().split(|b| *b == b':').filter(|i| !i.is_empty()) {
            if let Err(reason) = palette.set(item) {
                if let Some(r) = reason {
                    say::error(r);
                }
                say::error("unparsable value for --palette");
                palette.off = true;
                break;
            }
        }
        palette
    }

    fn set(&mut self, item: &[u8]) -> Result<(), Option<Vec<u8>>> {
        let (Some(name), Some(b'='), Some(value)) = (item.get(..2), item.get(2), item.get(3..)) else {
            return Err(None);
        };
        let place = match name {
            b"rs" => &mut self.reset,
            b"hd" => &mut self.header,
            b"ln" => &mut self.line_number,
            b"ad" => &mut self.added,
            b"de" => &mut self.deleted,
            // Indicators that exist only for `ls`; GNU diff accepts them.
            b"lc" | b"rc" | b"ec" => return Ok(()),
            _ => return Err(Some([b"unrecognized prefix: ", name].concat())),
        };
        *place = value.to_vec();
        Ok(())
    }
}

/// Switches a colour on.
pub(crate) fn begin(palette: Option<&Palette>, paint: Paint) {
    if let Some(p) = palette {
        let code = match paint {
            Paint::Header => &p.header,
            Paint::LineNumber => &p.line_number,
            Paint::Added => &p.added,
            Paint::Deleted => &p.deleted,
        };
        sgr(p, code);
    }
}

/// Switches it off.
pub(crate) fn end(palette: Option<&Palette>) {
    if let Some(p) = palette {
        sgr(p, &p.reset);
    }
}

fn sgr(palette: &Palette, code: &[u8]) {
    if !palette.off {
        out::put([b"\x1b[".as_slice(), code, b"m"].concat());
    }
}
