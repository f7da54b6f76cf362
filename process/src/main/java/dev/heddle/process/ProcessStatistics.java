// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// What a process has done since its start, as it sees itself: [ProcessContext#statistics()]. An
/// upgrade does not begin these counts anew.
///
/// ```java
/// if (context.statistics().mailbox() > 10_000) {
///   shedLoad();
/// }
/// ```
///
/// @param steps that have begun, the one that asks included
/// @param received events that steps were given: messages, signals and results of commands
/// @param mailbox messages that wait in its mailbox
/// @param pendingCommands of it that have no result yet
/// @since 0.1
public record ProcessStatistics(long steps, long received, int mailbox, int pendingCommands) {}
