// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.internal.InWords;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A coroutine has held the loop's thread for longer than [dev.heddle.HeddleOptions#holdLimit()],
/// or the loop's own thread waits or is inside a callback. Reported by the watchdog once for each
/// site, and once more if a hold lasts for ten seconds.
///
/// {@snippet class=dev.heddle.snippets.SnippetsTest region=reports}
///
/// @param loop the loop's name
/// @param coroutine the holder, by number and name; null if it is the loop's own work
/// @param held for how long so far, at least
/// @param activity its activity
/// @param waitsFor the lock that the thread waits for, with its holder; null if it does not wait,
///   or the JDK does not report it
/// @param site the topmost frame of its stack that belongs to the program, or null
/// @param stack its frames at that moment, the innermost first
/// @since 0.1
public record HoldReport(
    String loop,
    @Nullable String coroutine,
    Duration held,
    Activity activity,
    @Nullable String waitsFor,
    @Nullable String site,
    List<StackTraceElement> stack)
    implements LoopReport {

  private static final String ONE_TIME_WORK =
      "that happens once, wherever it is done; do it before the loop begins where it matters";

  /// The activity that holds a loop.
  public enum Activity {
    /// Java code runs.
    COMPUTING(
        "it computes",
        "let others run by Heddle.yieldNow() now and then, or move it to a ThreadPool"),
    /// A file, or the output of another process, is read or written; the JDK blocks the thread.
    FILE("it reads or writes a file", "move the call to Heddle.offload(...)"),
    /// A host name is looked up by the operating system.
    HOST_LOOKUP("it looks up a host name", "move the call to Heddle.offload(...)"),
    /// The JDK would park it, but cannot take its stack off the thread.
    PINNED(
        "it waits in the JDK below a class initialiser or a native frame",
        "move the wait out of there, or to Heddle.offload(...)"),
    /// It is in `Object.wait`, and the JDK did not unmount it.
    MONITOR(
        "it is in Object.wait, which the JDK has kept on the loop's thread",
        "wait for a Condition of java.util.concurrent.locks, or begin the wait in"
            + " Heddle.shield(...); docs/explanation/contexts.md says why"),
    /// A native method of the program or a library runs.
    NATIVE("it is inside a native method", "move the call to Heddle.offload(...)"),
    /// The JVM loads classes, or a native library.
    LOADING("it loads classes, or a native library", HoldReport.ONE_TIME_WORK),
    /// The JVM runs the initialiser of a class.
    INITIALISING("it initialises a class", HoldReport.ONE_TIME_WORK),
    /// The JVM links a call: of a lambda, a concatenation, a native function.
    LINKING("it links calls", HoldReport.ONE_TIME_WORK),
    /// A native method runs that Heddle itself has called.
    RUNTIME(
        "Heddle itself is inside a call of the system",
        "nothing in the program mends that; if it comes again, try another driver (./heddle"
            + " doctor names the one in force)"),
    /// No coroutine: the loop's own thread waits, usually for a lock.
    WAITING(
        "the loop's own thread waits for a lock",
        "no coroutine can run before it has it; the lock and its holder are below"),
    /// No coroutine: the loop's own thread runs user code, in a handler of a driver, a callback or
    /// a task.
    CALLBACK(
        "the loop's own thread is inside a callback, outside any coroutine",
        "no coroutine can run before it returns; do such work in a coroutine or a ThreadPool"),
    /// No coroutine: the loop itself works; reported on request, or if it lasts for seconds.
    LOOP("no coroutine does", "it takes a dump, or is about to sleep");

    private final String description;
    private final String advice;

    Activity(String description, String advice) {
      this.description = description;
      this.advice = advice;
    }

    /// The description for reports.
    public String description() {
      return description;
    }

    /// The advice for reports.
    public String advice() {
      return advice;
    }
  }

  @Override
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(coroutine == null ? "Something" : coroutine)
        .append(" has held the loop '")
        .append(loop)
        .append("' for ")
        .append(InWords.duration(held))
        .append(" so far: ")
        .append(doing())
        .append('\n');
    if (waitsFor != null) {
      text.append("  waits for ").append(waitsFor).append('\n');
    }
    stack.forEach(frame -> text.append("  at ").append(frame).append('\n'));
    return text.toString();
  }

  private String doing() {
    LibrarySpin spin = activity == Activity.PINNED ? null : LibrarySpin.on(stack);
    if (spin != null) {
      return spin.words() + "; " + spin.advice();
    }
    String words = activity.description();
    if (activity == Activity.INITIALISING) {
      words =
          stack.stream()
              .filter(frame -> frame.getMethodName().equals("<clinit>"))
              .findFirst()
              .map(frame -> "it initialises the class " + frame.getClassName())
              .orElse(words);
    }
    return words + "; " + activity.advice();
  }

  /// As a JSON object.
  public String json() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("loop", loop);
    fields.put("heldBy", coroutine);
    fields.put("heldMillis", held.toMillis());
    fields.put("activity", activity.name());
    fields.put("waitsFor", waitsFor);
    fields.put("site", site);
    fields.put("stack", stack.stream().map(StackTraceElement::toString).toList());
    return Json.write(fields);
  }

  @Override
  public String toString() {
    return text();
  }
}
