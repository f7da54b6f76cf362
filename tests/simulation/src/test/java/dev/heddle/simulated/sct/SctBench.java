// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.breaks;
import static dev.heddle.simulated.program.Program.deadlocks;

import dev.heddle.simulated.program.Program;
import java.util.List;

/// The 28 programs.
public final class SctBench {
  /// One row for each program: all have a bug.
  public static final List<Program> ALL =
      List.of(
          breaks(
              "StringBufferJDK",
              "the other buffer shrinks between its length and its characters",
              t -> new AppendedBuffer().run(t)),
          breaks(
              "WorkStealQueue",
              "the owner overwrites a slot that a thief has claimed and not read",
              t -> new StealingQueue.Bug().run(t)),
          breaks(
              "Reorder100Bad",
              "the checker sees one of two writes of 99 setters",
              t -> new Reorder().run(t, 99, 1)),
          breaks(
              "Reorder50Bad",
              "the checker sees one of two writes of 49 setters",
              t -> new Reorder().run(t, 49, 1)),
          breaks(
              "AccountBad",
              "the expected balance takes the deposit for a withdrawal",
              t -> new Account().run(t)),
          breaks(
              "ArithmeticProgBad",
              "the sum that must not come is the one that comes",
              t -> new ArithmeticProgression().run(t)),
          breaks(
              "BluetoothDriverBad",
              "the driver stops between the check of its flag and the count of the request",
              t -> new BluetoothDriver().run(t)),
          deadlocks(
              "Carter01Bad",
              "one has the inner lock and wants the outer one, the other the reverse",
              t -> new Carter().run(t)),
          breaks(
              "CircularBufferBad",
              "the reader counts rounds in which there was nothing to read",
              t -> new CircularBuffer().run(t)),
          deadlocks("Deadlock01Bad", "two orders of two locks", t -> new TwoLocks().run(t)),
          breaks(
              "FsbenchBad", "27 threads, 26 locks: an index too far", t -> new FileTable().run(t)),
          breaks("Lazy01Bad", "the checker may come last", t -> new LazySum().run(t)),
          deadlocks("Phase01Bad", "a lock is never released", t -> new Phases().run(t)),
          breaks(
              "QueueBad",
              "the reader counts rounds in which there was nothing to read",
              t -> new FlaggedQueue().run(t)),
          breaks(
              "Reorder10Bad",
              "the checker sees one of two writes of 9 setters",
              t -> new Reorder().run(t, 9, 1)),
          breaks(
              "Reorder20Bad",
              "one of 10 checkers sees one of two writes of 10 setters",
              t -> new Reorder().run(t, 10, 10)),
          breaks(
              "Reorder3Bad",
              "the checker sees one of two writes of 2 setters",
              t -> new Reorder().run(t, 2, 1)),
          breaks(
              "Reorder4Bad",
              "the checker sees one of two writes of 3 setters",
              t -> new Reorder().run(t, 3, 1)),
          breaks(
              "Reorder5Bad",
              "the checker sees one of two writes of 4 setters",
              t -> new Reorder().run(t, 4, 1)),
          breaks("StackBad", "the flag says that there was an item once", t -> new Stack().run(t)),
          deadlocks(
              "Sync01Bad",
              "the consumer signals and takes nothing",
              t -> new OneSlot(1, 1).signal(t)),
          deadlocks(
              "Sync02Bad", "nobody takes the second item", t -> new OneSlot(2, 2).exchange(t)),
          breaks("TokenRingBad", "the token goes round in one order only", t -> new Ring().run(t)),
          breaks(
              "Twostage100Bad",
              "two values under two locks; 99 writers, one reader",
              t -> new TwoStages().run(t, 99)),
          breaks(
              "TwostageBad",
              "two values under two locks; one writer, one reader",
              t -> new TwoStages().run(t, 1)),
          breaks(
              "Wronglock1Bad",
              "a lock for each side of one value; one other thread",
              t -> new WrongLock().run(t, 1)),
          breaks(
              "Wronglock3Bad",
              "a lock for each side of one value; 3 other threads",
              t -> new WrongLock().run(t, 3)),
          breaks(
              "WronglockBad",
              "a lock for each side of one value; 7 other threads",
              t -> new WrongLock().run(t, 7)));

  private SctBench() {}
}
