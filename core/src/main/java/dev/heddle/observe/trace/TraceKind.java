// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

/// The kinds of entries of a [TraceRing]: the numbers are those of the format, and stay the same.
///
/// "Who" is the number of a coroutine or a process; 0 is the loop itself, or none.
public enum TraceKind {
  /// Who has run, from when (other) to the entry's time, and why that run ended (code).
  RUN(1),
  /// The rest of a run: the coroutine was to leave, and did not.
  RUN_ON(2),
  /// Who was woken, by whom (other), and what he had waited for (code).
  WAKE(3),
  /// Who was started, by whom (other).
  SPAWN(4),
  /// Who has ended, and how (code).
  END(5),
  /// Who was cancelled, by whom (other).
  CANCEL(6),
  /// The thread has slept, from when (other).
  SLEEP(7),
  /// The worker took who, and others behind him, so many in all (code), from another worker (other,
  /// its number).
  STEAL(8),
  /// A message for who, from whom, and its number ([TraceRing.Copy#sender],
  /// [TraceRing.Copy#message]).
  MESSAGE(9),
  /// A timer has expired, so many nanoseconds (other) after its deadline.
  TIMER(10),
  /// The driver has found that so many (other) watched things are ready.
  IO(11),
  /// Who has issued a command (code: its class; other: its tag, which is its own until the reply).
  COMMAND(12),
  /// The reply to a command (other: its tag) was delivered to who, and whether it is a failure
  /// (code).
  COMMAND_DONE(13),
  /// Who was given something of his mailbox in his run; a message, if one has its number (other).
  RECEIVED(14),
  /// Who, a supervisor, restarts a child, or several together.
  RESTART(15);

  private final int number;

  TraceKind(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
