// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/// What processes do while allocations fail. Runs in a [ShortageLoader], whose classes are not
/// those of its caller.
public class ShortageScenario implements IntBinaryOperator {
  private static final long GUARD_SECONDS = 240; // after this something is lost; measures nothing
  private static final long MILLI = 1_000_000;
  static final int FOR_GOOD = -1; // instead of a first allocation
  static final int WARM_UP = Integer.MAX_VALUE; // the same; what is made with its first use is made
  private static final int SPREAD = 100; // more than the first array of a deque holds

  private final Map<Pid, AtomicInteger> ends = new ConcurrentHashMap<>();
  private final ProcessRuntime runtime;
  private final Set<String> threads = new TreeSet<>(); // none before it is warm
  private final Pid[] idle = new Pid[SPREAD];

  /// A runtime that lacks nothing yet.
  public ShortageScenario() {
    this(2);
  }

  private ShortageScenario(int workers) {
    runtime =
        ProcessRuntime.builder()
            .workers(workers)
            .listener(
                new ProcessListener() {
                  @Override
                  public void onStart(Pid pid, StartOptions options) {
                    ends.put(pid, new AtomicInteger());
                  }

                  @Override
                  public void onExit(Exit exit) {
                    ends.get(exit.pid()).incrementAndGet();
                  }
                })
            .start();
    for (int i = 0; i < SPREAD; i++) {
      idle[i] = runtime.spawn(untilAsked());
    }
  }

  /// One worker, from whom no thief takes, and whose deque has not grown.
  public static final class OfOneWorker extends ShortageScenario {
    /// Such a runtime.
    public OfOneWorker() {
      super(1);
    }
  }

  /// A runtime whose threads come to each of their calls again and again. It has one worker: no
  /// other one mends what the failure of a call leaves behind.
  public static final class OfLoops extends ShortageScenario {
    /// Such a runtime.
    public OfLoops() {
      super(1);
    }

    @Override
    boolean isOver(int first) {
      return first == WARM_UP || Shortage.hasBegun();
    }
  }

  boolean isOver(int first) {
    return true; // there may be fewer allocations
  }

