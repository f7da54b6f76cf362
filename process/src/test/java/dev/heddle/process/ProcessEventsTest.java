// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.process.behavior.GenServer;
import dev.heddle.process.event.DeadLetter;
import dev.heddle.process.event.DeadLetter.Reason;
import dev.heddle.process.event.EventBus;
import dev.heddle.process.event.ProcessExited;
import dev.heddle.process.event.ProcessStarted;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Events: of programs, dead letters, starts and ends.
@Timeout(300)
class ProcessEventsTest extends CoroutineFixture {
  sealed interface Order {}

  record Placed(int number) implements Order {}

  record Paid(int number) implements Order {}

  private final BlockingQueue<Object> seen = Kit.queue();
  private final EventBus events = runtime.events();

  private Pid reader(Class<?> of) {
    Pid reader =
        runtime.spawn(
            Kit.process((self, all, _) -> {
              for (ProcessEvent event : all) {
                seen.add(event.data());
              }
            }));
    assertThat(events.subscribe(of, reader)).isTrue();
    return reader;
  }

  private void awaitWithoutSubscribers(Class<?> event) {
    while (events.hasSubscribers(event)) {
      Thread.onSpinWait();
    }
  }

  // ---- publish and subscribe ----

  @Test
  @Tag("proc-279")
  void event_reachesAllThatSubscribeToItsClass_orToOneAboveIt() throws Exception {
    reader(Paid.class);
    Pid all = reader(Order.class);
    assertThat(events.publish(new Placed(1))).isEqualTo(1);
    assertThat(Kit.take(seen)).isEqualTo(new Placed(1));
    assertThat(events.publish(new Paid(1))).isEqualTo(2);
    assertThat(Kit.take(seen)).isEqualTo(new Paid(1));
    assertThat(Kit.take(seen)).isEqualTo(new Paid(1));
    assertThat(events.subscribe(Order.class, all)).isFalse();
    assertThat(events.unsubscribe(Order.class, all)).isTrue();
    assertThat(events.unsubscribe(Order.class, all)).isFalse();
    assertThat(events.publish(new Placed(2))).isZero();
    assertThat(events.hasSubscribers(Placed.class)).isFalse();
    assertThat(events.hasSubscribers(Paid.class)).isTrue();
  }

  @Test
  @Tag("proc-279")
  void subscription_endsWithItsProcess_alsoOneThatHasEndedBefore() {
    Pid reader = reader(Order.class);
    runtime.terminate(reader);
    awaitWithoutSubscribers(Placed.class);
    Kit.exit(runtime, reader);
    events.subscribe(Order.class, reader);
    assertThat(events.hasSubscribers(Placed.class)).isFalse();
    events.subscribe(Order.class, reader.address());
    awaitWithoutSubscribers(Placed.class);
  }

