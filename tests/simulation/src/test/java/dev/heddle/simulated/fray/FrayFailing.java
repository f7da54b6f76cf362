// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.breaks;
import static dev.heddle.simulated.program.Program.deadlocks;

import dev.heddle.simulated.program.Program;
import java.util.List;

/// The 25 programs in which Fray finds a bug.
public final class FrayFailing {
  /// One row for each program.
  public static final List<Program> ALL =
      List.of(
          deadlocks(
              "CountDownLatchDeadlockUnblockMultiThread",
              "two wait, nobody counts down",
              Latches::awaitByTwo),
          deadlocks(
              "CountDownLatchDeadlockUnblockSameThread",
              "one waits, nobody counts down",
              Latches::awaitByOne),
          breaks("IntStream", "a parallel stream keeps no order", Atomics::chainInParallelStream),
          deadlocks("MonitorDeadlock", "two orders of two monitors", Monitors::crossed),
          deadlocks(
              "SynchronizedMethodDeadlock",
              "synchronized methods call each other crosswise, a tenth of a second after entry",
              Monitors::crossedMethods),
          breaks(
              "AsyncClientConnectNoServerException",
              "nobody listens, finishConnect throws",
              t -> SelectorDeadlocks.connectToNobody()),
          deadlocks(
              "AsyncClientNoConnectWriteDeadlock",
              "a channel that was never connected does not become writable twice",
              t -> SelectorDeadlocks.writeUnconnected()),
          deadlocks(
              "AsyncClientSelectAfterCloseDeadlock",
              "the selector's only channel is closed",
              SelectorDeadlocks::selectAfterClose),
          deadlocks(
              "AsyncClientSelectNoConnectDeadlock",
              "a channel that was never connected does not become connectable",
              t -> SelectorDeadlocks.connectNever()),
          deadlocks(
              "SelectorWithNoRegistrationDeadlock",
              "the selector has no channels",
              t -> SelectorDeadlocks.selectOfNothing()),
          breaks(
              "SyncClientConnectTwice", "the second connect throws", BlockingSockets::connectTwice),
          breaks(
              "SyncClientExceptionWithoutServer",
              "nobody listens, connect throws",
              t -> BlockingSockets.connectToNobody()),
          deadlocks(
              "SyncServerAcceptDeadlock",
              "nobody connects",
              t -> BlockingSockets.acceptFromNobody()),
          deadlocks("ParkDeadlock", "nobody unparks", t -> Parks.parkForEver()),
          breaks("ParkSpuriousWakeup", "park may return for no reason", Parks::trustsPark),
          deadlocks(
              "ReentrantReadWriteLockDeadlock",
              "a reader waits for a writer that waits for the reader's end",
              ReadWriteLocks::readUnderWriter),
          deadlocks(
              "StampedLockConversionDeadlock",
              "a read lock after the conversion to a write lock",
              t -> StampedLocks.readAfterConversionToWrite()),
          deadlocks(
              "StampedLockDeadlock",
              "a write lock after a read lock",
              t -> StampedLocks.writeAfterRead()),
          deadlocks(
              "ThreadExitDeadlock",
              "waits for nobody, with the monitor of a thread that ends",
              ThreadEnds::monitorOfEndingThread),
          breaks(
              "NotifyOrder",
              "whoever is notified need not run in the order of the threads' starts",
              Notifications::order),
          breaks(
              "RescheduleBeforeWaitReacquireMonitorLock",
              "the notifier may get the monitor again before the notified thread",
              Notifications::reacquire),
          deadlocks("TwoWaitDeadlock", "two wait, nobody notifies", Notifications::waitByTwo),
          breaks("WaitSpuriousWakeup", "wait may return for no reason", Notifications::trustsWait),
          breaks(
              "WaitWithoutMonitorLock",
              "wait without the monitor throws",
              t -> Notifications.withoutMonitor()),
          deadlocks(
              "WaitWithoutNotifyDeadlock",
              "one waits, nobody notifies",
              t -> Notifications.waitByOne()));

  private FrayFailing() {}
}
