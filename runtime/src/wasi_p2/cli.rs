//! `wasi:cli`: arguments, environment, exit, standard streams, terminals.

use wasmtime::component::Resource;
use wasmtime_wasi::I32Exit;
use wasmtime_wasi::p2::bindings::cli::terminal_input::{self, TerminalInput};
use wasmtime_wasi::p2::bindings::cli::terminal_output::{self, TerminalOutput};
use wasmtime_wasi::p2::bindings::cli::{
    environment, exit, stderr, stdin, stdout, terminal_stderr, terminal_stdin, terminal_stdout,
};
use wasmtime_wasi_io::streams::{DynInputStream, DynOutputStream};

use super::streams::{Input, Output};
use super::{State, recast};

impl environment::Host for &mut State {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        let identity = self.process.identity();
        let variables = identity.env.iter().map(|entry| {
            let entry = String::from_utf8_lossy(entry);
            let (name, value) = entry.split_once('=').unwrap_or((&entry, ""));
            (name.to_owned(), value.to_owned())
        });
        Ok(variables.collect())
    }

    fn get_arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        let identity = self.process.identity();
        Ok(identity.argv.iter().map(|argument| String::from_utf8_lossy(argument).into_owned()).collect())
    }

    fn initial_cwd(&mut self) -> wasmtime::Result<Option<String>> {
        let cwd = self.kernel.namespace.absolute_path(&self.process.cwd()).ok();
        Ok(cwd.and_then(|path| String::from_utf8(path).ok()))
    }
}

impl exit::Host for &mut State {
    fn exit(&mut self, status: Result<(), ()>) -> wasmtime::Result<()> {
        Err(I32Exit(i32::from(status.is_err())).into())
    }

    fn exit_with_code(&mut self, status: u8) -> wasmtime::Result<()> {
        Err(I32Exit(status.into()).into())
    }
}

impl State {
    fn output(&mut self, fd: u32) -> wasmtime::Result<Resource<DynOutputStream>> {
        let stream: DynOutputStream = Box::new(Output::sequential(&self.kernel, &self.process, fd));
        Ok(self.table.push(stream)?)
    }

    /// A handle if the descriptor is a terminal.
    fn terminal<T: 'static>(&mut self, fd: u32) -> wasmtime::Result<Option<Resource<T>>> {
        let is_terminal = {
            let files = self.process.files.lock();
            files.get(fd).is_ok_and(|descriptor| descriptor.description.is_terminal())
        };
        if is_terminal { Ok(Some(recast(&self.table.push(TerminalHandle)?))) } else { Ok(None) }
    }
}

/// The resource of a terminal handle. It holds nothing: it only says that there is a terminal.
struct TerminalHandle;

impl stdin::Host for &mut State {
    fn get_stdin(&mut self) -> wasmtime::Result<Resource<DynInputStream>> {
        let stream: DynInputStream = Box::new(Input::sequential(&self.process, 0));
        Ok(self.table.push(stream)?)
    }
}

impl stdout::Host for &mut State {
    fn get_stdout(&mut self) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.output(1)
    }
}

impl stderr::Host for &mut State {
    fn get_stderr(&mut self) -> wasmtime::Result<Resource<DynOutputStream>> {
        self.output(2)
    }
}

impl terminal_input::Host for &mut State {}

impl terminal_input::HostTerminalInput for &mut State {
    fn drop(&mut self, handle: Resource<TerminalInput>) -> wasmtime::Result<()> {
        self.table.delete::<TerminalHandle>(recast(&handle))?;
        Ok(())
    }
}

impl terminal_output::Host for &mut State {}

impl terminal_output::HostTerminalOutput for &mut State {
    fn drop(&mut self, handle: Resource<TerminalOutput>) -> wasmtime::Result<()> {
        self.table.delete::<TerminalHandle>(recast(&handle))?;
        Ok(())
    }
}

impl terminal_stdin::Host for &mut State {
    fn get_terminal_stdin(&mut self) -> wasmtime::Result<Option<Resource<TerminalInput>>> {
        self.terminal(0)
    }
}

impl terminal_stdout::Host for &mut State {
    fn get_terminal_stdout(&mut self) -> wasmtime::Result<Option<Resource<TerminalOutput>>> {
        self.terminal(1)
    }
}

impl terminal_stderr::Host for &mut State {
    fn get_terminal_stderr(&mut self) -> wasmtime::Result<Option<Resource<TerminalOutput>>> {
        self.terminal(2)
    }
}
