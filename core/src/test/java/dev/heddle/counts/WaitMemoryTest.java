// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hosting.ChildJvm;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a wait for a channel keeps on the heap, its stack included, to the byte.
///
/// Each figure is taken in a JVM of its own that compiles nothing: the size of an interpreted frame
/// depends on its method only. So neither the machine's speed nor its load changes a figure.
@Tag("T8")
@Tag("once")
class WaitMemoryTest {
  private static final Pattern BYTES = Pattern.compile("bytes (\\d+)");

  private static final int CHANNEL_LIMIT = 400; // beyond its items
  private static final int REFERENCE = 4; // bytes, compressed

  private static long bytes(String subject) throws IOException, InterruptedException {
    ChildJvm.Result result =
        ChildJvm.of(WaitMemoryProgram.class)
            .with("-Xint", "-XX:+UseSerialGC", "-Xmx256m")
            .withArguments(subject)
            .run();
    Matcher matcher = BYTES.matcher(result.output());
    assertThat(matcher.find()).as(result.output()).isTrue();
    return Long.parseLong(matcher.group(1));
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
}
