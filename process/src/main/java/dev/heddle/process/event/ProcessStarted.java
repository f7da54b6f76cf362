// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;

/// A process is about to take its first step, as an event of the [EventBus].
///
/// Published only while a process subscribes to it, by the thread that starts the process. To
/// refuse a start, use a [dev.heddle.process.ProcessListener].
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=events}
///
/// @param pid of the process
/// @param options with which it was started
/// @since 0.1
public record ProcessStarted(Pid pid, StartOptions options) {}
