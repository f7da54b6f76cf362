// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.NotDeliveredException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Requests that have no answer yet.
@Tag("C5")
class EntityAsksTest {
  private final List<String> givenUp = new ArrayList<>();
  private final EntityAsks asks =
      new EntityAsks(7, (at, number) -> givenUp.add(at + " " + number), Runnable::run);

  private static void assertLost(CompletableFuture<@Nullable Object> answer, String why) {
    assertThat(answer).isCompletedExceptionally();
    assertThatThrownBy(answer::join)
        .cause()
        .isInstanceOfSatisfying(
            NotDeliveredException.class, it -> assertThat(it.mayBeDelivered()).isTrue())
        .hasMessageContaining(why);
  }

  @Test
  void answer_toARequestOfAnEarlierLife_isThatOfNone() {
    EntityAsks earlier = new EntityAsks(6, (_, _) -> {}, Runnable::run);
    for (int i = 0; i < 3; i++) {
      long before = earlier.begin(Long.MAX_VALUE);
      long now = asks.begin(Long.MAX_VALUE);
      CompletableFuture<@Nullable Object> answer = asks.answer(now);

      asks.complete(before, "wrong");
      assertThat(answer).isNotDone();
      asks.complete(now, "right");
      assertThat(answer).isCompletedWithValue("right");
    }
  }

  @Test
  void request_whoseTimeIsOver_fails_andIsGivenUp() {
    long number = asks.begin(100);
    CompletableFuture<@Nullable Object> answer = asks.answer(number);
    asks.sent(number, "b", 5);
    asks.due(99);
    assertThat(answer).isNotDone();

    asks.due(100);

    assertLost(answer, "no reply in time");
    assertThat(givenUp).containsExactly("b " + number);
    assertThat(asks.size()).isZero();
  }

  @Test
  void request_failsWithTheSessionOfTheNodeThatHasIt_alsoWhenItWasHandedOver() {
    long handedOver = asks.begin(Long.MAX_VALUE);
    CompletableFuture<@Nullable Object> atC = asks.answer(handedOver);
    asks.sent(handedOver, "b", 5);
    assertThat(asks.handedOver(handedOver, "c", 9)).isTrue();
    assertThat(asks.handedOver(handedOver, "d", 7)).isFalse(); // said before, and late
    long held = asks.begin(Long.MAX_VALUE);
    CompletableFuture<@Nullable Object> atNone = asks.answer(held);
    asks.sent(held, "c", 9);
    asks.held(held);

    asks.sessionEnded("b");
    assertThat(atC).isNotDone();
    asks.sessionEnded("c");

    assertLost(atC, "node 'c'");
    assertThat(atNone).isNotDone();
    asks.close("node 'a' has left");
    assertLost(atNone, "has left");
  }

  @Test
  void requestsOfANode_endHere_withItsSession() {
    IncomingAsks incoming = new IncomingAsks("a");
    CompletableFuture<@Nullable Object> ofB = new CompletableFuture<>();
    CompletableFuture<@Nullable Object> ofC = new CompletableFuture<>();
    incoming.begun(new EntityMessage("b", "k", 1, "ask", 10), 1, ofB);
    incoming.begun(new EntityMessage("c", "k", 1, "ask", 10), 1, ofC);

    incoming.sessionEnded("b", Runnable::run);

    assertThat(ofB).isCancelled();
    assertThat(ofC).isNotDone();
    assertThat(incoming.has("b", 1)).isFalse();
    assertThat(incoming.has("c", 1)).isTrue();
    incoming.replied(new EntityMessage("c", "k", 1, "ask", 10));
    assertThat(incoming.size()).isZero();
  }

  @Test
  void requestThatASuccessorHas_staysWithIt_whenTheThreadOfTheEndedEntityIsLate() {
    IncomingAsks incoming = new IncomingAsks("a");
    EntityMessage request = new EntityMessage("b", "k", 1, "ask", 10);
    CompletableFuture<@Nullable Object> ofSuccessor = new CompletableFuture<>();
    CompletableFuture<@Nullable Object> ofEnded = new CompletableFuture<>();

    incoming.begun(request, 2, ofSuccessor);
    incoming.begun(request, 1, ofEnded);
    incoming.notTaken(request, ofEnded);

    assertThat(incoming.has("b", 1)).isTrue();
    incoming.givenUp("b", 1);
    assertThat(ofSuccessor).isCancelled();
    assertThat(incoming.size()).isZero();

    CompletableFuture<@Nullable Object> ofNext = new CompletableFuture<>();
    incoming.begun(request, 1, ofEnded);
    incoming.begun(request, 3, ofNext);
    incoming.notTaken(request, ofEnded);
    incoming.givenUp("b", 1);
    assertThat(ofNext).isCancelled();
  }

  @Test
  void request_givenUpWhileItLeaves_orIsHandedOver_isGivenUpWhereItIs() {
    long number = asks.begin(100);
    CompletableFuture<@Nullable Object> answer = asks.answer(number);
    var _ = answer.cancel(false);
    assertThat(givenUp).containsExactly("null " + number);
    asks.sent(number, "b", 5);
    assertThat(asks.handedOver(number, "c", 9)).isFalse();
    assertThat(givenUp).containsExactly("null " + number, "b " + number, "c " + number);
    asks.sent(0, "b", 5); // no request
    assertThat(givenUp).hasSize(3);
  }
}
