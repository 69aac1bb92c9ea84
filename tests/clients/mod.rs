//! All clients, each with the emulator of its service.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use sandshell::cloud::{ClientOptions, Variables};
use sandshell::emulator::{Emulator, Options, Vendor};
use sandshell::{Engine, LocalOptions, LocalProvider, SandboxProvider};
use tokio::net::TcpListener;

/// A vendor's client.
#[derive(Clone, Copy)]
pub(crate) struct Client {
    pub(crate) vendor: Vendor,
    pub(crate) wire: Wire,
    new: fn(&Variables<'_>, ClientOptions) -> sandshell::Result<Arc<dyn SandboxProvider>>,
}

/// The protocol of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Http,
    /// HTTP, and WebSockets that begin with it.
    Sockets,
    Grpc,
}

macro_rules! clients {
    ($($(#[$_doc:meta])* $vendor:ident, $module:ident, $_name:literal, $provider:ident, $options:ident, $_needs:tt;)*) => {
        pub(crate) const CLIENTS: &[Client] = &[$(Client {
            vendor: Vendor::$vendor,
            wire: wire(Vendor::$vendor),
            new: |variables, client| {
                let mut options = sandshell::$module::$options::from_variables(variables);
                options.client = client;
                Ok(Arc::new(sandshell::$module::$provider::new(options)?))
            },
        }),*];
    };
}

sandshell::each_cloud!(clients);

const fn wire(vendor: Vendor) -> Wire {
    match vendor {
        Vendor::Deno | Vendor::LangSmith => Wire::Sockets,
        Vendor::Modal => Wire::Grpc,
        _ => Wire::Http,
    }
}

impl Client {
    /// The client of a service at this address, configured by the variables that users of the emulator set.
    pub(crate) fn connect(
        &self,
        address: SocketAddr,
        key: &str,
        options: ClientOptions,
    ) -> Arc<dyn SandboxProvider> {
        let variables = self.vendor.variables(&format!("http://{address}"), key);
        let get =
            |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
        (self.new)(&Variables(&get), options).expect("a client")
    }
}

/// Starts an emulator that runs as long as the test; returns its address.
pub(crate) async fn serve(vendors: impl IntoIterator<Item = Vendor>, options: &Options) -> SocketAddr {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| sandshell::engine(None).expect("an engine")).clone();
    serve_with(engine, LocalOptions::default(), vendors, options).await
}

/// Like `serve`, with sandboxes that have these options.
pub(crate) async fn serve_with(
    engine: Engine,
    sandboxes: LocalOptions,
    vendors: impl IntoIterator<Item = Vendor>,
    options: &Options,
) -> SocketAddr {
    let local = LocalProvider::new(engine, sandboxes).expect("a provider");
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let emulator = Emulator::new(Arc::new(local), vendors, options);
    tokio::spawn(emulator.serve(listener));
    address
}
