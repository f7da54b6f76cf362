// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.links;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.heddle.internal.SpinLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/// A process undoes its link, or makes it, while the other one ends: after the unlink has returned
/// that end decides nothing, and a link that stands decides it once.
///
/// The results: how often the end was decided, and whether that was once after the unlink.
public class ProcessLinksStress {
  private ProcessLinksStress() {}

  /// **Model.** Unlink and exit under one lock.
  @JCStressTest
  @Outcome(id = "0, false", expect = ACCEPTABLE, desc = "undone before")
  @Outcome(id = "1, false", expect = ACCEPTABLE, desc = "ended before")
  @Outcome(expect = FORBIDDEN, desc = "ended by a link that was undone")
  @State
  public static class Model {
    private boolean linked = true;
    private boolean undone;
    private int decided;
    private boolean late;

    @Actor
    public synchronized void unlink() {
      linked = false;
      undone = true;
    }

    @Actor
    public synchronized void exit() {
      if (linked) {
        decided++;
        late = undone;
      }
    }

    @Arbiter
    public void end(IZ_Result r) {
      r.r1 = decided;
      r.r2 = late;
    }
  }

  /// **Real class.** It undoes the link itself.
  @JCStressTest
  @Outcome(id = "0, false", expect = ACCEPTABLE, desc = "undone before")
  @Outcome(id = "1, false", expect = ACCEPTABLE, desc = "ended before")
  @Outcome(expect = FORBIDDEN, desc = "ended by a link that was undone")
  @State
  public static class RealUnlink {
    private final Linked ends = new Linked(1);
    private final Linked stays = new Linked(2);

    /// Linked.
    public RealUnlink() {
      ProcessLinks.link(stays, ends);
    }

    @Actor
    public void unlink() {
      stays.unlink(ends);
    }

    @Actor
    public void exit() {
      ends.fail();
    }

    @Arbiter
    public void end(IZ_Result r) {
      r.r1 = stays.decided();
      r.r2 = stays.isLate();
    }
  }

  /// **Real class.** It links itself to one that ends: it is told once, whoever comes first.
  @JCStressTest
  @Outcome(id = "1, false", expect = ACCEPTABLE, desc = "told once")
  @Outcome(expect = FORBIDDEN, desc = "told never, or twice")
  @State
  public static class RealLink {
    private final Linked ends = new Linked(1);
    private final Linked stays = new Linked(2);

    @Actor
    public void link() {
      ProcessLinks.link(stays, ends);
      ProcessLinks.link(stays, ends);
    }

    @Actor
    public void exit() {
      ends.fail();
    }

    @Arbiter
    public void end(IZ_Result r) {
      r.r1 = stays.decided();
      r.r2 = stays.isLate();
    }
  }

  /// **Mutant.** The end takes all links out, and tells those processes afterwards, whether they
  /// have undone the link meanwhile or not.
  @JCStressTest
  @Outcome(id = "0, false", expect = ACCEPTABLE, desc = "undone before")
  @Outcome(id = "1, false", expect = ACCEPTABLE, desc = "ended before")
  @Outcome(expect = FORBIDDEN, desc = "ended by a link that was undone")
  @State
  public static class TellsWhomItTook {
    private final SpinLock lock = new SpinLock();
    private boolean linked = true;
    private int decided;
    private volatile boolean undone;
    private volatile boolean late;

    @Actor
    public void unlink() {
      lock.lock();
      linked = false;
      lock.unlock();
      undone = true;
    }

    @Actor
    public void exit() {
      lock.lock();
      boolean took = linked;
      linked = false;
      lock.unlock();
      if (took) {
        decided++;
        late = undone;
      }
    }

    @Arbiter
    public void end(IZ_Result r) {
      r.r1 = decided;
      r.r2 = late;
    }
  }
}
