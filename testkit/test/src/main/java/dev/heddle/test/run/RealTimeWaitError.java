// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

/// A coroutine waits in the JDK for an amount of real time, which would pass outside of the virtual
/// clock.
public final class RealTimeWaitError extends Error {
  private static final long serialVersionUID = 1;

  RealTimeWaitError(String message) {
    super(message);
  }
}
