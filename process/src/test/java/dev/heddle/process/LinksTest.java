// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.assertj.core.api.Condition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A link that was undone has no effect any more, and links can be listed.
@Timeout(300)
class LinksTest {
  private static final int ROUNDS =
      300; // one in four was wrong, when an end told whom it had taken
  private static final int BESIDE = 10; // links that the end has to tell first
  private static final int STEPS = 2_000; // after the unlink: enough for an end to come through

  private final ProcessRuntime runtime = ProcessRuntime.builder().workers(2).start();

  @AfterEach
  void end() {
    runtime.shutdown(Kit.SOON);
  }

  /// Does what it is sent within a step, and hands on all else that comes.
  private interface Deed {
    void in(ProcessContext self) throws Exception;
  }

  private Pid obedient(BlockingQueue<Object> got) {
    return runtime.spawn(
        Kit.process((self, events, out) -> {
          for (ProcessEvent event : events) {
            switch (event.data()) {
              case Deed deed -> deed.in(self);
              case ProcessSignal.Cancel _ -> out.done();
              case null, default -> got.add(Objects.requireNonNull(event.data()));
            }
          }
        }));
  }

  private <T> T ask(Pid pid, Function<ProcessContext, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    runtime.send(pid, (Deed) self -> answer.complete(question.apply(self)));
    return Kit.get(answer);
  }

  private static Process failing() {
    return Kit.process((_, events, _) -> {
      if (!events.isEmpty()) {
        throw new IllegalStateException("boom");
      }
    });
  }

