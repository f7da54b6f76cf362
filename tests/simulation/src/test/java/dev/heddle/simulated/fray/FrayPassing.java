// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.explained;
import static dev.heddle.simulated.program.Program.passes;

import dev.heddle.simulated.program.Program;
import java.util.List;

/// The 52 programs in which Fray finds nothing.
public final class FrayPassing {
  /// One row for each program.
  public static final List<Program> ALL =
      List.of(
          // The network: in place of a host of the internet, a server of the program.
          passes("NetworkCallWithSocketNoDeadlock", Requests::bySocket),
          passes("NormalNetworkCallNoDeadlock", Requests::bySelector),
          passes("SimpleHttpClient", t -> Requests.byHttpClient()),
          passes("PipedInputStreamReadNoDeadlock", t -> Pipes.inOneThread()),
          passes("PipedInputStreamReadNoDeadlockMultiThread", Pipes::inTwoThreads),
          passes("ArrayBlockingQueueNormalOffer", t -> Pools.offer()),
          passes("CountDownLatchAwaitTimeoutNoDeadlock", Latches::awaitThreeTimesASecond),
          passes("CountDownLatchCountDownBeforeAwait", t -> Latches.awaitAfterCount()),
          passes("CountDownLatchInterruptNoDeadlock", Latches::interruptedAwait),
          passes("CountDownLatchNormalNotify", Latches::countAfterASecond),
          passes("ClassConstructorNoDeadlock", ClassInitializers::lockInInitializer),
          passes("X509CertSelectorConstructorNoDeadlock", ClassInitializers::twoUseOneClass),
          passes("ConditionAwaitInterruptNoDeadlock", Conditions::signalledAndInterrupted),
          passes("ConditionAwaitMultipleInterrupt", Conditions::manySignalsAndInterrupts),
          passes("ConditionAwaitStaticField", Conditions::ofStaticField),
          passes("ConditionAwaitTimeoutInterrupt", Conditions::timedAwaitInterrupted),
          passes("ConditionAwaitTimeoutNoDeadlock", t -> Conditions.timedAwaits()),
          passes("ConditionAwaitTimeoutNotifyInterrupt", Conditions::timedAwaitLockedInterrupted),
          explained(
              "ConditionAwaitWithoutLock",
              "awaitNanos without the lock throws IllegalMonitorStateException on every JVM",
              t -> Conditions.awaitWithoutLock()),
          passes("ThreadCreatedInStaticConstructor", t -> ClassInitializers.startThread()),
          passes("ReentrantLockTryLock", Locks::tryLockOfShortHold),
          passes("ReentrantLockTryLockNoDeadlock", Locks::tryLockOfEndedOwner),
          passes("AsyncSelectorAsyncClose", Selectors::closedDuringSelect),
          passes("AsyncServerAsyncClient", Selectors::conversation),
          passes("AsyncServerAsyncClientWriteReigster", Selectors::writableAfterConnect),
          passes("SyncServerSyncClient", BlockingSockets::bothWriteThenRead),
          passes("SyncServerSyncClientConcurrentRead", BlockingSockets::readersOfClosedChannel),
          passes("ParkTimeoutInterrupt", Parks::interruptedPark),
          passes("ParkWithTimeoutNoDeadlock", t -> Parks.timedParks()),
          passes("ReentrantReadWriteLockDowngradingNoDeadlock", ReadWriteLocks::downgraded),
          passes("ReentrantReadWriteLockMultipleThreadUnlock", ReadWriteLocks::twentyThreads),
          passes("ReentrantReadWriteLockNoDeadlock", ReadWriteLocks::twoReaders),
          passes("ReentrantReadWriteLockNormalLockUnlock", ReadWriteLocks::readerAndWriter),
          passes("StaticReentrantReadWriteLockMultipleTests", t -> ReadWriteLocks.ofStaticField()),
          passes("StaticReentrantReadWriteLockNormal", t -> ReadWriteLocks.ofStaticField()),
          passes("SemaphoreTimeout", t -> Locks.tryAcquireOfNone()),
          passes("StampedLockConversionNoDeadlock", t -> StampedLocks.readAfterConversionToRead()),
          passes("StampedLockTryLockNoDeadlock", t -> StampedLocks.timedTryRead()),
          passes("ThreadInterruptWithReentrantLockUnlock", Locks::interruptedTryLock),
          passes("ThreadInterruptionWithoutStart", t -> ThreadEnds.interruptUnstarted()),
          // With preemption inside java.util.concurrent this one is JDK-8358601.
          passes("ScheduledThreadPoolWorkSteal", Pools::scheduleDuringShutdown),
          passes("ThreadPoolExecutorShutdown", Pools::interruptedWorkers),
          explained(
              "TestTime",
              "asserts the step of Fray's own clock, 100 us at each reading",
              t -> Times.stepOfFraysClock()),
          passes("ArrayVarHandleCasNoInfLoop", Atomics::spinOnCas),
          passes("ArrayVarHandleVolatileOpsNoInfLoop", Atomics::spinOnVolatile),
          passes("VarHandleCorrectReadWrite", t -> Atomics.everyKindOfField()),
          passes("WaitInterruptNoDeadlock", Notifications::notifiedAndInterrupted),
          passes("WaitWithNotify", Notifications::notified),
          passes("WaitWithTimeoutNoDeadlock", t -> Notifications.timedWait()),
          passes("SpinWaitAndYield", Atomics::spinAndYield),
          passes("ThreadSleepTimeCheck", t -> Times.sleepLastsASecond()),
          passes("WaitTimeoutNoDeadlock", t -> Times.awaitLastsASecond()));

  private FrayPassing() {}
}
