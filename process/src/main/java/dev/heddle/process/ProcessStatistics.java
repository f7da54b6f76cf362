// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What a process has done since its start, as it sees itself: [ProcessContext#statistics()]. An
/// upgrade does not reset the counts.
///
/// ```java
/// if (context.statistics().mailbox() > 10_000) {
///   shedLoad();
/// }
/// ```
///
/// @param steps the steps begun, including the current one
/// @param received the events given to steps: messages, signals and command results
/// @param mailbox the messages waiting in its mailbox
/// @param pendingCommands its commands that have no result yet
/// @since 0.1
public record ProcessStatistics(long steps, long received, int mailbox, int pendingCommands) {}
