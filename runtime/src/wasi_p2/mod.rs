//! WASI 0.2 for command components, over the same files, descriptors, clock and random bytes as preview 1.
//!
//! The interfaces' bindings and `wasi:io` come from wasmtime-wasi; the kernel implements them. A component's files are
//! descriptors of its process, and its resource handles refer to them.

mod cli;
mod clocks;
mod filesystem;
mod kernel;
mod random;
mod streams;

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings;
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsCtxView};
use wasmtime_wasi_io::IoView;

use crate::guest::component::State;

impl IoView for State {
    fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }
}

/// Tells the bindings to use the whole [`State`].
struct Whole;

impl HasData for Whole {
    type Data<'a> = &'a mut State;
}

/// Defines every interface of `wasi:cli/imports`, and the kernel's own.
pub(crate) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    use bindings::{cli, clocks, filesystem, random, sockets};

    fn whole(state: &mut State) -> &mut State {
        state
    }
    fn sockets(state: &mut State) -> WasiSocketsCtxView<'_> {
        WasiSocketsCtxView { ctx: state.denied.sockets(), table: &mut state.table }
    }

    kernel::add_to_linker(linker)?;
    wasmtime_wasi_io::add_to_linker_async(linker)?;
    clocks::wall_clock::add_to_linker::<_, Whole>(linker, whole)?;
    clocks::monotonic_clock::add_to_linker::<_, Whole>(linker, whole)?;
    filesystem::types::add_to_linker::<_, Whole>(linker, whole)?;
    filesystem::preopens::add_to_linker::<_, Whole>(linker, whole)?;
    random::random::add_to_linker::<_, Whole>(linker, whole)?;
    random::insecure::add_to_linker::<_, Whole>(linker, whole)?;
    random::insecure_seed::add_to_linker::<_, Whole>(linker, whole)?;
    cli::exit::add_to_linker::<_, Whole>(linker, whole)?;
    cli::environment::add_to_linker::<_, Whole>(linker, whole)?;
    cli::stdin::add_to_linker::<_, Whole>(linker, whole)?;
    cli::stdout::add_to_linker::<_, Whole>(linker, whole)?;
    cli::stderr::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_input::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_output::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_stdin::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_stdout::add_to_linker::<_, Whole>(linker, whole)?;
    cli::terminal_stderr::add_to_linker::<_, Whole>(linker, whole)?;
    // Components import sockets even if they do not use them.
    let options = sockets::network::LinkOptions::default();
    sockets::tcp::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::udp::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::tcp_create_socket::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::udp_create_socket::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::instance_network::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    sockets::network::add_to_linker::<_, WasiSockets>(linker, &options, sockets)?;
    sockets::ip_name_lookup::add_to_linker::<_, WasiSockets>(linker, sockets)?;
    Ok(())
}

/// The same handle with another type: the bindings use wasmtime-wasi's resource types, but the table holds the
/// kernel's.
fn recast<A: 'static, B: 'static>(handle: &Resource<A>) -> Resource<B> {
    if handle.owned() { Resource::new_own(handle.rep()) } else { Resource::new_borrow(handle.rep()) }
}
