//! Counts the instructions that processes execute, in metered code.
//!
//! The count is settled at each call to the kernel, at the end of each fuel interval, and when a program ends. (Calls
//! of components are an exception, because they do not show how much fuel is left.) Settling charges the instructions
//! to the budgets and advances virtual time. Each of these moments is the same in every run.

use std::sync::Arc;

use wasmtime::{Caller, Store, UpdateDeadline};

use crate::clock;
use crate::guest::Guest;
use crate::kernel::KernelInner;
use crate::process::Process;
use sandshell_codegen::Metering;

/// Instructions between two yields of metered code, which is half a millisecond of virtual time.
pub(crate) const FUEL_INTERVAL: u64 = 500_000;

/// Sets up a store to yield and count as its engine's metering says.
pub(crate) fn begin<T: 'static>(store: &mut Store<T>, metering: Metering, process: &Arc<Process>) {
    match metering {
        Metering::Plain => {
            let process = process.clone();
            store.set_epoch_deadline(1);
            store.epoch_deadline_callback(move |_| {
                process.gate.preempt();
                Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
            });
        }
        Metering::Metered => {
            process.meter.begin();
            store.set_epoch_deadline(u64::MAX / 2);
            // The engine consumes fuel, so neither call can fail.
            let fuelled = store.set_fuel(u64::MAX);
            let yields = store.fuel_async_yield_interval(Some(FUEL_INTERVAL));
            debug_assert!(fuelled.is_ok() && yields.is_ok());
        }
    }
}

/// Settles the count at a call of a core module to the kernel.
pub(crate) fn settle_call(caller: &Caller<'_, Guest>) {
    let Guest { kernel, process, .. } = caller.data();
    if kernel.metering == Metering::Metered
        && let Ok(left) = caller.get_fuel()
    {
        charge(kernel, process, process.meter.settle(u64::MAX - left));
    }
}

/// Settles the count when a process has yielded at the end of its interval.
pub(crate) fn settle_interval(kernel: &KernelInner, process: &Process) {
    if kernel.metering == Metering::Metered {
        charge(kernel, process, process.meter.settle_interval(FUEL_INTERVAL));
    }
}

/// Settles the count when a program has ended.
pub(crate) fn settle_end<T>(kernel: &KernelInner, process: &Process, store: &Store<T>) {
    if let Ok(left) = store.get_fuel() {
        charge(kernel, process, process.meter.settle(u64::MAX - left));
    }
}

/// Counts work that the host did for a process as `instructions` executed instructions.
pub(crate) fn count_work(kernel: &KernelInner, process: &Process, instructions: u64) {
    if kernel.metering == Metering::Metered {
        charge(kernel, process, instructions);
    }
}

fn charge(kernel: &KernelInner, process: &Process, fuel: u64) {
    if fuel > 0 {
        process.job.charge_fuel(fuel);
        process.check_cpu_limit();
        kernel.clock.elapse(clock::of_fuel(fuel));
    }
}
