// SPDX-License-Identifier: Apache-2.0

//! Rounds in which tasks exchange something, on the current-thread runtime: it costs less CPU than the one with
//! threads. The tree of tasks, and the pair beside tasks that always want to go on, run on all processors. Takes the
//! driver's orders, a line each, until it hangs up: `case NAME SIZE` and `round OPERATIONS`.

use std::future::Future;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::yield_now;

use crate::{coroutines, idle, tails};

const WARM: usize = 1_000;
const PERMITS: usize = 4;

/// What one operation of a round took, times the operations that really ran.
pub struct Sample {
    operations: usize,
    /// Of all operations together.
    pub wall: Duration,
    /// The same of CPU time, of all threads.
    pub cpu: Duration,
    /// Further figures by name.
    pub counts: Vec<(&'static str, f64)>,
}

impl Sample {
    /// The same of so many operations, for those that are counted afterwards.
    pub fn of(self, operations: usize) -> Sample {
        Sample { operations, ..self }
    }

    /// The same with how long most operations took, and the slowest.
    pub fn tell(mut self, mut took: Vec<Duration>) -> Sample {
        took.sort();
        for (name, percent) in [
            ("p50-micros", 50.0),
            ("p99-micros", 99.0),
            ("p999-micros", 99.9),
            ("max-micros", 100.0),
        ] {
            let place = (took.len() as f64 * percent / 100.0).ceil() as usize;
            let at = took[place.clamp(1, took.len()) - 1];
            self.counts.push((name, at.as_secs_f64() * 1e6));
        }
        self
    }

    /// As the driver reads it.
    fn line(&self) -> String {
        let mut line = format!(
            "sample\t{}\t{}\t{}",
            self.operations,
            self.wall.as_nanos(),
            self.cpu.as_nanos()
        );
        for (name, value) in &self.counts {
            line.push_str(&format!("\t{name}={value}"));
        }
        line
    }
}

/// Measures the steady part of a round.
pub struct Meter {
    began: Instant,
    cpu: Duration,
}

impl Meter {
    pub fn start() -> Meter {
        let cpu = cpu_time();
        Meter {
            began: Instant::now(),
            cpu,
        }
    }

    pub fn stop(self, operations: usize) -> Sample {
        let wall = self.began.elapsed();
        Sample {
            operations,
            wall,
            cpu: cpu_time() - self.cpu,
            counts: Vec::new(),
        }
    }
}

/// CPU time of all threads so far.
fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one timespec, which lives as long as the call.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(
        code, 0,
        "this kernel has no clock for the CPU time of a process"
    );
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

pub fn answer_orders() -> io::Result<()> {
    let plain = Builder::new_current_thread().build()?;
    let mut runtime: Option<Runtime> = None;
    let mut current = (String::new(), 0);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["case", name, size] => {
                current = (name.to_string(), size.parse().unwrap_or(0));
                runtime = match name {
                    "skynet" => Some(Builder::new_multi_thread().build()?),
                    "idle" => Some(idle::with_tasks(current.1)?),
                    name if name.starts_with("tails-fairness") => {
                        Some(Builder::new_multi_thread().build()?)
                    }
                    name if name.starts_with("timers") => {
                        Some(Builder::new_current_thread().enable_time().build()?)
                    }
                    _ => None,
                };
                "ready".to_string()
            }
            ["round", operations] => {
                match round(
                    runtime.as_ref().unwrap_or(&plain),
                    &current,
                    operations.parse().unwrap_or(0),
                ) {
                    Some(sample) => sample.line(),
                    None => format!("failed no program for {}", current.0),
                }
            }
            _ => format!("failed unknown order: {line}"),
        };
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

fn round(runtime: &Runtime, (name, size): &(String, usize), operations: usize) -> Option<Sample> {
    own(runtime, name, *size, operations)
        .or_else(|| coroutines::round(runtime, name, *size, operations))
        .or_else(|| tails::round(runtime, name, *size, operations))
        .or_else(|| idle::round(runtime, name, operations))
}

fn own(runtime: &Runtime, name: &str, size: usize, operations: usize) -> Option<Sample> {
    Some(match name {
        "await-one" => run(runtime, await_one(operations)),
        "await-two" => run(runtime, await_two(operations)),
        "channel-1" | "channel-64" => run(runtime, channel(size, operations)),
        "select-1" | "select-64" => run(runtime, select(size, operations)),
        "semaphore" => run(runtime, alone(operations)),
        "semaphore-contended" => run(runtime, together(size, operations / size)),
        _ => return None,
    })
}

/// In a task of its own: the future of `block_on` itself is polled in another way.
pub fn run<T: Send + 'static>(
    runtime: &Runtime,
    program: impl Future<Output = T> + Send + 'static,
) -> T {
    runtime.block_on(async { tokio::spawn(program).await.expect("a program has panicked") })
}

async fn one() -> usize {
    1
}

async fn await_one(operations: usize) -> Sample {
    let mut sum = 0;
    let meter = Meter::start();
    for _ in 0..operations {
        sum += tokio::spawn(one()).await.expect("a task has panicked");
    }
    let sample = meter.stop(operations);
    assert_eq!(sum, operations);
    sample
}

async fn await_two(operations: usize) -> Sample {
    let mut sum = 0;
    let meter = Meter::start();
    for _ in 0..operations {
        let (first, second) = (tokio::spawn(one()), tokio::spawn(one()));
        sum +=
            first.await.expect("a task has panicked") + second.await.expect("a task has panicked");
    }
    let sample = meter.stop(operations);
    assert_eq!(sum, 2 * operations);
    sample
}

fn produce(capacity: usize, items: usize) -> mpsc::Receiver<&'static str> {
    let (sender, receiver) = mpsc::channel(capacity);
    tokio::spawn(async move {
        for _ in 0..items {
            sender.send("item").await.expect("the receiver has gone");
        }
    });
    receiver
}

/// One task sends, another receives.
async fn channel(capacity: usize, operations: usize) -> Sample {
    let mut receiver = produce(capacity, WARM + operations);
    for _ in 0..WARM {
        receiver.recv().await;
    }
    let meter = Meter::start();
    for _ in 0..operations {
        receiver.recv().await;
    }
    meter.stop(operations)
}

/// Two tasks send, a third one receives from either.
async fn select(capacity: usize, operations: usize) -> Sample {
    let even = operations / 2 * 2;
    let mut left = produce(capacity, (WARM + even) / 2);
    let mut right = produce(capacity, (WARM + even) / 2);
    let mut meter = Meter::start();
    for i in 0..WARM + even {
        if i == WARM {
            meter = Meter::start();
        }
        tokio::select! {
            Some(_) = left.recv() => {}
            Some(_) = right.recv() => {}
        }
    }
    meter.stop(even)
}

async fn alone(operations: usize) -> Sample {
    let semaphore = Semaphore::new(PERMITS);
    let meter = Meter::start();
    for _ in 0..operations {
        drop(semaphore.acquire().await.expect("it is never closed"));
    }
    meter.stop(operations)
}

/// Each lets the others run while it holds a permit.
async fn together(users: usize, each: usize) -> Sample {
    let semaphore = Arc::new(Semaphore::new(PERMITS));
    let meter = Meter::start();
    let mut tasks = Vec::new();
    for _ in 0..users {
        let semaphore = semaphore.clone();
        tasks.push(tokio::spawn(async move {
            for _ in 0..each {
                let permit = semaphore.acquire().await.expect("it is never closed");
                yield_now().await;
                drop(permit);
            }
        }));
    }
    for task in tasks {
        task.await.expect("a task has panicked");
    }
    meter.stop(each * users)
}
