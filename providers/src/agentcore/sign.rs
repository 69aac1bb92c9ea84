//! Signatures of requests (SigV4), by AWS's own crate.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use bytes::Bytes;

use super::options::{AgentCoreOptions, NAME};
use crate::cloud::{Secret, required};
use crate::{Error, ErrorKind, Result};

/// The service's name in signatures.
const SERVICE: &str = "bedrock-agentcore";

/// The headers that sign this request.
pub(super) fn signature(
    options: &AgentCoreOptions,
    method: &str,
    url: &str,
    headers: &[(&'static str, String)],
    body: &Bytes,
) -> Result<Vec<(&'static str, Secret)>> {
    let id = required(options.access_key_id.as_ref(), NAME, "AWS_ACCESS_KEY_ID")?;
    let secret = required(options.secret_access_key.as_ref(), NAME, "AWS_SECRET_ACCESS_KEY")?;
    let token = options.session_token.as_ref().map(|token| token.expose().to_owned());
    let identity = Credentials::new(id.expose(), secret.expose(), token, None, "sandshell").into();
    let params = SigningParams::builder()
        .identity(&identity)
        .region(&options.region)
        .name(SERVICE)
        .time(SystemTime::now())
        .settings(SigningSettings::default())
        .build()
        .map_err(unsignable)?
        .into();
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
    let request =
        SignableRequest::new(method, url, headers, SignableBody::Bytes(body)).map_err(unsignable)?;
    let (instructions, _) = sign(request, &params).map_err(unsignable)?.into_parts();
    let known = ["authorization", "x-amz-date", "x-amz-security-token"];
    let named = |name: &str| known.into_iter().find(|known| known.eq_ignore_ascii_case(name));
    Ok(instructions.headers().filter_map(|(name, value)| Some((named(name)?, Secret::new(value)))).collect())
}

fn unsignable(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::InvalidRequest, format!("{NAME}: the request cannot be signed")).with_source(error)
}
