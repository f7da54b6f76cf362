// SPDX-License-Identifier: Apache-2.0

//! The programs of Bugs.java as tasks of Tokio, 1,000 times each under turmoil, with a seed each.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Mutex, oneshot};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Instant, sleep};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

async fn both(one: JoinHandle<()>, other: JoinHandle<()>) -> Outcome {
    one.await?;
    other.await?;
    Ok(())
}

async fn lost_update() -> Outcome {
    let counter = Rc::new(Cell::new(0));
    let (mine, yours) = (counter.clone(), counter.clone());
    both(
        spawn_local(async move {
            let read = mine.get();
            sleep(ms(2)).await;
            mine.set(read + 1);
        }),
        spawn_local(async move {
            sleep(ms(1)).await;
            sleep(ms(1)).await;
            let read = yours.get();
            sleep(ms(2)).await;
            yours.set(read + 1);
        }),
    )
    .await?;
    if counter.get() == 2 { Ok(()) } else { Err("an update was lost".into()) }
}

async fn request(busy: Rc<Cell<bool>>) {
    let (reply, answer) = oneshot::channel();
    let kept = Rc::new(Cell::new(Some(reply))); // a dropped sender would end the wait
    if !busy.replace(true) {
        let kept = kept.clone();
        spawn_local(async move {
            sleep(ms(2)).await;
            busy.set(false);
            kept.take().unwrap().send(1).unwrap();
        });
    }
    answer.await.unwrap();
    drop(kept);
}

async fn forgotten_timeout() -> Outcome {
    let busy = Rc::new(Cell::new(false));
    both(
        spawn_local(request(busy.clone())),
        spawn_local(async move {
            sleep(ms(1)).await;
            sleep(ms(1)).await;
            request(busy).await;
        }),
    )
    .await
}

async fn lock_order() -> Outcome {
    let a = Rc::new(Mutex::new(()));
    let b = Rc::new(Mutex::new(()));
    let (c, d) = (a.clone(), b.clone());
    both(
        spawn_local(async move {
            let _a = a.lock().await;
            sleep(ms(2)).await;
            let _b = b.lock().await;
        }),
        spawn_local(async move {
            sleep(ms(1)).await;
            sleep(ms(1)).await;
            let _b = d.lock().await;
            sleep(ms(1)).await;
            let _a = c.lock().await;
        }),
    )
    .await
}

async fn expired_entry() -> Outcome {
    let entries = Rc::new(RefCell::new(HashMap::from([("k", Instant::now() + ms(3))])));
    let swept = entries.clone();
    both(
        spawn_local(async move {
            sleep(ms(1)).await;
            let there = entries.borrow().contains_key("k");
            if there {
                sleep(ms(2)).await;
                assert!(entries.borrow().contains_key("k"), "the entry is gone");
            }
        }),
        spawn_local(async move {
            sleep(ms(2)).await;
            sleep(ms(1)).await;
            swept.borrow_mut().retain(|_, until| *until > Instant::now());
        }),
    )
    .await
}

async fn race() -> Outcome {
    let counter = Rc::new(Cell::new(0));
    let (mine, yours) = (counter.clone(), counter.clone());
    both(
        spawn_local(async move { mine.set(mine.get() + 1) }),
        spawn_local(async move { yours.set(yours.get() + 1) }),
    )
    .await?;
    if counter.get() == 2 { Ok(()) } else { Err("an update was lost".into()) }
}

fn count<F: Future<Output = Outcome> + 'static>(name: &str, program: fn() -> F) {
    let mut failed = 0;
    let mut first = String::new();
    for seed in 0..1_000 {
        let mut sim = turmoil::Builder::new()
            .rng_seed(seed)
            .enable_random_order()
            .simulation_duration(Duration::from_secs(1))
            .build();
        sim.client("program", program());
        if let Err(e) = sim.run() {
            failed += 1;
            if first.is_empty() {
                first = format!(", the first with seed {seed}: {e}");
            }
        }
    }
    println!("{name}: of 1000 runs {failed} failed{first}");
}

fn main() {
    count("lostUpdate", lost_update);
    count("forgottenTimeout", forgotten_timeout);
    count("lockOrder", lock_order);
    count("expiredEntry", expired_entry);
    count("race", race);
}