  @Test
  @Tag("proc-279")
  void addressThatIsNoProcessOfThisRuntime_isRefused() {
    assertThatThrownBy(() -> events.subscribe(Order.class, new Pid("far", "away", 1, 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(events.hasSubscribers(Placed.class)).isFalse();
  }

  @Test
  @Tag("proc-279")
  void eventForAFullMailbox_isDroppedAndCounted_andNoDeadLetter() throws Exception {
    reader(DeadLetter.class);
    CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
    Pid slow =
        runtime.spawn(
            (_, _) -> {
              begun.complete(null);
              held.join();
            },
            StartOptions.defaults().withMailbox(1, MailboxPolicy.REJECT));
    Kit.get(begun);
    events.subscribe(Order.class, slow);
    assertThat(events.publish(new Placed(1))).isEqualTo(1);
    assertThat(events.publish(new Placed(2))).isZero();
    assertThat(events.dropped()).isEqualTo(1);
    assertThat(runtime.offer(slow, "refused")).isEqualTo(SendResult.FULL);
    held.complete(null);
    assertThat(((DeadLetter) Kit.take(seen)).message()).isEqualTo("refused");
  }

  /// Takes events of orders by its protocol.
  private static final class Orders extends GenServer<Order> {
    private final BlockingQueue<Object> seen;

    Orders(BlockingQueue<Object> seen) {
      super(Order.class);
      this.seen = seen;
    }

    @Override
    protected void receive(Order message) {
      seen.add(message);
    }
  }

  @Test
  @Tag("proc-279")
  void subscriptionByName_holdsForTheNextOwner_untilItIsEnded() throws Exception {
    StartOptions named = StartOptions.defaults().withName("orders");
    Ref<Order> orders = runtime.ref("orders", Order.class);
    assertThat(events.subscribe(Placed.class, orders)).isTrue();
    assertThat(events.publish(new Placed(1))).isZero();
    assertThat(events.dropped()).isEqualTo(1);
    Pid first = Objects.requireNonNull(runtime.spawn(new Orders(seen), named).pid());
    events.publish(new Placed(2));
    assertThat(Kit.take(seen)).isEqualTo(new Placed(2));
    var exit = runtime.whenExited(first);
    runtime.terminate(first);
    Kit.get(exit);
    runtime.spawn(new Orders(seen), named);
    events.publish(new Placed(3));
    assertThat(Kit.take(seen)).isEqualTo(new Placed(3));
    assertThat(events.unsubscribe(Placed.class, orders)).isTrue();
    assertThat(events.hasSubscribers(Placed.class)).isFalse();
  }

  @Test
  @Tag("proc-279")
  void subscriptionOfAStartedRef_endsWithItsProcess() throws Exception {
    Ref<Order> orders = runtime.spawn(new Orders(seen));
    assertThat(events.subscribe(Paid.class, orders)).isTrue();
    assertThat(events.publish(new Paid(1))).isEqualTo(1);
    assertThat(Kit.take(seen)).isEqualTo(new Paid(1));
    assertThat(events.unsubscribe(Paid.class, orders)).isTrue();
    assertThat(events.subscribe(Paid.class, orders)).isTrue();
    runtime.terminate(Objects.requireNonNull(orders.pid()));
    awaitWithoutSubscribers(Paid.class);
  }

  // ---- dead letters ----

  @Test
  @Tag("proc-280")
  void messageWithoutAReceiver_isADeadLetter_andItsSenderIsNamed() throws Exception {
    reader(DeadLetter.class);
    Pid ended = runtime.spawn((_, out) -> out.done());
    Kit.exit(runtime, ended);
    runtime.offer(ended, "late");
    assertThat(Kit.take(seen))
        .isEqualTo(new DeadLetter("late", ended, null, null, Reason.NOT_FOUND));
    runtime.offer("nobody", "by name");
    assertThat(Kit.take(seen))
        .isEqualTo(new DeadLetter("by name", null, "nobody", null, Reason.NOT_FOUND));
    runtime.offer(new Pid("far", "away", 1, 1), "far");
    assertThat(((DeadLetter) Kit.take(seen)).reason()).isEqualTo(Reason.UNREACHABLE);
    Pid sender =
        runtime.spawn(
            Kit.process((self, _, out) -> {
              self.offer(ended, "from a step");
              out.done();
            }));
    assertThat(Kit.take(seen))
        .isEqualTo(new DeadLetter("from a step", ended, null, sender, Reason.NOT_FOUND));
    var _ = runtime.request(ended, "question");
    assertThat(((DeadLetter) Kit.take(seen)).message()).isInstanceOf(Request.class);
  }

  @Test
  @Tag("proc-280")
  void messageThatIsLeftInAMailbox_orIsDropped_isADeadLetter() throws Exception {
    reader(DeadLetter.class);
    CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
    Pid slow =
        runtime.spawn(
            (_, out) -> {
              begun.complete(null);
              held.join();
              out.done();
            },
            StartOptions.defaults().withMailbox(1, MailboxPolicy.DROP_OLDEST));
    Kit.get(begun);
    runtime.send(slow, "first");
    runtime.send(slow, "second");
    assertThat(Kit.take(seen))
        .isEqualTo(new DeadLetter("first", slow, null, null, Reason.DISPLACED));
    held.complete(null);
    assertThat(Kit.take(seen))
        .isEqualTo(new DeadLetter("second", slow, null, null, Reason.RECEIVER_ENDED));
  }

  @Test
  @Tag("proc-280")
  void messageThatASenderWaitedWith_andWhichWasTaken_isNoDeadLetter() throws Exception {
    reader(DeadLetter.class);
    StartOptions suspends = StartOptions.defaults().withMailbox(1, MailboxPolicy.SUSPEND);
    Pid slow =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              for (int i = 0; i < 100; i++) {
                assertThat(self.receive()).isEqualTo(i);
              }
              return null;
            }),
            suspends);
    assertThat(
            result(self -> {
              for (int i = 0; i < 100; i++) {
                self.context().send(slow, i);
              }
              return "sent";
            }))
        .isEqualTo("sent");
    Kit.exit(runtime, slow);
    runtime.offer(slow, "last");
    assertThat(((DeadLetter) Kit.take(seen)).message()).isEqualTo("last");
  }

