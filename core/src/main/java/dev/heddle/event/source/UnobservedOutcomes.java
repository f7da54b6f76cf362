// SPDX-License-Identifier: Apache-2.0
package dev.heddle.event.source;

import static java.lang.invoke.MethodHandles.lookup;

import dev.heddle.internal.DaemonThread;
import dev.heddle.internal.VarHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The table of one loop's outcomes (of futures and streams) that are not yet observed. It reports
/// those that can no longer be observed.
public abstract class UnobservedOutcomes {
  /*
   * An outcome is *open* until it is observed. Every object through which it can still be observed
   * holds its ObservationToken: the future that failed, the futures derived from it that fail with
   * the same throwable, or the stream that met a failure. When the last holder is garbage the
   * outcome can no longer be observed, and is reported. At the end of the loop all open outcomes
   * are reported. The table holds the Entry, which knows what to report and reaches the
   * ObservationToken only by a phantom reference.
   *
   *        Future ──> ObservationToken ──> Entry ──> throwable, sites, for the report
   *        Future ───────┘                  ↑ └┄┄┄> the ObservationToken (phantom)
   *        table ───────────────────────────┘
   *
   * A failure that went to a JDK future is not in the table: see ExportedFuture.
   *
   * States.  from     event                          to       who, order
   *          OPEN     observe(): awaited, ignored,   SETTLED  loop: exchange, then unlinks it
   *                   ...
   *          OPEN     the last holder is garbage     SETTLED  reporting thread: exchange; reports
   *                                                           if it found OPEN
   *          OPEN     the loop ends                  SETTLED  carrier: exchange; reports if it
   *                                                           found OPEN
   *          SETTLED  any of these                   SETTLED  nothing to do
   *
   * Threads. The loop's, except dropped(), which the reporting thread calls. That is one daemon
   * thread for all loops, which sleeps in the reference queue; it starts with the first future or
   * stream.
   *
   * I1. An outcome is either observed or reported, and reported at most once. [UnclaimedFutureTest,
   *     EventStreamTest]
   * I2. At the loop's end every waiter is notified, even if one of them throws. [LoopEndTest]
   * I3. No lock is taken here: futures complete in ticks, on any stack. [CodeRulesTest]
   *
   * Memory order. Both sides exchange `settled`, so only one of them finds OPEN. All fields that
   * the report reads are final.
   *
   * Cost. Nothing for an outcome that is observed at once. Otherwise two small objects. Entries
   * that the reporting thread has settled are swept when the list has doubled, so the list is at
   * most twice as long as the open outcomes, and the sweep is amortised constant per entry.
   *
   * Rejected. java.lang.ref.Cleaner: its list has a lock, and a coroutine parked on it in a tick
   * would stop the loop. Polling the queue from the loop: a sleeping loop would report only when it
   * wakes. A token for each future: a failure passed on to ten derived futures would be reported
   * ten times.
   *
   * Sources. loop-153, loop-154; trap-18.
   */
  private static final int SMALLEST_SWEEP = 64;

  // loop only
  private @Nullable Entry newest;
  private int entries;
  private int sweepAt = SMALLEST_SWEEP;
  private final Set<Waiting> waiting = Collections.newSetFromMap(new IdentityHashMap<>());

  private @Nullable ResourceListener resources; // null: nobody asks, as in production

  protected UnobservedOutcomes() {}

  // ---- provided by the loop ----

  /// The current call site, for [#describe].
  ///
  /// @param code what was passed to the call, whose class tells the line; null: nothing, so the
  ///   line has to be looked for each time
  public abstract Object callSite(@Nullable Object code);

  public abstract String describe(Object site);

  public abstract void unobserved(String what, Throwable failure);

  protected abstract void unused(String what);

  // ---- what is open ----

  /// Has `listener` learn what is opened from now on.
  public void listen(ResourceListener listener) {
    resources = listener;
  }

  /// The program has opened something on this loop.
  public void opened(Object resource) {
    if (resources != null) {
      resources.opened(resource);
    }
  }

  /// It is closed, or there is nothing to close any more.
  public void closed(Object resource) {
    if (resources != null) {
      resources.closed(resource);
    }
  }

  // ---- open outcomes ----

  /// Opens an entry for an unobserved outcome; `failure` is null for an unused value.
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

