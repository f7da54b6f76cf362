// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Where a scope may be closed, and what its end says about failures and cancellations.
@Timeout(60)
class ScopeEndTest {
  private final Log log = new Log();

  // ---- closed in the wrong place ----

  @Test
  void scopeBlock_closedFromInsideItself_isRefusedAndItsMembersGoOn() {
    String result =
        Heddle.run(() ->
            Heddle.scope(s -> {
              var member =
                  s.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return "member done";
                  });
              assertThatThrownBy(s::close).isInstanceOf(IllegalStateException.class);
              assertThat(s.isClosed()).isFalse();
              return member.await();
            }));
    assertThat(result).isEqualTo("member done");
  }

  @Test
  void enclosingScope_closedFromInsideABlock_isRefusedAndItsMembersGoOn() {
    Heddle.run(() -> {
      try (Scope outer = Scope.open()) {
        var member =
            outer.spawn(() -> {
              Heddle.delay(Duration.ofMillis(1));
              return "member done";
            });
        Heddle.scope(inner -> {
          assertThatThrownBy(outer::close)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("inside a block");
          return null;
        });
        assertThat(outer.isClosed()).isFalse();
        assertThat(member.await()).isEqualTo("member done");
      }
    });
  }

  @Test
  void scopeOpenedInsideABlock_closedThere_leavesTheMembersOfTheBlock() {
    String result =
        Heddle.run(() ->
            Heddle.scope(block -> {
              var member =
                  block.spawn(() -> {
                    Heddle.delay(Duration.ofMillis(1));
                    return "member done";
                  });
              Scope opened = Scope.open();
              opened.launch("cut", () -> log.sleep("cut"));
              Heddle.suspend();
              opened.close();
              assertThat(block.isClosed()).isFalse();
              return member.await();
            }));
    assertThat(result).isEqualTo("member done");
    assertThat(log).containsExactly("cut cut");
  }

  // ---- what nobody joined ----

  private void failingMember(RuntimeException failure, Scope scope) {
    scope.launch(
        "failing",
        () -> {
          throw failure;
        });
    Heddle.suspend();
  }

  @Test
  void failureOfAScopeNobodyJoined_isReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        try (Scope scope = Scope.open()) {
          failingMember(failure, scope);
        }
        assertThat(reports.failures()).containsExactly(failure);
      });
      assertThat(reports.failures()).hasSize(1);
    }
  }

  @Test
  void failureOfAScopeLeftOpen_isReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> failingMember(failure, Scope.open()));
      assertThat(reports.failures()).containsExactly(failure);
    }
  }

  @Test
  void failureOfAScopeThatWasJoined_isNotReported() {
    IllegalStateException failure = new IllegalStateException("x");
    try (Reports reports = new Reports()) {
      Heddle.run(() -> {
        try (Scope scope = Scope.open()) {
          failingMember(failure, scope);
          assertThatThrownBy(scope::join).isSameAs(failure);
        }
      });
      assertThat(reports.failures()).isEmpty();
    }
  }

  @Test
  @Tag("loop-96")
  void join_ofACancelledScope_throwsWhenItsMembersHaveEnded() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.launch("member", () -> log.sleep("member"));
        Heddle.suspend();
        scope.cancel("msg");
        assertThat(scope.isClosed()).isFalse();
        assertThatThrownBy(scope::join)
            .isInstanceOf(Cancellation.class)
            .hasMessage("the scope has been cancelled");
        assertThat(log).containsExactly("member cut");
      }
    });
  }

  @Test
  void join_twice_afterItEndedTheBackgroundMembers_returnsBothTimes() {
    Heddle.run(() -> {
      try (Scope scope = Scope.open()) {
        scope.background("watcher", () -> log.sleep("watcher"));
        Heddle.suspend();
        scope.join();
        scope.join();
      }
    });
    assertThat(log).containsExactly("watcher cut");
  }
}
