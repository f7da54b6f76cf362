// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.heddle.ChannelClosedException;
import dev.heddle.DeadlineException;
import dev.heddle.event.Deadline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/// A receiver of a channel leaves while a sender serves it, and what a sender wrote is visible to
/// the receiver.
public class ThreadChannelStress {
  private ThreadChannelStress() {}

  private static int orNone(@Nullable Integer item) {
    return item == null ? -1 : item;
  }

  private static int orNoneIfClosed(ThreadChannel<Integer> channel) {
    try {
      return orNone(channel.tryReceive());
    } catch (ChannelClosedException _) {
      return -1;
    }
  }

  private static int receiveBriefly(ThreadChannel<Integer> channel) {
    try {
      return channel.receive(Deadline.after(Duration.ofNanos(1)));
    } catch (DeadlineException _) {
      return -1;
    }
  }

  /// **Model.** A cell with a lock.
  @JCStressTest
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "received")
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "still in the channel")
  @Outcome(expect = FORBIDDEN, desc = "lost, or there twice")
  @State
  public static class Model {
    private int cell = -1;

    @Actor
    public synchronized void sender() {
      cell = 1;
    }

    @Actor
    public synchronized void receiver(II_Result r) {
      r.r1 = cell;
      cell = -1;
    }

    @Arbiter
    public synchronized void end(II_Result r) {
      r.r2 = cell;
    }
  }

  /// **Real class.** The deadline of the receiver expires as the item comes.
  @JCStressTest
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "received")
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "still in the channel")
  @Outcome(expect = FORBIDDEN, desc = "lost, or there twice")
  @State
  public static class RealLeaves {
    private final ThreadChannel<Integer> channel = ThreadChannel.of(1);

    @Actor
    public void sender() {
      channel.send(1);
    }

    @Actor
    public void receiver(II_Result r) {
      r.r1 = receiveBriefly(channel);
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = orNone(channel.tryReceive());
    }
  }

  /// **Real class.** The deadline of a sender expires as there is room for its item.
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "sent, and there")
  @Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "not sent, and not there")
  @Outcome(
      expect = FORBIDDEN,
      desc = "the sender was told one thing, and the channel holds the other")
  @State
  public static class RealSenderLeaves {
    private final ThreadChannel<Integer> channel = ThreadChannel.of(1);

    public RealSenderLeaves() {
      channel.send(0);
    }

    @Actor
    public void sender(II_Result r) {
      try {
        channel.send(1, Deadline.after(Duration.ofNanos(1)));
        r.r1 = 1;
      } catch (DeadlineException _) {
        r.r1 = 0;
      }
    }

    @Actor
    public void receiver() {
      channel.receive();
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = orNone(channel.tryReceive());
    }
  }

  /// **Real class.** The deadline of a receiver expires as it is served, and the channel is closed.
  @JCStressTest
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "received")
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "still in the channel")
  @Outcome(expect = FORBIDDEN, desc = "lost, or there twice")
  @State
  public static class RealLeavesAClosedOne {
    private final ThreadChannel<Integer> channel = ThreadChannel.of(1);

    @Actor
    public void sender() {
      channel.send(1);
      channel.close();
    }

    @Actor
    public void receiver(II_Result r) {
      r.r1 = receiveBriefly(channel);
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = orNoneIfClosed(channel);
    }
  }

  /// **Real class.** The deadline of a receiver expires as it is served, and the channel is
  /// cancelled.
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "received")
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "handed to the callback")
  @Outcome(expect = FORBIDDEN, desc = "lost, or there twice")
  @State
  public static class RealLeavesACancelledOne {
    private final ThreadChannel<Integer> channel = ThreadChannel.of(1);
    private final AtomicInteger left = new AtomicInteger();

    @Actor
    public void sender() {
      channel.send(1);
      channel.cancel(left::addAndGet);
    }

    @Actor
    public void receiver(II_Result r) {
      try {
        r.r1 = receiveBriefly(channel);
      } catch (ChannelClosedException _) {
        r.r1 = -1;
      }
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = left.get();
    }
  }

  /// **Real class.** It is closed as an item is sent.
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "sent, and still there")
  @Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "refused, and not there")
  @Outcome(
      expect = FORBIDDEN,
      desc = "the sender was told one thing, and the channel holds the other")
  @State
  public static class RealCloses {
    private final ThreadChannel<Integer> channel = ThreadChannel.of(1);

    @Actor
    public void sender(II_Result r) {
      try {
        channel.send(1);
        r.r1 = 1;
      } catch (ChannelClosedException _) {
        r.r1 = 0;
      }
    }

    @Actor
    public void closer() {
      channel.close();
    }

    @Arbiter
    public void end(II_Result r) {
      try {
        r.r2 = orNone(channel.tryReceive());
      } catch (ChannelClosedException _) {
        r.r2 = -1;
      }
    }
  }

  /// **Real class.** What is behind an item was written before it was sent, without order.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "the receiver sees it")
  @Outcome(expect = FORBIDDEN, desc = "it sees what was there before")
  @State
  public static class RealPublishes {
    private static final class Box {
      int content;
    }

    private final ThreadChannel<Box> channel = ThreadChannel.of(1);

    @Actor
    public void sender() {
      Box box = new Box();
      box.content = 1;
      channel.send(box);
    }

    @Actor
    public void receiver(I_Result r) {
      r.r1 = channel.receive().content;
    }
  }

  /// **Mutant.** The receiver leaves, and does not check whether it was served.
  @JCStressTest
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "received")
  @Outcome(id = "-1, 1", expect = ACCEPTABLE, desc = "still in the channel")
  @Outcome(expect = FORBIDDEN, desc = "lost, or there twice")
  @State
  public static class LeavesUnchecked {
    private boolean waits;
    private int given = -1;
    private int cell = -1;

    @Actor
    public synchronized void sender() {
      if (waits) {
        given = 1;
      } else {
        cell = 1;
      }
    }

    @Actor
    public void receiver(II_Result r) {
      synchronized (this) {
        r.r1 = cell;
        cell = -1;
        waits = r.r1 < 0;
      }
      synchronized (this) {
        waits = false; // and `given` may be 1 by now
      }
    }

    @Arbiter
    public synchronized void end(II_Result r) {
      r.r2 = cell;
    }
  }

  /// **Mutant.** The sender leaves, and does not check whether its item was received.
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "sent, and there")
  @Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "not sent, and not there")
  @Outcome(
      expect = FORBIDDEN,
      desc = "the sender was told one thing, and the channel holds the other")
  @State
  public static class SenderLeavesUnchecked {
    private int waiting = -1; // the item of a sender that waits
    private int cell = 0;

    @Actor
    public void sender(II_Result r) {
      synchronized (this) {
        waiting = 1;
      }
      synchronized (this) {
        waiting = -1; // and it may be in the cell by now
        r.r1 = 0;
      }
    }

    @Actor
    public synchronized void receiver() {
      cell = waiting;
      waiting = -1;
    }

    @Arbiter
    public synchronized void end(II_Result r) {
      r.r2 = cell;
    }
  }
}