  /// Opens an entry for a failure that went to a JDK future. It may be observed on any thread, also
  /// after the loop has ended; therefore the loop's end does not close it.
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
      return; // already swept
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

  /// Starts the reporting thread ahead of need, so that no thread is started in a tick.
  public static void prepare() {
    Unreachable.start();
  }

  // ---- waiters on other threads ----

  public void add(Waiting other) {
    waiting.add(other);
  }

  public void remove(Waiting other) {
    waiting.remove(other);
  }

  /// Called when the loop has ended: reports the open outcomes, and notifies waiters on other
  /// threads that no outcome will come.
  public void close() {
    List<Waiting> left = new ArrayList<>(waiting);
    waiting.clear();
    left.forEach(
        waiting -> guarded("notifying another thread of the loop's end", waiting::loopEnded));
    for (Entry c = newest; c != null; c = c.older) {
      guarded("reporting unobserved outcomes", c::dropped);
    }
    newest = null;
  }

  // the others are still notified
  private void guarded(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      unobserved("a failure while " + what, e);
    }
  }

  /// A waiter on another thread for one of the loop's futures.
  public interface Waiting {
    void loopEnded();
  }

  /// The description of an unobserved outcome's owner, for a report. It must not hold the
  /// ObservationToken.
  public sealed interface Subject {
    String ofFailure(UnobservedOutcomes ledger);

    default String ofSuccess(UnobservedOutcomes ledger) {
      throw new AssertionError("only futures have values that may be unused");
    }
  }

  /// A stream that has met a failure; it was opened at a [#callSite].
  public record OpenStream(Object openedAt) implements Subject {
    @Override
    public String ofFailure(UnobservedOutcomes ledger) {
      return "unread failure of a stream opened at %s; read on, or await its source as well"
          .formatted(ledger.describe(openedAt));
    }
  }

  public record Exported(UnobservedOutcomes ledger, Label label) implements Subject {
    @Override
    public String ofFailure(UnobservedOutcomes of) {
      return "unobserved failure of the CompletableFuture of "
          + what()
          + "; get() or join() it, or attach a handler to it";
    }

    String what() {
      return label.describe(ledger);
    }
  }

  /// A future.
  ///
  /// @param createdSite from [#callSite]
  /// @param completedSite from [#callSite]
  public record Label(@Nullable String name, Object createdSite, Object completedSite)
      implements Subject {
    @Override
    public String ofFailure(UnobservedOutcomes ledger) {
      return "unobserved failure of %s; await it, recover() from it, or ignore() it"
          .formatted(describe(ledger));
    }

    @Override
    public String ofSuccess(UnobservedOutcomes ledger) {
      return describe(ledger) + " was never used; await it, or ignore() it";
    }

    public String describe(UnobservedOutcomes ledger) {
      String who = name == null ? "a future" : "the future '" + name + "'";
      return "%s created at %s and completed at %s"
          .formatted(who, ledger.describe(createdSite), ledger.describe(completedSite));
    }
  }

  /// Held by every object through which an outcome can still be observed.
  public static final class ObservationToken {
    private final Entry entry;

    private ObservationToken(
        UnobservedOutcomes ledger, Subject label, @Nullable Throwable failure) {
      entry = new Entry(this, ledger, label, failure);
    }

    /// Whether the outcome was neither observed nor reported.
    public boolean isOpen() {
      return !entry.settled;
    }

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

  private static final class Entry extends PhantomReference<ObservationToken> {
    private static final VarHandle SETTLED = VarHandles.find(lookup(), "settled", boolean.class);

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

    // its future is not part of the loop: it completes in a coroutine, where locks do no harm
    boolean isForThreads() {
      return label instanceof Exported;
    }

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
      Thread thread = DaemonThread.of("heddle-dropped-futures", Unreachable::report);
      // it outlives its creator, and must not retain its class loader
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
      DaemonThread.start(thread);
    }

    private Unreachable() {}

    static void start() {}

    private static void report() {
      while (true) {
        try {
          if (QUEUE.remove() instanceof Entry entry) {
            entry.dropped();
          }
        } catch (Throwable _) {
          // safe: no code interrupts it, and a failing log handler must not end it
        }
      }
    }
  }
}
