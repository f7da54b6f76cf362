// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.jdk.JdkDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A driver that is chosen when it is needed.
@Tag("T14")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LazyDriverTest {
  private int choices;

  private LazyDriver open() {
    Thread carrier = Thread.currentThread();
    DriverHost host =
        new DriverHost() {
          @Override
          public boolean isLoopThread(Thread thread) {
            return thread == carrier;
          }

          @Override
          public Thread carrier() {
            return carrier;
          }
        };
    return new LazyDriver(
        host,
        () -> {
          choices++;
          return new JdkDriver();
        });
  }

  @Test
  void loopWithoutIo_choosesNone() {
    LazyDriver driver = open();
    driver.poll(ReactorDriver.NO_WAIT);
    driver.poll(System.nanoTime() + 1_000);
    driver.wakeup();
    driver.poll(ReactorDriver.NO_DEADLINE); // else for ever
    assertThat(driver.isArmed()).isFalse();
    driver.close();
    assertThat(choices).isZero();
  }

  @Test
  void wakeup_fromAnotherThread_endsTheWait() throws Exception {
    LazyDriver driver = open();
    Thread waker = Thread.ofPlatform().start(driver::wakeup);
    driver.poll(ReactorDriver.NO_DEADLINE); // else for ever
    waker.join();
    driver.chosen();
    Thread.ofPlatform().start(driver::wakeup).join();
    driver.poll(ReactorDriver.NO_DEADLINE); // else for ever
    driver.close();
  }

  @Test
  void openers_getTheOneThatWasChosenFirst() {
    LazyDriver driver = open();
    Reactor reactor = new Reactor(driver, new TimerQueue(0));
    ReactorDriver first = reactor.driver();
    assertThat(first).isInstanceOf(JdkDriver.class);
    assertThat(reactor.driver()).isSameAs(first);
    assertThat(choices).isEqualTo(1);
    driver.close();
  }
}
