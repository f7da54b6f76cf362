// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.counts.AllocationProgram.Subject;
import dev.heddle.heap.HeapHistogram;
import dev.heddle.hosting.ChildJvm;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// What one call allocates, to the byte.
///
/// Each figure is taken in a JVM of its own that compiles nothing. What a compiler leaves out
/// depends on what it copied into what, and so on the machine and its load; what the code says does
/// not. Compiled, a call allocates this or less.
@Tag("T8")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class AllocationTest {
  private static final long SPAWN = 144; // bytes; with a walk of the stack for each, 1,500

  private static Map<String, Long> bytesOf(Subject subject) throws Exception {
    return bytesOf(AllocationProgram.class, subject.name());
  }

  /// What one call allocates, by class.
  ///
  /// @param program tells it
  public static Map<String, Long> bytesOf(Class<?> program, String... arguments) throws Exception {
    ChildJvm child =
        ChildJvm.of(program)
            .with(HeapHistogram.FLAGS.toArray(String[]::new))
            .withArguments(arguments);
    return HeapHistogram.told(child.run().output());
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"SPAWN", "CONTROL"})
  void call_each_allocatesNothing(Subject subject) throws Exception {
    assertThat(bytesOf(subject)).isEmpty();
  }

  /// The coroutine with its end, and nothing for its site.
  @Test
  void spawn_atOneLine_allocatesNothingForItsSite() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.SPAWN);
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(SPAWN);
  }

  @Test
  void measure_ofACallThatAllocates_seesIt() throws Exception {
    // without this the tests above could not fail
    assertThat(bytesOf(Subject.CONTROL)).containsExactly(Map.entry("java.lang.Object", 16L));
  }
}
