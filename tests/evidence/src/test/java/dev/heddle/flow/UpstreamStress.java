// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A publisher hands over its subscription while the receivers end theirs.
public class UpstreamStress {
  private UpstreamStress() {}

  /// Counts its cancellations.
  static final class Subscription implements Flow.Subscription {
    final AtomicInteger cancellations = new AtomicInteger();

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {
      cancellations.incrementAndGet();
    }
  }

  private static void cancelIfAny(Flow.Subscription from) {
    if (from != null) {
      from.cancel();
    }
  }

  /// **Model.** A lock.
  @JCStressTest
  @Outcome(
      id = {"1", "2"},
      expect = ACCEPTABLE,
      desc = "cancelled by one of the two, or by both")
  @Outcome(expect = FORBIDDEN, desc = "the publisher goes on, and nothing receives")
  @State
  public static class Model {
    private final Subscription subscription = new Subscription();
    private Subscription taken;
    private boolean ended;

    @Actor
    public synchronized void publisher() {
      taken = subscription;
      if (ended) {
        subscription.cancel();
      }
    }

    @Actor
    public synchronized void receiver() {
      ended = true;
      cancelIfAny(taken);
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = subscription.cancellations.get();
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(
      id = {"1", "2"},
      expect = ACCEPTABLE,
      desc = "cancelled by one of the two, or by both")
  @Outcome(expect = FORBIDDEN, desc = "the publisher goes on, and nothing receives")
  @State
  public static class RealEnds {
    private final Subscription subscription = new Subscription();
    private final Upstream upstream = new Upstream();

    @Actor
    public void publisher() {
      upstream.offer(subscription);
    }

    @Actor
    public void receiver() {
      upstream.end();
      cancelIfAny(upstream.get());
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = subscription.cancellations.get();
    }
  }

  /// **Real class.** Of two subscriptions one is used.
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "one is cancelled")
  @Outcome(expect = FORBIDDEN, desc = "both are used, or none")
  @State
  public static class RealTakesOne {
    private final Subscription subscription = new Subscription();
    private final Upstream upstream = new Upstream();

    @Actor
    public void publisher() {
      upstream.offer(subscription);
    }

    @Actor
    public void another() {
      Subscription second = new Subscription();
      if (!upstream.offer(second)) {
        subscription.cancellations.addAndGet(second.cancellations.get());
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = subscription.cancellations.get();
    }
  }

  /// **Mutant.** The receiver looks for a subscription, and ends then.
  @JCStressTest
  @Outcome(
      id = {"1", "2"},
      expect = ACCEPTABLE,
      desc = "cancelled by one of the two, or by both")
  @Outcome(expect = FORBIDDEN, desc = "the publisher goes on, and nothing receives")
  @State
  public static class AsksTooSoon {
    private final Subscription subscription = new Subscription();
    private final Upstream upstream = new Upstream();

    @Actor
    public void publisher() {
      upstream.offer(subscription);
    }

    @Actor
    public void receiver() {
      Flow.Subscription found = upstream.get();
      upstream.end();
      cancelIfAny(found);
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = subscription.cancellations.get();
    }
  }
}
