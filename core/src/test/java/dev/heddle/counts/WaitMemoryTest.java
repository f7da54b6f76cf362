// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.heap.HeapHistogram;
import dev.heddle.hosting.ChildJvm;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a wait for a channel keeps on the heap, its stack included, to the byte.
///
/// Each figure is taken in a JVM of its own that compiles nothing: the size of an interpreted frame
/// depends on its method only. So neither the machine's speed nor its load changes a figure.
@Tag("T8")
@Tag("once")
class WaitMemoryTest {
  private static final int CHANNEL_LIMIT = 400; // beyond its items
  private static final int REFERENCE = 4; // bytes, compressed
  private static final long PARKED = 224; // bytes: coroutine, context, timer, name with line

  private static long bytes(String subject) throws IOException, InterruptedException {
    return HeapHistogram.sum(bytesByClass(subject));
  }

  private static Map<String, Long> bytesByClass(String subject)
      throws IOException, InterruptedException {
    ChildJvm.Result result =
        ChildJvm.of(WaitMemoryProgram.class)
            .with(HeapHistogram.FLAGS.toArray(String[]::new))
            .withArguments(subject)
            .run();
    return HeapHistogram.told(result.output());
  }

  @Test
  void parkedReceiver_takesNoMoreThanAParkedMutexWaiter() throws Exception {
    assertThat(bytes(WaitMemoryProgram.RECEIVER))
        .isLessThanOrEqualTo(bytes(WaitMemoryProgram.MUTEX));
  }

  /// Without this the test above could not fail.
  @Test
  void measure_ofAReceiverThatKeepsMore_seesIt() throws Exception {
    assertThat(bytes(WaitMemoryProgram.CONTROL))
        .isGreaterThanOrEqualTo(bytes(WaitMemoryProgram.RECEIVER) + WaitMemoryProgram.KEPT);
  }

  @Test
  void fullChannel_withoutWaiters_takesFourHundredBytesAtMost() throws Exception {
    assertThat(bytes(WaitMemoryProgram.CHANNEL))
        .isLessThanOrEqualTo(CHANNEL_LIMIT)
        // the references to its items are part of it
        .isGreaterThan(REFERENCE * WaitMemoryProgram.ITEMS);
  }

  /// What all coroutines pay that nobody looks at. A field for those who look would be seen here.
  @Test
  @Tag("watch-1")
  void parkedCoroutine_keepsSoMuch() throws Exception {
    Map<String, Long> bytes = bytesByClass(WaitMemoryProgram.PARKED);
    Map<String, Long> own = new TreeMap<>(bytes);
    // the thread and its stack are the JDK's, and the body is the program's
    own.keySet().removeIf(type -> !type.startsWith("dev.heddle.") || type.contains("Program"));
    assertThat(HeapHistogram.sum(own)).as("%s", bytes).isEqualTo(PARKED);
  }
}
