//! Decides where a redirected request goes.

use reqwest::header::LOCATION;
use reqwest::{Method, Response, Url};

/// Where an answer says that its request should go.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Not redirected.
    Here,
    /// To another URL of the same origin, unchanged.
    There(Url),
    /// To another origin, or with another method, or to a location that cannot be understood (then this is the URL
    /// it was sent to).
    Elsewhere(Url),
}

/// Whether an answer redirects its request. The request may be sent again to the same scheme, host and port, as
/// they have already seen its credentials.
pub(super) fn next(response: &Response, sent: &Url, method: &Method) -> Next {
    let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    redirected(response.status().as_u16(), location, sent, method)
}

fn redirected(status: u16, location: Option<&str>, sent: &Url, method: &Method) -> Next {
    let keeps_the_method = match status {
        301..=303 => matches!(*method, Method::GET | Method::HEAD),
        307 | 308 => true,
        _ => return Next::Here,
    };
    let Some(to) = location.and_then(|location| sent.join(location).ok()) else {
        return Next::Elsewhere(sent.clone());
    };
    let is_ours = to.origin() == sent.origin() && to.username().is_empty() && to.password().is_none();
    if keeps_the_method && is_ours { Next::There(to) } else { Next::Elsewhere(to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_origin_is_asked_again() {
        let sent = Url::parse("https://api.example/a/b").expect("an address");
        let to = |status, location: &str, method: &Method| redirected(status, Some(location), &sent, method);
        let there = Url::parse("https://api.example/c").expect("an address");
        for (status, location, method) in [
            (301, "/c", Method::GET),
            (302, "https://api.example/c", Method::GET),
            (307, "https://api.example:443/c", Method::POST),
            (308, "../c", Method::DELETE),
        ] {
            assert_eq!(to(status, location, &method), Next::There(there.clone()), "{status} {location}");
        }
        for (status, location, method) in [
            (307, "https://evil.example/c", Method::GET),
            (307, "//evil.example/c", Method::GET),
            (307, "http://api.example/c", Method::GET),
            (307, "https://api.example:8443/c", Method::GET),
            (307, "https://user@api.example/c", Method::GET),
            (307, "https://api.example.evil.example/c", Method::GET),
            (307, "ftp://api.example/c", Method::GET),
            (302, "/c", Method::POST),
            (303, "/c", Method::DELETE),
        ] {
            assert!(matches!(to(status, location, &method), Next::Elsewhere(_)), "{status} {location}");
        }
        assert_eq!(redirected(307, None, &sent, &Method::GET), Next::Elsewhere(sent.clone()));
        for status in [200, 204, 300, 304, 404, 500] {
            assert_eq!(to(status, "https://evil.example/", &Method::GET), Next::Here, "{status}");
        }
    }
}
