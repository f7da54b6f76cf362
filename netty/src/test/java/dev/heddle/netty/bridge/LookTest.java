// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.eventloop.LoopDriver;
import dev.heddle.io.Tcp;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.handler.NettyDriver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// When a driver need not look, since Netty has not come to what the last look told it.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(300)
record LookTest(String driver) implements OnDriver {
  @Test
  void driver_looksForWhoWaitsForItsOwnHandles_howeverFarBehindNettyIs() {
    Heddle.run(
        HeddleOptions.defaults().withDriver(driver),
        () -> {
          NettyDriver looked = (NettyDriver) LoopDriver.current();
          assertThat(looked.wouldOnlyRepeat()).isEqualTo(!driver.equals("io_uring"));
          var listener = Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
          var waiter = Heddle.spawn(listener::accept);
          Heddle.yieldNow();
          assertThat(looked.wouldOnlyRepeat()).isFalse();
          waiter.cancel("enough seen");
          listener.close();
        });
  }
}
