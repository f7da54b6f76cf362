// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import dev.heddle.Cancellation;
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

/// Files through the ring: what coroutines ask for in a turn goes to the system in one call.
final class RingFiles implements FileDriver, IoUringIoHandle {
  /*
   * A coroutine queues an operation; the next tick submits it; that tick or a later one completes
   * it.
   *
   * States of an operation's work.
   *   from      event                                 to       who
   *   -         submit()                              NOTED    a coroutine, or the trampoline
   *   -         submit() of a CLOSE, with channels    BESIDE   as above; a thread closes them
   *   BESIDE    the channels are closed               NOTED    begin(), which the thread has woken
   *   NOTED     begin()                               IN RING  the tick; it has a slot now
   *   NOTED     begin(), cancelled meanwhile          over     the tick; the system never saw it
   *   IN RING   completion: EINTR, EAGAIN             NOTED    the tick; next by a kernel worker
   *   IN RING   completion: first half of a TRUNCATE  NOTED    the tick; see below
   *   IN RING   completion                            over     the tick: FileOperation.complete
   *   IN RING   cancel()                              same     begin() submits ASYNC_CANCEL; the
   *                                                            completion follows all the same
   *   IN RING   close(), no completion for a second   LEAKED   its buffer stays reachable for ever:
   *                                                            the kernel may write to it
   *   BESIDE    close(), the same                     over     its number stays open: other calls
   *                                                            use it
   *
   * A completion brings the slot back, and the slot is its work's until then: so a completion meets
   * the work that it belongs to. A cancel names slot and kind. It cannot hit the slot's next owner:
   * that one is submitted after the first one's completion was seen, hence after every cancel meant
   * for the first, and the kernel takes them in order.
   *
   * The work refers to the buffer, and the slot to the work: what the kernel may touch is
   * reachable.
   *
   * TRUNCATE leaves a shorter file as it is; ftruncate would lengthen it. So it asks for the size
   * first.
   *
   * Bounds. IN_FLIGHT operations at a time; the others wait in the queue. The carrier copies reads
   * of cached bytes while it submits them; when it has submitted BYTES_A_TURN, the coroutines run
   * first.
   *
   * Without a wait. A read is first tried by preadv2 with RWF_NOWAIT, on the coroutine's stack:
   * cached bytes cost the copy, and neither a switch nor a slot. That call takes no lock and waits
   * for no device. Files that bypass the cache (O_DIRECT) gain nothing from it: a turn is due as
   * soon as those that wait for it are a DEVICE_SHARE of what the device has, at once when it has
   * nothing. So the device begins while other coroutines still ask, and the deeper its queue, the
   * more go by one call.
   *
   * I1. Every submitted operation completes once. [RingFilesTest, FileCancelTest]
   * I2. Nothing of an operation is reused before its completion. [RingFilesTest]
   * I3. A number is closed when no work refers to it (its owner sees to that), only here, and once:
   *     a CLOSE that was submitted has closed it, whenever it completes. [RingFilesTest,
   *     RingFaultsTest]
   *
   * Rejected. A turn for every read of a device: a third more CPU, and no more reads. A fixed
   * share: of 16, the device lacks half of a depth of 32 while the reads are being asked for (0.7
   * of fio's rate; of 4, 0.82). One registration for each file: the slots make it needless. Opening
   * by the JDK: its channels do not tell their number.
   *
   * Sources. trap-28, trap-29, trap-31; decision 0022.
   */
  private static final int IN_FLIGHT = 1_024; // as many as the ring has room for
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
  private static final int MODE = 0666; // what the umask leaves of it
  private static final int DATA_ONLY = 1; // IORING_FSYNC_DATASYNC

  /// What the kernel may still write to when the loop has ended; never freed.
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
  private int forDevices; // of those noted: they are not copied, but waited for
  private boolean closing;
  private @Nullable IoRegistration registration;

  /// @param counts the driver's
  /// @param wakeup the driver's
  RingFiles(ReadinessCounts counts, Runnable wakeup) {
    this.counts = counts;
    this.wakeup = wakeup;
    for (int i = 0; i < IN_FLIGHT; i++) {
      free[i] = (short) (IN_FLIGHT - 1 - i); // low numbers first
    }
  }

  /// Whether this kernel does all that is needed.
  static boolean isSupported() {
    Matcher version = KERNEL.matcher(System.getProperty("os.version"));
    return version.matches()
        && Integer.parseInt(version.group(1)) * 1_000 + Integer.parseInt(version.group(2))
            >= FTRUNCATE_SINCE;
  }

