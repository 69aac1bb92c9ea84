//! `-F`: bodies of type `multipart/form-data`.

use super::options::contents;
use sandshell_sys as sys;

/// A field of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    name: Vec<u8>,
    /// The content, or several files.
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Piece {
    content: Vec<u8>,
    file_name: Option<Vec<u8>>,
    kind: Option<Vec<u8>>,
    headers: Vec<Vec<u8>>,
}

/// Why a field is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// Its form is wrong.
    Syntax,
    /// A file cannot be read.
    Unread,
}

/// Reads `NAME=CONTENT`, `NAME=@FILE,FILE…` or `NAME=<FILE`, each with `;type=`, `;filename=` and `;headers=`. With
/// `literal`, everything after `=` is content.
pub(super) fn part(text: &[u8], literal: bool) -> Result<Part, Bad> {
    let equals = text.iter().position(|b| *b == b'=').ok_or(Bad::Syntax)?;
    let (name, value) = (text.get(..equals).unwrap_or_default(), text.get(equals + 1..).unwrap_or_default());
    let mut part = Part { name: name.to_vec(), pieces: Vec::new() };
    if literal {
        part.pieces.push(Piece { content: value.to_vec(), ..Piece::default() });
        return Ok(part);
    }
    match value.split_first() {
        Some((b'@', mut rest)) => loop {
            let (file, after) = word(rest, b";,");
            let mut piece = Piece::default();
            let after = attributes(after, &mut piece)?;
            let base = file.rsplit(|b| *b == b'/').next().unwrap_or_default();
            piece.content = contents(&file).ok_or(Bad::Unread)?;
            piece.kind.get_or_insert_with(|| kind_of(piece.file_name.as_deref().unwrap_or(base)).to_vec());
            piece.file_name.get_or_insert_with(|| base.to_vec());
            part.pieces.push(piece);
            match after.strip_prefix(b",") {
                Some(more) => rest = more,
                None => break,
            }
        },
        Some((b'<', rest)) => {
            let (file, after) = word(rest, b";");
            let mut piece = Piece::default();
            attributes(after, &mut piece)?;
            piece.content = contents(&file).ok_or(Bad::Unread)?;
            part.pieces.push(piece);
        }
        _ => {
            let (content, after) = word(value, b";");
            let mut piece = Piece { content, ..Piece::default() };
            attributes(after, &mut piece)?;
            part.pieces.push(piece);
        }
    }
    Ok(part)
}

/// Reads a word, which may be quoted, up to one of `ends`. Returns it and what follows.
fn word<'a>(text: &'a [u8], ends: &[u8]) -> (Vec<u8>, &'a [u8]) {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let end = text.iter().position(|b| ends.contains(b)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        return (word.to_vec(), rest);
    };
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(b) = quoted.get(at) {
        match (b, quoted.get(at + 1)) {
            (b'\\', Some(next @ (b'"' | b'\\'))) => {
                out.push(*next);
                at += 1;
            }
            (b'"', _) => {
                let rest = quoted.get(at + 1..).unwrap_or_default();
                let end = rest.iter().position(|b| ends.contains(b)).unwrap_or(rest.len());
                return (out, rest.get(end..).unwrap_or_default());
            }
            _ => out.push(*b),
        }
        at += 1;
    }
    // There is no end: the quote was meant as it is.
    let end = text.iter().position(|b| ends.contains(b)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word.to_vec(), rest)
}

/// Reads `;NAME=VALUE…`. Returns what follows.
fn attributes<'a>(mut text: &'a [u8], piece: &mut Piece) -> Result<&'a [u8], Bad> {
    while let Some(rest) = text.strip_prefix(b";") {
        let rest = rest.trim_ascii_start();
        let (name, value) = match rest.iter().position(|b| *b == b'=') {
            Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default()),
            None => return Ok(b""),
        };
        let (value, after) = word(value, b";,");
        match name.to_ascii_lowercase().as_slice() {
            b"type" if !value.contains(&b'/') => return Err(Bad::Syntax),
            b"type" => {
                // A type may have parameters of its own: `text/plain; charset=utf-8`.
                let mut kind = value;
                let mut after = after;
                while let Some(more) = after.strip_prefix(b";") {
                    let known = ["filename=", "headers=", "encoder=", "type="];
                    let bare = more.trim_ascii_start().to_ascii_lowercase();
                    if known.iter().any(|k| bare.starts_with(k.as_bytes())) {
                        break;
                    }
                    let (parameter, rest) = word(more, b";,");
                    kind.push(b';');
                    kind.extend_from_slice(&parameter);
                    after = rest;
                }
                piece.kind = Some(kind);
                text = after;
                continue;
            }
            b"filename" => piece.file_name = Some(value),
            b"headers" => match value.strip_prefix(b"@").or(value.strip_prefix(b"<")) {
                Some(file) => {
                    let lines = contents(file).ok_or(Bad::Unread)?;
                    let lines = lines.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
                    let lines = lines.filter(|l| !l.is_empty() && !l.starts_with(b"#"));
                    piece.headers.extend(lines.map(<[u8]>::to_vec));
                }
                None => piece.headers.push(value),
            },
            _ => {}
        }
        text = after;
    }
    Ok(text)
}

