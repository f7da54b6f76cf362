// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The test JVM is what the other tests take it for.
@Tag("once")
class FlagsTest {
  @Test
  void tests_underSurefire_runInTheNamedModule() {
    assertThat(FlagsTest.class.getModule().getName()).isEqualTo("dev.heddle");
  }

  @Test
  void addOpens_ofThePom_tookEffect() {
    assertThat(Object.class.getModule().isOpen("java.lang", FlagsTest.class.getModule())).isTrue();
  }

  @Test
  void assertions_inTests_areOn() {
    assertThat(FlagsTest.class.desiredAssertionStatus()).isTrue();
  }
}
