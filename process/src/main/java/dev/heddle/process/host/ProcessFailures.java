// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.DaemonThread;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.instance.ProcessInstance;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The last failures of processes that no other process deals with, for observers: of those without
/// a parent that traps exits. So a child that its supervisor restarts is none, and a supervisor
/// that gives up is one when it has no supervisor.
///
/// A worker only notes a failure. Its text, whose making may run user code that waits, is made
/// within a second on a thread that ends with it; then the throwable is dropped. A text that takes
/// longer than [#PATIENCE_NANOS] is left to its thread, and another thread makes the next ones; it
/// is one more report when it comes.
///
/// **Thread** any; never waits.
public final class ProcessFailures {
  private static final int KEPT = 8; // a power of two
  private static final int LONGEST_KEPT = 20_000; // characters
  private static final int MOST_STUCK = 8; // threads; then user code makes no text any more
  static final long PATIENCE_NANOS = 5_000_000_000L;

  /// A failure.
  ///
  /// @param text at most so long as an observer needs
  public record Failure(long atMillis, String text) {}

  record Noted(long number, long atMillis, Pid process, String kind, @Nullable Throwable cause) {}

  // any thread: the next place, and what is there; the writer takes it away
  private final AtomicLong count = new AtomicLong();
  private final AtomicReferenceArray<@Nullable Noted> noted = new AtomicReferenceArray<>(KEPT);

  // any thread, CAS; null: nobody makes texts
  private final AtomicReference<@Nullable Writer> writer = new AtomicReference<>();

  private final AtomicInteger stuck = new AtomicInteger(); // writers that were left to their text

  /// What has been written.
  ///
  /// @param count of all so far
  /// @param last the latest first
  private record Written(long count, List<Failure> last) {
    Written with(Failure latest) {
      return new Written(
          count + 1, Stream.concat(Stream.of(latest), last.stream()).limit(KEPT).toList());
    }
  }

  // any thread, CAS
  private final AtomicReference<Written> written = new AtomicReference<>(new Written(0, List.of()));

  private final LongSupplier clock;
  private final Runnable beforeText;

  ProcessFailures() {
    this(System::nanoTime, () -> {});
  }

  /// @param clock for tests; in nanoseconds
  /// @param beforeText for tests; is called before a text is added, and may fail as that may
  ProcessFailures(LongSupplier clock, Runnable beforeText) {
    this.clock = clock;
    this.beforeText = beforeText;
  }

  /// A process has ended.
  ///
  /// @param parent of it, if that lives and runs here
  void ended(ProcessInstance process, Exit exit, @Nullable ProcessInstance parent) {
    boolean isDealtWith = parent != null && parent.trapsExits();
    if (exit.reason() == Exit.Reason.FAILED && !isDealtWith) {
      long now = System.currentTimeMillis();
      Throwable cause = exit.cause();
      note(new Noted(count.getAndIncrement(), now, process.self(), process.kind(), cause));
    }
  }

  /// Notes a failure, unless a later one is in its place: another worker may have been faster.
  void note(Noted failed) {
    var _ =
        noted.accumulateAndGet(
            (int) failed.number & (KEPT - 1),
            failed,
            (there, one) -> there == null || there.number < one.number ? one : there);
  }

  /// Has the texts made of those that were noted. Without memory it fails, and the next call tries
  /// again.
  void write() {
    Writer before = writer.get();
    Noted slow = before == null ? null : before.slow();
    if (before == null ? nextNoted() < 0 : slow == null) {
      return;
    }
    Writer fresh = new Writer();
    if (before != null && slow != null && !before.giveUp(slow)) {
      return; // it has come at last
    }
    if (!writer.compareAndSet(before, fresh)) {
      return;
    }
    if (slow != null) {
      stuck.incrementAndGet();
    }
    boolean isStarted = false;
    try {
      Thread _ = DaemonThread.start("heddle-failures", fresh);
      isStarted = true;
    } finally {
      if (!isStarted) {
        writer.set(null);
      }
    }
  }

  // the place of the first of those that were noted; negative: there is none
  private int nextNoted() {
    int first = -1;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < KEPT; i++) {
      Noted there = noted.get(i);
      if (there != null && there.number < least) {
        first = i;
        least = there.number;
      }
    }
    return first;
  }

  private void add(Noted failed, String text) {
    beforeText.run();
    written.updateAndGet(all -> all.with(new Failure(failed.atMillis, text)));
  }

  /// Makes the texts of all that were noted, until one of them takes too long.
  private final class Writer implements Runnable {
    // its own thread writes `began` first; others read `current` first. A CAS of `current` to null
    // decides: by its own thread, the text has come; by another one, this writer ends with that
    // text
    private volatile long began;
    private final AtomicReference<@Nullable Noted> current = new AtomicReference<>();

    @Override
    public void run() {
      try {
        boolean goesOn = true;
        for (int next = nextNoted(); next >= 0 && goesOn; next = nextNoted()) {
          Noted taken = noted.getAndSet(next, null);
          if (taken != null) {
            began = clock.getAsLong();
            current.set(taken);
            String text = text(taken, stuck.get() < MOST_STUCK);
            goesOn = current.compareAndSet(taken, null);
            add(taken, text);
          }
        }
      } finally {
        if (!writer.compareAndSet(this, null)) {
          stuck.decrementAndGet(); // another one has its place
        }
      }
    }

    /// Says that a text takes too long, unless it has come.
    boolean giveUp(Noted slow) {
      if (!current.compareAndSet(slow, null)) {
        return false;
      }
      boolean isSaid = false;
      try {
        add(slow, head(slow) + saysNoMore(slow, "takes too long"));
        isSaid = true;
      } finally {
        if (!isSaid) {
          current.set(slow); // safe: if it has come meanwhile, this writer ends, and nobody looks
        }
      }
      return true;
    }

    /// The failure whose text takes too long; null: there is none.
    @Nullable Noted slow() {
      Noted now = current.get();
      return now != null && clock.getAsLong() - began >= PATIENCE_NANOS ? now : null;
    }
  }

  private static String head(Noted failed) {
    return "process %s (%s) has failed\n".formatted(failed.process, failed.kind);
  }

  private static String saysNoMore(Noted failed, String why) {
    return failed.cause == null
        ? ""
        : "a %s that says no more: its own text %s\n"
            .formatted(failed.cause.getClass().getName(), why);
  }

  /// @param mayAsk whether code of the program may make a part of it
  private static String text(Noted failed, boolean mayAsk) {
    if (!mayAsk) {
      return head(failed) + saysNoMore(failed, "is not asked for, since others have not ended");
    }
    StringWriter text = new StringWriter().append(head(failed));
    if (failed.cause != null) {
      try {
        failed.cause.printStackTrace(new PrintWriter(text));
      } catch (Throwable e) { // code of the program
        text.append(saysNoMore(failed, "has failed with a " + e.getClass().getName()));
      }
    }
    String all = text.toString();
    return all.length() <= LONGEST_KEPT ? all : all.substring(0, LONGEST_KEPT) + "\n...\n";
  }

  /// The last ones, the latest first; those of a moment ago are in the next answer.
  public List<Failure> recent() {
    write();
    return written.get().last;
  }

  /// All of them so far, also those whose texts were never made since more came in a second than
  /// are kept.
  public long count() {
    return count.get();
  }

  /// How many [#recent()] has had so far: there is a new one when this grows.
  public long written() {
    return written.get().count;
  }
}
