//! Who may come in: a token in the address becomes a cookie. Everybody else on the machine, and every other web page in
//! the user's browser, stays outside.

use crate::cli::failure::Failure;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::Next;
use percent_encoding::percent_decode_str;
use std::sync::{Arc, Mutex, PoisonError};

/// 256 random bits as text.
type Secret = String;

/// The secrets of one run of the program.
pub(super) struct Entrance {
    port: u16,
    token: Secret,
    /// For the browser that the program opens: other users may see a command's arguments, so it works once.
    once: Mutex<Option<Secret>>,
    cookie: Secret,
    /// Where the page is. Cookies do not tell ports apart: a server on another port gets those whose path it knows.
    path: String,
}

impl Entrance {
    pub(super) fn new(port: u16) -> Result<Self, Failure> {
        let path = format!("/{}/", &secret()?[..32]);
        Ok(Self { port, token: secret()?, once: Mutex::new(Some(secret()?)), cookie: secret()?, path })
    }

    /// The address to open.
    pub(super) fn url(&self) -> String {
        self.url_with(&self.token)
    }

    /// An address that works once.
    pub(super) fn url_for_once(&self) -> String {
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.url_with(once.as_ref().unwrap_or(&self.token))
    }

    /// The path of the page, with a slash at both ends.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    fn url_with(&self, token: &str) -> String {
        format!("http://127.0.0.1:{}/?token={token}", self.port)
    }

    fn opens(&self, token: &str) -> bool {
        if is_same(token, &self.token) {
            return true;
        }
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let opens = once.as_ref().is_some_and(|once| is_same(token, once));
        if opens {
            *once = None;
        }
        opens
    }

    fn cookie_name(&self) -> String {
        format!("sandshell-{}", self.port)
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .any(|(other, value)| other == name && is_same(value, &self.cookie))
    }
}

/// `GET /?token=…`: gives the cookie, and goes on to the page, whose address has no token.
pub(super) async fn enter(State(entrance): State<Arc<Entrance>>, request: Request) -> Response<Body> {
    let token = request.uri().query().and_then(|query| {
        let value = query.split('&').find_map(|part| part.strip_prefix("token="))?;
        percent_decode_str(value).decode_utf8().ok()
    });
    if !token.is_some_and(|token| entrance.opens(&token)) {
        return refused(StatusCode::FORBIDDEN, "open the address that `sandshell ui` has printed");
    }
    let cookie = format!(
        "{}={}; Path={}; HttpOnly; SameSite=Strict",
        entrance.cookie_name(),
        entrance.cookie,
        entrance.path
    );
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    for (name, value) in [(header::SET_COOKIE, &cookie), (header::LOCATION, &entrance.path)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Refuses requests without the cookie, except for the entrance itself.
pub(super) async fn known_only(
    State(entrance): State<Arc<Entrance>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    if request.uri().path() != "/" && !entrance.knows(request.headers()) {
        return refused(StatusCode::FORBIDDEN, "open the address that `sandshell ui` has printed");
    }
    next.run(request).await
}

/// Refuses requests that other web pages send. What changes something must come from the page itself; it may be asked
/// for by no page at all, as an address that is typed is.
pub(super) async fn own_pages_only(request: Request, next: Next) -> Response<Body> {
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = format!("http://{host}");
    let origins: Vec<_> = headers.get_all(header::ORIGIN).iter().collect();
    let entering = request.uri().path() == "/" && request.method() == Method::GET;
    let reads = request.method() == Method::GET || request.method() == Method::HEAD;
    let from_own = !origins.is_empty() && origins.iter().all(|origin| origin.as_bytes() == own.as_bytes());
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let elsewhere = site.is_some_and(|site| site != b"same-origin" && site != b"none") && !entering;
    if elsewhere || !(from_own || origins.is_empty() && reads) {
        return refused(StatusCode::FORBIDDEN, "the request comes from another page");
    }
    next.run(request).await
}

/// What browsers are told about every answer.
pub(super) async fn with_headers(request: Request, next: Next) -> Response<Body> {
    /// Nothing but the page's own files, and no text becomes code: neither in scripts nor as HTML.
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types 'none'";
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refused(status: StatusCode, why: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(format!("{why}\n")));
    *response.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, text);
    response
}

fn secret() -> Result<Secret, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Failure::about("random numbers", error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that does not depend on where they differ.
fn is_same(given: &str, secret: &str) -> bool {
    let differ = given.bytes().zip(secret.bytes()).fold(0, |differ, (one, two)| differ | (one ^ two));
    std::hint::black_box(differ) == 0 && given.len() == secret.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn only_the_secrets_open() {
        let entrance = Entrance::new(1).unwrap();
        let token = entrance.token.clone();
        assert!(token.len() == 64 && entrance.opens(&token) && entrance.opens(&token));
        for wrong in ["", "0", &token[1..], &format!("{token}0"), &entrance.cookie] {
            assert!(!entrance.opens(wrong), "{wrong}");
        }
        let url = entrance.url_for_once();
        let once = url.split_once("token=").unwrap().1;
        assert!(once != token && entrance.opens(once) && !entrance.opens(once));
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let entrance = Entrance::new(80).unwrap();
        let knows = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
            entrance.knows(&headers)
        };
        let own = format!("sandshell-80={}", entrance.cookie);
        assert!(knows(&own) && knows(&format!("a=b; {own}; c")));
        assert!(
            !knows(&format!("sandshell-81={}", entrance.cookie)) && !knows("sandshell-80=") && !knows("")
        );
        assert!(!entrance.knows(&HeaderMap::new()));
    }
}
