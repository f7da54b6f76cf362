// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// This module runs classes of tests that the module `cluster` has compiled. The build copies them
/// by their names, and would run nothing where it finds none.
class TestsOfTheClusterTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"dev.heddle.cluster.ClusterSoakTest", "dev.heddle.cluster.RestartedNodes"})
  void testsThatNeedVoters_areAmongThoseOfThisModule(String name) throws Exception {
    ClassLoader loader = getClass().getClassLoader();
    String file = name.replace('.', '/') + ".class";
    String own = String.valueOf(getClass().getResource("/")); // the tests of this module
    assertThat(Collections.list(loader.getResources(file)))
        .extracting(String::valueOf)
        .as("the copy that is run here, and what it was made of")
        .hasSize(2)
        .contains(own + file);
    assertThat(Class.forName(name, false, loader).getDeclaredMethods())
        .anyMatch(
            method -> Arrays.stream(method.getAnnotations()).anyMatch(Test.class::isInstance));
  }
}
