// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.DeadlineException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sending, mailboxes and requests.
@Timeout(300)
class MessagesTest {
  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.close();
  }

  private record From(int sender, int number) {}

  @Test
  void events_areAnUnchangingList_howeverItIsRead() throws Exception {
    BlockingQueue<List<ProcessEvent>> kept = Kit.queue();
    try (ProcessRuntime one = ProcessRuntime.builder().workers(1).start()) {
      Pid receiver =
          one.spawn((events, _) -> {
            if (!events.isEmpty()) {
              kept.add(events);
            }
          });
      one.spawn(
          Kit.process((self, _, out) -> {
            List.of("a", "b", "c").forEach(each -> self.send(receiver, each));
            out.done();
          }));
      List<ProcessEvent> events = Kit.take(kept);
      List<ProcessEvent> expected = Stream.of("a", "b", "c").map(ProcessEvent::message).toList();
      assertThat(events).hasSize(3).isEqualTo(expected);
      assertThat(IntStream.of(2, 1, 0).mapToObj(events::get)).isEqualTo(expected.reversed());
      assertThat(new ArrayList<>(events.subList(1, 3))).isEqualTo(expected.subList(1, 3));
      Iterator<ProcessEvent> walk = events.iterator();
      events.forEach(_ -> walk.next());
      assertThat(walk.hasNext()).isFalse();
      assertThatThrownBy(walk::next).isInstanceOf(NoSuchElementException.class);
      assertThatThrownBy(() -> events.get(3)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> events.remove(0)).isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  @Tag("P2")
  @Tag("P10")
  void messages_ofOneSender_arriveInOrder_eachOnce() throws Exception {
    int senders = 8;
    int each = 20_000;
    Map<Integer, Integer> next = new HashMap<>();
    AtomicInteger wrong = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(1);
    AtomicInteger count = new AtomicInteger();
    Pid sink =
        runtime.spawn(
            (events, _) -> {
              for (ProcessEvent event : events) {
                From from = (From) java.util.Objects.requireNonNull(event.data());
                if (next.merge(from.sender(), 1, Integer::sum) != from.number()) {
                  wrong.incrementAndGet();
                }
              }
              if (count.addAndGet(events.size()) == senders * each) {
                all.countDown();
              }
            },
            StartOptions.defaults().withMailbox(senders * each, MailboxPolicy.REJECT));
    for (int s = 0; s < senders; s++) {
      int sender = s;
      AtomicInteger sent = new AtomicInteger();
      runtime.spawn(
          Kit.process((self, _, out) -> {
            for (int i = 0; i < 100; i++) {
              self.send(sink, new From(sender, sent.incrementAndGet()));
            }
            if (sent.get() < each) {
              out.continueNow();
            } else {
              out.done();
            }
          }));
    }
    assertThat(all.await(Kit.GUARD_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(wrong).hasValue(0);
  }

  @Test
  @Tag("proc-60")
  @Tag("proc-168")
  void sendToOneThatHasEnded_failsAndSaysSo() {
    Pid pid = runtime.spawn(Kit.untilMessage());
    var exit = runtime.whenExited(pid);
    runtime.send(pid, "end");
    Kit.get(exit);
    assertThatThrownBy(() -> runtime.send(pid, "more"))
        .isInstanceOf(SendFailedException.class)
        .hasMessageStartingWith("process not found: " + pid + "; it has ended, or never existed");
  }

  @Test
  @Tag("P10")
  void parsedPid_leadsToTheSameProcess() {
    Pid pid = runtime.spawn(Kit.untilMessage());
    var exit = runtime.whenExited(Pid.parse(pid.toString()));
    runtime.send(Pid.parse(pid.toString()), "hello");
    assertThat(Kit.get(exit).result()).isEqualTo("hello");
    Pid otherLife = new Pid("", pid.host(), pid.id(), pid.incarnation() ^ 1);
    assertThat(runtime.offer(otherLife, "x")).isEqualTo(SendResult.NOT_FOUND);
  }

  /// A process whose mailbox nobody empties until it is told to, and what it got then.
  private static final class Slow implements Process {
    final CountDownLatch inStep = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    final CompletableFuture<List<Object>> got = new CompletableFuture<>();
    private final List<Object> all = new ArrayList<>();
    private final int expected;
    private boolean first = true;

    Slow(int expected) {
      this.expected = expected;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
      if (first) {
        first = false;
        inStep.countDown();
        goOn.await();
      }
      events.forEach(e -> all.add(java.util.Objects.requireNonNull(e.data())));
      if (all.size() >= expected) {
        got.complete(all);
      }
    }
  }

  @Test
  @Tag("P9")
  @Tag("proc-214")
  void fullMailbox_refuses_andTheSenderLearns() throws Exception {
    Slow slow = new Slow(3);
    Pid pid = runtime.spawn(slow, StartOptions.defaults().withMailbox(3, MailboxPolicy.REJECT));
    slow.inStep.await();
    for (int i = 0; i < 3; i++) {
      runtime.send(pid, i);
    }
    assertThatThrownBy(() -> runtime.send(pid, 3))
        .isInstanceOf(SendFailedException.class)
        .hasMessageContaining("mailbox of " + pid + " is full");
    slow.goOn.countDown();
    assertThat(Kit.get(slow.got)).containsExactly(0, 1, 2);
  }

  @Test
  @Tag("proc-214")
  void fullMailbox_dropsWhatComes_whereThatIsThePolicy() throws Exception {
    Slow slow = new Slow(3);
    Pid pid =
        runtime.spawn(slow, StartOptions.defaults().withMailbox(3, MailboxPolicy.DROP_NEWEST));
    slow.inStep.await();
    List<SendResult> results = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      results.add(runtime.offer(pid, i));
    }
    assertThat(results).endsWith(SendResult.ACCEPTED, SendResult.DROPPED);
    slow.goOn.countDown();
    assertThat(Kit.get(slow.got)).containsExactly(0, 1, 2);
  }

  // ---- requests ----

  private static Process answering() {
    return (events, out) -> {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Request(Integer number, var reply)) {
          if (number < 0) {
            reply.fail(new IllegalArgumentException("negative"));
          } else if (number == 0) {
            out.done();
          } else {
            reply.complete(number * 2);
            reply.complete(number * 3);
          }
        }
      }
    };
  }

  @Test
  @Tag("P10")
  void ask_waitsForTheFirstAnswer() throws Exception {
    Pid pid = runtime.spawn(answering());
    Integer answer = runtime.ask(pid, 21, Kit.SOON);
    assertThat(answer).isEqualTo(42);
  }

  @Test
  @Tag("P10")
  void ask_failsAsTheAnswerDoes_orWithTheEndOfWhoWasAsked() {
    Pid pid = runtime.spawn(answering());
    assertThatThrownBy(() -> runtime.ask(pid, -1, Kit.SOON))
        .isInstanceOf(AskFailedException.class)
        .hasRootCauseMessage("negative");
    assertThatThrownBy(() -> runtime.ask(pid, 0, Kit.SOON))
        .isInstanceOf(AskFailedException.class)
        .hasMessageContaining("has ended without a reply: NORMAL");
    assertThatThrownBy(() -> runtime.ask(pid, 1, Kit.SOON)).isInstanceOf(SendFailedException.class);
  }

  @Test
  @Tag("P10")
  void ask_givesUpAtItsLimit() {
    Pid silent = runtime.spawn(Kit.resting());
    assertThatThrownBy(() -> runtime.ask(silent, 1, Duration.ofMillis(1)))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("no reply from " + silent);
  }

  @Test
  @Tag("P10")
  void ask_inAStep_isRefused_becauseItWouldHoldTheWorker() throws Exception {
    Pid other = runtime.spawn(answering());
    BlockingQueue<Throwable> thrown = Kit.queue();
    runtime.spawn(
        Kit.process((self, _, _) -> {
          try {
            self.runtime().ask(other, 1, Kit.SOON);
          } catch (IllegalStateException e) {
            thrown.add(e);
          }
        }));
    assertThat(Kit.take(thrown)).hasMessageContaining("ask() would hold a worker");
  }

  @Test
  @Tag("P10")
  void ask_interrupted_givesItsRequestUp() throws Exception {
    BlockingQueue<Request> asked = Kit.queue();
    Pid pid = runtime.spawn((events, _) -> events.forEach(e -> asked.add((Request) e.data())));
    Thread asking =
        Thread.ofPlatform()
            .start(() -> {
              try {
                runtime.ask(pid, "x", Kit.SOON);
              } catch (InterruptedException _) {
                // what was wanted
              }
            });
    Request request = Kit.take(asked);
    assertThat(request.reply().isOpen()).isTrue();
    asking.interrupt();
    asking.join();
    assertThat(request.reply().isOpen()).isFalse();
    assertThat(request.reply().complete("too late")).isFalse();
  }
}