  // ---- starts and ends ----

  @Test
  @Tag("proc-280")
  void startsAndEnds_arePublished_whileAProcessSubscribes() throws Exception {
    reader(ProcessStarted.class);
    reader(ProcessExited.class);
    StartOptions options = StartOptions.defaults().withName("short");
    Pid pid = runtime.spawn((_, out) -> out.done("result"), options);
    List<Object> expected =
        new ArrayList<>(
            List.of(new ProcessStarted(pid, options), new ProcessExited(Kit.exit(runtime, pid))));
    while (!expected.isEmpty()) {
      expected.remove(Kit.take(seen)); // of two readers: in any order, with the second one's start
    }
  }

  private static ProcessListener listener(
      String name, BlockingQueue<Object> told, Class<? extends Exception> refuses) {
    return new ProcessListener() {
      @Override
      public void onStart(Pid pid, StartOptions options) throws Exception {
        told.add(name + " start");
        if (refuses != Exception.class) {
          throw new java.io.IOException("refused by " + name);
        }
      }

      @Override
      public void onExit(Exit exit) {
        told.add(name + " end");
        throw new IllegalStateException("a listener that fails keeps no other from being told");
      }
    };
  }

  @Test
  @Tag("proc-280")
  void listeners_areAllNotified_inOrder() throws Exception {
    BlockingQueue<Object> told = Kit.queue();
    try (ProcessRuntime other =
        ProcessRuntime.builder()
            .workers(1)
            .listener(listener("a", told, Exception.class))
            .listener(listener("b", told, Exception.class))
            .start()) {
      other.spawn((_, out) -> out.done());
      for (String expected : List.of("a start", "b start", "a end", "b end")) {
        assertThat(Kit.take(told)).isEqualTo(expected);
      }
    }
  }

  @Test
  @Tag("proc-280")
  void startThatAListenerRefuses_endsForThoseBefore_andIsUnknownToThoseBehind() throws Exception {
    BlockingQueue<Object> told = Kit.queue();
    try (ProcessRuntime other =
        ProcessRuntime.builder()
            .workers(1)
            .listener(listener("a", told, Exception.class))
            .listener(listener("b", told, java.io.IOException.class))
            .listener(listener("c", told, Exception.class))
            .start()) {
      assertThatThrownBy(() -> other.spawn((_, out) -> out.done()))
          .isInstanceOf(StartRefusedException.class)
          .hasMessage("refused by b");
      for (String expected : List.of("a start", "b start", "a end")) {
        assertThat(Kit.take(told)).isEqualTo(expected);
      }
      assertThat(told).isEmpty();
    }
  }

  @Test
  @Tag("proc-280")
  void endOfAStartThatAListenerRefused_isNoEvent() throws Exception {
    ProcessListener refusing =
        new ProcessListener() {
          @Override
          public void onStart(Pid pid, StartOptions options) throws Exception {
            if ("refused".equals(options.name())) {
              throw new java.io.IOException("no");
            }
          }
        };
    try (ProcessRuntime other = ProcessRuntime.builder().workers(1).listener(refusing).start()) {
      Pid reader =
          other.spawn(Kit.process((_, all, _) -> all.forEach(event -> seen.add(event.data()))));
      other.events().subscribe(ProcessExited.class, reader);
      StartOptions refused = StartOptions.defaults().withName("refused");
      assertThatThrownBy(() -> other.spawn((_, out) -> out.done(), refused))
          .isInstanceOf(StartRefusedException.class);
      Pid done = other.spawn((_, out) -> out.done());
      assertThat(((ProcessExited) Kit.take(seen)).exit().pid()).isEqualTo(done);
    }
  }
}
