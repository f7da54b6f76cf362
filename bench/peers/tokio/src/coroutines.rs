// SPDX-License-Identifier: Apache-2.0

//! Programs of tasks alone: how they switch, start, sleep, and what they take on the heap.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{Notify, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Sleep, sleep};

use crate::rounds::{Meter, Sample, run};

const WARM_LAPS: usize = 10;
const CHILDREN: i64 = 10;

/// Of a case, if it is one of these programs.
pub fn round(runtime: &Runtime, name: &str, size: usize, operations: usize) -> Option<Sample> {
    Some(match name {
        "switch" | "switch-1000" | "switch-100000" => run(runtime, switch(size, operations)),
        "spawn-batch" => run(runtime, spawn_batch(size, operations)),
        "spawn-one" => run(runtime, spawn_one(operations)),
        "memory" | "memory-depth-10" | "memory-depth-50" => run(runtime, parked(size, operations)),
        "timers" => run(runtime, arm_and_cancel(size, operations)),
        "timers-replace" => run(runtime, replace(size, operations)),
        "timers-fire" => run(runtime, fire(operations)),
        "timers-late" => run(runtime, late(operations)),
        "skynet" => run(runtime, skynet(operations)),
        _ => return None,
    })
}

/// Measured from the moment the last one is warm until the first one has gone all its laps. They do not go round in
/// order, for the runtime wakes those that yield in batches: so each counts its own laps.
async fn switch(size: usize, operations: usize) -> Sample {
    let laps = (operations / size).max(2);
    let round = Arc::new(Round::default());
    let mut tasks = Vec::with_capacity(size);
    for _ in 0..size {
        tasks.push(tokio::spawn(go_round(round.clone(), size, laps)));
    }
    let mut gone = 0;
    for task in tasks {
        gone += task.await.expect("a task has panicked");
    }
    let sample = round.sample.lock().expect("nobody panics with it").take();
    sample.expect("one of them ends first").of(gone)
}

async fn go_round(round: Arc<Round>, size: usize, laps: usize) -> usize {
    for _ in 0..WARM_LAPS {
        yield_now().await;
    }
    if round.warm.fetch_add(1, Ordering::Relaxed) + 1 == size {
        *round.meter.lock().expect("nobody panics with it") = Some(Meter::start());
        round.measured.store(true, Ordering::Relaxed);
    }
    let mut gone = 0;
    while !round.stopped.load(Ordering::Relaxed) {
        yield_now().await;
        if round.measured.load(Ordering::Relaxed) {
            gone += 1;
        }
        if gone == laps {
            stop(&round);
        }
    }
    gone
}

fn stop(round: &Round) {
    if !round.stopped.swap(true, Ordering::Relaxed) {
        let meter = round.meter.lock().expect("nobody panics with it").take();
        *round.sample.lock().expect("nobody panics with it") = meter.map(|meter| meter.stop(0));
    }
}

#[derive(Default)]
struct Round {
    warm: AtomicUsize,
    measured: AtomicBool,
    stopped: AtomicBool,
    meter: std::sync::Mutex<Option<Meter>>,
    sample: std::sync::Mutex<Option<Sample>>,
}

/// Detached, which is less than to keep a handle of each; the last one wakes the batch.
async fn spawn_batch(size: usize, operations: usize) -> Sample {
    let batches = (operations / size).max(1);
    let left = Arc::new(AtomicUsize::new(0));
    let done = Arc::new(Notify::new());
    let meter = Meter::start();
    for _ in 0..batches {
        left.store(size, Ordering::Relaxed);
        for _ in 0..size {
            let (left, done) = (left.clone(), done.clone());
            tokio::spawn(async move {
                if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                    done.notify_one();
                }
            });
        }
        done.notified().await;
    }
    meter.stop(batches * size)
}

async fn spawn_one(operations: usize) -> Sample {
    let meter = Meter::start();
    for _ in 0..operations {
        tokio::spawn(async {}).await.expect("a task has panicked");
    }
    meter.stop(operations)
}

/// What the allocator has given out for tasks that wait.
async fn parked(depth: usize, operations: usize) -> Sample {
    let gate = Arc::new(Semaphore::new(0));
    let mut tasks = Vec::with_capacity(operations);
    let before = in_use();
    let meter = Meter::start();
    for _ in 0..operations {
        let gate = gate.clone();
        tasks.push(match depth {
            1 => tokio::spawn(async move { wait(&gate).await }),
            10 => tokio::spawn(async move { below_ten(&gate).await }),
            50 => tokio::spawn(async move { below_fifty(&gate).await }),
            _ => panic!("no calls that are {depth} deep"),
        });
    }
    yield_now().await; // all of them begin to wait
    let mut sample = meter.stop(operations);
    sample
        .counts
        .push(("live-bytes", (in_use() - before) / operations as f64));
    gate.close();
    for task in tasks {
        task.await.expect("a task has panicked");
    }
    sample
}

/// Waits until the gate is closed: it has no permits.
pub async fn wait(gate: &Semaphore) {
    assert!(gate.acquire().await.is_err(), "it has no permits");
}

