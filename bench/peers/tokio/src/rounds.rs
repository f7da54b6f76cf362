// SPDX-License-Identifier: Apache-2.0

//! Rounds in which tasks exchange something, on the current-thread runtime: it costs less CPU than the one with
//! threads. Takes the driver's orders, a line each, until it hangs up: `case NAME SIZE` and `round OPERATIONS`.

use std::future::Future;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::yield_now;

const WARM: usize = 1_000;
const PERMITS: usize = 4;

/// What one operation of a round took, times the operations that really ran.
struct Sample {
    operations: usize,
    wall: Duration,
    cpu: Duration,
}

/// Measures the steady part of a round.
struct Meter {
    began: Instant,
    cpu: Duration,
}

impl Meter {
    fn start() -> Meter {
        let cpu = cpu_time();
        Meter {
            began: Instant::now(),
            cpu,
        }
    }

    fn stop(self, operations: usize) -> Sample {
        let wall = self.began.elapsed();
        Sample {
            operations,
            wall,
            cpu: cpu_time() - self.cpu,
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
    let runtime = Builder::new_current_thread().build()?;
    let mut current = (String::new(), 0);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["case", name, size] => {
                current = (name.to_string(), size.parse().unwrap_or(0));
                "ready".to_string()
            }
            ["round", operations] => {
                match round(&runtime, &current, operations.parse().unwrap_or(0)) {
                    Some(sample) => format!(
                        "sample\t{}\t{}\t{}",
                        sample.operations,
                        sample.wall.as_nanos(),
                        sample.cpu.as_nanos()
                    ),
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
    let size = *size;
    Some(match name.as_str() {
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
fn run(runtime: &Runtime, program: impl Future<Output = Sample> + Send + 'static) -> Sample {
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
