// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.Flow;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A loop ends while a coroutine, which it abandons, signals an item: one of the two signals the
/// end. The results are the signals of the end that the coroutine and the other thread have sent.
public class DownstreamStress {
  private DownstreamStress() {}

  /// Wants nothing.
  static final class Subscriber implements Flow.Subscriber<Integer> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(Integer item) {}

    @Override
    public void onError(Throwable thrown) {}

    @Override
    public void onComplete() {}
  }

  /// **Model.** A lock.
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "one of the two signals the end")
  @Outcome(expect = FORBIDDEN, desc = "both signal the end, or none")
  @State
  public static class Model {
    private boolean here;
    private boolean ended;
    private boolean signalled;

    @Actor
    public synchronized void coroutine(II_Result r) {
      here = true;
      if (ended && !signalled) {
        signalled = true;
        r.r1 = 1;
      }
    }

    @Actor
    public synchronized void end(II_Result r) {
      ended = true;
      if (here && !signalled) {
        signalled = true;
        r.r2 = 1;
      }
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "one of the two signals the end")
  @Outcome(expect = FORBIDDEN, desc = "both signal the end, or none")
  @State
  public static class RealEnds {
    private final Subscriber subscriber = new Subscriber();
    private final Downstream<Integer> downstream = new Downstream<>(subscriber);
    private volatile boolean ended;

    /// A signal runs.
    public RealEnds() {
      downstream.take();
    }

    @Actor
    public void coroutine(II_Result r) {
      downstream.putBack(subscriber);
      if (ended && downstream.take() != null) {
        r.r1 = 1;
      }
    }

    @Actor
    public void end(II_Result r) {
      ended = true;
      if (downstream.take() != null) {
        r.r2 = 1;
      }
    }
  }

  /// **Mutant.** The coroutine asks whether the loop has ended, and puts the subscriber back then.
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "one of the two signals the end")
  @Outcome(expect = FORBIDDEN, desc = "both signal the end, or none")
  @State
  public static class AsksTooSoon {
    private final Subscriber subscriber = new Subscriber();
    private final Downstream<Integer> downstream = new Downstream<>(subscriber);
    private volatile boolean ended;

    /// A signal runs.
    public AsksTooSoon() {
      downstream.take();
    }

    @Actor
    public void coroutine(II_Result r) {
      boolean over = ended;
      downstream.putBack(subscriber);
      if (over && downstream.take() != null) {
        r.r1 = 1;
      }
    }

    @Actor
    public void end(II_Result r) {
      ended = true;
      if (downstream.take() != null) {
        r.r2 = 1;
      }
    }
  }
}
