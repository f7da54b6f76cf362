// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.event.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What a call is given: nothing that would be found out about later, somewhere else.
@Tag("once")
@SuppressWarnings("NullAway") // null is the point
class ArgumentsTest {
  private static final Body<Object> NO_BODY = null;
  private static final Action NO_ACTION = null;

  private static Arguments call(String name, ThrowingCallable call) {
    return Arguments.of(name, call);
  }

  static Stream<Arguments> callsWithoutABody() {
    Duration second = Duration.ofSeconds(1);
    return Stream.of(
        call("body", () -> Heddle.spawn(NO_BODY)),
        call("body", () -> Heddle.spawn(NO_ACTION)),
        call("body", () -> Heddle.spawn("name", NO_BODY)),
        call("body", () -> Heddle.spawn("name", NO_ACTION)),
        call("name", () -> Heddle.spawn(null, () -> 1)),
        call("body", () -> Heddle.launch("name", null)),
        call("name", () -> Heddle.launch(null, () -> {})),
        call("body", () -> Heddle.background("name", null)),
        call("body", () -> Heddle.scope((ScopeBody<Object>) null)),
        call("action", () -> Heddle.scope(NO_ACTION)),
        call("body", () -> Heddle.supervise((ScopeBody<Object>) null)),
        call("action", () -> Heddle.supervise(NO_ACTION)),
        call("body", () -> Heddle.withTimeout(second, NO_BODY)),
        call("action", () -> Heddle.withTimeout(second, NO_ACTION)),
        call("body", () -> Heddle.withDeadline(Deadline.never(), NO_BODY)),
        call("body", () -> Heddle.shield(NO_BODY)),
        call("body", () -> Heddle.uninterruptibly(NO_BODY)),
        call("body", () -> Heddle.assertNoSuspend(NO_BODY)),
        call("call", () -> Heddle.offload((Callable<Object>) null)),
        call("delay", () -> Deadline.after(null)),
        call("main", () -> Loop.start(null)));
  }

  @ParameterizedTest
  @MethodSource("callsWithoutABody")
  void call_withoutWhatItNeeds_isRefusedByName(String name, ThrowingCallable call) {
    Heddle.run(
        () -> assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(name));
  }

  @Test
  void run_withoutWhatItNeeds_isRefusedByName() {
    assertThatThrownBy(() -> Heddle.run(NO_BODY)).hasMessage("main");
    assertThatThrownBy(() -> Heddle.run(NO_ACTION)).hasMessage("main");
    assertThatThrownBy(() -> Heddle.run(null, () -> 1)).hasMessage("options");
    assertThatThrownBy(() -> Heddle.run(HeddleOptions.defaults(), NO_BODY)).hasMessage("main");
  }

  @Test
  void blocksWithoutAResult_ownWhatIsSpawnedInThem() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      Heddle.scope(() -> {
        Heddle.spawn(() -> {
          Heddle.yieldNow();
          log.add("member");
        });
      });
      log.add("after the scope");
      Heddle.supervise(() -> {
        Coroutine<?> failing =
            Heddle.spawn(
                "failing",
                () -> {
                  throw new IllegalStateException("x");
                });
        assertThatThrownBy(failing::await).hasMessage("x");
      });
    });
    assertThat(log).containsExactly("member", "after the scope");
  }

  @Test
  void futureOfTheJdk_askedForByAnotherThread_isRefusedAndNotLost() {
    Heddle.run(() -> {
      Coroutine<String> coroutine = Heddle.spawn(() -> "done");
      Throwable thrown =
          Heddle.offload(() -> {
            try {
              return coroutine.toCompletableFuture().isDone() ? null : new AssertionError("lost");
            } catch (IllegalStateException e) {
              return e;
            }
          });
      assertThat(thrown).isInstanceOf(IllegalStateException.class);
    });
  }
}
