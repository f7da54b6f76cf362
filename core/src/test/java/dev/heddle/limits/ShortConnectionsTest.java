// SPDX-License-Identifier: Apache-2.0
package dev.heddle.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Pipe;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A connection for each request: the direct memory of one is given back when it ends, not when the
/// collector finds it. The heap is so large that it has no reason to look.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShortConnectionsTest {
  private static final int TRANSFERS = 100;

  @ParameterizedTest
  @ValueSource(strings = {"transfer", "arena"})
  void connections_manyAfterAnother_needNoMoreDirectMemoryThanSomeAtATime(String service)
      throws Exception {
    ChildJvm.Result child =
        ChildJvm.of(ShortConnectionsProgram.class)
            .with("-XX:+UseSerialGC", "-Xms600m", "-Xmx600m", "-Xmn500m")
            .with("-XX:+DisableExplicitGC", "-XX:MaxDirectMemorySize=8m")
            .withArguments(service, "5000")
            .run();
    assertThat(child.output()).contains("5000 answered");
    assertThat(child.exitCode()).isZero();
  }

  /// The collector may run meanwhile, which makes them fewer.
  @Test
  void transfers_oneAfterAnother_useOneBuffer() {
    Heddle.run(() -> {
      transfer();
      long before = directBuffers();
      for (int i = 0; i < TRANSFERS; i++) {
        transfer();
      }
      assertThat(directBuffers() - before).isLessThan(TRANSFERS / 2);
    });
  }

  private static void transfer() throws IOException {
    Pipe pipe = Pipe.open();
    pipe.sink().close();
    try (AsyncIo source = pipe.source()) {
      assertThat(source.transferTo(source)).isZero();
    }
  }

  private static long directBuffers() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getCount)
        .sum();
  }
}
