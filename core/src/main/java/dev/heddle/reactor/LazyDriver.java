// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.DriverHost;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Chooses the driver when a coroutine first opens something; until then it only parks the carrier.
final class LazyDriver implements ReactorDriver {
  /*
   * To find out which drivers work here, each is tried: that loads classes and native libraries and
   * takes about 100 ms. A loop without I/O does not need that. A coroutine that opens something
   * calls chosen() on its own stack; from the next poll on, all calls go to the chosen driver.
   *
   * A wake-up that finds no driver yet may unpark a carrier that polls the chosen driver by then.
   * That is harmless: the carrier has checked its inbox again before it polled (see Wakeup).
   */
  private final DriverHost host;
  private final Supplier<ReactorDriver> choice;

  // written by the loop, read by any thread
  private volatile @Nullable ReactorDriver chosen;

  /// @param choice creates the driver, once
  LazyDriver(DriverHost host, Supplier<ReactorDriver> choice) {
    this.host = host;
    this.choice = choice;
  }

  /// The driver, chosen now if that has not happened yet.
  ReactorDriver chosen() {
    ReactorDriver driver = chosen;
    if (driver == null) {
      driver = choice.get();
      chosen = driver;
    }
    return driver;
  }

  @Override
  public String name() {
    return chosen().name();
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return chosen().capabilities();
  }

  @Override
  public boolean isArmed() {
    ReactorDriver driver = chosen;
    return driver != null && driver.isArmed();
  }

  @Override
  public boolean hasEmbeddedEventLoop() {
    ReactorDriver driver = chosen;
    return driver != null && driver.hasEmbeddedEventLoop();
  }

  @Override
  public int poll(long deadlineNanos) {
    ReactorDriver driver = chosen;
    if (driver != null) {
      return driver.poll(deadlineNanos);
    }
    if (deadlineNanos == NO_DEADLINE) {
      LockSupport.park(this);
    } else if (deadlineNanos != NO_WAIT) {
      LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
    }
    return 0;
  }

  @Override
  public void wakeup() {
    ReactorDriver driver = chosen;
    if (driver == null) {
      LockSupport.unpark(host.carrier());
    } else {
      driver.wakeup();
    }
  }

  @Override
  public void close() {
    ReactorDriver driver = chosen;
    if (driver != null) {
      driver.close();
    }
  }
}
