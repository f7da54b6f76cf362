// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.jdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReactorDriver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The driver by itself. A wake-up that is lost leaves it asleep until the time-out.
@Tag("once")
@Timeout(300)
class JdkDriverTest {
  private final JdkDriver driver = new JdkDriver();
  private final List<@Nullable Throwable> answers = new ArrayList<>();
  private ServerSocketChannel server;

  @BeforeEach
  void listen() throws IOException {
    server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server.configureBlocking(false);
  }

  @AfterEach
  void close() throws IOException {
    driver.close();
    server.close();
  }

  private void submitAccept() throws IOException {
    Descriptor descriptor = driver.watch(server);
    descriptor.arm(Direction.READ, answers::add);
  }

  /// A wake-up that still finds no selector, and a tick that then opens one, as when both meet.
  @Test
  @Tag("trap-16")
  void wakeUp_beforeTheTickThatOpensTheSelector_isNotSleptOver() throws IOException {
    submitAccept();
    driver.wakeup();
    assertThat(driver.poll(ReactorDriver.NO_DEADLINE)).isZero();
    assertThat(driver.isArmed()).isTrue();
  }

  @Test
  @Tag("trap-16")
  void wakeUp_withoutASelector_isSticky() {
    driver.wakeup();
    assertThat(driver.poll(ReactorDriver.NO_DEADLINE)).isZero();
  }

  @Test
  @Tag("trap-16")
  void wakeUp_withASelector_isSticky() throws IOException {
    submitAccept();
    driver.poll(ReactorDriver.NO_WAIT);
    driver.wakeup();
    assertThat(driver.poll(ReactorDriver.NO_DEADLINE)).isZero();
  }

  @Test
  void operation_submittedBeforeTheFirstSelector_isAnsweredOnce() throws IOException {
    submitAccept();
    try (SocketChannel _ = SocketChannel.open(server.getLocalAddress())) {
      while (answers.isEmpty()) {
        driver.poll(ReactorDriver.NO_DEADLINE);
      }
      assertThat(answers).hasSize(1).containsOnlyNulls();
      assertThat(driver.isArmed()).isFalse();
    }
  }
}
