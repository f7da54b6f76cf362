// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.FifoWorld.Outcome;
import dev.heddle.world.programs.Environment;
import dev.heddle.world.programs.Forbidden;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// What cannot be part of a simulation is refused by name, before anything happens.
@Tag("sim-17")
class LimitsTest {
  @TestFactory
  Stream<DynamicTest> everyLimit_isRefusedByName() {
    return Forbidden.all().entrySet().stream()
        .map(entry ->
            DynamicTest.dynamicTest(
                entry.getKey(),
                () -> {
                  FifoWorld world = new FifoWorld(1);
                  Outcome outcome = world.runMain(entry.getValue());
                  assertThat(world.refused).hasSize(1);
                  assertThat(entry.getKey()).startsWith(plain(world.refused));
                  assertThat(rootOf(outcome.failure()))
                      .isInstanceOf(UnsupportedOperationException.class);
                }));
  }

  // the name of a case has a remark behind what is refused, or the refusal has one
  private static String plain(List<String> refused) {
    return refused.getFirst().replaceAll(", .*", "");
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  @Test
  void hostNames_areTheWorlds() throws Exception {
    assertThat(FifoWorld.run(Environment::names).result())
        .isEqualTo(
            List.of("localhost/127.0.0.1", "localhost/127.0.0.1", "host-10.0.0.7", "10.0.0.7"));
  }

  @Test
  void unknownHost_isRefusedByName() throws Exception {
    FifoWorld world = new FifoWorld(1);
    assertThat(world.runMain(Environment::unknown).failure())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(world.refused)
        .containsExactly(
            "the address of the host 'db.heddle.example', from the operating system's resolver");
  }

  @Test
  void processors_areTheWorlds() throws Exception {
    assertThat(FifoWorld.run(Environment::processors).result()).isEqualTo(4);
  }

  /// How often these spin, and how far they spread, must not depend on the machine.
  @Test
  void processors_thatTheJdkKeeps_areTheWorlds() throws Exception {
    FifoWorld world = new FifoWorld(1);
    assertThat(world.runMain(Environment::useProcessors).failure()).isNull();
    assertThat(world.processorsAsked)
        .contains(
            "processors by java.util.concurrent.ConcurrentHashMap",
            "processors by java.util.concurrent.Phaser",
            "phaserSpins by java.util.concurrent.Phaser");
  }
}