/// The type of a file, by the end of its name.
fn kind_of(name: &[u8]) -> &'static [u8] {
    const KINDS: &[(&str, &str)] = &[
        (".gif", "image/gif"),
        (".jpg", "image/jpeg"),
        (".jpeg", "image/jpeg"),
        (".png", "image/png"),
        (".svg", "image/svg+xml"),
        (".txt", "text/plain"),
        (".htm", "text/html"),
        (".html", "text/html"),
        (".pdf", "application/pdf"),
        (".xml", "application/xml"),
    ];
    let lower = name.to_ascii_lowercase();
    let found = KINDS.iter().find(|(end, _)| lower.ends_with(end.as_bytes()));
    found.map_or(b"application/octet-stream", |(_, kind)| kind.as_bytes())
}

/// The body of a form, and its boundary.
pub(super) fn body(parts: &[Part]) -> (Vec<u8>, Vec<u8>) {
    let boundary = boundary();
    let mut out = Vec::new();
    for part in parts {
        begin(&boundary, &mut out);
        let name = [b"form-data; name=\"", escaped(&part.name).as_slice(), b"\""].concat();
        match part.pieces.as_slice() {
            [only] => piece(only, &name, &mut out),
            several => {
                let inner = self::boundary();
                let kind = [b"multipart/mixed; boundary=", inner.as_slice()].concat();
                head(&name, Some(&kind), &[], &mut out);
                for one in several {
                    begin(&inner, &mut out);
                    piece(one, b"attachment", &mut out);
                }
                end(&inner, &mut out);
                out.extend_from_slice(b"\r\n");
            }
        }
    }
    end(&boundary, &mut out);
    (out, boundary)
}

fn boundary() -> Vec<u8> {
    let mut random = [0; 8];
    sys::random(&mut random);
    format!("{}{:016x}", "-".repeat(24), u64::from_ne_bytes(random)).into_bytes()
}

fn begin(boundary: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[b"--", boundary, b"\r\n"].concat());
}

fn end(boundary: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[b"--", boundary, b"--\r\n"].concat());
}

fn head(disposition: &[u8], kind: Option<&[u8]>, headers: &[Vec<u8>], out: &mut Vec<u8>) {
    out.extend_from_slice(&[b"Content-Disposition: ", disposition, b"\r\n"].concat());
    if let Some(kind) = kind {
        out.extend_from_slice(&[b"Content-Type: ", kind, b"\r\n"].concat());
    }
    for header in headers {
        out.extend_from_slice(&[header.as_slice(), b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
}

fn piece(piece: &Piece, disposition: &[u8], out: &mut Vec<u8>) {
    let disposition = match &piece.file_name {
        Some(name) => [disposition, b"; filename=\"", escaped(name).as_slice(), b"\""].concat(),
        None => disposition.to_vec(),
    };
    head(&disposition, piece.kind.as_deref(), &piece.headers, out);
    out.extend_from_slice(&piece.content);
    out.extend_from_slice(b"\r\n");
}

/// Names as browsers write them: what would end them is escaped.
fn escaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for b in name {
        match b {
            b'"' => out.extend_from_slice(b"%22"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'\n' => out.extend_from_slice(b"%0A"),
            _ => out.push(*b),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let (body, boundary) = body(&[part(text.as_bytes(), false).unwrap()]);
        let (body, boundary) = (String::from_utf8(body).unwrap(), String::from_utf8(boundary).unwrap());
        body.replace(&boundary, "B")
    }

    #[test]
    fn fields_of_all_kinds() {
        assert_eq!(shown("a=b"), "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--B--\r\n");
        assert!(shown("q=\"x;y\";headers=\"X-A: 1\"").contains("name=\"q\"\r\nX-A: 1\r\n\r\nx;y\r\n"));
        assert!(shown("a=b;type=text/x; charset=y").contains("Content-Type: text/x; charset=y\r\n\r\nb\r\n"));
        assert!(shown("a\"b=c").contains("name=\"a%22b\""));
        assert_eq!(part(b"nothing", false), Err(Bad::Syntax));
        assert_eq!(part(b"a=b;type=c", false), Err(Bad::Syntax));
        assert_eq!(part(b"a=@/no/such", false), Err(Bad::Unread));
        assert!(part(b"a=@/no/such", true).is_ok());
    }
}
