// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static dev.heddle.netty.uring.RingOperation.submission;

import dev.heddle.Cancellation;
import dev.heddle.netty.handler.IoHandlerAdapter;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.FileOperation.State;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.ReadinessCounts;
import dev.heddle.reactor.linux.CachedReads;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// File operations through the ring: all operations of a turn are submitted in one system call.
final class RingFiles implements FileDriver, IoUringIoHandle {
  /*
   * A coroutine queues an operation; the next poll submits it; that poll or a later one completes
   * it.
   *
   * States of an operation's work.
   *   from      event                                 to       who
   *   -         submit()                              NOTED    a coroutine, or the trampoline
   *   -         submit() of a CLOSE, with channels    BESIDE   as above; a thread closes them
   *   BESIDE    the channels are closed               NOTED    begin(), which the thread has woken
   *   NOTED     begin()                               IN RING  the poll; it has a slot now
   *   NOTED     begin(), cancelled meanwhile          over     the poll; the system never saw it
   *   IN RING   completion: EINTR, EAGAIN             NOTED    the poll; next by a kernel worker
   *   IN RING   completion: first half of a TRUNCATE  NOTED    the poll; see below
   *   IN RING   completion                            over     the poll: FileOperation.complete
   *   IN RING   cancel()                              same     begin() submits ASYNC_CANCEL; the
   *                                                            completion follows all the same
   *   IN RING   close(), no completion for a second   LEAKED   its buffer stays reachable for ever:
   *                                                            the kernel may write to it
   *   BESIDE    close(), the same                     over     its number stays open: other calls
   *                                                            use it
   *
   * A completion names a slot, which belongs to its operation until then: so a completion reaches
   * the right operation. A cancel names slot and kind. It cannot hit the slot's next owner: that
   * operation is submitted after the completion of the first was seen, hence after every cancel of
   * the first, and the kernel processes submissions in order.
   *
   * The slot refers to the operation, and the operation to its buffer: memory that the kernel may
   * access stays reachable.
   *
   * TRUNCATE leaves a shorter file as it is, but ftruncate would extend it. So it reads the size
   * first.
   *
   * Limits. IN_FLIGHT operations at a time; the others wait in the queue. Submitting a read of
   * cached bytes copies them on the carrier; after BYTES_A_TURN, coroutines run before further
   * submissions.
   *
   * Non-blocking reads. A read is first tried by preadv2 with RWF_NOWAIT, on the coroutine's stack:
   * cached bytes cost only the copy, without a switch or a slot. That call takes no lock and does
   * not wait for the device. Files that bypass the cache (O_DIRECT) gain nothing from it: for them,
   * a turn is requested as soon as the queued operations exceed a DEVICE_SHARE of those in flight,
   * at once if none are. So the device starts while other coroutines still submit, and a deeper
   * queue means more operations per call.
   *
   * I1. Every submitted operation completes once. [RingFilesTest, FileCancelTest]
   * I2. Nothing of an operation is reused before its completion. [RingFilesTest]
   * I3. A descriptor is closed only here, once, and when no operation refers to it (ensured by its
   *     owner): a submitted CLOSE has closed it, whenever it completes. [RingFilesTest,
   *     RingFaultsTest]
   *
   * Rejected. A turn for every device read: a third more CPU time without more reads. A fixed
   * threshold: with 16, the device lacks half of a depth of 32 while reads are being submitted (0.7
   * of fio's rate; with 4, 0.82). One registration per file: slots make it unnecessary. Opening by
   * the JDK: its channels do not expose their descriptor.
   *
   * Sources. trap-28, trap-29, trap-31; decision 0022.
   */
  private static final int IN_FLIGHT = 1_024; // capacity of the ring
  private static final long BYTES_A_TURN = 1 << 20; // 0.1 to 0.3 ms of copying
  private static final int DEVICE_SHARE = 4; // a quarter
  private static final Pattern KERNEL = Pattern.compile("(\\d+)\\.(\\d+).*");
  private static final int FTRUNCATE_SINCE = 6_009; // 6.9

