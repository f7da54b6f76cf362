// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import dev.heddle.PinnedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Scopes whose owner cannot wait for them: its frames are pinned, or its switch handlers throw.
@Timeout(300)
class ScopeLeftBehindTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final IllegalStateException body = new IllegalStateException("body");
  private final IllegalStateException broken = new IllegalStateException("handler");
  private final IllegalStateException failure = new IllegalStateException("member");
  private final Log log = new Log();
  private final List<Scope> scopes = new ArrayList<>();

  /// A class is initialised once in a JVM: a test each.
  private static final class Pinned {
    static final List<Scope> SCOPES = new ArrayList<>();

    private static final class Fails {
      static {
        Heddle.scope(s -> {
          SCOPES.add(s);
          s.launch("member", () -> Heddle.delay(LONG));
          throw new IllegalStateException("body");
        });
      }

      static void touch() {}
    }

    private static final class Closes {
      static {
        SCOPES.getLast().close();
      }

      static void touch() {}
    }
  }

  private static List<Throwable> merged(Throwable kept) {
    FailureReport report = Heddle.reportOf(kept);
    return report == null ? List.of() : report.merged();
  }

  @Test
  @Tag("once")
  void blockInAClassInitialiser_thatFailsWithMembersLeft_throwsThatAndIsNoLongerCurrent() {
    Heddle.run(() -> {
      Scope around = Scope.current();
      assertThatThrownBy(Pinned.Fails::touch)
          .cause()
          .hasMessage("body")
          .satisfies(thrown ->
              assertThat(merged(thrown)).hasOnlyElementsOfType(PinnedException.class).isNotEmpty());
      assertThat(Scope.current()).isSameAs(around);
      Scope left = Pinned.SCOPES.getLast();
      assertThat(left.isCancelled()).isTrue();
      left.awaitCancelled();
      assertThat(left.isClosed()).isTrue();
    });
  }

  private void failInTheCleanUp() {
    try {
      Heddle.delay(LONG);
    } catch (Cancellation c) {
      Heddle.yieldNow();
      throw failure;
    }
  }

  @Test
  @Tag("once")
  void scopeClosedInAClassInitialiser_whoseMemberFailsAfterwards_failsTheScopeAbove() {
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s -> {
                  s.launch("owner", this::closeWherePinned);
                  return null;
                })))
        .isSameAs(failure);
    assertThat(Pinned.SCOPES.getLast().isClosed()).isTrue();
  }

  private void closeWherePinned() {
    Scope opened = Scope.open();
    Pinned.SCOPES.add(opened);
    opened.launch("member", this::failInTheCleanUp);
    Heddle.yieldNow();
    assertThatThrownBy(Pinned.Closes::touch).cause().isInstanceOf(PinnedException.class);
    assertThat(opened.isClosed()).isFalse();
  }

  private SwitchHandler failingToLeave(int times) {
    int[] left = {times};
    return (self, kind) -> {
      if (kind == Switch.FINISH) {
        log.add("finish");
      } else if (kind != Switch.ENTER && left[0]-- > 0) {
        throw broken;
      }
      return true;
    };
  }

  @Test
  void block_whoseLeaveHandlerThrowsOnce_throwsWhatItsBodyThrewWhenItsMembersHaveEnded() {
    Heddle.run(() -> {
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                scopes.add(s);
                s.launch("member", () -> log.sleep("member"));
                Heddle.yieldNow();
                Heddle.addSwitchHandler(failingToLeave(1));
                throw body;
              }))
          .isSameAs(body);
      assertThat(merged(body)).containsExactly(broken);
      assertThat(scopes.getFirst().isClosed()).isTrue();
    });
    assertThat(log).containsExactly("member cut", "finish");
  }

  @Test
  void spawn_afterABlockWhoseLeaveHandlerThrew_goesToTheScopeAround() {
    Heddle.run(() -> {
      Scope around = Scope.current();
      assertThatThrownBy(() ->
              Heddle.scope(s -> {
                s.launch("member", () -> log.sleep("member"));
                Heddle.yieldNow();
                Heddle.addSwitchHandler(failingToLeave(Integer.MAX_VALUE));
                return null;
              }))
          .isSameAs(broken);
      assertThat(Scope.current()).isSameAs(around);
    });
    assertThat(log).containsExactly("finish", "member cut");
  }

  @Test
  void openedScope_atTheEndOfACoroutineWhoseLeaveHandlerThrows_isClosedAndItsFailureIsNotLost() {
    try (Reports reports = new Reports()) {
      Heddle.run(() ->
          Heddle.supervise(s -> {
            var owner =
                s.spawn(() -> {
                  Scope opened = Scope.open();
                  scopes.add(opened);
                  opened.launch(
                      "member",
                      () ->
                          Heddle.shield(() -> {
                            Heddle.yieldNow();
                            Heddle.yieldNow();
                            throw failure;
                          }));
                  Heddle.yieldNow();
                  Heddle.addSwitchHandler(failingToLeave(1));
                  return opened;
                });
            assertThatThrownBy(owner::await).isSameAs(broken);
            assertThat(scopes.getFirst().isClosed()).isTrue();
            return null;
          }));
      assertThat(reports.failures()).containsExactly(failure);
    }
    assertThat(log).containsExactly("finish");
  }
}
