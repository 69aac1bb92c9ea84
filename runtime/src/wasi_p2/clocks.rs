//! `wasi:clocks`: the sandbox's clock.

use std::sync::Arc;
use std::time::Duration;

use sandshell_vfs::TimeSource;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::clocks::{monotonic_clock, wall_clock};
use wasmtime_wasi_io::poll::{DynPollable, Pollable, subscribe};

use super::State;
use crate::kernel::KernelInner;
use crate::process::Process;

impl wall_clock::Host for &mut State {
    fn now(&mut self) -> wasmtime::Result<Datetime> {
        let now = self.kernel.clock.now();
        Ok(Datetime { seconds: u64::try_from(now.secs).unwrap_or(0), nanoseconds: now.nanos })
    }

    fn resolution(&mut self) -> wasmtime::Result<Datetime> {
        Ok(Datetime { seconds: 0, nanoseconds: 1 })
    }
}

impl monotonic_clock::Host for &mut State {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(self.kernel.clock.monotonic())
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(1)
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let timer = Timer { process: self.process.clone(), kernel: self.kernel.clone(), due: when };
        let timer = self.table.push(timer)?;
        subscribe(&mut self.table, timer)
    }

    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let due = self.kernel.clock.monotonic().saturating_add(duration);
        monotonic_clock::Host::subscribe_instant(self, due)
    }
}

/// Ready at a time of the monotonic clock, and after it.
struct Timer {
    process: Arc<Process>,
    kernel: Arc<KernelInner>,
    due: u64,
}

#[async_trait::async_trait]
impl Pollable for Timer {
    async fn ready(&mut self) {
        let _host_wait = self.process.gate.begin_host_wait();
        let left = self.due.saturating_sub(self.kernel.clock.monotonic());
        if left == 0 {
            // A component that polls in a loop must let others run.
            self.kernel.yield_turn().await;
        } else {
            self.kernel.clock.sleep(Duration::from_nanos(left)).await;
        }
    }
}
