// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

/// Counts how often a handler is told of LEAVE without ENTER in between, or the other way round.
final class Parity implements SwitchHandler {
  private boolean away;
  private int calls;
  private int missed;

  @Override
  public boolean onSwitch(Coroutine<?> coroutine, Switch kind) {
    calls++;
    if (kind != Switch.FINISH) {
      missed += away == (kind == Switch.ENTER) ? 0 : 1;
      away = kind != Switch.ENTER;
    }
    return true;
  }

  boolean isAway() {
    return away;
  }

  int calls() {
    return calls;
  }

  /// How often it was told of the same side twice in a row.
  int missed() {
    return missed;
  }
}