  /// Those that must never end; the one that writes reports comes with them, and goes.
  private static Set<String> threads() {
    Set<String> names = new TreeSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      boolean lives = name.startsWith("heddle-worker-") || name.startsWith("heddle-monitor");
      if (lives && !name.endsWith("-reports")) {
        names.add(name);
      }
    }
    return names;
  }

  /// Rests until it is told to end, and tells whoever asks that it lives.
  private static Process untilAsked() {
    return Kit.process((_, events, out) -> {
      for (ProcessEvent event : events) {
        if (event.data() instanceof CompletableFuture<?> asked) {
          asked.complete(null);
        } else if ("end".equals(event.data())) {
          out.done();
        }
      }
    });
  }

  /// Starts a child, which ends it, and one that fails, and wakes many.
  private Process parent() {
    return Kit.process((self, events, out) -> {
      for (ProcessEvent event : events) {
        if ("go".equals(event.data())) {
          self.register("parent");
          for (Pid one : idle) {
            self.offer(one, "wake");
          }
          self.spawn((_, _) -> {
            throw new IllegalStateException("it fails");
          });
          self.send(self.spawn(child(self.self())), "end");
        } else if ("end".equals(event.data())) {
          out.done();
        }
      }
    });
  }

  private static Process child(Pid parent) {
    return Kit.process((self, events, out) -> {
      if (!events.isEmpty()) {
        self.send(parent, "end");
        out.done();
      }
    });
  }

  /// @param first that fails
  /// @param many that fail
  /// @return how many allocations there were beyond the first that failed
  @Override
  public int applyAsInt(int first, int many) {
    try {
      return first == FOR_GOOD ? failForGood() : round(first, many);
    } catch (Exception e) {
      throw new AssertionError("allocations " + first + " and " + many + " behind it", e);
    }
  }

  private int round(int first, int many) throws Exception {
    for (int i = 0; i < SPREAD; i++) { // those that were lost to the last round
      Exit gone = runtime.whenExited(idle[i]).getNow(null);
      if (gone != null) {
        idle[i] = runtime.spawn(untilAsked());
      }
    }
    Pid parent = runtime.spawn(parent());
    CompletableFuture<Exit> exit = runtime.whenExited(parent);
    Shortage.begin(first, many, false);
    runtime.send(parent, "go");
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    long pause = MILLI;
    long wake = System.nanoTime() + pause;
    // what it waits for may be lost to one that has failed
    while (!isOver(first) || (!exit.isDone() && !allRest())) {
      long now = System.nanoTime();
      if (now - until > 0) {
        throw new AssertionError(first + ": nobody gets on: " + restless());
      }
      if (!isOver(first) && now - wake > 0) { // the call may have begun before the shortage
        runtime.offer(idle[0], "wake");
        pause *= 2; // until the monitor, too, has the time to fall asleep
        wake = now + pause;
      }
      Thread.onSpinWait();
    }
    int seen = Shortage.end();
    for (Pid pid : List.copyOf(ends.keySet())) {
      answerOrEnd(pid, first);
    }
    if (runtime.whereIs("parent") != null) {
      throw new AssertionError(first + ": the name is not given back");
    }
    if (first == WARM_UP) {
      threads.addAll(threads());
    }
    if (!threads().containsAll(threads)) {
      throw new AssertionError(first + ": threads left: " + threads());
    }
    return seen;
  }

  private boolean allRest() {
    return restless().isEmpty();
  }

  private List<ProcessSnapshot> restless() {
    return runtime.processes().stream()
        .filter(one -> one.state() != ProcessSnapshot.State.IDLE || one.mailbox() > 0)
        .toList();
  }

  /// Each process lives and answers, or its end has been told, once.
  private void answerOrEnd(Pid pid, int first) throws Exception {
    boolean isIdle = List.of(idle).contains(pid);
    CompletableFuture<@Nullable Object> asked = new CompletableFuture<>();
    runtime.offer(pid, isIdle ? asked : "end");
    CompletableFuture<Exit> exit = runtime.whenExited(pid);
    try {
      (isIdle ? CompletableFuture.anyOf(asked, exit) : exit).get(GUARD_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError(
          first + ": no answer, no end: " + runtime.process(pid) + " " + runtime.workers(), e);
    }
    if (exit.isDone()) {
      long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
      while (ends.get(pid).get() == 0 && System.nanoTime() < until) {
        Thread.onSpinWait(); // the listener is told behind the exit
      }
      int told = ends.remove(pid).get();
      if (told != 1) {
        throw new AssertionError(first + ": its end was told " + told + " times: " + pid);
      }
    }
  }

  private int failForGood() throws Exception {
    CompletableFuture<Exit> exit = runtime.whenExited(idle[0]);
    Shortage.begin(1, Integer.MAX_VALUE, false);
    runtime.offer(idle[0], "wake"); // workers that sleep fail when they are woken
    runtime.offer(idle[1], "wake");
    Exit told = exit.get(GUARD_SECONDS, TimeUnit.SECONDS);
    SendResult refused = runtime.offer(idle[0], "refused");
    Shortage.end();
    if (told.reason() != Exit.Reason.ABANDONED || refused != SendResult.CLOSED) {
      throw new AssertionError(told + ", a message is " + refused);
    }
    return runtime.shutdown(Duration.ofSeconds(GUARD_SECONDS)).abandoned().size();
  }

  /// Ends it.
  public int end() {
    ShutdownReport report = runtime.shutdown(Duration.ofSeconds(GUARD_SECONDS));
    if (!report.abandoned().isEmpty() || runtime.counters().processes() != 0) {
      throw new AssertionError(report + ", left " + runtime.counters());
    }
    return 0;
  }
}
