// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The options of the agent.
@Tag("sim-20")
class AgentOptionsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|points=none",
        "points=none|points=none",
        "points=sync|points=sync,packages=*",
        "points=sync,packages=com.acme|points=sync,packages=com.acme",
        "packages=com.acme:org.x,points=memory|points=memory,packages=com.acme:org.x",
        "points=memory,packages=*|points=memory,packages=*",
        "points=sync,packages=java.util.concurrent|points=sync,packages=java.util.concurrent",
      })
  void options_readInFull(String text, String full) {
    AgentOptions options = AgentOptions.parse(text);
    assertThat(options).hasToString(full);
    assertThat(AgentOptions.parse(full)).isEqualTo(options);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "point=sync|has no option 'point=sync'",
        "sync|has no option 'sync'",
        "points=sync,|has no option ''",
        "points=all|points=all is none of points=none, points=sync and points=memory",
        "points=memory|points=memory needs packages=",
        "packages=com.acme|packages=com.acme needs points=sync or points=memory",
        "points=sync,packages=|has '', which is not the name of a package",
        "points=sync,packages=com.acme.*|has 'com.acme.*', which is not the name of a package",
        "points=sync,packages=java.util|only java.util.concurrent can have points",
      })
  void wrongOption_isRefusedByName(String text, String message) {
    assertThatThrownBy(() -> AgentOptions.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void packages_meanTheirSubpackages() {
    AgentOptions options = AgentOptions.parse("points=sync,packages=com.acme");
    assertThat(options.hasPoints("com.acme.Cache")).isTrue();
    assertThat(options.hasPoints("com.acme.store.Cache")).isTrue();
    assertThat(options.hasPoints("com.acmeother.Cache")).isFalse();
    assertThat(options.hasPoints("org.acme.Cache")).isFalse();
  }

  @Test
  void star_meansProgramsOnly() {
    AgentOptions options = AgentOptions.parse("points=sync");
    assertThat(options.hasPoints("com.acme.Cache")).isTrue();
    assertThat(options.hasPoints("java.util.concurrent.FutureTask")).isFalse();
    assertThat(options.hasPoints("dev.heddle.scheduler.Scheduler")).isFalse();
  }

  @Test
  void none_givesNoPoints() {
    assertThat(AgentOptions.parse("").hasPoints("com.acme.Cache")).isFalse();
  }
}
