// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.internal.DaemonThread;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.instance.ProcessInstance;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The last failures of processes that no other process deals with, for observers: of those without
/// a parent that traps exits. So a child that its supervisor restarts is none, and a supervisor
/// that gives up is one when it has no supervisor.
///
/// A worker only notes a failure. Its text, whose making may run user code that waits, is made
/// within a second on a thread that ends with it; then the throwable is dropped.
///
/// **Thread** any; never waits.
public final class ProcessFailures {
  private static final int KEPT = 8; // a power of two
  private static final int LONGEST_KEPT = 20_000; // characters

  /// A failure.
  ///
  /// @param text at most so long as an observer needs
  public record Failure(long atMillis, String text) {}

  private record Noted(
      long number, long atMillis, Pid process, String kind, @Nullable Throwable cause) {}

  // any thread: the next place, and what is there; the writer takes it away
  private final AtomicLong count = new AtomicLong();
  private final AtomicReferenceArray<@Nullable Noted> noted = new AtomicReferenceArray<>(KEPT);

  private final AtomicBoolean isWriting = new AtomicBoolean(); // there is a writer

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

  // the writer writes, any thread reads
  private volatile Written written = new Written(0, List.of());

  ProcessFailures() {}

  /// A process has ended.
  ///
  /// @param parent of it, if that lives and runs here
  void ended(ProcessInstance process, Exit exit, @Nullable ProcessInstance parent) {
    boolean isDealtWith = parent != null && parent.trapsExits();
    if (exit.reason() == Exit.Reason.FAILED && !isDealtWith) {
      long number = count.getAndIncrement();
      long now = System.currentTimeMillis();
      noted.set(
          (int) number & (KEPT - 1),
          new Noted(number, now, process.self(), process.kind(), exit.cause()));
    }
  }

  /// Has the texts made of those that were noted.
  void write() {
    if (!isAnyNoted() || isWriting.getAndSet(true)) {
      return;
    }
    boolean isStarted = false;
    try {
      Thread _ = DaemonThread.start("heddle-failures", this::writeAll);
      isStarted = true;
    } finally {
      if (!isStarted) {
        isWriting.set(false); // no memory: the next call tries again
      }
    }
  }

  private boolean isAnyNoted() {
    for (int i = 0; i < KEPT; i++) {
      if (noted.get(i) != null) {
        return true;
      }
    }
    return false;
  }

  private void writeAll() {
    try {
      List<Noted> all = new ArrayList<>();
      for (int i = 0; i < KEPT; i++) {
        Noted taken = noted.getAndSet(i, null);
        if (taken != null) {
          all.add(taken);
        }
      }
      all.sort(Comparator.comparingLong(Noted::number));
      for (Noted each : all) {
        written = written.with(new Failure(each.atMillis, text(each)));
      }
    } finally {
      isWriting.set(false);
    }
  }

  private static String text(Noted failed) {
    StringWriter text = new StringWriter();
    text.append("process %s (%s) has failed\n".formatted(failed.process, failed.kind));
    if (failed.cause != null) {
      try {
        failed.cause.printStackTrace(new PrintWriter(text));
      } catch (Throwable e) { // code of the program
        text.append(
            "a %s that says no more: its own text has failed with a %s\n"
                .formatted(failed.cause.getClass().getName(), e.getClass().getName()));
      }
    }
    String all = text.toString();
    return all.length() <= LONGEST_KEPT ? all : all.substring(0, LONGEST_KEPT) + "\n...\n";
  }

  /// The last ones, the latest first; those of a moment ago are in the next answer.
  public List<Failure> recent() {
    write();
    return written.last;
  }

  /// All of them so far, also those whose texts were never made since more came in a second than
  /// are kept.
  public long count() {
    return count.get();
  }

  /// How many [#recent()] has had so far: there is a new one when this grows.
  public long written() {
    return written.count;
  }
}
