// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.pool.ProcessPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Another process in the place of one.
@Timeout(300)
class UpgradeTest {
  private ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private void restart(ProcessFactory factory) {
    runtime.close();
    runtime = ProcessRuntime.builder().workers(1).factory(factory).start();
  }

  private final AtomicInteger closed = new AtomicInteger();

  /// Becomes what it is told, on the first message.
  private Process becoming(String source, String method) {
    return new Process() {
      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        if (!events.isEmpty()) {
          out.upgrade(source, method, "input");
        }
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  private Exit upgrade(String source, String method) {
    Pid pid = runtime.spawn(becoming(source, method));
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "go");
    return Kit.get(exit);
  }

  @Test
  @Tag("proc-78")
  void withoutAFactory_fails() {
    assertThat(upgrade("v2", "run").cause()).hasMessageStartingWith("upgrade: no factory");
    assertThat(closed).hasValue(1);
  }

  @Test
  @Tag("proc-79")
  void withoutASource_fails() {
    restart(_ -> Kit.resting());
    assertThat(upgrade("", "run").cause()).hasMessageStartingWith("upgrade: no source");
  }

  @Test
  @Tag("proc-80")
  @Tag("proc-215")
  void factoryThatFails_failsTheProcess_whichIsClosedOnce() {
    restart(_ -> {
      throw new IllegalStateException("create failed");
    });
    assertThat(upgrade("v2", "run").cause()).hasMessage("upgrade: create failed: create failed");
    assertThat(closed).hasValue(1);
  }

  @Test
  @Tag("proc-215")
  void methodThatIsNotThere_closesBothOnce() {
    restart(_ -> becoming("", ""));
    assertThat(upgrade("v2", "fly").cause()).isInstanceOf(UnknownEntryPointException.class);
    assertThat(closed).hasValue(2);
  }

  @Test
  void replaced_isClosed_beforeItsReplacementBegins() {
    AtomicInteger closedBefore = new AtomicInteger();
    restart(_ ->
        new Process() {
          @Override
          public void init(ProcessContext self, String method, @Nullable Object input) {
            closedBefore.set(closed.get());
          }

          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {
            out.done();
          }
        });
    assertThat(upgrade("v2", "run").reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(closedBefore).hasValue(1);
    assertThat(closed).hasValue(1);
  }

  @Test
  @Tag("P13")
  @Tag("proc-82")
  @Tag("proc-83")
  void replacement_keepsPidMailboxNameAndAttributes() throws Exception {
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    restart(source ->
        new Process() {
          private String was = "";

          @Override
          public Set<String> entryPoints() {
            return Set.of("serve");
          }

          @Override
          public void init(ProcessContext self, String method, @Nullable Object input) {
            was = source + " " + method + " " + input + " " + self.attribute("color");
            self.setAttribute("color", "green");
            was += " " + self.attribute("color");
          }

          @Override
          public void step(List<ProcessEvent> events, StepOutput out) {
            if (!events.isEmpty()) {
              out.done(was + " " + events.getFirst().data());
            }
          }
        });
    Pid pid =
        runtime.spawn(
            Kit.process((self, _, out) -> {
              self.setAttribute("color", "red");
              inStep.countDown();
              sent.await(); // until what it will find as the replacement is in its mailbox
              out.upgrade("v2", "serve", 1);
            }),
            StartOptions.defaults().withName("server"));
    var exit = runtime.whenExited(pid);
    inStep.await();
    runtime.send(pid, "for v2");
    sent.countDown();
    assertThat(Kit.get(exit).result()).isEqualTo("v2 serve 1 red green for v2");
    assertThat(Kit.get(exit).pid()).isEqualTo(pid);
  }

  @Test
  @Tag("proc-84")
  void upgradesAgainAndAgain_missNoWakeUp() throws Exception {
    AtomicInteger seen = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(1000);
    class Version implements Process {
      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        if (!events.isEmpty()) {
          seen.addAndGet(events.size());
          events.forEach(_ -> all.countDown());
          out.upgrade("next", RUN, null);
        }
      }
    }
    restart(_ -> new Version());
    Pid pid = runtime.spawn(new Version());
    for (int i = 0; i < 1000; i++) {
      runtime.send(pid, i);
    }
    all.await();
    assertThat(seen).hasValue(1000);
  }

  /// Has a command on its way with the tag 1, and becomes what the factory makes of "next".
  private Pid upgradeWithACommandOnItsWay(Process next, BlockingQueue<Invocation<Object>> calls) {
    runtime.close();
    runtime =
        ProcessRuntime.builder()
            .workers(1)
            .factory(_ -> next)
            .handler(Kit.Call.class, CommandHandler.inline((_, call) -> calls.add(call)))
            .start();
    return runtime.spawn((_, out) -> {
      out.execute(1, new Kit.Call("of the one before"));
      out.upgrade("next", Process.RUN, null);
    });
  }

  @Test
  @Tag("proc-188")
  void coroutine_inThePlaceOfOneWithACommandOnItsWay_hasItsOwnTags() throws Exception {
    BlockingQueue<Invocation<Object>> calls = Kit.queue();
    Pid pid =
        upgradeWithACommandOnItsWay(
            CoroutineProcess.of(self -> self.execute(new Kit.Call("of the body"))), calls);
    var exit = runtime.whenExited(pid);
    Kit.take(calls).complete("for nobody");
    Kit.take(calls).complete("for the body");
    assertThat(Kit.get(exit).result()).isEqualTo("for the body");
  }

  @Test
  @Tag("proc-188")
  void pool_inThePlaceOfOneWithACommandOnItsWay_hasItsOwnTags() throws Exception {
    BlockingQueue<Invocation<Object>> calls = Kit.queue();
    BlockingQueue<Request> asked = Kit.queue();
    Process member = (events, _) -> events.forEach(event -> asked.add((Request) event.data()));
    Pid pool =
        upgradeWithACommandOnItsWay(ProcessPool.of(() -> member).members(1, 1).build(), calls);
    Invocation<Object> before = Kit.take(calls);
    CompletableFuture<Object> answer = runtime.request(pool, "question");
    Request request = Kit.take(asked);
    before.complete("for nobody");
    request.reply().complete("answer");
    assertThat(Kit.get(answer)).isEqualTo("answer");
  }

  /// Collects what it is given, in order, and ends with it when there are as many as wanted.
  private static Process collecting(int wanted) {
    List<Object> all = new ArrayList<>();
    return (events, out) -> {
      events.forEach(event -> all.add(event.isMessage() ? event.data() : "result " + event.data()));
      if (all.size() == wanted) {
        out.done(all);
      }
    };
  }

  /// Becomes another at the first message, in the middle of its batch, which it reads as `first`
  /// does. Its mailbox holds "go", 1, 2, 3 then.
  private @Nullable Object givenToTheNext(
      int wanted, Function<List<ProcessEvent>, @Nullable Object> first) throws Exception {
    restart(_ -> collecting(wanted));
    CountDownLatch sent = new CountDownLatch(1);
    CountDownLatch inStep = new CountDownLatch(1);
    Pid pid =
        runtime.spawn((events, out) -> {
          if (events.isEmpty()) {
            inStep.countDown();
            sent.await();
          } else {
            var _ = first.apply(events);
            out.upgrade("next", Process.RUN, null);
          }
        });
    var exit = runtime.whenExited(pid);
    inStep.await();
    for (Object message : new Object[] {"go", 1, 2, 3}) {
      runtime.send(pid, message);
    }
    sent.countDown();
    return Kit.get(exit).result();
  }

  @Test
  @Tag("proc-263")
  void step_thatUpgradesInTheMiddleOfItsBatch_leavesTheRestToItsReplacement_inOrder()
      throws Exception {
    assertThat(givenToTheNext(3, events -> events.iterator().next())).isEqualTo(List.of(1, 2, 3));
    assertThat(givenToTheNext(3, events -> events.get(0))).isEqualTo(List.of(1, 2, 3));
    assertThat(givenToTheNext(1, events -> events.get(2))).isEqualTo(List.of(3));
    assertThat(givenToTheNext(4, List::size)).isEqualTo(List.of("go", 1, 2, 3));
  }

  /// A batch that is a few messages, a slice of a burst, and a message.
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5, 6, 12, 20, 39, 40})
  @Tag("proc-263")
  @Tag("proc-285")
  void step_thatUpgradesInTheMiddleOfAFlood_leavesTheRestToItsReplacement(int read)
      throws Exception {
    int all = 41;
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    runtime.close();
    List<Object> got = new ArrayList<>();
    Process next =
        (events, out) -> {
          events.forEach(event -> got.add(event.data()));
          if (got.contains(all - 1)) {
            out.done(got);
          }
        };
    runtime = ProcessRuntime.builder().workers(2).factory(_ -> next).start();
    Pid pid =
        runtime.spawn(
            (events, out) -> {
              if (events.isEmpty()) {
                inStep.countDown();
                sent.await();
                return;
              }
              assertThat(events.size()).isEqualTo(all);
              var each = events.iterator();
              for (int i = 0; i < read; i++) {
                assertThat(each.next().data()).isEqualTo(i);
              }
              out.upgrade("next", Process.RUN, null);
            },
            StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT));
    var exit = runtime.whenExited(pid);
    inStep.await();
    Kit.exit(
        runtime,
        runtime.spawn(
            Kit.process((self, _, out) -> {
              for (int i = 0; i < all - 1; i++) {
                self.send(pid, i);
              }
              out.done();
            })));
    runtime.send(pid, all - 1);
    sent.countDown();
    assertThat(Kit.get(exit).result())
        .isEqualTo(java.util.stream.IntStream.range(read, all).boxed().toList());
  }

  @Test
  @Tag("proc-263")
  void stepThatUpgradesAgainAndAgain_atOneMessageEach_losesNone() {
    int all = 10_000;
    List<Object> seen = new ArrayList<>();
    class OneByOne implements Process {
      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        for (ProcessEvent event : events) {
          seen.add(event.data());
          if (seen.size() == all) {
            out.done(seen);
          } else {
            out.upgrade("next", RUN, null);
          }
          return;
        }
      }
    }
    restart(_ -> new OneByOne());
    Pid pid = runtime.spawn(new OneByOne());
    var exit = runtime.whenExited(pid);
    for (int i = 0; i < all; i++) {
      runtime.send(pid, i);
    }
    assertThat(Kit.get(exit).result())
        .isEqualTo(java.util.stream.IntStream.range(0, all).boxed().toList());
  }

  @Test
  @Tag("proc-263")
  void resultsAndSignals_behindTheUpgradeInABatch_areTheReplacements() throws Exception {
    BlockingQueue<Invocation<Object>> calls = Kit.queue();
    List<Object> seen = new ArrayList<>();
    runtime.close();
    runtime =
        ProcessRuntime.builder()
            .workers(1)
            .factory(_ ->
                (events, out) -> {
                  events.forEach(event ->
                      seen.add(event.data() instanceof ProcessSignal.Down ? "down" : event.data()));
                  if (seen.size() == 3) {
                    out.done();
                  }
                })
            .handler(Kit.Call.class, CommandHandler.inline((_, call) -> calls.add(call)))
            .start();
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch inStep = new CountDownLatch(1);
    Pid other = runtime.spawn(Kit.untilMessage());
    int[] steps = {0};
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              switch (++steps[0]) {
                case 1 -> {
                  self.monitor(other);
                  out.execute(1, new Kit.Call("one"));
                  out.execute(2, new Kit.Call("two"));
                  out.continueNow();
                }
                case 2 -> {
                  inStep.countDown();
                  gate.await(); // until results, signal and message are there
                }
                default -> {
                  var _ = events.iterator().next(); // the first result
                  out.upgrade("next", Process.RUN, null);
                }
              }
            }));
    var exit = runtime.whenExited(pid);
    inStep.await();
    Kit.take(calls).complete("first");
    Kit.take(calls).complete("second");
    runtime.send(pid, "message");
    runtime.terminate(other); // told when this worker has its step behind it
    runtime.send(other, "wakes nobody");
    gate.countDown();
    Kit.exit(runtime, other);
    assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(seen).containsExactlyInAnyOrder("second", "message", "down");
  }

  @Test
  @Tag("proc-263")
  void upgradeThatFails_leavesTheRestUnseen_andFailsTheRequestsInIt() throws Exception {
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    Pid pid =
        runtime.spawn((events, out) -> {
          if (events.isEmpty()) {
            inStep.countDown();
            sent.await();
          } else {
            var _ = events.getFirst();
            out.upgrade("next", Process.RUN, null); // there is no factory
          }
        });
    inStep.await();
    runtime.send(pid, "go");
    var answer = runtime.request(pid, "question");
    sent.countDown();
    assertThat(Kit.exit(runtime, pid).cause()).hasMessageStartingWith("upgrade: no factory");
    assertThat(answer).failsWithin(Kit.SOON);
    assertThat(runtime.undelivered()).isEqualTo(1);
  }

  @Test
  @Tag("proc-264")
  void body_thatUpgrades_unwinds_andLeavesWhatItHasNotReceived_inOrder() throws Exception {
    restart(_ -> collecting(3));
    BlockingQueue<String> story = Kit.queue();
    CountDownLatch sent = new CountDownLatch(1);
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              sent.await();
              try {
                self.receive("go"::equals); // and passes over "a" and "b"
                self.upgrade("next", Process.RUN, null);
                story.add("went on");
              } finally {
                story.add("cleaned up");
              }
              return null;
            }));
    var exit = runtime.whenExited(pid);
    for (Object message : new Object[] {"a", "b", "go", "c"}) {
      runtime.send(pid, message);
    }
    sent.countDown();
    assertThat(Kit.get(exit).result()).isEqualTo(List.of("a", "b", "c"));
    assertThat(story).containsExactly("cleaned up");
  }

  @Test
  @Tag("proc-264")
  void body_thatSwallowsItsUpgrade_waitsForNothingAnyMore() throws Exception {
    restart(_ -> Kit.untilMessage());
    BlockingQueue<Throwable> thrown = Kit.queue();
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              try {
                self.upgrade("next", Process.RUN, null);
              } catch (dev.heddle.Cancellation swallowed) {
                thrown.add(swallowed);
              }
              try {
                return self.receive();
              } catch (dev.heddle.Cancellation again) {
                thrown.add(again);
                throw again;
              }
            }));
    var exit = runtime.whenExited(pid);
    assertThat(Kit.take(thrown)).hasMessageContaining("in place of this body");
    Kit.take(thrown);
    runtime.send(pid, "for the next");
    assertThat(Kit.get(exit).result()).isEqualTo("for the next");
  }

  @Test
  @Tag("proc-264")
  void body_whoseUpgradeFails_fails_andCleansUp() throws Exception {
    BlockingQueue<String> story = Kit.queue();
    Pid pid =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              try {
                self.upgrade("next", Process.RUN, null);
              } finally {
                story.add("cleaned up");
              }
              return null;
            }));
    assertThat(Kit.exit(runtime, pid).cause()).hasMessageStartingWith("upgrade: no factory");
    assertThat(story).containsExactly("cleaned up");
  }
}
