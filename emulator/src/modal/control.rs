//! `ModalClient`: applications, images, secrets; sandboxes have a file of their own.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri};
use sandshell_modal::Empty;
use sandshell_modal::control::{
    AppGetOrCreateRequest, AppGetOrCreateResponse, AppHandleMetadata, AuthTokenGetResponse,
    ClientHelloResponse, EnvironmentGetOrCreateResponse, EnvironmentMetadata, EnvironmentSettings,
    GenericResult, GenericStatus, ImageDeleteRequest, ImageFromIdRequest, ImageFromIdResponse,
    ImageGetOrCreateRequest, ImageGetOrCreateResponse, ImageMetadata, ObjectCreationType,
    SecretGetOrCreateRequest, SecretGetOrCreateResponse,
};

use super::grpc::{Called, NOT_FOUND, Status, UNIMPLEMENTED, answer, read};
use super::{Modal, ModalState, image, sandboxes, wire};
use crate::http::HttpAnswer;
use crate::ids::random_id;

/// The version of the image builder, from which clients choose their commands.
const BUILDER: &str = "2025.06";

pub(super) async fn call(
    State(modal): ModalState,
    Path(method): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> HttpAnswer {
    if let Err(status) = modal.authorize(&headers) {
        return answer::<Empty>(Err(status));
    }
    let body = match wire::checked(&method, body).await {
        Ok(body) => body,
        Err(status) => return answer::<Empty>(Err(status)),
    };
    match method.as_str() {
        "ClientHello" => answer(Ok(ClientHelloResponse {
            warning: String::new(),
            image_builder_version: BUILDER.to_owned(),
        })),
        "AuthTokenGet" => answer(Ok(AuthTokenGetResponse { token: modal.token() })),
        "AppGetOrCreate" => answer(app(&modal, body).await),
        "EnvironmentGetOrCreate" => answer(Ok(environment())),
        "ImageFromId" => answer(image_from_id(&modal, body).await),
        "ImageGetOrCreate" => answer(make_image(&modal, body).await),
        "ImageDelete" => answer(delete_image(&modal, body).await),
        "SecretGetOrCreate" => answer(secret(&modal, body).await),
        _ => sandboxes::call(modal, &method, &uri, &headers, body).await,
    }
}

async fn app(modal: &Modal, body: Body) -> Called<AppGetOrCreateResponse> {
    let request: AppGetOrCreateRequest = read(body).await?;
    let creates = request.object_creation_type() == ObjectCreationType::CreateIfMissing;
    let mut state = modal.state.lock();
    let known = state.apps.get(&request.app_name).cloned();
    let app_id = match known {
        Some(id) => id,
        None if creates => {
            state.room_for(request.app_name.len())?;
            let id = format!("ap-{}", random_id(22));
            state.apps.insert(request.app_name.clone(), id.clone());
            id
        }
        None => return Err(Status(NOT_FOUND, format!("App {:?} not found", request.app_name))),
    };
    let handle_metadata = AppHandleMetadata {
        description: request.app_name,
        app_id: app_id.clone(),
        environment_name: request.environment_name,
    };
    Ok(AppGetOrCreateResponse { app_id, handle_metadata: Some(handle_metadata) })
}

fn environment() -> EnvironmentGetOrCreateResponse {
    let settings = EnvironmentSettings { image_builder_version: BUILDER.to_owned() };
    EnvironmentGetOrCreateResponse {
        environment_id: "en-0000000000000000000000".to_owned(),
        metadata: Some(EnvironmentMetadata { name: "main".to_owned(), settings: Some(settings) }),
    }
}

async fn image_from_id(modal: &Modal, body: Body) -> Called<ImageFromIdResponse> {
    let request: ImageFromIdRequest = read(body).await?;
    modal.known_image(&request.image_id)?;
    Ok(ImageFromIdResponse { image_id: request.image_id, metadata: Some(built()) })
}

async fn make_image(modal: &Modal, body: Body) -> Called<ImageGetOrCreateResponse> {
    let request: ImageGetOrCreateRequest = read(body).await?;
    let mut base = None;
    for id in request.image.iter().flat_map(image::bases) {
        modal.known_image(id)?;
        base = modal.state.lock().images.get(id).cloned().map(|settings| (id.to_owned(), settings));
    }
    let settings = image::settings(&request, base.as_ref().map(|(_, settings)| settings))?;
    let image_id = match &request.existing_image_id {
        id if id.is_empty() => format!("im-{}", random_id(22)),
        id => id.clone(),
    };
    let mut state = modal.state.lock();
    state.room_for(image_id.len() + settings.bytes())?;
    // A layer on top of a snapshot has the snapshot's files.
    if let Some((base, _)) = base {
        let files = state.files.get(&base).cloned().unwrap_or(base);
        state.files.insert(image_id.clone(), files);
    }
    state.images.insert(image_id.clone(), settings);
    drop(state);
    let result = GenericResult { status: GenericStatus::Success.into(), ..GenericResult::default() };
    Ok(ImageGetOrCreateResponse { image_id, result: Some(result), metadata: Some(built()) })
}

async fn delete_image(modal: &Modal, body: Body) -> Called<Empty> {
    let request: ImageDeleteRequest = read(body).await?;
    modal.known_image(&request.image_id)?;
    modal.world.delete_snapshot(&request.image_id).await?;
    let mut state = modal.state.lock();
    state.files.remove(&request.image_id);
    if let Some(settings) = state.images.remove(&request.image_id) {
        state.give_back(request.image_id.len() + settings.bytes());
    }
    drop(state);
    Ok(Empty {})
}

async fn secret(modal: &Modal, body: Body) -> Called<SecretGetOrCreateResponse> {
    let request: SecretGetOrCreateRequest = read(body).await?;
    if !request.deployment_name.is_empty() {
        return Err(Status(UNIMPLEMENTED, "secrets with names are not emulated".to_owned()));
    }
    let secret_id = format!("st-{}", random_id(22));
    modal.state.lock().secrets.insert(secret_id.clone(), request.env_dict);
    Ok(SecretGetOrCreateResponse { secret_id })
}

fn built() -> ImageMetadata {
    ImageMetadata { image_builder_version: Some(BUILDER.to_owned()) }
}

impl Modal {
    /// Checks that an image was built or snapshotted, and not deleted.
    pub(super) fn known_image(&self, id: &str) -> Called<()> {
        if self.state.lock().images.contains_key(id) {
            return Ok(());
        }
        Err(Status(NOT_FOUND, format!("Image {id} not found")))
    }
}
