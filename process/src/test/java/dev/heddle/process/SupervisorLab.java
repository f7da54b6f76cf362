// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.TimeCommands.Pause;
import dev.heddle.process.supervisor.ChildSpec;
import dev.heddle.process.supervisor.ChildStatus;
import dev.heddle.process.supervisor.ChildStatus.State;
import dev.heddle.process.supervisor.Supervisor;
import dev.heddle.process.supervisor.TestClock;
import dev.heddle.sync.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A runtime in which pauses of supervisors take no time, and what their tests share.
final class SupervisorLab implements AutoCloseable {
  final BlockingQueue<ChildStatus> changes = Kit.queue();
  final BlockingQueue<Duration> delays = Kit.queue();
  final AtomicLong now = new AtomicLong();
  // a pause is over at once, unless a test wants to see to it
  volatile @Nullable BlockingQueue<Invocation<@Nullable Object>> pauses;
  final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .handler(
              Pause.class,
              CommandHandler.inline((pause, invocation) -> {
                delays.add(pause.time());
                var held = pauses;
                if (held != null) {
                  held.add(invocation);
                } else {
                  invocation.complete(null);
                }
              }))
          .start();

  static final Backoff DELAYS =
      Backoff.exponential(Duration.ofMillis(100)).withMaxDelay(Duration.ofSeconds(2));

  Supervisor.Builder supervisor() {
    return TestClock.supervisor(now::get).listener(changes::add).backoff(DELAYS);
  }

  /// A child that fails with the text it is sent; "done" is its normal end.
  static Process child() {
    return (events, out) -> {
      for (ProcessEvent event : events) {
        if ("done".equals(event.data())) {
          out.done();
        } else {
          throw new IllegalStateException("" + event.data());
        }
      }
    };
  }

  /// A child that promises to say when it has started, and is done without having said so.
  static Process neverReady() {
    return CoroutineProcess.of(_ -> null).reportingReady();
  }

  /// A supervisor that reads results of commands only together with the end of a child, and behind
  /// it. It may alone: a step takes what is urgent, such as a result, and then the rest, such as an
  /// end; both can arrive in between.
  static Process readingResultsLate(Process supervisor) {
    List<ProcessEvent> results = new ArrayList<>();
    return new Process() {
      @Override
      public void init(ProcessContext self, String method, @Nullable Object input)
          throws Exception {
        supervisor.init(self, method, input);
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
        List<ProcessEvent> read = new ArrayList<>();
        events.forEach(event -> (event.isMessage() ? read : results).add(event));
        if (read.stream().anyMatch(event -> event.data() instanceof ProcessSignal.Down)) {
          read.addAll(results);
          results.clear();
        }
        supervisor.step(read, out);
      }
    };
  }

  static ChildSpec spec(String name) {
    return ChildSpec.of(name, SupervisorLab::child);
  }

  /// A child that traps exits: it says by the future that it was asked to end, and ends when it is
  /// sent a message.
  static Process stubborn(CompletableFuture<ProcessSignal.Cancel> asked) {
    return new Process() {
      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        self.trapExits();
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          if (event.data() instanceof ProcessSignal.Cancel cancel) {
            asked.complete(cancel);
          } else {
            out.done();
          }
        }
      }
    };
  }

  ChildStatus await(String name, State state) throws InterruptedException {
    while (true) {
      ChildStatus change = Kit.take(changes);
      if (change.name().equals(name) && change.state() == state) {
        return change;
      }
    }
  }

  /// The next changes to one of these states, in order, as `name STATE`.
  List<String> next(int count, State... states) throws InterruptedException {
    List<String> seen = new ArrayList<>();
    while (seen.size() < count) {
      ChildStatus change = Kit.take(changes);
      if (List.of(states).contains(change.state())) {
        seen.add(change.name() + " " + change.state());
      }
    }
    return seen;
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // who asks knows what is answered
  <R> R ask(Pid supervisor, Object what) {
    CompletableFuture<R> answer = runtime.request(supervisor, what);
    return Kit.get(answer);
  }

  List<ChildStatus> children(Pid supervisor) {
    return ask(supervisor, new Supervisor.WhichChildren());
  }

  static Pid pid(ChildStatus status) {
    return Objects.requireNonNull(status.pid());
  }

  static Exit exit(ChildStatus status) {
    return Objects.requireNonNull(status.exit());
  }

  /// Ends a supervisor, and waits until it has ended.
  Exit cancel(Pid supervisor) {
    CompletableFuture<Exit> exit = runtime.whenExited(supervisor);
    runtime.cancel(supervisor, "enough", Kit.SOON);
    return Kit.get(exit);
  }

  @Override
  public void close() {
    runtime.close();
  }
}
