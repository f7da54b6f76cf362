// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.Signal;
import dev.heddle.process.scheduler.EventQueue;

/// An event on its way.
class Envelope extends EventQueue.Node {
  final ProcessEvent event;

  Envelope(ProcessEvent event) {
    this.event = event;
  }

  /// The signal of a monitor, which is not to be seen when that was taken back. By this class, not
  /// by its data, it is told from a signal that somebody passes on as a message; a field instead
  /// would make all envelopes larger.
  static final class OfMonitor extends Envelope {
    final long monitor;

    OfMonitor(Signal.Down down) {
      super(ProcessEvent.message(down));
      this.monitor = down.monitor();
    }
  }
}
