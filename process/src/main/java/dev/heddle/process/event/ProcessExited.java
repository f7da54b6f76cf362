// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import dev.heddle.process.Exit;

/// A process has ended, as an event of the [EventBus]: published after links, monitors and waiters
/// for its exit were notified.
///
/// Published only while a process subscribes to it.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=events}
///
/// @param exit how it has ended
/// @since 0.1
public record ProcessExited(Exit exit) {}
