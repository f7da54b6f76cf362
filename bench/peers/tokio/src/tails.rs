// SPDX-License-Identifier: Apache-2.0

//! Pairs of tasks that are sent messages at a fixed rate, and how long their answers took from the moment each was
//! due. The sender is a thread outside of the runtime, which has a thread of its own, as in Tokio's guide to bridging
//! with code that is not async. It never sleeps.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, yield_now};

use crate::rounds::{Meter, Sample};

const PAIRS: usize = 64;

const HOG_TIME: Duration = Duration::from_micros(50);

/// Of a case, if it is one of these programs.
pub fn round(runtime: &Runtime, name: &str, size: usize, operations: usize) -> Option<Sample> {
    Some(match name {
        "tails-pairs-peak" => closed(runtime, PAIRS, 0, operations),
        "tails-pairs-25" | "tails-pairs-50" | "tails-pairs-75" => {
            paced(runtime, PAIRS, 0, size, operations)
        }
        "tails-fairness-peak" => closed(runtime, 1, processors(), operations),
        "tails-fairness-25" | "tails-fairness-50" | "tails-fairness-75" => {
            paced(runtime, 1, processors(), size, operations)
        }
        _ => return None,
    })
}

/// Of this machine: so many tasks compute.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get())
}

/// At a fixed rate, for so many milliseconds.
fn paced(runtime: &Runtime, pairs: usize, hogs: usize, per_second: usize, millis: usize) -> Sample {
    let interval = 1e9 / per_second as f64;
    let count = ((millis as f64 * 1e6 / interval) as usize).max(1);
    let (sample, took) = send_all(runtime, pairs, hogs, |targets| {
        let begin = Instant::now();
        for i in 0..count {
            let due = begin + Duration::from_nanos((i as f64 * interval) as u64);
            while Instant::now() < due {
                spin_loop();
            }
            targets[i % pairs].send(due);
        }
        count
    });
    let mut sample = sample.tell(took);
    sample
        .counts
        .push(("offered-per-second", per_second as f64));
    sample
}

/// Each after its target's last answer.
fn closed(runtime: &Runtime, pairs: usize, hogs: usize, operations: usize) -> Sample {
    let (sample, _) = send_all(runtime, pairs, hogs, |targets| {
        let mut sent = vec![0; pairs];
        let mut left = operations;
        while left > 0 {
            for (target, sent) in targets.iter().zip(&mut sent) {
                if left > 0 && target.answered.0.load(Ordering::Acquire) == *sent {
                    *sent += 1;
                    left -= 1;
                    target.send(Instant::now());
                }
            }
        }
        operations
    });
    sample
}

fn send_all(
    runtime: &Runtime,
    pairs: usize,
    hogs: usize,
    send: impl FnOnce(&[Target]) -> usize,
) -> (Sample, Vec<Duration>) {
    let (targets, firsts): (Vec<_>, Vec<_>) = (0..pairs).map(|_| pair(runtime)).unzip();
    let ended = Arc::new(AtomicBool::new(false));
    for _ in 0..hogs {
        runtime.spawn(compute(ended.clone()));
    }
    let meter = Meter::start();
    let (operations, took) = thread::scope(|scope| {
        let answers = scope.spawn(|| runtime.block_on(all(firsts)));
        let operations = send(&targets);
        drop(targets); // nothing else comes
        (operations, answers.join().expect("a task has panicked"))
    });
    let sample = meter.stop(operations);
    ended.store(true, Ordering::Relaxed);
    assert_eq!(took.len(), operations);
    (sample, took)
}

async fn all(firsts: Vec<JoinHandle<Vec<Duration>>>) -> Vec<Duration> {
    let mut all = Vec::new();
    for first in firsts {
        all.extend(first.await.expect("a task has panicked"));
    }
    all
}

struct Target {
    inbox: mpsc::UnboundedSender<Instant>,
    answered: Arc<Answered>,
}

/// On a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Answered(AtomicUsize);

impl Target {
    fn send(&self, due: Instant) {
        self.inbox.send(due).expect("a task has ended");
    }
}

/// The first of two hands each message to the second, which sends it back.
fn pair(runtime: &Runtime) -> (Target, JoinHandle<Vec<Duration>>) {
    let (inbox, mut messages) = mpsc::unbounded_channel::<Instant>();
    let (second, mut handed) = mpsc::channel(1);
    let (back, mut returned) = mpsc::channel(1);
    let answered = Arc::new(Answered::default());
    let target = Target {
        inbox,
        answered: answered.clone(),
    };
    let first = runtime.spawn(async move {
        let mut took = Vec::new();
        while let Some(due) = messages.recv().await {
            second.send(due).await.expect("the second has ended");
            let due: Instant = returned.recv().await.expect("the second has ended");
            took.push(due.elapsed());
            answered.0.fetch_add(1, Ordering::Release);
        }
        took
    });
    runtime.spawn(async move {
        while let Some(due) = handed.recv().await {
            back.send(due).await.expect("the first has ended");
        }
    });
    (target, first)
}

/// Always wants to go on.
async fn compute(ended: Arc<AtomicBool>) {
    while !ended.load(Ordering::Relaxed) {
        let begin = Instant::now();
        while begin.elapsed() < HOG_TIME {}
        yield_now().await;
    }
}
