// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.ProcessEvent;
import dev.heddle.process.scheduler.EventQueue;

/// An event on its way.
final class Envelope extends EventQueue.Node {
  final ProcessEvent event;

  Envelope(ProcessEvent event) {
    this.event = event;
  }
}
