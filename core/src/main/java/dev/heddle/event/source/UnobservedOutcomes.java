// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Accounts for the futures of one loop: remembers the outcomes that nobody has taken, and reports
/// those that nobody will.
public abstract class UnobservedOutcomes {
  /*
   * An outcome is *open* while nobody has taken it. Whoever could still take it holds its
   * ObservationToken: the future that failed, and those derived from it that fail with the same
   * throwable; or the stream that has met a failure. When the last of them is garbage nobody can,
   * and the outcome is reported; at the end of the loop all that are open are. The ledger holds the
   * Entry, which knows what to report and reaches its ObservationToken only by a phantom reference.
   *
   *        Future ──> Fate ──> Claim ──> throwable, sites, for the report
   *        Future ──────┘        └┄┄┄┄┄> the ObservationToken (phantom)
   *        ledger ──────────────────┘
   *
   * A failure that went to a future of the JDK is not the ledger's any more: see ExportedFuture.
   *
   * States.  from      event                              to        who, order
   *          OPEN      observe(): awaited, ignored, ...      SETTLED   loop: exchange, then unlinked
   *          OPEN      the last holder is garbage         SETTLED   the reporting thread: exchange;
   *                                                                 who found OPEN reports
   *          OPEN      the loop ends                      SETTLED   carrier: exchange; who found
   *                                                                 OPEN reports
   *          SETTLED   any of these                       SETTLED   nothing to do
   *
   * Threads. The loop's, but for dropped(), which the reporting thread calls. There is one such
   * thread for all loops, a daemon that sleeps in the reference queue; it starts with the first
   * future or stream.
   *
   * I1. An outcome is taken or reported, and reported at most once. [UnclaimedFutureTest,
   *     EventStreamTest]
   * I3. At the loop's end everybody is told, whatever one of them does. [LoopEndTest]
   * I2. No lock here: futures complete in ticks, on whatever stack. [RoomsTest]
   *
   * Memory order. `settled` is exchanged on both sides, so one of them finds OPEN. What the report
   * reads is final.
   *
   * Cost. Nothing for an outcome that is taken as it comes. Else two small objects; entries that
   * the reporting thread has settled are swept when the list has doubled, so it is at most twice as
   * long as what is open, and constant per entry.
   *
   * Rejected. java.lang.ref.Cleaner: its list is locked, and a coroutine parked on that lock in a
   * tick would stop the loop. Looking at the queue from the loop: a loop that sleeps would report
   * when it wakes. A claim for each future: a failure handed on to ten derived futures would be
   * reported ten times.
   *
   * Sources. loop-153, loop-154; trap-18.
   */
  private static final int SMALLEST_SWEEP = 64;

  // loop only
  private @Nullable Entry newest;
  private int entries;
  private int sweepAt = SMALLEST_SWEEP;
  private final Set<Waiting> waiting = Collections.newSetFromMap(new IdentityHashMap<>());

  /// An empty ledger.
  protected UnobservedOutcomes() {}

  // ---- what the loop adds ----

  /// Where the current code is, for [#describe]: the line of the call where exact sites are asked
  /// for, else the class of `code`.
  ///
  /// @param code what was passed to the call; null: the body of the current coroutine
  public abstract Object callSite(@Nullable Object code);

  /// Where a site is, in words.
  public abstract String describe(Object site);

  /// Reports a failure that nobody will get, from any thread.
  public abstract void unobserved(String what, Throwable failure);

  /// Warns of a success that nobody has used, from any thread.
  protected abstract void unused(String what);

  // ---- open outcomes ----

  /// Opens an entry for an outcome that nobody has taken.
  ///
  /// @param failure null for a success that nobody has used
  public ObservationToken open(Subject label, @Nullable Throwable failure) {
    if (entries >= sweepAt) {
      sweep();
    }
    ObservationToken observationToken = new ObservationToken(this, label, failure);
    Entry entry = observationToken.entry;
    entry.older = newest;
    if (newest != null) {
      newest.younger = entry;
    }
    newest = entry;
    entries++;
    return observationToken;
  }

  /// Opens an entry for a failure that went to a future of the JDK. Any thread may take it, also
  /// after the loop has ended, which therefore does not close it.
  public ObservationToken openForExport(Exported future, Throwable failure) {
    ObservationToken observationToken = new ObservationToken(this, future, failure);
    ExportedFuture.OPEN.add(observationToken.entry);
    return observationToken;
  }

  private void unlink(Entry entry) {
    if (entry.younger != null) {
      entry.younger.older = entry.older;
    } else if (newest == entry) {
      newest = entry.older;
    } else {
      return; // swept already
    }
    if (entry.older != null) {
      entry.older.younger = entry.younger;
    }
    entry.younger = null;
    entry.older = null;
    entries--;
  }

  private void sweep() {
    for (Entry c = newest; c != null; ) {
      Entry older = c.older;
      if (c.settled) {
        unlink(c);
      }
      c = older;
    }
    sweepAt = Math.max(SMALLEST_SWEEP, 2 * entries);
  }

  /// Has what the queue of dropped outcomes needs, so that nothing is started in a tick.
  public static void prepare() {
    Unreachable.start();
  }

  // ---- who waits on other threads ----

  public void add(Waiting other) {
    waiting.add(other);
  }

  public void remove(Waiting other) {
    waiting.remove(other);
  }

