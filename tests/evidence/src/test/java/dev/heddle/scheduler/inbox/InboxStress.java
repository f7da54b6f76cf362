// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.inbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A node is in the box. A producer changes what the node stands for and posts it again, while the
/// carrier drains: some arrival must see the change.
///
/// The result is the last value that an arrival saw: 1 is the change, 0 means that it was lost.
public class InboxStress {
  private InboxStress() {}

  /// A letter whose arrival clears its flag and then looks at what it stands for, as all nodes do.
  static final class Letter extends Inbox.Node {
    int content; // plain: post() must carry it across
    int seen;

    @Override
    public void onArrival() {
      clearPosted();
      seen = content;
    }
  }

  /// **Model.** What the inbox promises, with a lock.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "an arrival saw the change")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "the change was lost")
  @State
  public static class Model {
    private boolean posted = true;
    private int content;
    private int seen;

    @Actor
    public synchronized void producer() {
      content = 1;
      posted = true;
    }

    @Actor
    public synchronized void carrier() {
      if (posted) {
        posted = false;
        seen = content;
      }
    }

    @Arbiter
    public void end(I_Result r) {
      carrier();
      r.r1 = seen;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "an arrival saw the change")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "the change was lost")
  @State
  public static class Real {
    private final Inbox inbox = new Inbox(new Wakeup(() -> {}));
    private final Letter letter = new Letter();

    public Real() {
      inbox.post(letter);
    }

    @Actor
    public void producer() {
      letter.content = 1;
      inbox.post(letter);
    }

    @Actor
    public void carrier() {
      inbox.drain();
    }

    @Arbiter
    public void end(I_Result r) {
      inbox.drain();
      r.r1 = letter.seen;
    }
  }

  /// A node that two producers fill.
  static final class Pair extends Inbox.Node {
    int left;
    int right;
    int seen;

    @Override
    public void onArrival() {
      clearPosted();
      seen = left | right;
    }
  }

  /// **Real class**, two producers: neither change may be lost, whoever wins the node. Needs three
  /// processors.
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "an arrival saw both changes")
  @Outcome(expect = FORBIDDEN, desc = "a change was lost")
  @State
  public static class RealTwoProducers {
    private final Inbox inbox = new Inbox(new Wakeup(() -> {}));
    private final Pair pair = new Pair();

    @Actor
    public void leftProducer() {
      pair.left = 1;
      inbox.post(pair);
    }

    @Actor
    public void rightProducer() {
      pair.right = 2;
      inbox.post(pair);
    }

    @Actor
    public void carrier() {
      inbox.drain();
    }

    @Arbiter
    public void end(I_Result r) {
      inbox.drain();
      r.r1 = pair.seen;
    }
  }

  /// **Real class**, two producers, of which one is the carrier.
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "an arrival saw both changes")
  @Outcome(expect = FORBIDDEN, desc = "a change was lost")
  @State
  public static class RealProducingCarrier {
    private final Inbox inbox = new Inbox(new Wakeup(() -> {}));
    private final Pair pair = new Pair();

    @Actor
    public void producer() {
      pair.left = 1;
      inbox.post(pair);
    }

    @Actor
    public void carrier() {
      pair.right = 2;
      inbox.post(pair);
      inbox.drain();
    }

    @Arbiter
    public void end(I_Result r) {
      inbox.drain();
      r.r1 = pair.seen;
    }
  }

  /// **Mutant.** The carrier clears the flag of the node with a plain store: it may look at the
  /// content before the store is visible, and the producer still sees the node in the box.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "an arrival saw the change")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "the change was lost")
  @State
  public static class PlainClearPosted extends OneNodeBox {
    @Actor
    public void producer() {
      content = 1;
      post();
    }

    @Actor
    public void carrier() {
      if (isIn()) {
        clearPostedPlain();
        seen = content;
      }
    }

    @Arbiter
    public void end(I_Result r) {
      carrier();
      r.r1 = seen;
    }
  }

  /// **Mutant.** A producer that finds the node in the box only reads: its change may still be on
  /// its way when the carrier, which cleared the flag of the node meanwhile, looks.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "an arrival saw the change")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "the change was lost")
  @State
  public static class ReadOnlyClaim extends OneNodeBox {
    @Actor
    public void producer() {
      content = 1;
      postAfterARead();
    }

    @Actor
    public void carrier() {
      if (isIn()) {
        clearPosted();
        seen = content;
      }
    }

    @Arbiter
    public void end(I_Result r) {
      carrier();
      r.r1 = seen;
    }
  }
}
