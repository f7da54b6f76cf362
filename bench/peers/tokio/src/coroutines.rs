// SPDX-License-Identifier: Apache-2.0

//! Programs of tasks alone: how they switch, start, sleep, and what they take on the heap.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Sleep, sleep};

use crate::rounds::{Meter, Sample};

const WARM_LAPS: usize = 10;
const CHILDREN: i64 = 10;

/// Measured from the moment the last one is warm until the first one ends: on one thread they go round in order.
pub async fn switch(size: usize, operations: usize) -> Sample {
    let laps = (operations / size).max(2);
    let round = Arc::new(Round::default());
    let mut tasks = Vec::with_capacity(size);
    for _ in 0..size {
        let round = round.clone();
        tasks.push(tokio::spawn(async move {
            for _ in 0..WARM_LAPS {
                yield_now().await;
            }
            if round.warm.fetch_add(1, Ordering::Relaxed) + 1 == size {
                *round.meter.lock().expect("nobody panics with it") = Some(Meter::start());
            }
            for _ in 0..laps {
                yield_now().await;
            }
            if round.stopped.swap(true, Ordering::Relaxed) {
                return None;
            }
            let meter = round.meter.lock().expect("nobody panics with it").take();
            meter.map(|meter| meter.stop((laps - 1) * size + 1))
        }));
    }
    let mut sample = None;
    for task in tasks {
        sample = task.await.expect("a task has panicked").or(sample);
    }
    sample.expect("one of them ends first")
}

#[derive(Default)]
struct Round {
    warm: AtomicUsize,
    stopped: AtomicBool,
    meter: std::sync::Mutex<Option<Meter>>,
}

/// Detached, which is less than to keep a handle of each; the last one wakes the batch.
pub async fn spawn_batch(size: usize, operations: usize) -> Sample {
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

pub async fn spawn_one(operations: usize) -> Sample {
    let meter = Meter::start();
    for _ in 0..operations {
        tokio::spawn(async {}).await.expect("a task has panicked");
    }
    meter.stop(operations)
}

/// What the allocator has given out for tasks that wait.
pub async fn parked(depth: usize, operations: usize) -> Sample {
    let gate = Arc::new(Semaphore::new(0));
    let mut tasks = Vec::with_capacity(operations);
    let before = in_use();
    let meter = Meter::start();
    for _ in 0..operations {
        let gate = gate.clone();
        tasks.push(if depth == 1 {
            tokio::spawn(async move { wait(&gate).await })
        } else {
            tokio::spawn(async move { below_ten(&gate).await })
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

async fn wait(gate: &Semaphore) {
    assert!(gate.acquire().await.is_err(), "it has no permits");
}

/// Nested calls are one future: the compiler knows how deep it is.
macro_rules! below {
    ($name:ident, $next:ident) => {
        async fn $name(gate: &Semaphore) {
            $next(gate).await;
        }
    };
}
below!(below_two, wait);
below!(below_three, below_two);
below!(below_four, below_three);
below!(below_five, below_four);
below!(below_six, below_five);
below!(below_seven, below_six);
below!(below_eight, below_seven);
below!(below_nine, below_eight);
below!(below_ten, below_nine);

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
pub async fn arm_and_cancel(size: usize, operations: usize) -> Sample {
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

pub async fn replace(size: usize, operations: usize) -> Sample {
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
pub async fn fire(operations: usize) -> Sample {
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

/// A task for each node, on all processors.
pub async fn skynet(operations: usize) -> Sample {
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
