// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// In which order a process sees what another has sent, its answers and its end.
@Timeout(300)
class ProcessSignalOrderTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  // one process that looks at nothing before it may
  private final CountDownLatch inStep = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<String> seen = new ArrayList<>(); // by that process; read after its end
  private final AtomicReference<@Nullable Pid> child = new AtomicReference<>();

  @AfterEach
  void end() {
    goOn.countDown();
    runtime.shutdown(Duration.ofMillis(100));
  }

  private static String named(ProcessEvent event) {
    return event.isMessage() ? named(event.data()) : "answer " + event.data();
  }

  private static String named(@Nullable Object message) {
    return message instanceof ProcessSignal processSignal
        ? processSignal.getClass().getSimpleName()
        : String.valueOf(message);
  }

  /// A step in which the whole life of another fits, and that sees what has come only after it.
  private abstract class Late implements Process {
    private @Nullable ProcessContext self;
    private boolean begun;

    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {
      self = context;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
      if (!begun) {
        begun = true;
        begin(Objects.requireNonNull(self), out);
        return;
      }
      for (ProcessEvent event : events) {
        seen.add(named(event));
      }
      if (isDone()) {
        out.done();
      }
    }

    abstract void begin(ProcessContext context, StepOutput out) throws Exception;

    abstract boolean isDone();
  }

  private Late watching(int events) {
    return new Late() {
      @Override
      void begin(ProcessContext context, StepOutput out) throws Exception {
        Pid me = context.self();
        Pid other =
            context.spawn(
                Kit.process((self, _, end) -> {
                  self.send(me, "first");
                  self.send(me, "last");
                  end.done();
                }));
        context.monitor(other);
        child.set(other);
        inStep.countDown();
        goOn.await();
      }

      @Override
      boolean isDone() {
        return seen.size() >= events;
      }
    };
  }

  @ParameterizedTest
  @EnumSource(MailboxPolicy.class)
  @Tag("proc-230")
  void down_standsBehindTheMessagesOfTheOneThatHasEnded(MailboxPolicy policy) throws Exception {
    Pid parent = runtime.spawn(watching(3), StartOptions.defaults().withMailbox(2, policy));
    var exit = runtime.whenExited(parent);
    inStep.await();
    Kit.get(runtime.whenExited(Objects.requireNonNull(child.get())));
    goOn.countDown();
    Kit.get(exit);
    assertThat(seen).containsExactly("first", "last", "Down");
  }

  @Test
  @Tag("proc-230")
  void down_keepsItsPlace_whereTheMessageBeforeItIsDropped() throws Exception {
    Pid parent =
        runtime.spawn(
            watching(2), StartOptions.defaults().withMailbox(1, MailboxPolicy.DROP_OLDEST));
    var exit = runtime.whenExited(parent);
    inStep.await();
    Kit.get(runtime.whenExited(Objects.requireNonNull(child.get())));
    goOn.countDown();
    Kit.get(exit);
    assertThat(seen).containsExactly("last", "Down");
  }

  @Test
  @Tag("proc-230")
  void linkDown_standsBehindTheMessagesOfTheOneThatHasFailed() throws Exception {
    Pid parent =
        runtime.spawn(
            new Late() {
              @Override
              void begin(ProcessContext context, StepOutput out) throws Exception {
                Pid me = context.self();
                context.trapExits();
                Pid other =
                    context.spawn(
                        Kit.process((self, _, _) -> {
                          self.send(me, "before");
                          throw new IllegalStateException("on purpose");
                        }),
                        StartOptions.defaults().linked());
                Kit.get(context.runtime().whenExited(other));
              }

              @Override
              boolean isDone() {
                return seen.size() == 2;
              }
            });
    Kit.get(runtime.whenExited(parent));
    assertThat(seen).containsExactly("before", "LinkDown");
  }

  @Test
  @Tag("proc-230")
  void down_ofABody_standsBehindWhatWasSentBefore_andComesWhereOnlyThatIsWanted() {
    Pid parent =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Pid me = self.context().self();
              Pid other =
                  self.context()
                      .spawn(
                          CoroutineProcess.of(its -> {
                            its.context().send(me, "result");
                            return null;
                          }));
              self.context().monitor(other);
              runtime.whenExited(other).get();
              return List.of(named(self.receive()), named(self.receive()));
            }));
    assertThat(Kit.exit(runtime, parent).result()).isEqualTo(List.of("result", "Down"));
  }

  @ParameterizedTest
  @EnumSource(MailboxPolicy.class)
  @Tag("proc-298")
  void requestToEnd_standsBeforeTheMessagesThatAreSentBehindIt(MailboxPolicy policy)
      throws Exception {
    var exit = spawnLate(StartOptions.defaults().withMailbox(2, policy), 3);
    Kit.exit(runtime, runtime.spawn(asksForAnEndBetweenMessages(1)));
    goOn.countDown();
    Kit.get(exit);
    assertThat(seen).containsExactly("before 0", "ExitRequest", "behind 0");
  }

  @Test
  @Tag("proc-298")
  void requestToEnd_standsBeforeTheFloodThatIsSentBehindIt() throws Exception {
    var exit = spawnLate(ROOMY, 2 * FLOOD + 1);
    Kit.exit(runtime, runtime.spawn(asksForAnEndBetweenMessages(FLOOD)));
    goOn.countDown();
    Kit.get(exit);
    assertThat(seen).hasSize(2 * FLOOD + 1);
    assertThat(seen.indexOf("ExitRequest")).isEqualTo(FLOOD);
  }

  private @Nullable Pid late;

  private CompletableFuture<Exit> spawnLate(StartOptions options, int events)
      throws InterruptedException {
    late =
        runtime.spawn(
            new Late() {
              @Override
              void begin(ProcessContext context, StepOutput out) throws Exception {
                context.trapExits();
                inStep.countDown();
                goOn.await();
              }

              @Override
              boolean isDone() {
                return seen.size() == events;
              }
            },
            options);
    var exit = runtime.whenExited(late).toCompletableFuture();
    inStep.await();
    return exit;
  }

  private Process asksForAnEndBetweenMessages(int messages) {
    return Kit.process((self, _, out) -> {
      Pid to = Objects.requireNonNull(late);
      for (int i = 0; i < messages; i++) {
        self.send(to, "before " + i);
      }
      self.requestExit(to, "enough");
      for (int i = 0; i < messages; i++) {
        self.send(to, "behind " + i);
      }
      out.done();
    });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("proc-298")
  void answer_standsBeforeTheMessagesThatAreSentBehindIt(boolean inAFlood) throws Exception {
    Process server =
        Kit.process((self, events, out) -> {
          for (ProcessEvent event : events) {
            if (event.data() instanceof Request(Pid asker, Reply<@Nullable Object> reply)) {
              self.send(asker, "before");
              reply.complete("done");
              self.send(asker, "behind");
              self.send(asker, "last");
              out.done();
            }
          }
        });
    for (int i = 0; i < 200; i++) { // what has come when it looks, is not in our hand
      seen.clear();
      Process asker =
          new Late() {
            @Override
            void begin(ProcessContext context, StepOutput out) {
              out.execute(1, Commands.ask(context.spawn(server), context.self(), DAY));
            }

            @Override
            boolean isDone() {
              return seen.size() == 4;
            }
          };
      Kit.exit(runtime, runtime.spawn(asker, inAFlood ? ROOMY : StartOptions.defaults()));
      assertThat(seen).containsExactly("before", "answer done", "behind", "last");
    }
  }

  /// The answer was put into the mailbox by the asker, once it had sent the request and was ready
  /// for it: behind what the other had sent meanwhile.
  @Test
  @Tag("proc-298")
  void answer_givenWhileTheRequestIsStillBeingSent_standsBeforeTheMessageThatIsSentBehindIt() {
    Ref<Object> server = runtime.ref(runtime.spawn(Kit.process((_, _, _) -> {})), Object.class);
    Pid asker =
        runtime.spawn(
            new Late() {
              @Override
              void begin(ProcessContext context, StepOutput out) {
                Pid me = context.self();
                out.execute(
                    1,
                    Commands.ask(
                        server,
                        (Reply<String> reply) -> {
                          CompletableFuture.runAsync(
                                  () -> {
                                    reply.complete("done");
                                    runtime.send(me, "behind");
                                  })
                              .join();
                          return "request";
                        },
                        DAY));
              }

              @Override
              boolean isDone() {
                return seen.size() == 2;
              }
            });
    Kit.exit(runtime, asker);
    assertThat(seen).containsExactly("answer done", "behind");
  }

  private Process server() {
    return Kit.process((self, events, out) -> {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request(Pid asker, Reply<@Nullable Object> reply)) {
          self.send(asker, "progress");
          reply.complete("done");
          out.done();
        }
      }
    });
  }

  private Late asking(boolean deaf) {
    return new Late() {
      @Override
      void begin(ProcessContext context, StepOutput out) {
        Pid server = context.spawn(server());
        out.execute(1, Commands.ask(server, context.self(), DAY));
        if (deaf) {
          out.awaitCommands();
        }
      }

      @Override
      boolean isDone() {
        return seen.size() == 2;
      }
    };
  }

  @Test
  @Tag("proc-231")
  void answer_standsBehindTheMessagesThatWereSentBeforeIt() {
    for (int i = 0; i < 200; i++) { // what has come when it looks, is not in our hand
      seen.clear();
      Kit.exit(runtime, runtime.spawn(asking(false)));
      assertThat(seen).containsExactly("progress", "answer done");
    }
  }

  @Test
  @Tag("proc-231")
  void answer_comesFirst_forAStepThatWaitsForResultsOnly() {
    Kit.exit(runtime, runtime.spawn(asking(true)));
    assertThat(seen).containsExactly("answer done", "progress");
  }

  @Test
  @Tag("proc-231")
  void answer_comesAtOnce_toABodyThatWaitsForIt() {
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              Pid server = self.context().spawn(server());
              Object answer = self.execute(Commands.ask(server, self.context().self(), DAY));
              return List.of(String.valueOf(answer), named(self.receive()));
            }));
    assertThat(Kit.exit(runtime, pid).result()).isEqualTo(List.of("done", "progress"));
  }

  @Test
  @Tag("proc-232")
  void cancel_comesBeforeMessagesThatLieInTheMailbox() throws Exception {
    Pid pid =
        runtime.spawn(
            new Late() {
              @Override
              void begin(ProcessContext context, StepOutput out) throws Exception {
                context.trapExits();
                inStep.countDown();
                goOn.await();
              }

              @Override
              boolean isDone() {
                return seen.size() == 2;
              }
            });
    var exit = runtime.whenExited(pid);
    inStep.await();
    runtime.send(pid, "message");
    runtime.cancel(pid, "enough", DAY);
    goOn.countDown();
    Kit.get(exit);
    assertThat(seen).containsExactly("Cancel", "message");
  }

  // ---- floods: what a step sends in a row is one node of a mailbox without a bound ----

  private static final int FLOOD = 60;
  private static final StartOptions ROOMY =
      StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT);

  private static List<String> floodAnd(String last) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < FLOOD; i++) {
      all.add(String.valueOf(i));
    }
    all.add(last);
    return all;
  }

  private static void flood(ProcessContext self, Pid to) {
    for (int i = 0; i < FLOOD; i++) {
      self.send(to, i);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("proc-230")
  @Tag("proc-285")
  void endOfAnother_standsBehindItsFlood(boolean fails) {
    Pid parent =
        runtime.spawn(
            new Late() {
              @Override
              void begin(ProcessContext context, StepOutput out) throws Exception {
                Pid me = context.self();
                context.trapExits();
                Pid other =
                    context.spawn(
                        Kit.process((self, _, end) -> {
                          flood(self, me);
                          if (fails) {
                            throw new IllegalStateException("on purpose");
                          }
                          end.done();
                        }),
                        fails ? StartOptions.defaults().linked() : StartOptions.defaults());
                if (!fails) {
                  context.monitor(other);
                }
                Kit.get(context.runtime().whenExited(other));
              }

              @Override
              boolean isDone() {
                return seen.size() > FLOOD;
              }
            },
            ROOMY);
    Kit.exit(runtime, parent);
    assertThat(seen).isEqualTo(floodAnd(fails ? "LinkDown" : "Down"));
  }

  @Test
  @Tag("proc-230")
  @Tag("proc-285")
  void requestToEnd_standsBehindTheFloodOfTheStepThatMakesIt() throws Exception {
    Pid pid =
        runtime.spawn(
            new Late() {
              @Override
              void begin(ProcessContext context, StepOutput out) throws Exception {
                context.trapExits();
                inStep.countDown();
                goOn.await();
              }

              @Override
              boolean isDone() {
                return seen.size() > FLOOD;
              }
            },
            ROOMY);
    var exit = runtime.whenExited(pid);
    inStep.await();
    Kit.exit(
        runtime,
        runtime.spawn(
            Kit.process((self, _, out) -> {
              flood(self, pid);
              self.requestExit(pid, "enough");
              out.done();
            })));
    goOn.countDown();
    Kit.get(exit);
    assertThat(seen).isEqualTo(floodAnd("ExitRequest"));
  }

  @Test
  @Tag("proc-231")
  @Tag("proc-285")
  void answer_standsBehindTheFloodOfTheStepThatGivesIt() {
    Process server =
        Kit.process((self, events, out) -> {
          for (ProcessEvent event : events) {
            if (event.data() instanceof Request(Pid asker, Reply<@Nullable Object> reply)) {
              flood(self, asker);
              reply.complete("done");
              out.done();
            }
          }
        });
    for (int i = 0; i < 100; i++) { // what has come when it looks, is not in our hand
      seen.clear();
      Kit.exit(
          runtime,
          runtime.spawn(
              new Late() {
                @Override
                void begin(ProcessContext context, StepOutput out) {
                  out.execute(1, Commands.ask(context.spawn(server), context.self(), DAY));
                }

                @Override
                boolean isDone() {
                  return seen.size() > FLOOD;
                }
              },
              ROOMY));
      assertThat(seen).isEqualTo(floodAnd("answer done"));
    }
  }
}
