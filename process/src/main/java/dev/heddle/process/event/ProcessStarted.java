// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.event;

import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;

/// A process is about to take its first step, as an event of the [EventBus].
///
/// Published only while a process subscribes to it, by the thread that starts the process. It
/// cannot refuse the start: a [dev.heddle.process.ProcessListener] can.
///
/// @param pid of it
/// @param options it was started with
/// @since 0.1
public record ProcessStarted(Pid pid, StartOptions options) {}
