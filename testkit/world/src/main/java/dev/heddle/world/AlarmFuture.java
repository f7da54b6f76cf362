// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// An alarm in the form in which the JDK keeps the end of a timed wait. The JDK cancels it, no
/// more.
final class AlarmFuture implements Future<Void> {
  private final World.Alarm alarm;

  AlarmFuture(World.Alarm alarm) {
    this.alarm = alarm;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    alarm.cancel();
    return true;
  }

  @Override
  public boolean isCancelled() {
    throw unexpected();
  }

  @Override
  public boolean isDone() {
    throw unexpected();
  }

  @Override
  public Void get() {
    throw unexpected();
  }

  @Override
  public Void get(long timeout, TimeUnit unit) {
    throw unexpected();
  }

  private static UnsupportedOperationException unexpected() {
    return new UnsupportedOperationException("the JDK only cancels the end of a timed wait");
  }
}
