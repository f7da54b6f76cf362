// SPDX-License-Identifier: Apache-2.0

//! A runtime that has nothing to do.

use std::fs;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::coroutines::wait;
use crate::rounds::{self, Meter, Sample};

/// A runtime with so many tasks that wait until it ends.
pub fn with_tasks(count: usize) -> io::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    rounds::run(&runtime, async move {
        let gate = Arc::new(Semaphore::new(0));
        for _ in 0..count {
            let gate = gate.clone();
            tokio::spawn(async move { wait(&gate).await });
        }
        yield_now().await; // all of them begin to wait
    });
    Ok(runtime)
}

/// Of a case, if it is this one.
pub fn round(runtime: &Runtime, name: &str, operations: usize) -> Option<Sample> {
    (name == "idle").then(|| rounds::run(runtime, watch(operations)))
}

/// Sleeps so many milliseconds; what the process used meanwhile.
async fn watch(millis: usize) -> Sample {
    let before = context_switches();
    let meter = Meter::start();
    sleep(Duration::from_millis(millis as u64)).await;
    let mut sample = meter.stop(1);
    let seconds = sample.wall.as_secs_f64();
    sample.counts = vec![
        ("cpu-percent", 100.0 * sample.cpu.as_secs_f64() / seconds),
        (
            "switches-per-second",
            (context_switches() - before) / seconds,
        ),
    ];
    sample
}

/// So far, voluntary and not, of the first thread: there is no other one.
fn context_switches() -> f64 {
    fs::read_to_string("/proc/self/status")
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once("ctxt_switches:"))
        .filter_map(|(_, count)| count.trim().parse::<f64>().ok())
        .sum()
}
