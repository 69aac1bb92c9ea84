//! Refuses requests that web pages send through a browser.

use std::net::IpAddr;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::middleware::Next;

/// Refuses requests for a host other than this machine. Otherwise, a web page could make its own host name resolve
/// to this machine's address and read every answer. A middleware for [`axum::middleware::from_fn`].
///
/// Accepted are `localhost`, names below it, and the loopback addresses, with any port.
pub async fn own_hosts_only(request: Request, next: Next) -> Response<Body> {
    let mut given = request.headers().get_all(header::HOST).iter();
    let (named, second) = (given.next(), given.next());
    let named = named.map(|host| host.to_str().unwrap_or_default());
    let authority = request.uri().authority().map(|authority| authority.as_str());
    // HTTP/2 has the host in the URI, and may have it in a header too.
    let own = match (authority, named) {
        (None, None) => false,
        (authority, named) => authority.into_iter().chain(named).all(is_own),
    };
    if own && second.is_none() {
        return next.run(request).await;
    }
    refused("this server answers for localhost only: the request's Host is another")
}

/// Refuses requests with the header `Origin`, which come from web pages. A middleware for
/// [`axum::middleware::from_fn`].
pub async fn no_pages(request: Request, next: Next) -> Response<Body> {
    if has_origin(request.headers()) {
        return refused("this server does not answer web pages: the request has an Origin");
    }
    next.run(request).await
}

fn has_origin(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN)
}

/// Whether a host, with or without a port, is a name of this machine that nobody else can register.
fn is_own(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if port.is_empty() || is_port(port) => address,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, _)) if !is_port(host.get(name.len()..).unwrap_or_default()) => return false,
            Some((name, _)) => name,
            None => host,
        },
    };
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix('.').unwrap_or(&name);
    if name == "localhost" || name.ends_with(".localhost") {
        return true;
    }
    name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether it is a port such as `:8080`.
fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

/// A refusal as plain text, which every client can show.
fn refused(message: &str) -> Response<Body> {
    let body = format!(
        r#"{{"code":403,"message":"{message}","detail":"{message}","error":{{"code":"forbidden","message":"{message}"}}}}"#
    );
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_nobody_else_can_give() {
        for own in [
            "localhost",
            "localhost:8080",
            "LOCALHOST.:1",
            "a.localhost:80",
            "127.0.0.1",
            "127.1.2.3:9",
            "[::1]:8080",
            "[::1]",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            "",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "localhost:80@evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:x",
            "notlocalhost",
            "10.0.0.1",
            "0.0.0.0:80",
            "[::2]:80",
            "[::1",
            "[::1]evil",
            "169.254.169.254",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }
}
