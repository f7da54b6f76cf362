// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.Support;
import dev.heddle.scheduler.SchedulerParts;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A driver whose one file is an array, and whose operations end when the test says so: as slow as
/// a disk can be, and as mean as a kernel may be.
final class HeldFiles implements ReactorDriver, FileDriver, OpenFile {
  private final Thread carrier = Thread.currentThread();
  private final ArrayDeque<Runnable> due = new ArrayDeque<>();

  /// What nobody has let end yet.
  final List<FileOperation> held = new ArrayList<>();

  /// All that was asked, in order.
  final List<Kind> asked = new ArrayList<>();

  /// Those that were asked to end soon.
  final List<FileOperation> cancelled = new ArrayList<>();

  byte[] content = {};
  boolean holding;

  /// Whether all that is held ends when the loop has nothing else to do.
  boolean endsWhenAsleep;

  int mostPerWrite = Integer.MAX_VALUE;
  int isOpen;

  private volatile boolean rung;

  /// Runs a loop on such a driver.
  static void run(Test test) {
    HeldFiles files = new HeldFiles();
    LoopRuntime.run(
        HeddleOptions.defaults(),
        SchedulerParts.usual(files),
        () ->
            Heddle.supervise(s -> {
              test.run(files);
              return true;
            }),
        _ -> {});
  }

  @FunctionalInterface
  interface Test {
    void run(HeldFiles files) throws Exception;
  }

  // ---- files ----

  @Override
  public boolean canOpen(Path path, Set<? extends OpenOption> options) {
    return true;
  }

  @Override
  public void submit(FileOperation operation) {
    asked.add(operation.kind());
    operation.submitted(null);
    if (holding) {
      held.add(operation);
    } else {
      end(operation, null);
    }
  }

  @Override
  public void cancel(FileOperation operation) {
    operation.cancelling();
    cancelled.add(operation);
  }

  /// Lets the oldest that is held end, in the next tick.
  void endOne() {
    end(held.removeFirst(), null);
  }

  /// Lets the oldest that is held fail, in the next tick.
  void failOne(Throwable why) {
    end(held.removeFirst(), why);
  }

  /// Holds no more, and lets all end.
  void endAll() {
    holding = false;
    while (!held.isEmpty()) {
      endOne();
    }
  }

  private void end(FileOperation operation, @Nullable Throwable failure) {
    due.add(() -> operation.complete(failure == null ? perform(operation) : 0, failure));
    wakeup();
  }

  private long perform(FileOperation operation) {
    int at = (int) operation.position();
    switch (operation.kind()) {
      case OPEN -> {
        isOpen++;
        operation.opened(this);
      }
      case CLOSE -> isOpen--;
      case READ -> {
        ByteBuffer into = operation.buffer();
        int n = Math.clamp(content.length - at, 0, into.remaining());
        into.put(into.position(), content, Math.min(at, content.length), n);
        return n;
      }
      case WRITE -> {
        int n = Math.min(mostPerWrite, operation.buffer().remaining());
        content = Arrays.copyOf(content, Math.max(content.length, at + n));
        operation.buffer().get(operation.buffer().position(), content, at, n);
        return n;
      }
      case SIZE -> {
        return content.length;
      }
      case TRUNCATE -> content = Arrays.copyOf(content, Math.min(at, content.length));
      case SYNC, SYNC_DATA -> {}
    }
    return 0;
  }

  @Override
  public FileChannel channel(boolean writing) {
    throw new UnsupportedOperationException("it is an array");
  }

  // ---- the driver ----

  @Override
  public FileDriver files() {
    return this;
  }

  @Override
  public int poll(long deadlineNanos) {
    if (endsWhenAsleep && deadlineNanos == NO_DEADLINE) {
      endAll();
    }
    if (due.isEmpty() && !rung) {
      if (deadlineNanos == NO_DEADLINE) {
        LockSupport.park(this);
      } else if (deadlineNanos != NO_WAIT) {
        LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
      }
    }
    rung = false;
    int answered = due.size();
    for (int i = 0; i < answered; i++) {
      due.remove().run();
    }
    return answered;
  }

  @Override
  public void wakeup() {
    rung = true;
    LockSupport.unpark(carrier);
  }

  @Override
  public String name() {
    return "held";
  }

  @Override
  public Map<Capability, Support> capabilities() {
    return Map.of(Capability.FILE, Support.natively("an array"));
  }

  @Override
  public boolean isArmed() {
    return !due.isEmpty();
  }

  @Override
  public void close() {}
}
