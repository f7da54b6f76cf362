// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.IntStream;

/// Each way to wait in the JDK, for an hour: ordinary code that knows of no simulation.
public final class TimedWaits {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);
  private static final Map<String, Callable<?>> ALL = new LinkedHashMap<>();

  static {
    threads();
    queues();
    synchronizers();
    locks();
    futures();
    executors();
    clocks();
    pools();
  }

  private TimedWaits() {}

  /// By name; each takes an hour.
  public static Map<String, Callable<?>> all() {
    return ALL;
  }

  /// Code that waits.
  private interface Wait {
    void run() throws Exception;
  }

  private static void add(String name, Wait wait) {
    ALL.put(
        name,
        () -> {
          wait.run();
          return "done";
        });
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  private static void expectTimeout(Wait wait) throws Exception {
    try {
      wait.run();
    } catch (TimeoutException _) {
      return;
    }
    throw new AssertionError("no timeout");
  }

  private static void sleepFor(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException _) {
      // safe: the end of the wait that is tested ends this one
    }
  }

  private static Thread started(Runnable body) {
    Thread thread = new Thread(body);
    thread.start();
    return thread;
  }

  private static void threads() {
    add("Thread.sleep(ms)", () -> Thread.sleep(HOUR));
    add("Thread.sleep(Duration)", () -> Thread.sleep(Duration.ofHours(1)));
    add("TimeUnit.sleep", () -> TimeUnit.HOURS.sleep(1));
    add("LockSupport.parkNanos", () -> LockSupport.parkNanos(HOUR * 1_000_000));
    add("LockSupport.parkUntil", () -> LockSupport.parkUntil(System.currentTimeMillis() + HOUR));
    add("Object.wait(ms)", TimedWaits::waitOnObject);
    add("Thread.join(ms)", () -> joinFor(started(() -> sleepFor(10 * HOUR))));
    add(
        "Thread.join(ms), virtual",
        () -> joinFor(Thread.startVirtualThread(() -> sleepFor(10 * HOUR))));
    add("a subclass of Thread", TimedWaits::runSubclass);
    add("a contended monitor", TimedWaits::contendMonitor);
  }

  @SuppressWarnings("WaitNotInLoop") // nobody notifies: the wait ends by time
  private static void waitOnObject() throws InterruptedException {
    Object monitor = new Object();
    synchronized (monitor) {
      monitor.wait(HOUR);
    }
  }

  private static void joinFor(Thread thread) throws InterruptedException {
    thread.join(HOUR);
    check(thread.isAlive(), "it sleeps longer than the join waits");
    thread.interrupt();
    thread.join();
  }

  private static final class Sleeper extends Thread {
    private boolean isItself;

    @Override
    public void run() {
      isItself = Thread.currentThread() == this && isAlive();
      sleepFor(HOUR);
    }
  }

  private static void runSubclass() throws InterruptedException {
    Sleeper sleeper = new Sleeper();
    sleeper.start();
    sleeper.join();
    check(sleeper.isItself, "currentThread is the object that the program started");
    check(sleeper.getState() == Thread.State.TERMINATED, "it has ended");
  }

  private static void contendMonitor() throws InterruptedException {
    Object monitor = new Object();
    started(() -> {
      synchronized (monitor) {
        sleepFor(HOUR);
      }
    });
    Thread.sleep(1);
    synchronized (monitor) {
      check(Thread.holdsLock(monitor), "it is ours");
    }
  }

  private static void queues() {
    add(
        "LinkedBlockingQueue.poll(t)",
        () -> check(new LinkedBlockingQueue<>().poll(1, TimeUnit.HOURS) == null, "empty"));
    add("ArrayBlockingQueue.offer(t)", TimedWaits::offerToFullQueue);
    add(
        "SynchronousQueue.poll(t)",
        () -> check(new SynchronousQueue<>().poll(1, TimeUnit.HOURS) == null, "empty"));
    add(
        "LinkedTransferQueue.tryTransfer(t)",
        () -> check(!new LinkedTransferQueue<>().tryTransfer(1, 1, TimeUnit.HOURS), "nobody"));
    add("DelayQueue.take", TimedWaits::takeDelayed);
  }

  private static void offerToFullQueue() throws InterruptedException {
    BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
    queue.put(1);
    check(!queue.offer(2, 1, TimeUnit.HOURS), "full");
  }

  private record Due(long nanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  private static void takeDelayed() throws InterruptedException {
    DelayQueue<Due> queue = new DelayQueue<>();
    queue.add(new Due(System.nanoTime() + HOUR * 1_000_000));
    queue.take();
  }

  private static void synchronizers() {
    add(
        "Exchanger.exchange(t)",
        () -> expectTimeout(() -> new Exchanger<>().exchange(1, 1, TimeUnit.HOURS)));
    add(
        "Phaser.awaitAdvance(t)",
        () -> expectTimeout(() -> new Phaser(1).awaitAdvanceInterruptibly(0, 1, TimeUnit.HOURS)));
    add(
        "CyclicBarrier.await(t)",
        () -> expectTimeout(() -> new CyclicBarrier(2).await(1, TimeUnit.HOURS)));
    add(
        "CountDownLatch.await(t)",
        () -> check(!new CountDownLatch(1).await(1, TimeUnit.HOURS), "nobody counts"));
    add(
        "Semaphore.tryAcquire(t)",
        () -> check(!new Semaphore(0).tryAcquire(1, TimeUnit.HOURS), "no permit"));
  }

  private static void locks() {
    add("Condition.await(t)", TimedWaits::awaitCondition);
    add("ReentrantLock.tryLock(t)", () -> tryHeld(new ReentrantLock(), null));
    add(
        "ReentrantReadWriteLock.tryLock(t)",
        () -> {
          ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
          tryHeld(lock.writeLock(), lock.readLock());
        });
    add(
        "StampedLock.tryReadLock(t)",
        () -> {
          StampedLock lock = new StampedLock();
          lock.writeLock();
          check(lock.tryReadLock(1, TimeUnit.HOURS) == 0, "it is held");
        });
  }

  @SuppressWarnings("WaitNotInLoop") // nobody signals: the wait ends by time
  private static void awaitCondition() throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    lock.lock();
    try {
      check(!condition.await(1, TimeUnit.HOURS), "nobody signals");
    } finally {
      lock.unlock();
    }
  }

  // wanted null: the held one
  private static void tryHeld(Lock held, Lock wanted) throws InterruptedException {
    Thread holder =
        started(() -> {
          held.lock();
          try {
            sleepFor(10 * HOUR);
          } finally {
            held.unlock();
          }
        });
    Thread.sleep(1);
    check(!(wanted == null ? held : wanted).tryLock(1, TimeUnit.HOURS), "it is held");
    holder.interrupt();
    holder.join();
  }

  private static void futures() {
    add(
        "FutureTask.get(t)",
        () -> expectTimeout(() -> new FutureTask<>(() -> 1).get(1, TimeUnit.HOURS)));
    add(
        "CompletableFuture.get(t)",
        () -> expectTimeout(() -> new CompletableFuture<>().get(1, TimeUnit.HOURS)));
    add("CompletableFuture.orTimeout", TimedWaits::joinWithTimeout);
    add(
        "CompletableFuture.completeOnTimeout",
        () -> new CompletableFuture<Integer>().completeOnTimeout(1, 1, TimeUnit.HOURS).join());
    add(
        "CompletableFuture.delayedExecutor",
        () ->
            CompletableFuture.supplyAsync(
                    () -> 1, CompletableFuture.delayedExecutor(1, TimeUnit.HOURS))
                .join());
  }

  private static void joinWithTimeout() {
    try {
      new CompletableFuture<>().orTimeout(1, TimeUnit.HOURS).join();
    } catch (CompletionException e) {
      check(e.getCause() instanceof TimeoutException, "a timeout");
      return;
    }
    throw new AssertionError("no timeout");
  }

  private static void executors() {
    add("ScheduledExecutorService.schedule", TimedWaits::scheduleOnce);
    add("ScheduledExecutorService.scheduleAtFixedRate", TimedWaits::scheduleFourTimes);
    add("ExecutorService.awaitTermination(t)", TimedWaits::awaitTermination);
    add("ExecutorService.invokeAny(t)", TimedWaits::invokeAny);
    add("a virtual thread for each task", TimedWaits::runVirtually);
    add("java.util.Timer", TimedWaits::runTimer);
  }

  private static void scheduleOnce() throws Exception {
    try (ScheduledExecutorService executor = Executors.newScheduledThreadPool(2)) {
      executor.schedule(() -> 1, 1, TimeUnit.HOURS).get();
    }
  }

  private static void scheduleFourTimes() throws InterruptedException {
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    CountDownLatch latch = new CountDownLatch(4);
    var _ = executor.scheduleAtFixedRate(latch::countDown, 15, 15, TimeUnit.MINUTES);
    latch.await();
    executor.shutdownNow();
  }

  private static void awaitTermination() throws InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(1);
    executor.execute(() -> sleepFor(10 * HOUR));
    executor.shutdown();
    check(!executor.awaitTermination(1, TimeUnit.HOURS), "it sleeps longer");
    executor.shutdownNow();
  }

  private static void invokeAny() throws Exception {
    Callable<Integer> sleeps =
        () -> {
          Thread.sleep(10 * HOUR);
          return 1;
        };
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      expectTimeout(() -> executor.invokeAny(List.of(sleeps), 1, TimeUnit.HOURS));
    }
  }

  private static void runVirtually() throws Exception {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      executor.submit(() -> sleepFor(HOUR)).get();
    }
  }

  private static void runTimer() throws InterruptedException {
    Timer timer = new Timer();
    CountDownLatch latch = new CountDownLatch(1);
    TimerTask task =
        new TimerTask() {
          @Override
          public void run() {
            latch.countDown();
          }
        };
    timer.schedule(task, HOUR);
    latch.await();
    timer.cancel();
  }

  private static void clocks() {
    add(
        "Instant.now",
        () -> {
          Instant before = Instant.now();
          Thread.sleep(HOUR);
          checkHour(Duration.between(before, Instant.now()).toMillis());
        });
    add(
        "Clock.millis",
        () -> {
          long before = Clock.systemUTC().millis();
          Thread.sleep(HOUR);
          checkHour(Clock.systemUTC().millis() - before);
        });
    add("Date and LocalDateTime", TimedWaits::readCalendars);
    add("a loop that reads the clock", TimedWaits::spinOnClock);
  }

  @SuppressWarnings({"JavaUtilDate", "JavaTimeDefaultTimeZone"}) // what old code reads
  private static void readCalendars() throws InterruptedException {
    long before = new Date().getTime();
    LocalDateTime local = LocalDateTime.now();
    Thread.sleep(HOUR);
    checkHour(Duration.between(local, LocalDateTime.now()).toMillis());
    checkHour(new Date().getTime() - before);
  }

  private static void spinOnClock() throws InterruptedException {
    long until = System.nanoTime() + 10_000_000;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    Thread.sleep(HOUR);
  }

  private static void checkHour(long millis) {
    check(Math.abs(millis - HOUR) <= 10, "the clock moved " + millis + " ms");
  }

  private static void pools() {
    add(
        "ForkJoinPool.commonPool",
        () -> {
          check(ForkJoinPool.commonPool().invoke(new Fibonacci(12)) == 144, "the sum");
          Thread.sleep(HOUR);
        });
    add(
        "a parallel stream",
        () -> {
          check(IntStream.range(0, 1000).parallel().sum() == 499_500, "the sum");
          Thread.sleep(HOUR);
        });
    add(
        "CompletableFuture.supplyAsync",
        () -> CompletableFuture.runAsync(() -> sleepFor(HOUR)).thenApplyAsync(_ -> 1).join());
  }

  private static final class Fibonacci extends RecursiveTask<Integer> {
    private static final long serialVersionUID = 1;

    private final int n;

    private Fibonacci(int n) {
      this.n = n;
    }

    @Override
    protected Integer compute() {
      if (n < 2) {
        return n;
      }
      Fibonacci one = new Fibonacci(n - 1);
      one.fork();
      return new Fibonacci(n - 2).compute() + one.join();
    }
  }
}