/// Nested calls are one future: the compiler knows how deep it is. A call for each number.
macro_rules! below {
    ($gate:ident) => { wait($gate).await };
    ($gate:ident $number:literal $($rest:tt)*) => { async { below!($gate $($rest)*) }.await };
}

async fn below_ten(gate: &Semaphore) {
    below!(gate 2 3 4 5 6 7 8 9 10);
}

async fn below_fifty(gate: &Semaphore) {
    below!(gate
        2 3 4 5 6 7 8 9 10 11
        12 13 14 15 16 17 18 19 20 21
        22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41
        42 43 44 45 46 47 48 49 50
    );
}

fn in_use() -> f64 {
    // SAFETY: the C library's own counts; no pointer is passed.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as f64
}

/// Delays that are drawn before the meter starts, in a range of milliseconds.
struct Delays {
    nanos: Vec<u64>,
    next: usize,
}

impl Delays {
    const DRAWN: usize = 1 << 16;

    fn new(from: u64, to: u64) -> Delays {
        let mut state: u64 = 42;
        let nanos = (0..Self::DRAWN)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                from * 1_000_000 + state % ((to - from) * 1_000_000)
            })
            .collect();
        Delays { nanos, next: 0 }
    }

    /// Of timers that never fire while a bench runs.
    fn never() -> Delays {
        Delays::new(600_000, 4_200_000)
    }

    fn next(&mut self) -> Duration {
        self.next += 1;
        Duration::from_nanos(self.nanos[self.next & (Self::DRAWN - 1)])
    }
}

/// A timer is armed when it is polled first.
async fn arm(delay: Duration) -> Pin<Box<Sleep>> {
    let mut timer = Box::pin(sleep(delay));
    poll_fn(|context| {
        let _ = timer.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
    timer
}

async fn fill(count: usize, delays: &mut Delays) -> Vec<Pin<Box<Sleep>>> {
    let mut outstanding = Vec::with_capacity(count);
    for _ in 0..count {
        outstanding.push(arm(delays.next()).await);
    }
    outstanding
}

/// One that is dropped is cancelled.
async fn arm_and_cancel(size: usize, operations: usize) -> Sample {
    let mut delays = Delays::never();
    let outstanding = fill(size, &mut delays).await;
    let meter = Meter::start();
    for _ in 0..operations {
        drop(arm(delays.next()).await);
    }
    let sample = meter.stop(operations);
    drop(outstanding);
    sample
}

async fn replace(size: usize, operations: usize) -> Sample {
    let mut delays = Delays::never();
    let mut outstanding = fill(size, &mut delays).await;
    let meter = Meter::start();
    for i in 0..operations {
        let slot = i % size;
        outstanding[slot] = arm(delays.next()).await;
    }
    meter.stop(operations)
}

/// A task for each.
async fn fire(operations: usize) -> Sample {
    let mut delays = Delays::new(500, 1_000);
    let left = Arc::new(AtomicUsize::new(operations));
    let done = Arc::new(Notify::new());
    let meter = Meter::start();
    for _ in 0..operations {
        let (left, done, delay) = (left.clone(), done.clone(), delays.next());
        tokio::spawn(async move {
            sleep(delay).await;
            if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                done.notify_one();
            }
        });
    }
    done.notified().await;
    meter.stop(operations)
}

/// The same, and how late each is: it is due so long after its task has asked for it.
async fn late(operations: usize) -> Sample {
    let mut delays = Delays::new(500, 1_000);
    let mut tasks = Vec::with_capacity(operations);
    let meter = Meter::start();
    for _ in 0..operations {
        let delay = delays.next();
        tasks.push(tokio::spawn(async move {
            let due = Instant::now() + delay;
            sleep(delay).await;
            due.elapsed()
        }));
    }
    let mut took = Vec::with_capacity(operations);
    for task in tasks {
        took.push(task.await.expect("a task has panicked"));
    }
    meter.stop(operations).tell(took)
}

/// A task for each node, on all processors.
async fn skynet(operations: usize) -> Sample {
    let mut leaves: i64 = 1;
    while leaves * CHILDREN <= operations as i64 {
        leaves *= CHILDREN;
    }
    let meter = Meter::start();
    let found = tokio::spawn(node(0, leaves))
        .await
        .expect("a task has panicked");
    let sample = meter.stop(leaves as usize);
    assert_eq!(found, leaves * (leaves - 1) / 2);
    sample
}

fn node(number: i64, leaves: i64) -> Pin<Box<dyn Future<Output = i64> + Send>> {
    Box::pin(async move {
        if leaves == 1 {
            return number;
        }
        let each = leaves / CHILDREN;
        let mut parts = Vec::with_capacity(CHILDREN as usize);
        for i in 0..CHILDREN {
            parts.push(tokio::spawn(node(number + i * each, each)));
        }
        let mut sum = 0;
        for part in parts {
            sum += part.await.expect("a task has panicked");
        }
        sum
    })
}
