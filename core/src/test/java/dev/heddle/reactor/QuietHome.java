// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.EventHome;

/// A loop of which the events under test need nothing.
final class QuietHome implements EventHome {
  @Override
  public void eventArmed() {}

  @Override
  public void eventDisarmed() {}

  @Override
  public void notifyLater(Runnable notification) {
    throw new AssertionError("no custom callback in these tests");
  }

  @Override
  public void checkOnLoop() {}
}
