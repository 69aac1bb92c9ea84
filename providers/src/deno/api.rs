//! The calls over REST.

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::options::DenoOptions;
use crate::cloud::{Call, Http, Id, Vendor, query, required};
use crate::{Error, ErrorKind, Result};

pub(super) const NAME: &str = "deno";

static VENDOR: Vendor =
    Vendor { name: NAME, message: |body| Some(body.get("message")?.as_str()?.to_owned()), kind: |_, _| None };

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: DenoOptions,
}

/// A sandbox in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    pub(super) id: String,
    pub(super) status: Option<String>,
    pub(super) created_at: Option<String>,
}

#[derive(Deserialize)]
struct Extended {
    stop_at_ms: u64,
}

impl Api {
    pub(super) fn new(options: DenoOptions) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    /// A call with the account's token.
    pub(super) fn call(&self, method: Method, url: String) -> Result<Call> {
        let token = required(self.options.token.as_ref(), NAME, "DENO_DEPLOY_TOKEN")?;
        let call = self.http.call(method, url).secret("authorization", "Bearer ", token);
        Ok(match &self.options.org {
            Some(org) => call.header("x-deno-org", org),
            None => call,
        })
    }

    fn sandbox(&self, method: Method, id: &Id) -> Result<Call> {
        let base = self.options.sandbox_url(Some(id.as_str()));
        self.call(method, format!("{base}/api/v3/sandbox/{id}"))
    }

    /// A page, and the cursor of the next one.
    pub(super) async fn list(&self, pairs: &[(&str, String)]) -> Result<(Vec<Listed>, Option<String>)> {
        let base = self.options.console_url.trim_end_matches('/');
        let call = self.call(Method::GET, format!("{base}/api/v2/sandboxes{}", query(pairs)))?;
        let answer = self.http.send(call).await?;
        let link = answer.headers.get("link").and_then(|link| link.to_str().ok());
        Ok((self.http.parse(&answer)?, link.and_then(next)))
    }

    /// Ends a sandbox. It is no error if the sandbox does not exist.
    pub(super) async fn kill(&self, id: &Id) -> Result<()> {
        let answer = self.http.answer(self.sandbox(Method::DELETE, id)?).await?;
        if answer.status == 404 { Ok(()) } else { self.http.success(answer).map(drop) }
    }

    /// Asks for a later end of the sandbox, and returns the end that the service agreed to.
    pub(super) async fn extend(&self, id: &Id, stop_at_ms: u64) -> Result<u64> {
        let call = self.sandbox(Method::PATCH, id)?.json(&json!({"stop_at_ms": stop_at_ms})).repeatable();
        let answer = self.http.send(call).await?;
        self.http.parse::<Extended>(&answer).map(|extended| extended.stop_at_ms)
    }

    /// The error for an exception that a sandbox reports.
    pub(super) fn thrown(&self, error: &Value) -> Error {
        let message = error["message"].as_str().unwrap_or("the sandbox threw");
        self.http.error(ErrorKind::Unexpected, message)
    }
}

/// The cursor in `<address>; rel="next"`.
fn next(link: &str) -> Option<String> {
    let part = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let url = part.split_once('<')?.1.split_once('>')?.0;
    let pairs = url.split_once('?')?.1.split('&');
    let cursor = pairs.filter_map(|pair| pair.strip_prefix("cursor=")).next()?;
    percent_encoding::percent_decode_str(cursor).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_the_next_page() {
        assert_eq!(next("<http://h/p?a=1&cursor=x%3D>; rel=\"next\""), Some("x=".to_owned()));
        assert_eq!(
            next("<http://h/p?cursor=x>; rel=\"prev\", </q?cursor=y>; rel=\"next\""),
            Some("y".to_owned())
        );
        for none in ["", "<x>; rel=\"next\"", "rel=\"next\"", "<x?a=1>; rel=\"next\""] {
            assert_eq!(next(none), None, "{none}");
        }
    }
}
