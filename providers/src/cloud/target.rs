//! Checks that URLs mean the same to everyone who reads them.

use reqwest::Url;

/// Parses the URL of a request, which must mean the same to every reader.
///
/// # Errors
///
/// Why it does not: normalising changes its path (`/boxes/..` becomes `/`), or it is not an HTTP URL.
pub(super) fn target(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("the address is wrong: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("the address is wrong: its scheme is {}", url.scheme()));
    }
    let after_host =
        text.split_once("://").and_then(|(_, rest)| rest.find(['/', '?', '#']).map(|at| &rest[at..]));
    let written = after_host.unwrap_or_default();
    let path = &written[..written.find(['?', '#']).unwrap_or(written.len())];
    if url.fragment().is_some() || url.path() != if path.is_empty() { "/" } else { path } {
        return Err("the address is wrong: its path leads elsewhere".to_owned());
    }
    Ok(url)
}

/// Checks a URL that a service names for further calls.
///
/// # Errors
///
/// Why it cannot be used: it is not a plain HTTP URL, or it is unencrypted although the service's own is encrypted.
pub(crate) fn address(service: &str, named: &str) -> Result<String, String> {
    let url = target(named)?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err("an address that is more than an address".to_owned());
    }
    if url.scheme() != "https" && Url::parse(service).is_ok_and(|service| service.scheme() == "https") {
        return Err("an address without encryption, which no credential is sent to".to_owned());
    }
    Ok(named.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_what_they_seem() {
        for good in [
            "https://a.example",
            "https://a.example/",
            "https://a.example/v1/x%2Fy?path=/..",
            "http://[::1]:8080/a//b",
            "https://a.example?x=1",
        ] {
            target(good).expect(good);
        }
        for bad in [
            "https://a.example/sandboxes/..",
            "https://a.example/sandboxes/%2e%2e/x",
            "https://a.example/./x",
            "https://a.example/a\\b",
            "https://a.example/a\nb",
            "https://a.example/a#b",
            "https://a.example/a b",
            "file:///etc/passwd",
            "a.example",
            "",
        ] {
            target(bad).expect_err(bad);
        }
    }

    #[test]
    fn named_addresses_are_not_worse_than_the_service() {
        assert_eq!(
            address("https://a.example", "https://b.example/x/").as_deref(),
            Ok("https://b.example/x")
        );
        assert_eq!(address("http://a", "http://b").as_deref(), Ok("http://b"));
        for bad in ["http://b.example", "https://u:p@b.example", "https://b.example/?x=1", "javascript:x", ""]
        {
            address("https://a.example", bad).expect_err(bad);
        }
    }
}