  private static final byte FSYNC = 3;
  private static final byte ASYNC_CANCEL = 14;
  private static final byte OPENAT = 18;
  private static final byte CLOSE = 19;
  private static final byte STATX = 21;
  private static final byte READ = 22;
  private static final byte WRITE = 23;
  private static final byte FTRUNCATE = 55;

  private static final byte NO_FLAGS = 0;
  private static final byte ASYNC = 1 << 4; // IOSQE_ASYNC
  private static final int HERE = -100; // AT_FDCWD
  private static final int MODE = 0666; // minus the umask
  private static final int DATA_ONLY = 1; // IORING_FSYNC_DATASYNC

  /// Operations whose memory the kernel may still write to after the loop's end; never freed.
  private static final Queue<RingOperation> LEAKED = new ConcurrentLinkedQueue<>();

  private final ReadinessCounts counts;
  private final Runnable wakeup;
  private final @Nullable CachedReads cached = CachedReads.open();

  // any thread
  private final Queue<RingOperation> channelsClosed = new ConcurrentLinkedQueue<>();

  // loop only
  private final Set<RingFile> open = new HashSet<>();
  private final ArrayDeque<RingOperation> pending = new ArrayDeque<>();
  private final ArrayDeque<RingOperation> cancelRequested = new ArrayDeque<>();
  private final @Nullable RingOperation[] slots = new @Nullable RingOperation[IN_FLIGHT];
  private final short[] free = new short[IN_FLIGHT]; // a stack
  private int freeCount = IN_FLIGHT;
  private final Set<RingOperation> blockingInKernel = new HashSet<>();
  private int forDevices; // queued operations that bypass the cache
  private boolean closing;
  private @Nullable IoRegistration registration;

  /// @param counts of the driver
  /// @param wakeup of the driver
  RingFiles(ReadinessCounts counts, Runnable wakeup) {
    this.counts = counts;
    this.wakeup = wakeup;
    for (int i = 0; i < IN_FLIGHT; i++) {
      free[i] = (short) (IN_FLIGHT - 1 - i); // low numbers first
    }
  }

  /// Whether this kernel supports all required operations.
  static boolean isSupported() {
    Matcher version = KERNEL.matcher(System.getProperty("os.version"));
    return version.matches()
        && Integer.parseInt(version.group(1)) * 1_000 + Integer.parseInt(version.group(2))
            >= FTRUNCATE_SINCE;
  }

  // ---- submission by coroutines ----

  @Override
  public boolean canOpen(Path path, Set<? extends OpenOption> options) {
    return OpenFlags.canSay(path, options);
  }

  @Override
  public int tryRead(OpenFile file, ByteBuffer into, long position) {
    CachedReads reads = cached;
    RingFile own = (RingFile) file;
    if (reads == null || !own.mayBeCached()) {
      return WOULD_BLOCK;
    }
    int count = reads.read(own.fd(), into, position);
    if (count == CachedReads.UNSUPPORTED) {
      own.isNotCached(); // or the read fails: the ring reports the reason
    }
    return count < 0 ? WOULD_BLOCK : count;
  }

  @Override
  public void submit(FileOperation operation) {
    RingOperation work = new RingOperation(operation);
    RingFile file = work.file();
    if (file != null && file.owner() != this) {
      throw new IllegalStateException(operation + ": " + file + " belongs to another driver");
    }
    operation.submitted(work);
    if (operation.kind() == Kind.CLOSE && file != null && !file.closesAlone()) {
      blockingInKernel.add(work);
      Thread.ofPlatform().daemon().name("heddle-close").start(() -> closeChannels(work, file));
    } else {
      pending.add(work);
      if (file != null && file.isDirect()) {
        forDevices++;
      }
    }
  }

  @Override
  public boolean isPollDue() {
    return forDevices * DEVICE_SHARE >= inFlight() && forDevices > 0;
  }

