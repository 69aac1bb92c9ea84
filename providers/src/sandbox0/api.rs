//! The API's calls.

use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::options::Sandbox0Options;
use crate::cloud::{Call, Http, HttpResponse, Id, Vendor, query, required, unique, wait_until_ready};
use crate::{Error, ErrorKind, Result};

pub(super) const NAME: &str = "sandbox0";

static VENDOR: Vendor = Vendor {
    name: NAME,
    message: |body| Some(body.get("error")?.get("message")?.as_str()?.to_owned()),
    kind: |_, _| None,
};

/// The service.
#[derive(Debug)]
pub(super) struct Api {
    pub(super) http: Http,
    pub(super) options: Sandbox0Options,
}

/// What the service reports about a sandbox.
#[derive(Debug, Deserialize)]
#[serde(try_from = "InfoForms")]
pub(super) struct Info {
    pub(super) id: Id,
    pub(super) status: String,
    pub(super) created_at: Option<String>,
}

/// Both forms of the description: the answer to claiming a sandbox has another name for its id.
#[derive(Deserialize)]
struct InfoForms {
    id: Option<String>,
    sandbox_id: Option<String>,
    #[serde(default)]
    status: String,
    created_at: Option<String>,
}

impl TryFrom<InfoForms> for Info {
    type Error = Error;

    fn try_from(forms: InfoForms) -> Result<Self> {
        let id = Id::new(forms.id.or(forms.sandbox_id).unwrap_or_default())?;
        Ok(Self { id, status: forms.status, created_at: forms.created_at })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    pub(super) sandboxes: Vec<Info>,
    #[serde(default)]
    pub(super) has_more: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    pub(super) id: Id,
}

/// The envelope of every successful answer.
#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

impl Api {
    pub(super) fn new(options: Sandbox0Options) -> Result<Self> {
        Ok(Self { http: Http::new(&VENDOR, options.client.clone())?, options })
    }

    /// A call below `/api/v1`.
    pub(super) fn call(&self, method: Method, path: &str) -> Result<Call> {
        let token = required(self.options.token.as_ref(), NAME, "SANDBOX0_TOKEN")?;
        let call = self.http.call(method, format!("{}/api/v1{path}", self.options.base_url));
        Ok(call.secret("authorization", "Bearer ", token))
    }

    /// The data of a successful answer.
    pub(super) fn data<T: DeserializeOwned>(&self, answer: HttpResponse) -> Result<T> {
        self.http.parse::<Envelope<T>>(&self.http.success(answer)?).map(|envelope| envelope.data)
    }

    /// Repeats a call while the answer is that the sandbox is still waking up, which means that nothing was done.
    pub(super) async fn awake(&self, call: Call) -> Result<HttpResponse> {
        let answer = self.awake_for(|| async { self.http.answer(call.clone()).await.map(Some) }).await?;
        answer.ok_or_else(|| self.http.malformed("no answer"))
    }

    /// Like [`awake`](Self::awake), for calls whose successful answer may already be consumed.
    pub(super) async fn awake_for<F>(&self, ask: impl Fn() -> F) -> Result<Option<HttpResponse>>
    where
        F: Future<Output = Result<Option<HttpResponse>>>,
    {
        let patience = Instant::now() + self.http.options.ready_timeout;
        loop {
            let answer = ask().await?;
            let waking = answer.as_ref().is_some_and(|answer| {
                answer.status == 503 && self.http.message(answer).contains("waking up")
            });
            if !waking || Instant::now() >= patience {
                return Ok(answer);
            }
            tokio::time::sleep(self.http.options.ready_interval).await;
        }
    }

    pub(super) async fn claim(&self, body: &Value) -> Result<Info> {
        self.data(self.http.answer(self.call(Method::POST, "/sandboxes")?.json(body)).await?)
    }

    pub(super) async fn get(&self, id: &Id) -> Result<Info> {
        let call = self.call(Method::GET, &format!("/sandboxes/{id}"))?;
        self.data(self.http.answer(call).await?)
    }

    pub(super) async fn list(&self, limit: usize, offset: usize) -> Result<Page> {
        let pairs = [("limit", limit.to_string()), ("offset", offset.to_string())];
        let call = self.call(Method::GET, &format!("/sandboxes{}", query(&pairs)))?;
        self.data(self.http.answer(call).await?)
    }

    pub(super) async fn update(&self, id: &Id, config: &Value) -> Result<()> {
        let call = self.call(Method::PUT, &format!("/sandboxes/{id}"))?;
        let answer = self.http.answer(call.json(&json!({"config": config}))).await?;
        self.http.success(answer).map(drop)
    }

    /// `POST /sandboxes/{id}/{what}`, with an idempotency key, so that it has its effect only once.
    pub(super) async fn act(&self, id: &Id, what: &str, body: &Value) -> Result<HttpResponse> {
        let call = self.call(Method::POST, &format!("/sandboxes/{id}/{what}"))?.json(body);
        self.http.answer(call.header("idempotency-key", &unique())).await
    }

    /// Sends a `DELETE`. It is no error if there is nothing at `path`.
    pub(super) async fn remove(&self, path: &str) -> Result<()> {
        self.http.remove(self.call(Method::DELETE, path)?).await.map(drop)
    }

    /// Waits until a sandbox has this status.
    pub(super) async fn reach(&self, info: Info, status: &str) -> Result<Info> {
        let id = info.id.clone();
        let mut known = Some(info);
        wait_until_ready(&self.http, || {
            let (known, id) = (known.take(), &id);
            async move {
                let info = match known {
                    Some(info) => info,
                    None => self.get(id).await?,
                };
                match info.status.as_str() {
                    reached if reached == status => Ok(Some(info)),
                    over @ ("terminating" | "failed") => {
                        Err(self.http.error(ErrorKind::SandboxEnded, format!("the sandbox is {over}")))
                    }
                    _ => Ok(None),
                }
            }
        })
        .await
    }
}
