// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.group.GroupChange;
import dev.heddle.cluster.node.UnusedReply;
import dev.heddle.cluster.wire.Content;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Request;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The end of a session of which a part fails, as it does when there is no memory.
@Timeout(300)
final class RemoteNodeEndTest {
  private final FakeNode here = new FakeNode("a", "b", 1);
  private final FakeNode there = new FakeNode("b", "a", 1);

  /// A wait that cannot be cancelled the first time.
  private final class FailingWait<T extends @Nullable Object> extends CompletableFuture<T> {
    private boolean hasFailed;
    final List<Boolean> underTheLock = new ArrayList<>(); // of each cancel

    @Override
    public boolean cancel(boolean mayInterrupt) {
      underTheLock.add(here.remote.isDelivering());
      if (!hasFailed) {
        hasFailed = true;
        throw new OutOfMemoryError("of a test");
      }
      return super.cancel(mayInterrupt);
    }
  }

  @Test
  @Tag("C4")
  @Tag("C5")
  void end_ofWhichAPartFails_endsTheOtherParts_andThatOneLater() {
    FailingWait<@Nullable Void> room = new FailingWait<>();
    here.nearlyFull = MailboxPolicy.SUSPEND;
    here.offered = SendResult.FULL;
    here.room = room;
    here.remote.handle(
        List.of(
            new Frame.Message(here.pid(0), Content.of(MessageContents.of(there.life, 1))),
            new Frame.Pause(there.pid(0), MailboxPolicy.SUSPEND)));
    CompletableFuture<Exit> exit = here.remote.whenExited(there.pid(0));
    CompletableFuture<@Nullable Void> space = here.remote.room(there.pid(0));
    assertThat(here.remote.counters().heldBytes()).isPositive();

    here.endSession();
    assertThat(exit).isCompletedWithValueMatching(it -> it.reason() == Exit.Reason.NO_CONNECTION);
    assertThat(space).isCompleted();
    assertThat(here.remote.counters().dropped()).isZero();

    here.retry();
    assertThat(room.underTheLock).containsExactly(true, true);
    assertThat(room).isCancelled();
    assertThat(here.remote.counters().dropped()).isEqualTo(1);
    assertThat(here.remote.counters().heldBytes()).isZero();
    assertThat(here.hasRetries()).isFalse();
  }

  /// The asker would wait for ever.
  @Test
  @Tag("C5")
  void end_whenARequestCannotBeFailed_failsItLater() {
    AtomicBoolean hasFailed = new AtomicBoolean();
    here.failing =
        () -> {
          if (hasFailed.compareAndSet(false, true)) {
            throw new OutOfMemoryError("of a test");
          }
        };
    Request request = new Request("question", UnusedReply.get());
    here.remote.send(there.pid(0), request);
    here.remote.send(there.pid(0), request);

    here.endSession();
    here.retry();
    assertThat(here.failed).isEqualTo(2);
    assertThat(here.remote.counters().outgoingCalls()).isZero();
    assertThat(here.hasRetries()).isFalse();
  }

  @Test
  @Tag("C5")
  void end_whenARequestOfTheOtherNodeCannotBeGivenUp_givesItUpLater() {
    FailingWait<@Nullable Object> answer = new FailingWait<>();
    here.answer = answer;
    here.remote.handle(
        List.of(new Frame.Ask(1, here.pid(0), MessageContents.of(there.life, "question"))));
    assertThat(here.remote.counters().incomingCalls()).isEqualTo(1);

    here.endSession();
    here.retry();
    assertThat(answer).isCancelled();
    assertThat(here.remote.counters().incomingCalls()).isZero();
    assertThat(here.hasRetries()).isFalse();
  }

  @Test
  @Tag("C9")
  void end_whoseListenersOfGroupsCannotBeCalled_endsTheOtherParts_andCallsThemLater() {
    List<GroupChange> changes = new ArrayList<>();
    here.remote.handle(List.of(new Frame.Joined("chat", there.pid(0))));
    here.groups.onChange(changes::add);
    changes.clear();
    CompletableFuture<Exit> exit = here.remote.whenExited(there.pid(0));
    here.callbacks =
        _ -> {
          throw new AssertionError("of a test");
        };

    here.endSession();
    assertThat(exit).isCompleted();
    assertThat(changes).isEmpty();

    here.callbacks = Runnable::run;
    here.retry();
    assertThat(changes).containsExactly(new GroupChange("chat", List.of(), List.of(there.pid(0))));
  }
}