  private void closeChannels(RingOperation work, RingFile file) {
    try {
      file.closeChannels();
    } catch (IOException e) {
      work.failure = e;
    } finally {
      channelsClosed.add(work);
      wakeup.run();
    }
  }

  @Override
  public void cancel(FileOperation operation) {
    if (operation.attachment() instanceof RingOperation work && operation.cancelling()) {
      cancelRequested.add(work);
    }
  }

  /// Whether operations are queued or in flight.
  boolean isWorking() {
    return !pending.isEmpty() || inFlight() > 0 || !blockingInKernel.isEmpty();
  }

  private int inFlight() {
    return IN_FLIGHT - freeCount;
  }

  // ---- the carrier ----

  /// Whether [#begin] has operations to submit.
  boolean hasPending() {
    return !pending.isEmpty() || !cancelRequested.isEmpty() || !blockingInKernel.isEmpty();
  }

  /// Submits the queued operations, in a poll.
  ///
  /// @return whether more must be submitted once the coroutines have run
  boolean begin(IoHandler handler) throws IOException {
    forDevices = 0;
    IoRegistration ring = registration(handler);
    for (RingOperation w = channelsClosed.poll(); w != null; w = channelsClosed.poll()) {
      blockingInKernel.remove(w);
      pending.add(w);
    }
    for (RingOperation w = cancelRequested.poll(); w != null; w = cancelRequested.poll()) {
      cancel(w, ring);
    }
    long bytes = 0;
    while (freeCount > 0 && bytes < BYTES_A_TURN) {
      RingOperation w = pending.poll();
      if (w == null) {
        return false;
      }
      bytes += submitToRing(w, ring);
    }
    return freeCount > 0 && !pending.isEmpty();
  }

  private IoRegistration registration(IoHandler handler) throws IOException {
    IoRegistration r = registration;
    if (r == null) {
      r = IoHandlerAdapter.register(handler, this, "the ring accepts no files");
      registration = r;
    }
    return r;
  }

  private void cancel(RingOperation w, IoRegistration ring) {
    if (w.slot >= 0) {
      ring.submit(submission(ASYNC_CANCEL, NO_FLAGS, -1, 0, w.name, 0, 0, 0));
    }
  }

  /// @return the maximum number of bytes that it moves
  private int submitToRing(RingOperation w, IoRegistration ring) {
    FileOperation operation = w.operation;
    if (operation.state() == State.CANCELLING) {
      over(w, 0, withdrawn());
      return 0;
    }
    if (operation.kind() == Kind.CLOSE) {
      // from here on the kernel owns the descriptor, even if it completes late
      open.remove(w.file());
    }
    short slot = free[--freeCount];
    slots[slot] = w;
    w.slot = slot;
    w.name = ring.submit(ops(w));
    return operation.hasBuffer() ? operation.buffer().remaining() : 0;
  }

  private IoUringIoOps ops(RingOperation w) {
    FileOperation o = w.operation;
    byte flags = w.isBlocking ? ASYNC : NO_FLAGS;
    short slot = w.slot;
    return switch (o.kind()) {
      case OPEN -> {
        w.putName();
        yield submission(OPENAT, flags, HERE, 0, w.scratchAddress(), MODE, w.flags, slot);
      }
      case READ -> submission(READ, flags, w.fd(), o.position(), w.address(), w.length(), 0, slot);
      case WRITE ->
          submission(WRITE, flags, w.fd(), o.position(), w.address(), w.length(), 0, slot);
      case SIZE -> ops(w, flags);
      case TRUNCATE ->
          w.isKnownToBeLonger
              ? submission(FTRUNCATE, flags, w.fd(), o.position(), 0, 0, 0, slot)
              : ops(w, flags);
      case SYNC -> submission(FSYNC, flags, w.fd(), 0, 0, 0, 0, slot);
      case SYNC_DATA -> submission(FSYNC, flags, w.fd(), 0, 0, 0, DATA_ONLY, slot);
      case CLOSE -> submission(CLOSE, NO_FLAGS, w.fd(), 0, 0, 0, 0, slot);
    };
  }

