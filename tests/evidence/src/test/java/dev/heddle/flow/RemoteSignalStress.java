// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.scheduler.inbox.Wakeup;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A thread makes a change while a coroutine begins to wait for it. One actor is the loop.
public class RemoteSignalStress {
  private RemoteSignalStress() {}

  /// **Model.** A lock.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "the wait ends")
  @Outcome(expect = FORBIDDEN, desc = "the change is there, and the coroutine waits on")
  @State
  public static class Model {
    private boolean changed;
    private boolean waits;
    private boolean woken;

    @Actor
    public synchronized void thread() {
      changed = true;
      woken |= waits;
    }

    @Actor
    public synchronized void loop() {
      waits = true;
      woken |= changed;
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = woken ? 1 : 0;
    }
  }

  /// A waiter on a signal, as its loop and another thread know it.
  static class Waiting implements InlineCallback {
    final Inbox inbox = new Inbox(new Wakeup(() -> {}));
    final CountingHome home = new CountingHome();
    final RemoteSignal signal =
        new RemoteSignal(home, inbox, "a change", this::isChanged, () -> {});
    volatile boolean changed;
    int woken;

    private boolean isChanged() {
      return changed;
    }

    @Override
    public void onEvent(Event event, Object result, Throwable error) {
      woken = 1;
    }

    void change() {
      changed = true;
      signal.signal();
    }
  }

  /// **Real class.** The loop empties its inbox before the wait, and once more in the end.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "the wait ends")
  @Outcome(expect = FORBIDDEN, desc = "the change is there, and the coroutine waits on")
  @State
  public static class RealWait extends Waiting {
    @Actor
    public void thread() {
      change();
    }

    @Actor
    public void loop() {
      inbox.drain();
      signal.subscribe(this);
      signal.start();
    }

    @Arbiter
    public void end(I_Result r) {
      inbox.drain();
      r.r1 = home.armed == 1 ? woken : -1; // a wait that does not count is a false deadlock
    }
  }

  /// **Mutant.** The coroutine asks whether there is a change, and subscribes then.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "the wait ends")
  @Outcome(expect = FORBIDDEN, desc = "the change is there, and the coroutine waits on")
  @State
  public static class AsksTooSoon extends Waiting {
    @Actor
    public void thread() {
      change();
    }

    @Actor
    public void loop() {
      boolean there = changed;
      inbox.drain();
      if (there) {
        woken = 1;
      } else {
        signal.subscribe(this);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      inbox.drain();
      r.r1 = woken;
    }
  }
}
