//! Sandboxes without names: the first generation.

use axum::extract::{Path, RawQuery, State};
use bytes::Bytes;
use serde_json::{Value, json};

use super::shape::{both, session};
use super::{Reply, VercelState, failed, named, object};
use crate::http::{Query, json};
use crate::world::Machine;

pub(super) async fn create(State(vercel): VercelState, body: Bytes) -> Reply {
    let mut plan = named::plan(&vercel, &object(&body)?)?;
    // The sandbox itself is the session.
    plan.status.extra["session"] = json!(plan.id);
    let machine = vercel.world.create(plan).await.map_err(|error| failed(&error))?;
    Ok(json(200, &both(&machine)))
}

pub(super) async fn get(State(vercel): VercelState, Path(id): Path<String>) -> Reply {
    if let Some(past) = vercel.past.lock().get(&id) {
        return Ok(json(200, &json!({"sandbox": past, "routes": []})));
    }
    Ok(json(200, &both(&*vercel.session(&id)?)))
}

pub(super) async fn list(State(vercel): VercelState, RawQuery(query): RawQuery) -> Reply {
    let query = Query::new(query.as_deref());
    let limit = query.number("limit").unwrap_or(20).clamp(1, 100);
    let time = |name: &str| query.get(name).and_then(|time| time.parse::<u64>().ok());
    let (since, until) = (time("since").unwrap_or(0), time("until").unwrap_or(u64::MAX));
    let chosen = |machine: &Machine| {
        let status = machine.status();
        let started = status.extra["started"].as_u64().unwrap_or(0);
        status.name.is_none()
            && (since..=until).contains(&started)
            && query.get("project").is_none_or(|project| status.extra["project"] == json!(project))
    };
    let (mut all, _) = vercel.world.list(0, usize::MAX - 1, chosen);
    all.reverse();
    let page: Vec<Value> = all.iter().take(limit).map(|machine| session(machine)).collect();
    // The next page ends at the creation time of the oldest sandbox on this one.
    let next = page.last().filter(|_| page.len() < all.len()).and_then(|last| last["createdAt"].as_u64());
    let next = next.map(|time| time.saturating_sub(1));
    let pagination = json!({"count": page.len(), "next": next, "prev": null});
    Ok(json(200, &json!({"sandboxes": page, "pagination": pagination})))
}