  @Test
  @Tag("proc-240")
  void unlink_withTheSignalInTheMailbox_takesItBack() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid one = obedient(got);
    Pid other = runtime.spawn(failing());
    var exit = runtime.whenExited(other);
    ask(
        one,
        self -> {
          self.trapExits();
          self.link(other);
          runtime.send(other, "fail");
          Kit.get(exit); // links are told before
          self.unlink(other);
          return "";
        });
    runtime.send(one, "the next message");
    assertThat(Kit.take(got)).isEqualTo("the next message");
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-240")
  void unlink_byAnAddressFromText_takesTheSignalBack_alsoOfOneThatNeverWas() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid one = obedient(got);
    Pid never = new Pid("", "heddle", 12345, 1);
    Pid other = runtime.spawn(failing());
    runtime.send(other, "fail");
    Kit.exit(runtime, other);
    ask(
        one,
        self -> {
          self.trapExits();
          self.link(never);
          self.link(other);
          self.unlink(Pid.parse(never.toString()));
          self.unlink(Pid.parse(other.toString()));
          return "";
        });
    runtime.send(one, "the next message");
    assertThat(Kit.take(got)).isEqualTo("the next message");
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-240")
  void linkThatIsMadeAnew_revivesNoOldSignal() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid one = obedient(got);
    Pid other = runtime.spawn(failing());
    var exit = runtime.whenExited(other);
    ask(
        one,
        self -> {
          self.trapExits();
          self.link(other);
          runtime.send(other, "fail");
          Kit.get(exit);
          self.unlink(other);
          self.link(other); // told at once, and once
          return "";
        });
    runtime.send(one, "the next message");
    assertThat(List.of(Kit.take(got), Kit.take(got))) // of two senders: in any order
        .haveExactly(1, new Condition<>(ProcessSignal.LinkDown.class::isInstance, "a LinkDown"))
        .contains("the next message");
    assertThat(got).isEmpty();
  }

  @Test
  @Tag("proc-240")
  void unlink_ofABodyThatHasPassedOverTheSignal_takesItBack() throws Exception {
    BlockingQueue<Object> got = Kit.queue();
    Pid other = runtime.spawn(failing());
    ProcessSignal passedOn =
        new ProcessSignal.LinkDown(new Exit(other, Exit.Reason.FAILED, null, null));
    CountDownLatch linked = new CountDownLatch(1);
    Pid body =
        runtime.spawn(
            CoroutineProcess.of(self -> {
              self.context().trapExits();
              self.context().link(other);
              linked.countDown();
              String goOn = self.receive(String.class); // the signal stays in its inbox
              self.context().unlink(other);
              got.add(goOn);
              got.add(Objects.requireNonNull(self.receive())); // a message, though it looks like it
              got.add(Objects.requireNonNull(self.receive()));
              return null;
            }));
    linked.await();
    runtime.send(other, "fail");
    Kit.exit(runtime, other);
    runtime.send(body, passedOn);
    runtime.send(body, "go on");
    runtime.send(body, 42);
    assertThat(Kit.take(got)).isEqualTo("go on");
    assertThat(Kit.take(got)).isSameAs(passedOn);
    assertThat(Kit.take(got)).isEqualTo(42);
  }

  /// Undoes its link while the other ends, and goes on for many steps: when it takes one more it
  /// was not ended before, and must not be ended by that link any more.
  private Process undoing(
      Pid other, CompletableFuture<?> dying, boolean traps, AtomicInteger after) {
    return new Process() {
      private boolean undone;
      private @Nullable ProcessContext self;

      @Override
      public void init(ProcessContext context, String method, @Nullable Object input) {
        self = context;
        if (traps) {
          context.trapExits();
        }
        context.link(other);
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) {
        boolean told = events.stream().anyMatch(e -> e.data() instanceof ProcessSignal.LinkDown);
        if (!undone) {
          if (told) {
            out.done("told before");
          } else if (dying.isDone()) {
            Objects.requireNonNull(self).unlink(other);
            undone = true;
            out.continueNow();
          } else {
            out.continueNow();
          }
        } else if (told) {
          out.done("told although it was undone");
        } else if (after.incrementAndGet() > STEPS) {
          out.done("left alone");
        } else {
          out.continueNow();
        }
      }
    };
  }

  @Test
  @Tag("proc-240")
  void unlink_whileTheOtherEnds_ofOneThatTraps_isLeftAlone() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Exit exit = raced(true, new AtomicInteger());
      assertThat(exit.result()).as("round %d", i).isIn("told before", "left alone");
    }
  }

  @Test
  @Tag("proc-240")
  void unlink_whileTheOtherEnds_ofOneThatDoesNotTrap_isLeftAlone_orWasEndedBefore()
      throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      AtomicInteger after = new AtomicInteger();
      Exit exit = raced(false, after);
      if (exit.reason() != Exit.Reason.NORMAL) { // decided before: no step follows
        assertThat(after).as("round %d: steps after the unlink", i).hasValue(0);
      }
    }
  }

  private Exit raced(boolean traps, AtomicInteger after) throws Exception {
    CompletableFuture<Object> dying = new CompletableFuture<>();
    Pid other =
        runtime.spawn(
            new Process() {
              @Override
              public void step(List<ProcessEvent> events, StepOutput out) {
                if (!events.isEmpty()) {
                  throw ProcessExitException.shutdown(); // quietly
                }
              }

              @Override
              public void close() {
                dying.complete("");
              }
            });
    CountDownLatch linked = new CountDownLatch(BESIDE);
    for (int i = 0; i < BESIDE; i++) {
      runtime.spawn(
          Kit.process((self, _, _) -> {
            if (linked.getCount() > 0) {
              self.link(other);
              linked.countDown();
            }
          }));
    }
    linked.await();
    Pid one = runtime.spawn(undoing(other, dying, traps, after));
    Kit.get(runtime.whenStarted(one));
    var exit = runtime.whenExited(one);
    runtime.send(other, "end");
    return Kit.get(exit);
  }

  @Test
  @Tag("proc-248")
  void links_andMonitored_areListed_alsoInTheSnapshot_untilTheyAreUndone() {
    Pid one = obedient(Kit.queue());
    Pid a = runtime.spawn(Kit.untilMessage());
    Pid b = obedient(Kit.queue());
    List<List<Pid>> seen =
        ask(
            one,
            self -> {
              self.link(b);
              self.link(a);
              long monitor = self.monitor(a);
              List<Pid> links = self.links();
              List<Pid> monitored = self.monitored();
              self.demonitor(monitor);
              return List.of(links, monitored, self.monitored());
            });
    assertThat(seen).containsExactly(List.of(b, a), List.of(a), List.of());
    assertThat(ask(b, ProcessContext::links)).containsExactly(one);
    ProcessSnapshot snapshot = Objects.requireNonNull(runtime.process(one));
    assertThat(snapshot.links()).containsExactly(b, a);
    runtime.send(a, "end"); // normally
    Kit.exit(runtime, a);
    assertThat(ask(one, ProcessContext::links)).containsExactly(b);
    ask(
        b,
        self -> {
          self.unlink(one);
          return "";
        });
    assertThat(ask(one, ProcessContext::links)).isEmpty();
  }
}
