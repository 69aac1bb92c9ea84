//! The files of the page, which are in the program.

use axum::body::Body;
use axum::http::{HeaderValue, Response, header};

/// A file of the page.
pub(super) struct PageFile {
    /// Its address, from that of the page.
    pub(super) name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal, $file:literal, $kind:ident;)*) => {
        /// All of them.
        pub(super) static FILES: &[PageFile] =
            &[$(PageFile { name: $name, kind: $kind, text: include_str!(concat!("page/", $file)) }),*];
    };
}

files! {
    "", "index.html", HTML;
    "style.css", "style.css", STYLE;
    "icon.svg", "icon.svg", PICTURE;
    "main.js", "main.js", SCRIPT;
    "dom.js", "dom.js", SCRIPT;
    "text.js", "text.js", SCRIPT;
    "server.js", "server.js", SCRIPT;
    "list.js", "list.js", SCRIPT;
    "overview.js", "overview.js", SCRIPT;
    "timeline.js", "timeline.js", SCRIPT;
    "files.js", "files.js", SCRIPT;
    "changes.js", "changes.js", SCRIPT;
    "terminal.js", "terminal.js", SCRIPT;
}

pub(super) fn answer(file: &PageFile) -> Response<Body> {
    let mut response = Response::new(Body::from(file.text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    response
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn the_page_uses_nothing_from_elsewhere_and_no_text_becomes_html() {
        for file in FILES {
            // An SVG names its own language.
            let text = file.text.replace("http://www.w3.org/2000/svg", "");
            for absent in
                ["http:", "https:", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!text.contains(absent), "{}: {absent}", file.name);
            }
            if file.kind == super::HTML {
                for absent in ["<style", "style=", "onclick", "javascript:"] {
                    assert!(!text.contains(absent), "{absent}");
                }
                assert_eq!(
                    text.matches("<script").count(),
                    text.matches("<script type=\"module\" src=").count()
                );
            }
        }
    }
}