  // ---- notes ----

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
    int count = reads.read(own.rawFd(), into, position);
    if (count == CachedReads.UNSUPPORTED) {
      own.isNotCached(); // or the read fails: the ring says why
    }
    return count < 0 ? WOULD_BLOCK : count;
  }

  @Override
  public void submit(FileOperation operation) {
    RingOperation work = new RingOperation(operation);
    RingFile file = work.file();
    if (file != null && file.owner() != this) {
      throw new IllegalStateException(operation + ": " + file + " is of another driver");
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

  /// Whether something is to be handed over or to be waited for.
  boolean isWorking() {
    return !pending.isEmpty() || inFlight() > 0 || !blockingInKernel.isEmpty();
  }

  private int inFlight() {
    return IN_FLIGHT - freeCount;
  }

  // ---- the carrier ----

  /// Whether [#begin] has something to do.
  boolean hasPending() {
    return !pending.isEmpty() || !cancelRequested.isEmpty() || !blockingInKernel.isEmpty();
  }

  /// Hands over what was noted, in a tick.
  ///
  /// @return whether more is to be handed over as soon as the coroutines have run
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
      try {
        r = handler.register(this);
      } catch (Exception e) {
        throw new IOException("the ring takes no files: " + e.getMessage(), e);
      }
      registration = r;
    }
    return r;
  }

  private void cancel(RingOperation w, IoRegistration ring) {
    if (w.slot >= 0) {
      ring.submit(ops(ASYNC_CANCEL, NO_FLAGS, -1, 0, w.name, 0, 0, (short) 0));
    }
  }

  /// @return how many bytes it moves at most
  private int submitToRing(RingOperation w, IoRegistration ring) {
    FileOperation operation = w.operation;
    if (operation.state() == State.CANCELLING) {
      over(w, 0, withdrawn());
      return 0;
    }
    if (operation.kind() == Kind.CLOSE) {
      open.remove(w.file()); // from here on the number is the kernel's, also when it answers late
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
        yield ops(OPENAT, flags, HERE, 0, w.scratchAddress(), MODE, w.flags, slot);
      }
      case READ -> ops(READ, flags, w.fd(), o.position(), w.address(), w.length(), 0, slot);
      case WRITE -> ops(WRITE, flags, w.fd(), o.position(), w.address(), w.length(), 0, slot);
      case SIZE -> ops(w, flags);
      case TRUNCATE ->
          w.isKnownToBeLonger
              ? ops(FTRUNCATE, flags, w.fd(), o.position(), 0, 0, 0, slot)
              : ops(w, flags);
      case SYNC -> ops(FSYNC, flags, w.fd(), 0, 0, 0, 0, slot);
      case SYNC_DATA -> ops(FSYNC, flags, w.fd(), 0, 0, 0, DATA_ONLY, slot);
      case CLOSE -> ops(CLOSE, NO_FLAGS, w.fd(), 0, 0, 0, 0, slot);
    };
  }

  private static IoUringIoOps ops(RingOperation w, byte flags) {
    w.prepareStatus();
    return ops(
        STATX,
        flags,
        w.fd(),
        w.statusAddress(),
        w.scratchAddress(),
        RingOperation.WANTED,
        RingOperation.OF_THE_NUMBER,
        w.slot);
  }

  private static IoUringIoOps ops(
      byte code, byte flags, int fd, long offset, long address, int length, int what, short slot) {
    return new IoUringIoOps(
        code,
        flags,
        (short) 0,
        fd,
        offset,
        address,
        length,
        what,
        (long) slot,
        (short) 0,
        (short) 0,
        0,
        0L);
  }

  // ---- completions ----

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    IoUringIoEvent e = (IoUringIoEvent) event;
    if (e.opcode() == ASYNC_CANCEL) {
      return; // the work itself tells what became of it
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

  /// The ring cannot be had.
  void failAll(IOException why) {
    for (RingOperation w = pending.poll(); w != null; w = pending.poll()) {
      over(w, 0, why);
    }
  }

  // ---- the end ----

  /// No coroutine is left: what is under way is asked to end.
  void beginToClose() {
    closing = true;
    pending.removeIf(w -> w.operation.kind() != Kind.CLOSE);
    for (RingOperation w : slots) {
      if (w != null && w.operation.kind() != Kind.CLOSE && w.operation.cancelling()) {
        cancelRequested.add(w);
      }
    }
  }

  /// Closes what is open.
  ///
  /// @return what has not ended, and is never freed
  int finish() {
    int left = inFlight() + blockingInKernel.size();
    for (RingOperation w : slots) {
      if (w != null) {
        LEAKED.add(w);
      }
    }
    blockingInKernel.forEach(w -> open.remove(w.file())); // their channels are still in use
    open.forEach(RingFiles::close);
    open.clear();
    return left;
  }

  private static void close(RingFile file) {
    try {
      file.closeChannels();
      new FileDescriptor(file.rawFd()).close();
    } catch (IOException e) {
      // what could not be written was reported to its writer
      AsyncLog.shared().debug("while closing " + file, e);
    }
  }

  @Override
  public void close() {
    // the handler goes, and the driver has closed the files before
  }
}
