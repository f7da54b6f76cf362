// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.supervisor.RestartLimitException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The last failures of processes that no other process deals with, for observers: of those whose
/// parent does not trap exits, and of supervisors that give up. A child that fails and is restarted
/// is dealt with, also one that traps exits.
///
/// A worker only notes a failure. Its text, whose making may run user code, is made within a second
/// on the thread of reports, or on that of an observer; then the throwable is dropped.
///
/// **Thread** any.
public final class ProcessFailures {
  private static final int KEPT = 8;
  private static final int LONGEST_KEPT = 20_000; // characters

  /// A failure.
  ///
  /// @param text at most so long as an observer needs
  public record Failure(long atMillis, String text) {}

  private record Noted(long atMillis, Pid process, String kind, @Nullable Throwable cause) {}

  // the latest first
  private final AtomicReference<List<Noted>> noted = new AtomicReference<>(List.of());
  private final AtomicReference<List<Failure>> kept = new AtomicReference<>(List.of());

  ProcessFailures() {}

  /// A process has ended.
  ///
  /// @param parent of it, if that lives and runs here
  void ended(ProcessInstance process, Exit exit, @Nullable ProcessInstance parent) {
    boolean hasGivenUp = exit.cause() instanceof RestartLimitException;
    boolean isDealtWith = parent != null && parent.trapsExits() && !hasGivenUp;
    if (exit.reason() == Exit.Reason.FAILED && !isDealtWith) {
      Noted latest =
          new Noted(System.currentTimeMillis(), process.self(), process.kind(), exit.cause());
      List<Noted> _ = noted.updateAndGet(all -> latest(latest, all));
    }
  }

  private static <T> List<T> latest(T first, List<T> before) {
    return Stream.concat(Stream.of(first), before.stream()).limit(KEPT).toList();
  }

  /// Makes the texts of those that were noted.
  void write() {
    if (!noted.get().isEmpty()) {
      for (Noted each : noted.getAndSet(List.of()).reversed()) {
        Failure failure = new Failure(each.atMillis, text(each));
        List<Failure> _ = kept.updateAndGet(all -> latest(failure, all));
      }
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

  /// The last ones, the latest first.
  public List<Failure> recent() {
    write();
    return kept.get().stream()
        .sorted(Comparator.comparingLong(Failure::atMillis).reversed())
        .toList();
  }
}
