// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A call is cancelled while its worker begins it: it does not begin, or it is told.
public class CallTaskStress {
  private CallTaskStress() {}

  /// **Model.** With a lock.
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "did not begin")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "did not begin, and was told all the same")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "began, and was told")
  @Outcome(expect = FORBIDDEN, desc = "runs on, and does not know that it was cancelled")
  @State
  public static class Model {
    private boolean named;
    private boolean cancelled;

    @Actor
    public void worker(II_Result r) {
      synchronized (this) {
        named = true;
      }
      synchronized (this) {
        r.r1 = cancelled ? 0 : 1;
      }
    }

    @Actor
    public void canceller(II_Result r) {
      synchronized (this) {
        cancelled = true;
      }
      synchronized (this) {
        r.r2 = named ? 1 : 0;
      }
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "did not begin")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "did not begin, and was told all the same")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "began, and was told")
  @Outcome(expect = FORBIDDEN, desc = "runs on, and does not know that it was cancelled")
  @State
  public static class Real {
    private static final Throwable WHY = new Throwable("cancelled");

    private int begun;
    private int told; // written by the canceller only
    private final CallTask task = CallTask.cancelled(() -> begun = 1);

    @Actor
    public void worker(II_Result r) {
      task.cancelBy(_ -> told = 1);
      task.run();
      r.r1 = begun;
    }

    @Actor
    public void canceller(II_Result r) {
      task.cancel(WHY);
      r.r2 = told;
    }
  }

  /// **Mutant.** Each side publishes what it has done, and does not wait until that is visible
  /// before it reads.
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "did not begin")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "did not begin, and was told all the same")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "began, and was told")
  @Outcome(expect = FORBIDDEN, desc = "runs on, and does not know that it was cancelled")
  @State
  public static class PublishesOnly {
    private static final VarHandle NAMED = field("named");
    private static final VarHandle CANCELLED = field("cancelled");

    @SuppressWarnings("unused") // by the handles
    private int named;

    @SuppressWarnings("unused") // the same
    private int cancelled;

    private static VarHandle field(String name) {
      try {
        return MethodHandles.lookup().findVarHandle(PublishesOnly.class, name, int.class);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(name, e);
      }
    }

    @Actor
    public void worker(II_Result r) {
      NAMED.setRelease(this, 1);
      r.r1 = 1 - (int) CANCELLED.getAcquire(this);
    }

    @Actor
    public void canceller(II_Result r) {
      CANCELLED.setRelease(this, 1);
      r.r2 = (int) NAMED.getAcquire(this);
    }
  }
}
