// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.Cancellation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a body finds that takes the place of another process, and what it may still do when another
/// one has taken its own.
@Timeout(300)
class BodyUpgradeTest {
  private static final Duration DAY = Duration.ofDays(1);

  // written before what reads them begins
  private volatile ProcessFactory next = _ -> Kit.resting();
  private volatile Runnable inCommand = () -> {};

  private final ProcessRuntime runtime =
      ProcessRuntime.builder()
          .workers(2)
          .factory(source -> next.create(source))
          .handler(
              Kit.Call.class,
              CommandHandler.inline((_, call) -> {
                inCommand.run();
                call.complete("done");
              }))
          .start();

  @AfterEach
  void end() {
    runtime.shutdown(Duration.ZERO);
  }

  /// A process that traps exits, and becomes another at the first of the messages that it has.
  private final class Upgrading {
    private final CountDownLatch inStep = new CountDownLatch(1);
    private final CountDownLatch sent = new CountDownLatch(1);
    private final List<?> messages;
    final Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              if (events.isEmpty()) {
                self.trapExits();
                inStep.countDown();
                sent.await();
              } else {
                var _ = events.getFirst();
                out.upgrade("next", Process.RUN, null);
              }
            }));

    Upgrading(List<?> messages) {
      this.messages = messages;
    }

    void send() throws InterruptedException {
      inStep.await();
      messages.forEach(message -> runtime.send(pid, message));
      sent.countDown();
    }
  }

  private static Object word(@Nullable Object received) {
    return received instanceof ProcessSignal.Cancel ? "cancel" : Objects.requireNonNull(received);
  }

  private static CoroutineProcess receiving(int count) {
    return CoroutineProcess.of(self -> {
      List<Object> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(word(self.receive()));
      }
      return all;
    });
  }

  @Test
  @Tag("proc-300")
  void cancel_thatComesDuringAnUpgrade_isTheFirstThatTheBodyReceives() throws Exception {
    Upgrading upgrading = new Upgrading(List.of("go", 1, 2, 3));
    next =
        _ -> {
          runtime.cancel(upgrading.pid, "asked", DAY);
          return receiving(4);
        };
    var exit = runtime.whenExited(upgrading.pid);
    upgrading.send();
    assertThat(Kit.get(exit).result()).isEqualTo(List.of("cancel", 1, 2, 3));
  }

  @Test
  @Tag("proc-300")
  void cancel_thatComesToABody_isReceivedBeforeWhatAnUpgradeHasLeft_alsoWhereItIsNotWantedAtFirst()
      throws Exception {
    Upgrading upgrading = new Upgrading(List.of("go", 1, 2, 3, "four"));
    inCommand = () -> runtime.cancel(upgrading.pid, "asked", DAY);
    next =
        _ ->
            CoroutineProcess.of(self -> {
              Object first = self.receive();
              self.execute(new Kit.Call("cancels this process"));
              Object second = self.receive(m -> m instanceof Integer);
              return List.of(
                  word(first),
                  word(second),
                  word(self.receive()),
                  word(self.receive()),
                  word(self.receive()));
            });
    var exit = runtime.whenExited(upgrading.pid);
    upgrading.send();
    assertThat(Kit.get(exit).result()).isEqualTo(List.of(1, 2, "cancel", 3, "four"));
  }

  /// Each of a chain of steps and bodies sees a part of the messages.
  @Test
  @Tag("proc-261")
  @Tag("proc-304")
  void statistics_overAChainOfUpgrades_countEachMessageOnce() throws Exception {
    Process last =
        Kit.process((self, events, out) -> {
          if (events.stream().anyMatch(event -> "last".equals(event.data()))) {
            out.done(self.statistics().received());
          }
        });
    List<Process> chain =
        new ArrayList<>(
            List.of(
                upgradesBehind(1),
                upgradesBehind(3), // and passes over 2
                upgradesBehind(2),
                new Handing(upgradesBehind(5), false), // and passes over 4
                Kit.process((_, events, out) -> {
                  var _ = events.getFirst(); // 4
                  out.upgrade("next", Process.RUN, null);
                }),
                last));
    next = _ -> chain.removeFirst();
    Upgrading upgrading = new Upgrading(List.of("go", 1, 2, 3, 4, 5, 6, "last"));
    var exit = runtime.whenExited(upgrading.pid);
    upgrading.send();
    assertThat(Kit.get(exit).result()).isEqualTo(8L);
    assertThat(chain).isEmpty();
  }

  private static CoroutineProcess upgradesBehind(Object wanted) {
    return CoroutineProcess.of(self -> {
      self.receive(wanted::equals);
      self.upgrade("next", Process.RUN, null);
      return null;
    });
  }

  // ---- a body that goes on ----

  /// The calls that only the code of a process may make.
  private static Map<String, ThrowingCallable> ownCallsOf(ProcessContext self) {
    Pid other = self.runtime().spawn(Kit.resting());
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("ready", self::ready);
    calls.put("statistics", self::statistics);
    calls.put("spawn", () -> self.spawn(Kit.resting()));
    calls.put(
        "spawn typed",
        () -> self.spawn(TypedCoroutineProcess.of(String.class, TypedCoroutineProcess::next)));
    calls.put("cancelCommand", () -> self.cancelCommand(1));
    calls.put("outstanding", self::pendingCommands);
    calls.put("link", () -> self.link(other));
    calls.put("unlink", () -> self.unlink(other));
    calls.put("links", self::links);
    calls.put("monitored", self::monitored);
    calls.put("trapExits", () -> self.untrapExits());
    calls.put("monitor", () -> self.monitor(other));
    calls.put("monitor by name", () -> self.monitor("nobody"));
    calls.put("demonitor", () -> self.demonitor(1));
    calls.put("register", () -> self.register("mine"));
    calls.put("unregister", () -> self.unregister("mine"));
    calls.put("attribute", () -> self.attribute("key"));
    calls.put("setAttribute", () -> self.setAttribute("key", "value"));
    return calls;
  }

  /// What a body has met that was replaced, and has gone on.
  private record Story(
      Map<String, Throwable> thrown, Pid self, SendResult offered, boolean ended) {}

  private static Story storyOf(ProcessContext self) {
    Map<String, Throwable> thrown = new LinkedHashMap<>();
    ownCallsOf(self).forEach((name, call) -> thrown.put(name, catchThrowable(call)));
    self.send(self.self(), "sent");
    self.wakeUp();
    return new Story(thrown, self.self(), self.offer(self.self(), "offered"), self.isEnded());
  }

  private void assertThatItWasRefused(Story story, Pid pid) {
    assertThat(story.thrown()).hasSize(18);
    assertThat(story.thrown())
        .allSatisfy((_, thrown) ->
            assertThat(thrown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(pid + " continues without this body"));
    assertThat(story.self()).isEqualTo(pid);
    assertThat(story.offered()).isEqualTo(SendResult.ACCEPTED);
    assertThat(story.ended()).isFalse();
  }

  @Test
  @Tag("proc-303")
  void body_thatGoesOnBehindItsUpgrade_isRefusedWhatIsItsSuccessors_andMaySend() throws Exception {
    BlockingQueue<Story> stories = Kit.queue();
    CountDownLatch replaced = new CountDownLatch(1);
    next =
        _ -> {
          CoroutineProcess successor = receiving(3);
          return new Handing(successor, false) {
            @Override
            public void init(ProcessContext self, String method, @Nullable Object input)
                throws Exception {
              super.init(self, method, input);
              self.trapExits();
              replaced.countDown(); // the body before is on its own from now on
            }
          };
        };
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              try {
                self.upgrade("next", Process.RUN, null);
              } catch (Cancellation swallowed) {
                replaced.await();
                stories.add(storyOf(self.context()));
              }
              return null;
            }),
            StartOptions.defaults().withName("mine"));
    var exit = runtime.whenExited(pid);
    assertThatItWasRefused(Kit.take(stories), pid);
    assertThat(runtime.whereIs("mine")).isEqualTo(pid);
    runtime.cancel(pid, "asked", DAY); // which it still traps
    assertThat(Kit.get(exit).result()).isIn(orders("cancel", "sent", "offered"));
  }

  /// The signal of a cancellation may come before or behind what the body before has sent.
  private static List<List<Object>> orders(Object urgent, Object first, Object second) {
    return List.of(
        List.of(urgent, first, second),
        List.of(first, urgent, second),
        List.of(first, second, urgent));
  }

  @Test
  @Tag("proc-303")
  void body_thatGoesOn_whenTheProcessAroundItHasClosedIt_isRefusedToo() throws Exception {
    BlockingQueue<Story> stories = Kit.queue();
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    CoroutineProcess inner =
        CoroutineProcess.of(self -> {
          began.countDown();
          try {
            return self.receive("never"::equals);
          } catch (Cancellation swallowed) {
            closed.await();
            stories.add(storyOf(self.context()));
            throw swallowed;
          }
        });
    Pid pid =
        runtime.spawn(
            new Handing(inner, false) {
              @Override
              public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
                if (events.stream().anyMatch(event -> "close".equals(event.data()))) {
                  inner.close();
                  closed.countDown();
                } else if (closed.getCount() > 0) {
                  super.step(events, out);
                }
              }
            });
    began.await();
    runtime.send(pid, "close");
    assertThatItWasRefused(Kit.take(stories), pid);
  }

  @Test
  @Tag("proc-303")
  void body_thatGoesOnBehindItsUpgrade_andFails_isLogged() throws Exception {
    BlockingQueue<LogRecord> logged = Kit.queue();
    Handler listening =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            logged.add(entry);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.heddle.process");
    log.addHandler(listening);
    next = _ -> Kit.untilMessage();
    try {
      CountDownLatch replaced = new CountDownLatch(1);
      Pid pid =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                try {
                  self.upgrade("next", Process.RUN, null);
                } catch (Cancellation swallowed) {
                  replaced.await();
                  throw new IllegalStateException("too late");
                }
                return null;
              }));
      runtime.send(pid, "end");
      assertThat(Kit.exit(runtime, pid).result()).isEqualTo("end");
      replaced.countDown();
      String words = "the body of " + pid + ", which has ended or continues without it, has failed";
      LogRecord entry = Kit.take(logged);
      while (!words.equals(entry.getMessage())) {
        entry = Kit.take(logged); // a slow machine may have had others
      }
      assertThat(entry.getThrown()).hasMessage("too late");
    } finally {
      log.removeHandler(listening);
    }
  }

  @Test
  @Tag("proc-303")
  void body_thatCleansUpBehindItsUpgrade_mayDoSoForItsProcess() throws Exception {
    next = _ -> receiving(1);
    BlockingQueue<Throwable> refused = Kit.queue();
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              try {
                self.upgrade("next", Process.RUN, null);
              } finally {
                Throwable thrown =
                    catchThrowable(() -> {
                      self.context().unregister("mine");
                      self.context().setAttribute("cleaned", "up");
                    });
                if (thrown != null) {
                  refused.add(thrown);
                }
              }
              return null;
            }),
            StartOptions.defaults().withName("mine"));
    runtime.send(pid, "for the next");
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo(List.of("for the next"));
    assertThat(refused).isEmpty();
    assertThat(runtime.whereIs("mine")).isNull();
  }
}
