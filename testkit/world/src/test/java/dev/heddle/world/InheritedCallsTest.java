// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.programs.Subclasses;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Calls that name a subclass of the class whose method they call.
@Tag("sim-15")
class InheritedCallsTest {
  private static Object resultOf(Callable<?> program) throws Exception {
    FifoWorld.Outcome outcome = FifoWorld.run(program);
    outcome.orThrow();
    return Objects.requireNonNull(outcome.result());
  }

  @Test
  void idsOfThreads_areThoseOfTheWorld_alsoByWayOfASubclass() throws Exception {
    check(resultOf(Subclasses::ofSubclasses));
    check(Subclasses.ofSubclasses()); // the classes are rewritten for production, too
  }

  private static void check(Object all) {
    ((Map<?, ?>) all)
        .forEach((type, found) -> {
          Map<?, ?> seen = (Map<?, ?>) found;
          seen.forEach((what, value) -> {
            Object expected = seen.get(value instanceof Thread ? "thread" : "expected id");
            assertThat(value).as("%s of a %s", what, type).isEqualTo(expected);
          });
        });
  }

  @Test
  void currentThread_isThatOfTheWorld_alsoByWayOfASubclass() throws Exception {
    Map<?, ?> seen = (Map<?, ?>) resultOf(Subclasses::current);
    seen.forEach((how, thread) -> assertThat(thread).as("%s", how).isSameAs(seen.get("expected")));
    assertThat(((Thread) seen.get("expected")).isVirtual()).isFalse();
  }

  @Test
  void localHost_isThatOfTheWorld_alsoByWayOfASubclass() throws Exception {
    assertThat(resultOf(Subclasses::localHost)).hasToString("localhost/127.0.0.1");
  }

  @Test
  void methodsThatAProgramDeclaresItself_areLeftAlone() throws Exception {
    for (Object all : new Object[] {resultOf(Subclasses::own), Subclasses.own()}) {
      Map<?, ?> seen = (Map<?, ?>) all;
      assertThat(seen.get("hidden")).isSameAs(Subclasses.OTHER);
      assertThat(seen.get("overridden")).isEqualTo(seen.get("expected"));
      assertThat(seen.get("overridden, seen as a thread")).isEqualTo(seen.get("expected"));
    }
  }
}
