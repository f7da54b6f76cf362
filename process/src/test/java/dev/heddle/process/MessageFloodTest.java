// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Steps that send much to one process.
@Tag("P9")
@Timeout(300)
class MessageFloodTest {
  private static final StartOptions ROOMY =
      StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT);
  private static final String GO = "go";

  private record Item(int sender, int number) {}

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(3).start();

  // one process that takes nothing before it may
  private final CountDownLatch inStep = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void end() {
    goOn.countDown();
    runtime.close();
  }

  /// Completes with all that it was sent, when those are as many.
  private Pid collector(StartOptions how, int count, CompletableFuture<List<Object>> all) {
    List<Object> got = new ArrayList<>();
    return runtime.spawn(
        (events, _) -> {
          events.forEach(event -> got.add(Objects.requireNonNull(event.data())));
          if (got.size() == count) {
            all.complete(got);
          }
        },
        how);
  }

  private Pid slowCollector(StartOptions how, int count, CompletableFuture<List<Object>> all)
      throws InterruptedException {
    List<Object> got = new ArrayList<>();
    Pid pid =
        runtime.spawn(
            (events, _) -> {
              inStep.countDown();
              goOn.await();
              events.forEach(event -> got.add(Objects.requireNonNull(event.data())));
              if (got.size() == count) {
                all.complete(got);
              }
            },
            how);
    inStep.await();
    return pid;
  }

  private Pid onGo(Kit.Step step) {
    Pid pid =
        runtime.spawn(
            Kit.process((self, events, out) -> {
              for (ProcessEvent event : events) {
                if (GO.equals(event.data())) {
                  step.step(self, events, out);
                }
              }
            }));
    runtime.send(pid, GO);
    return pid;
  }

  // ---- order ----

  @Test
  @Tag("proc-285")
  void manySenders_eachArrivesInItsOrder_nothingTwice() {
    int senders = 8;
    int each = 20_000;
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    Pid receiver = collector(ROOMY, senders * each, all);
    for (int i = 0; i < senders; i++) {
      int sender = i;
      AtomicInteger next = new AtomicInteger();
      Pid pid =
          runtime.spawn(
              Kit.process((self, _, out) -> {
                for (int j = 0; j < 130 && next.get() < each; j++) {
                  self.send(receiver, new Item(sender, next.getAndIncrement()));
                }
                if (next.get() < each) {
                  out.continueNow();
                }
              }));
      assertThat(pid).isNotNull();
    }
    Map<Integer, Integer> expected = new HashMap<>();
    for (Object one : Kit.get(all)) {
      Item item = (Item) one;
      assertThat(item.number()).isEqualTo(expected.getOrDefault(item.sender(), 0));
      expected.put(item.sender(), item.number() + 1);
    }
    assertThat(expected).hasSize(senders).allSatisfy((_, next) -> assertThat(next).isEqualTo(each));
  }

  @Test
  @Tag("proc-285")
  void sendsByAllWays_withOthersBetween_arriveInOrder() throws Exception {
    int count = 400;
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    Pid receiver = slowCollector(ROOMY, count, all);
    Pid other = runtime.spawn(Kit.resting(), ROOMY);
    var _ =
        onGo((self, _, _) -> {
          int next = 0;
          for (int round = 0; next < count; round++) {
            for (int i = 0; i < 17 && next < count; i++) {
              self.send(receiver, next++);
            }
            self.send(other, round);
            if (next < count) {
              runtime.send(receiver, next++);
            }
            if (next < count) {
              assertThat(self.offer(receiver, next++)).isEqualTo(SendResult.ACCEPTED);
            }
          }
          goOn.countDown();
        });
    List<Object> expected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      expected.add(i);
    }
    assertThat(Kit.get(all)).isEqualTo(expected);
  }

  @Test
  @Tag("proc-285")
  void receiverThatIsNotifiedAfterTheFlood_andSendsToo_comesBehindIt() throws Exception {
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    Pid receiver = slowCollector(ROOMY, 51, all);
    CountDownLatch relayed = new CountDownLatch(1);
    Pid relay =
        runtime.spawn(
            Kit.process((self, events, _) -> {
              for (ProcessEvent event : events) {
                self.send(receiver, Objects.requireNonNull(event.data()));
                relayed.countDown();
              }
            }));
    var _ =
        onGo((self, _, _) -> {
          for (int i = 0; i < 50; i++) {
            self.send(receiver, i);
          }
          self.send(relay, "last");
          relayed.await(); // in the same step
          goOn.countDown();
        });
    assertThat(Kit.get(all)).hasSize(51).endsWith("last");
  }

  // ---- nothing is kept back ----

  @Test
  @Tag("proc-286")
  void stepThatDoesNotReturn_keepsNothingBack() {
    int rounds = 200;
    AtomicLong seen = new AtomicLong();
    Pid receiver = runtime.spawn((events, _) -> seen.addAndGet(events.size()), ROOMY);
    CompletableFuture<String> done = new CompletableFuture<>();
    var _ =
        onGo((self, _, _) -> {
          int sent = 0;
          for (int round = 0; round < rounds; round++) {
            for (int i = 0; i <= round % 40; i++) {
              self.send(receiver, i);
              sent++;
            }
            while (seen.get() < sent) { // the step goes on until all of them are seen
              Thread.yield();
            }
          }
          done.complete("done");
        });
    assertThat(Kit.get(done)).isEqualTo("done");
  }

  @Test
  @Tag("proc-287")
  void mailboxOfAReport_countsWhatIsSentInAStepThatGoesOn() throws Exception {
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    Pid receiver = slowCollector(ROOMY, 300, all);
    CompletableFuture<List<Integer>> lengths = new CompletableFuture<>();
    Pid sender =
        onGo((self, _, out) -> {
          List<Integer> found = new ArrayList<>();
          for (int i = 1; i <= 300; i++) {
            self.send(receiver, i);
            found.add(Objects.requireNonNull(runtime.process(receiver)).mailbox());
          }
          lengths.complete(found);
          out.done();
        });
    List<Integer> found = Kit.get(lengths);
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i)).isEqualTo(i + 1);
    }
    assertThat(Kit.exit(runtime, sender).reason()).isEqualTo(Exit.Reason.NORMAL);
    assertThat(Objects.requireNonNull(runtime.process(receiver)).mailbox()).isEqualTo(300);
    goOn.countDown();
    assertThat(Kit.get(all)).hasSize(300);
    assertThat(Objects.requireNonNull(runtime.process(receiver)).mailbox()).isZero();
  }

  @Test
  @Tag("proc-287")
  void stepThatFloodsAMailboxWithABound_learnsOfEachWhetherThereWasRoom() throws Exception {
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    Pid receiver =
        slowCollector(StartOptions.defaults().withMailbox(20, MailboxPolicy.REJECT), 20, all);
    CompletableFuture<List<SendResult>> results = new CompletableFuture<>();
    var _ =
        onGo((self, _, _) -> {
          List<SendResult> found = new ArrayList<>();
          for (int i = 0; i < 30; i++) {
            found.add(self.offer(receiver, i));
          }
          results.complete(found);
        });
    List<SendResult> found = Kit.get(results);
    assertThat(found.subList(0, 20)).containsOnly(SendResult.ACCEPTED);
    assertThat(found.subList(20, 30)).containsOnly(SendResult.FULL);
    goOn.countDown();
    assertThat(Kit.get(all)).hasSize(20);
  }

  // ---- steps and receivers that end ----

  @Test
  @Tag("proc-285")
  void stepThatThrows_hasSentWhatItSent() throws Exception {
    CompletableFuture<List<Object>> all = new CompletableFuture<>();
    Pid receiver = slowCollector(ROOMY, 50, all);
    Pid sender =
        onGo((self, _, _) -> {
          for (int i = 0; i < 50; i++) {
            self.send(receiver, i);
          }
          throw new IllegalStateException("after the sends");
        });
    assertThat(Kit.exit(runtime, sender).reason()).isEqualTo(Exit.Reason.FAILED);
    goOn.countDown();
    assertThat(Kit.get(all)).hasSize(50);
  }

  @Test
  @Tag("proc-288")
  void receiverThatEndsInAFlood_hasSeenOrLeftWhatWasAccepted() {
    AtomicLong seen = new AtomicLong();
    AtomicLong accepted = new AtomicLong();
    for (int round = 0; round < 300; round++) {
      int last = 1 + round % 200;
      int[] count = new int[1];
      Pid receiver =
          runtime.spawn(
              (events, out) -> {
                seen.addAndGet(events.size());
                count[0] += events.size();
                if (count[0] >= last) {
                  out.done();
                }
              },
              ROOMY);
      Pid sender =
          onGo((self, _, out) -> {
            SendResult result;
            while ((result = self.offer(receiver, "item")) == SendResult.ACCEPTED) {
              accepted.incrementAndGet();
            }
            out.done(result);
          });
      assertThat(Kit.exit(runtime, sender).result()).isEqualTo(SendResult.NOT_FOUND);
      assertThat(Kit.exit(runtime, receiver).reason()).isEqualTo(Exit.Reason.NORMAL);
    }
    assertThat(seen.get() + runtime.counters().undelivered()).isEqualTo(accepted.get());
  }

  @Test
  @Tag("proc-288")
  void requestsOfAFlood_toOneThatEndsWithoutALook_failOnce_andAreCountedOnce() throws Exception {
    int count = 100;
    CountDownLatch sent = new CountDownLatch(1);
    Pid receiver =
        runtime.spawn(
            (events, out) -> {
              inStep.countDown();
              sent.await();
              out.done();
            },
            ROOMY);
    inStep.await();
    CompletableFuture<List<CompletableFuture<Object>>> answers = new CompletableFuture<>();
    var _ =
        onGo((_, _, _) -> {
          List<CompletableFuture<Object>> made = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            made.add(runtime.request(receiver, i));
          }
          answers.complete(made);
        });
    List<CompletableFuture<Object>> all = Kit.get(answers);
    sent.countDown();
    for (CompletableFuture<Object> answer : all) {
      assertThat(answer).failsWithin(Kit.SOON);
    }
    assertThat(runtime.counters().undelivered()).isEqualTo(count);
  }

  // ---- receivers that become others ----

  /// Sees the flood message by message, and becomes a step, or a body, after each few.
  private static final class Changing {
    final List<Object> got = Collections.synchronizedList(new ArrayList<>());
    final int all;
    final int atOnce;

    Changing(int all, int atOnce) {
      this.all = all;
      this.atOnce = atOnce;
    }

    private void sees(@Nullable Object message) {
      assertThat(message).isEqualTo(got.size()); // else it fails
      got.add(got.size());
    }

    private boolean isDue() {
      return got.size() == all || got.size() % atOnce == 0;
    }

    Process step() {
      return (events, out) -> {
        for (ProcessEvent event : events) {
          sees(event.data());
          if (isDue()) {
            break;
          }
        }
        if (got.size() == all) {
          out.done();
        } else if (!events.isEmpty() && isDue()) {
          out.upgrade(got.size() % 3 == 0 ? "step" : "body", Process.RUN, null);
        }
      };
    }

    Process body() {
      return CoroutineProcess.of(self -> {
        do {
          sees(self.receive());
        } while (!isDue());
        if (got.size() < all) {
          self.upgrade(got.size() % 3 == 1 ? "body" : "step", Process.RUN, null);
        }
        return null;
      });
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 100000", "7, 100000", "1, 2147483647", "7, 2147483647", "200, 2147483647"})
  @Tag("proc-263")
  @Tag("proc-264")
  @Tag("proc-285")
  void receiverThatBecomesAStepOrABodyInAFlood_seesAllInOrder(int atOnce, int bound) {
    Changing changing = new Changing(1_000 * Math.min(atOnce, 10), atOnce);
    try (ProcessRuntime other =
        ProcessRuntime.builder()
            .workers(2)
            .factory(source -> "step".equals(source) ? changing.step() : changing.body())
            .start()) {
      Pid receiver =
          other.spawn(
              changing.step(), StartOptions.defaults().withMailbox(bound, MailboxPolicy.REJECT));
      var exit = other.whenExited(receiver);
      int[] next = new int[1];
      var _ =
          other.spawn(
              Kit.process((self, _, out) -> {
                for (int i = 0; i < 130 && next[0] < changing.all; i++) {
                  self.send(receiver, next[0]++);
                }
                if (next[0] < changing.all) {
                  out.continueNow();
                } else {
                  out.done();
                }
              }));
      assertThat(Kit.get(exit).reason()).isEqualTo(Exit.Reason.NORMAL);
    }
    List<Object> expected = new ArrayList<>();
    for (int i = 0; i < changing.all; i++) {
      expected.add(i);
    }
    assertThat(changing.got).isEqualTo(expected);
  }

  @Test
  @Tag("proc-285")
  @Tag("proc-286")
  void bodyWithoutABound_receivesWhatItWantsOutOfAFlood_andTheRestInOrder() {
    int count = 300;
    Pid body =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              List<Object> all = new ArrayList<>();
              all.add(Objects.requireNonNull(self.receive(m -> m.equals(count - 1))));
              for (int i = 1; i < count; i++) {
                all.add(Objects.requireNonNull(self.receive()));
              }
              return all;
            }),
            ROOMY);
    var exit = runtime.whenExited(body);
    var _ =
        onGo((self, _, _) -> {
          for (int i = 0; i < count; i++) {
            self.send(body, i);
          }
        });
    List<Object> expected = new ArrayList<>();
    expected.add(count - 1);
    for (int i = 0; i < count - 1; i++) {
      expected.add(i);
    }
    assertThat(Kit.get(exit).result()).isEqualTo(expected);
  }
}
