// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.Commands;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StepOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// In which orders messages arrive.
class ArrivalOrderTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int SEEDS = 200;

  /// A step process that does one thing in its first step, and ends.
  private static Process once(Consumer<ProcessContext> does) {
    return new Process() {
      private @Nullable ProcessContext self;

      @Override
      public void init(ProcessContext context, String method, @Nullable Object input) {
        self = context;
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        does.accept(self);
        out.done();
      }
    };
  }

  /// A process that ends with the first texts it has received, joined.
  private static Process collector(int messages, boolean isBody) {
    if (isBody) {
      return CoroutineProcess.of(self -> {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < messages; i++) {
          all.append(self.receive(String.class));
        }
        return all.toString();
      });
    }
    StringBuilder all = new StringBuilder();
    return (events, out) -> {
      for (ProcessEvent event : events) {
        all.append(event.data());
      }
      if (all.length() >= messages) {
        out.done(all.toString());
      }
    };
  }

  private interface Senders {
    void start(ProcessRuntime runtime, Pid to);
  }

  /// What the collector has received, in each of many seeds.
  private static Set<String> orders(int messages, boolean isBody, Senders senders) {
    Set<String> orders = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      ProcessSimulation.run(
              seed,
              _ -> {
                try (ProcessRuntime runtime = ProcessRuntime.start()) {
                  Pid to = runtime.spawn(collector(messages, isBody));
                  senders.start(runtime, to);
                  orders.add((String) runtime.awaitExit(to, HOUR).result());
                }
              })
          .orThrow();
    }
    return orders;
  }

  @Test
  @Tag("sim-10")
  void twoSenders_interleaveInEveryWay_andEachKeepsItsOrder() {
    for (boolean isBody : List.of(true, false)) {
      Set<String> orders =
          orders(
              4,
              isBody,
              (runtime, to) -> {
                for (String sends : List.of("ab", "xy")) {
                  var _ =
                      runtime.spawn(
                          once(self -> {
                            self.send(to, sends.substring(0, 1));
                            self.send(to, sends.substring(1));
                          }));
                }
              });
      assertThat(orders).containsExactly("abxy", "axby", "axyb", "xaby", "xayb", "xyab");
    }
  }

  @Test
  @Tag("sim-10")
  void twoBodies_interleaveInEveryWay() {
    Set<String> orders =
        orders(
            4,
            true,
            (runtime, to) -> {
              for (String sends : List.of("ab", "xy")) {
                var _ =
                    runtime.spawn(
                        CoroutineProcess.of(self -> {
                          self.context().send(to, sends.substring(0, 1));
                          self.context().send(to, sends.substring(1));
                          return null;
                        }));
              }
            });
    assertThat(orders).containsExactly("abxy", "axby", "axyb", "xaby", "xayb", "xyab");
  }

  @Test
  void bodyThatSendsForEver_letsOthersRun() {
    ProcessSimulation.run(
            1,
            _ -> {
              ProcessRuntime runtime = ProcessRuntime.start();
              Pid to = runtime.spawn((_, _) -> {});
              var _ =
                  runtime.spawn(
                      CoroutineProcess.of(self -> {
                        while (true) {
                          self.context().send(to, "again");
                        }
                      }));
              Pid other = runtime.spawn(CoroutineProcess.of(_ -> "ran"));
              assertThat(runtime.whenExited(other).get().result()).isEqualTo("ran");
            })
        .orThrow();
  }

  @Test
  @Tag("sim-10")
  void messageThatWasSentBecauseOfAnother_comesBehindIt() {
    Set<String> orders =
        orders(
            2,
            false,
            (runtime, to) -> {
              Pid second =
                  runtime.spawn(
                      CoroutineProcess.of(self -> {
                        self.context().send(to, self.receive(String.class));
                        return null;
                      }));
              var _ =
                  runtime.spawn(
                      once(self -> {
                        self.send(to, "a");
                        self.send(second, "b");
                      }));
            });
    assertThat(orders).containsExactly("ab");
  }

  @Test
  @Tag("sim-10")
  void messageThatWasSentAfterAWaitOfTheJdk_comesBehindWhatWasSentBeforeThat() {
    Set<String> orders =
        orders(
            2,
            true,
            (runtime, to) -> {
              CompletableFuture<String> word = new CompletableFuture<>();
              var _ =
                  runtime.spawn(
                      CoroutineProcess.of(self -> {
                        self.context().send(to, word.get());
                        return null;
                      }));
              var _ =
                  runtime.spawn(
                      once(self -> {
                        self.send(to, "a");
                        word.complete("b");
                      }));
            });
    assertThat(orders).containsExactly("ab");
  }

  /// A step process that waits for a time, in which its mailbox fills, before it does one thing.
  private static Process later(Duration time, BiConsumer<List<ProcessEvent>, StepOutput> does) {
    return new Process() {
      private boolean waits = true;

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        if (waits) {
          waits = false;
          out.execute(1, Commands.sleep(time));
          out.awaitCommands();
        } else {
          does.accept(events, out);
        }
      }
    };
  }

  @Test
  @Tag("sim-10")
  void messageOfAnEarlierInstant_comesFirst() {
    Set<String> orders = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      ProcessSimulation.run(
              seed,
              _ -> {
                try (ProcessRuntime runtime = ProcessRuntime.start()) {
                  StringBuilder got = new StringBuilder();
                  Pid to =
                      runtime.spawn(
                          later(
                              HOUR.multipliedBy(2),
                              (events, out) -> {
                                events.stream()
                                    .filter(ProcessEvent::isMessage)
                                    .forEach(event -> got.append(event.data()));
                                if (got.length() == 2) {
                                  out.done(got.toString());
                                }
                              }));
                  for (String text : List.of("x", "a")) {
                    Duration when = text.equals("x") ? HOUR : Duration.ofMinutes(1);
                    var _ =
                        runtime.spawn(
                            later(
                                when,
                                (_, out) -> {
                                  runtime.send(to, text);
                                  out.done();
                                }));
                  }
                  orders.add((String) runtime.awaitExit(to, Duration.ofDays(1)).result());
                }
              })
          .orThrow();
    }
    assertThat(orders).containsExactly("ax");
  }

  @Test
  @Tag("sim-10")
  void twoMailboxes_neverContradictEachOther() {
    // a sends to both in one order, x in the other: "xa" in the first and "ax" in the second would
    // need a before x, and x before a
    Set<String> pairs = new TreeSet<>();
    for (long seed = 0; seed < 5 * SEEDS; seed++) {
      ProcessSimulation.run(
              seed,
              _ -> {
                try (ProcessRuntime runtime = ProcessRuntime.start()) {
                  Pid one = runtime.spawn(collector(2, true));
                  Pid two = runtime.spawn(collector(2, true));
                  Pid elsewhere = runtime.spawn((_, _) -> {});
                  var _ =
                      runtime.spawn(
                          once(self -> {
                            self.send(elsewhere, "so that x may have been sent before");
                            sendBoth(self, one, two, "a");
                          }));
                  var _ = runtime.spawn(once(self -> sendBoth(self, two, one, "x")));
                  Object first = runtime.awaitExit(one, HOUR).result();
                  pairs.add(first + " " + runtime.awaitExit(two, HOUR).result());
                }
              })
          .orThrow();
    }
    assertThat(pairs).containsExactly("ax ax", "ax xa", "xa xa");
  }

  private static void sendBoth(ProcessContext self, Pid first, Pid second, String text) {
    self.send(first, text);
    self.send(second, text);
  }

  @Test
  @Tag("sim-10")
  void endOfAProcess_comesBehindItsMessages_andACancellationBeforeAll() {
    for (long seed = 0; seed < SEEDS; seed++) {
      ProcessSimulation.run(
              seed,
              _ -> {
                try (ProcessRuntime runtime = ProcessRuntime.start()) {
                  List<Object> got = new ArrayList<>();
                  Pid to =
                      runtime.spawn(
                          CoroutineProcess.of(self -> {
                            self.context().trapExits();
                            Pid own = self.context().self();
                            var _ =
                                self.context()
                                    .spawn(
                                        once(sender -> sender.send(own, "a")),
                                        StartOptions.defaults().monitored());
                            for (int i = 0; i < 2; i++) {
                              got.add(self.receive(_ -> true));
                            }
                            self.sleep(HOUR); // a message and a cancellation come meanwhile
                            got.add(self.receive(_ -> true));
                            return null;
                          }));
                  Pid other =
                      runtime.spawn(
                          CoroutineProcess.of(self -> {
                            self.sleep(Duration.ofMinutes(1));
                            self.context().send(to, "late");
                            runtime.cancel(to, "enough", Duration.ofDays(1));
                            return null;
                          }));
                  assertThat(runtime.awaitExit(other, HOUR).reason()).isEqualTo(Exit.Reason.NORMAL);
                  assertThat(runtime.awaitExit(to, Duration.ofDays(1)).cause()).isNull();
                  assertThat(got.get(0)).isEqualTo("a");
                  assertThat(got.get(1)).isInstanceOf(ProcessSignal.Down.class);
                  assertThat(got.get(2)).isInstanceOf(ProcessSignal.Cancel.class);
                }
              })
          .orThrow();
    }
  }
}