  private static IoUringIoOps ops(RingOperation w, byte flags) {
    w.prepareStatus();
    long name = w.scratchAddress();
    int what = RingOperation.OF_THE_NUMBER;
    return submission(
        STATX, flags, w.fd(), w.statusAddress(), name, RingOperation.WANTED, what, w.slot);
  }

  // ---- completions ----

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    if (e.opcode() == ASYNC_CANCEL) {
      return; // the completion of the operation itself has the result
    }
    RingOperation w =
        Objects.requireNonNull(slots[(int) e.userData()], "a completion is of a work in its slot");
    slots[w.slot] = null;
    free[freeCount++] = w.slot;
    w.slot = RingOperation.NO_SLOT;
    completed(w, e.res());
  }

  private void completed(RingOperation w, int result) {
    FileOperation operation = w.operation;
    boolean isWanted = operation.state() != State.CANCELLING && !closing;
    if (result == FileFailures.EINTR || result == FileFailures.EAGAIN) {
      if (isWanted && operation.kind() != Kind.CLOSE) {
        w.isBlocking = true;
        pending.add(w);
        return;
      }
    }
    if (result < 0) {
      boolean isWithdrawn = result == FileFailures.ECANCELED || result == FileFailures.EINTR;
      over(w, 0, isWithdrawn ? withdrawn() : FileFailures.of(operation, result));
    } else {
      succeeded(w, result);
    }
  }

  private void succeeded(RingOperation w, int result) {
    FileOperation operation = w.operation;
    switch (operation.kind()) {
      case OPEN -> {
        RingFile file = new RingFile(this, operation.path(), result, w.flags);
        open.add(file);
        operation.opened(file);
        over(w, 0, null);
      }
      case READ, WRITE -> over(w, result, null);
      case SIZE -> over(w, w.size(), w.sizeFailure());
      case TRUNCATE -> truncated(w);
      case SYNC, SYNC_DATA -> over(w, 0, null);
      case CLOSE -> over(w, 0, w.failure);
    }
  }

  private void truncated(RingOperation w) {
    if (!w.isKnownToBeLonger && w.size() > w.operation.position()) {
      w.isKnownToBeLonger = true;
      pending.add(w);
    } else {
      over(w, 0, null);
    }
  }

  private void over(RingOperation w, long result, @Nullable Throwable failure) {
    counts.completed();
    w.operation.complete(result, failure);
  }

  private static Cancellation withdrawn() {
    return new Cancellation("its caller no longer waits for it");
  }

  /// Fails all operations: the ring is unavailable.
  void failAll(IOException why) {
    for (RingOperation w = pending.poll(); w != null; w = pending.poll()) {
      over(w, 0, why);
    }
  }

  // ---- closing ----

  /// Cancels the operations in flight; no coroutine is left.
  void beginToClose() {
    closing = true;
    pending.removeIf(w -> w.operation.kind() != Kind.CLOSE);
    for (RingOperation w : slots) {
      if (w != null && w.operation.kind() != Kind.CLOSE && w.operation.cancelling()) {
        cancelRequested.add(w);
      }
    }
  }

  /// Closes the open files.
  ///
  /// @return the number of operations that have not ended, whose memory is never freed
  int finish() {
    int left = inFlight() + blockingInKernel.size();
    for (RingOperation w : slots) {
      if (w != null) {
        LEAKED.add(w);
      }
    }
    blockingInKernel.forEach(w -> open.remove(w.file())); // channels in use
    open.forEach(RingFiles::close);
    open.clear();
    return left;
  }

  private static void close(RingFile file) {
    try {
      file.closeChannels();
      new FileDescriptor(file.fd()).close();
    } catch (IOException e) {
      // write failures were reported to the writers
      AsyncLog.shared().debug("while closing " + file, e);
    }
  }

  @Override
  public void close() {
    // the driver closes the files before the handler
  }
}