  /// The loop has ended: reports what is open, and tells other threads that what they wait for will
  /// not come.
  public void close() {
    List<Waiting> left = new ArrayList<>(waiting);
    waiting.clear();
    left.forEach(
        waiting -> guarded("telling another thread of the loop's end", waiting::loopEnded));
    for (Entry c = newest; c != null; c = c.older) {
      guarded("reporting unobserved outcomes", c::dropped);
    }
    newest = null;
  }

  // the others are told all the same
  private void guarded(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      unobserved("a failure while " + what, e);
    }
  }

  /// Somebody on another thread who waits for one of the loop's futures.
  public interface Waiting {
    /// Tells him that it will not come.
    void loopEnded();
  }

  /// What has an outcome that nobody has taken, in words for a report. It must not hold the
  /// ObservationToken.
  public sealed interface Subject {
    /// Of a failure.
    String ofFailure(UnobservedOutcomes ledger);

    /// Of a success.
    String ofSuccess(UnobservedOutcomes ledger);
  }

  /// A stream that has met a failure.
  ///
  /// @param openedAt as [#callSite] has it
  public record OpenStream(Object openedAt) implements Subject {
    @Override
    public String ofFailure(UnobservedOutcomes ledger) {
      return "unread failure of a stream opened at "
          + ledger.describe(openedAt)
          + "; read on, or await what it watches as well";
    }

    @Override
    public String ofSuccess(UnobservedOutcomes ledger) {
      throw new AssertionError("a stream opens entries for failures only");
    }
  }

  /// A future of the JDK that brings the outcome of one of the loop's.
  public record Exported(UnobservedOutcomes ledger, Label label) implements Subject {
    @Override
    public String ofFailure(UnobservedOutcomes of) {
      return "unobserved failure of the CompletableFuture of "
          + what()
          + "; get() or join() it, or attach a handler to it";
    }

    @Override
    public String ofSuccess(UnobservedOutcomes of) {
      throw new AssertionError("entries for other threads are of failures only");
    }

    String what() {
      return label.describe(ledger);
    }
  }

  /// A future.
  ///
  /// @param createdAt as [#callSite] has it
  /// @param completedAt as [#callSite] has it
  public record Label(@Nullable String name, Object createdAt, Object completedAt)
      implements Subject {
    @Override
    public String ofFailure(UnobservedOutcomes ledger) {
      return "unobserved failure of "
          + describe(ledger)
          + "; await it, recover() from it, or ignore() it";
    }

    @Override
    public String ofSuccess(UnobservedOutcomes ledger) {
      return describe(ledger) + " was never used; await it, or ignore() it";
    }

    public String describe(UnobservedOutcomes ledger) {
      return (name == null ? "a future" : "the future '" + name + "'")
          + " created at "
          + ledger.describe(createdAt)
          + " and completed at "
          + ledger.describe(completedAt);
    }
  }

  /// Held by everyone who could still take an outcome.
  public static final class ObservationToken {
    private final Entry entry;

    private ObservationToken(
        UnobservedOutcomes ledger, Subject label, @Nullable Throwable failure) {
      entry = new Entry(this, ledger, label, failure);
    }

    /// Somebody takes it.
    public void observe() {
      if (!entry.settle()) {
        return;
      }
      if (entry.isForThreads()) {
        ExportedFuture.OPEN.remove(entry);
      } else {
        entry.ledger.unlink(entry);
      }
    }
  }

  /// The ledger's entry for an open outcome.
  private static final class Entry extends PhantomReference<ObservationToken> {
    private static final VarHandle SETTLED;

    static {
      try {
        SETTLED = MethodHandles.lookup().findVarHandle(Entry.class, "settled", boolean.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    final UnobservedOutcomes ledger;
    private final Subject label;
    private final @Nullable Throwable failure;

    // the loop and the reporting thread, exchange
    private volatile boolean settled;

    // loop only
    @Nullable Entry older;
    @Nullable Entry younger;

    Entry(
        ObservationToken observationToken,
        UnobservedOutcomes ledger,
        Subject label,
        @Nullable Throwable failure) {
      super(observationToken, Unreachable.QUEUE);
      this.ledger = ledger;
      this.label = label;
      this.failure = failure;
    }

    boolean settle() {
      return !(boolean) SETTLED.getAndSet(this, true);
    }

    // its future is no part of the loop: it completes in a coroutine, and locks do no harm
    boolean isForThreads() {
      return label instanceof Exported;
    }

    /// Nobody can take it any more.
    void dropped() {
      if (!settle()) {
        return;
      }
      if (isForThreads()) {
        ExportedFuture.OPEN.remove(this);
      }
      if (failure == null) {
        ledger.unused(label.ofSuccess(ledger));
      } else {
        ledger.unobserved(label.ofFailure(ledger), failure);
      }
    }
  }

  /// The outcomes whose last holder is garbage, and the thread that reports them.
  private static final class Unreachable {
    static final ReferenceQueue<ObservationToken> QUEUE = new ReferenceQueue<>();

    static {
      Thread thread =
          Thread.ofPlatform()
              .daemon()
              .inheritInheritableThreadLocals(false)
              .name("heddle-dropped-futures")
              .unstarted(Unreachable::report);
      // it outlives who made it, and must not keep their classes
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
      thread.start();
    }

    private Unreachable() {}

    /// Initialises this class.
    static void start() {}

    private static void report() {
      while (true) {
        try {
          if (QUEUE.remove() instanceof Entry entry) {
            entry.dropped();
          }
        } catch (Throwable _) {
          // safe: nobody has a reason to interrupt it, and a log handler that fails must not end it
        }
      }
    }
  }
}
