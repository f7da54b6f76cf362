// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.reactor.PollEvent;
import dev.heddle.reactor.Reactor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.RawStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Opens a named pipe without a waiting thread: none of the system calls here blocks.
final class FifoOpening {
  /*
   * To read. The end opens at once (O_NONBLOCK). A read shows whether there is a writer: EAGAIN if
   * there is one, the end of the input if not. The descriptor becomes readable when bytes have
   * arrived or a writer has come and gone, but not when a writer merely opens the pipe. So inotify
   * reports openings of the path, and the read is retried after each.
   *
   * To write. The open fails with ENXIO as long as there is no reader. It is retried after each
   * opening of the path.
   *
   * The watch begins before the first try, so no opening is missed. This class's own open for
   * reading is reported, too, and costs one try; a failed open is not reported, so there is no
   * endless loop. Without a watch (their number is limited; the path may not be readable) it is
   * retried after pauses, each twice the one before, up to a second: a peer is found within the
   * time that was waited for it. A process leaves most of the 128 watches that all programs of a
   * user have: who waits for a peer may wait for days, and so may a thousand others.
   *
   * A cancelled opening closes its descriptor before a peer was seen: a process that opens the
   * other end finds this one only while it waits.
   *
   * Rejected. Opening both ends at once, which never waits: a process that opens the pipe meanwhile
   * would see a peer that does not exist.
   */
  private static final int NONE = -1;
  private static final String OPENING = "the opening of ";
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1); // a try is a task of a pool
  private static final int EVENTS = 4096; // bytes
  private static final Semaphore WATCHES = new Semaphore(32); // of all loops

  private final CoroutineNode<?> self;
  private final Path path;
  private final boolean reads;
  private final boolean writes;
  private final boolean onlyPipes;

  private @Nullable RawStream opens; // inotify events of the path
  private Duration pause = FIRST_PAUSE;
  private boolean readReported; // readability was reported

  /// @param onlyPipes whether other files than pipes are not opened
  private FifoOpening(
      CoroutineNode<?> self, Path path, Set<? extends OpenOption> options, boolean onlyPipes) {
    this.self = self;
    this.path = path;
    this.writes = options.contains(WRITE) || options.contains(APPEND);
    this.reads = !writes || options.contains(READ);
    this.onlyPipes = onlyPipes;
  }

  /// Whether the loop supports this.
  static boolean isServed(CoroutineNode<?> self) {
    return self.scheduler().reactor().hasStreams();
  }

  /// Opens one end or both.
  ///
  /// @return null if the file is not a pipe
  static @Nullable FifoHandle open(
      CoroutineNode<?> self, Path path, Set<? extends OpenOption> options) throws IOException {
    return new FifoOpening(self, path, options, true).open(NONE);
  }

  /// Waits for the writer of an open read end.
  ///
  /// @param number its file descriptor, owned by this call
  static FifoHandle opened(
      CoroutineNode<?> self, Path path, Set<? extends OpenOption> options, int number)
      throws IOException {
    FifoHandle handle = new FifoOpening(self, path, options, false).open(number);
    if (handle == null) {
      throw new IllegalStateException(path + " was open, but no handle was made");
    }
    return handle;
  }

  private @Nullable FifoHandle open(int number) throws IOException {
    int fd = number;
    boolean mayWatch = WATCHES.tryAcquire();
    try {
      int watch = mayWatch ? taken(() -> LinuxCalls.watchOpens(path.toString())) : NONE;
      opens = watch < 0 ? null : reactor().stream(watch);
      fd = fd == NONE ? tried() : fd;
      while (fd == -LinuxCalls.ENXIO) {
        await(null);
        fd = tried();
      }
      if (fd < 0) {
        throw failure(-fd);
      }
      if (onlyPipes && !LinuxCalls.isFifo(fd)) {
        return null;
      }
      LinuxCalls.setBlocking(fd, false);
      int given = fd;
      fd = NONE; // closed by the stream, also when its constructor fails
      return connected(reactor().stream(given));
    } finally {
      if (fd >= 0) {
        LinuxCalls.close(fd);
      }
      if (opens != null) {
        opens.close();
      }
      if (mayWatch) {
        WATCHES.release(); // last: the watch of the next one would be one too many
      }
    }
  }

  private Reactor reactor() {
    return self.scheduler().reactor();
  }

  private FifoHandle connected(RawStream stream) throws IOException {
    boolean connected = false;
    try {
      ByteBuffer come = ByteBuffer.allocate(1);
      if (reads && !writes) {
        awaitWriter(stream, come);
      }
      FifoHandle handle =
          new FifoHandle(self.scheduler(), stream, path, reads, writes, come.flip());
      connected = true;
      return handle;
    } finally {
      if (!connected) {
        stream.close();
      }
    }
  }

  private void awaitWriter(RawStream stream, ByteBuffer come) throws IOException {
    PollEvent readable = new PollEvent(self.scheduler(), Direction.READ, stream, OPENING + path);
    InlineCallback note = (event, result, error) -> readReported = true;
    readable.subscribe(note);
    while (!readReported && stream.read(come) < 0) {
      await(readable);
    }
  }

  /// Waits until a retry may succeed.
  private void await(@Nullable EventSource readable) throws IOException {
    self.renew();
    if (readable != null) {
      self.resumeWhen(readable);
    }
    self.resumeWhen(
        opens == null
            ? pause()
            : new PollEvent(self.scheduler(), Direction.READ, opens, OPENING + path));
    Object _ = self.scheduler().suspend(self);
    if (opens != null) {
      int _ = opens.read(ByteBuffer.allocate(EVENTS));
    }
  }

  private EventSource pause() {
    EventSource timer = self.tree().timer(self.tree().nanoTimeAfter(pause));
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    return timer;
  }

  // ---- calls on the path, on worker threads: the disk may be slow ----

  private int tried() {
    int way = writes ? (reads ? LinuxCalls.READ_WRITE : LinuxCalls.WRITE_ONLY) : 0;
    return taken(() -> LinuxCalls.open(path.toString(), way | LinuxCalls.NON_BLOCKING, 0));
  }

  private int taken(Callable<Integer> call) {
    DescriptorHandOff descriptorHandOff = new DescriptorHandOff(call);
    boolean taken = false;
    try {
      int number =
          (int)
              Objects.requireNonNull(
                  LoopRuntime.of(self)
                      .blockingPools()
                      .paths()
                      .run(self, OPENING + path, descriptorHandOff));
      taken = true;
      return number;
    } finally {
      if (!taken) {
        descriptorHandOff.abandon();
      }
    }
  }

  /// Passes a descriptor to the caller, or closes it if the caller has left.
  private static final class DescriptorHandOff implements Callable<Integer> {
    private static final int PENDING = Integer.MIN_VALUE;
    private static final int ABANDONED = PENDING + 1;

    private final Callable<Integer> call;
    private final AtomicInteger state = new AtomicInteger(PENDING);

    DescriptorHandOff(Callable<Integer> call) {
      this.call = call;
    }

    @Override
    public Integer call() throws Exception {
      int number = call.call();
      if (!state.compareAndSet(PENDING, number) && number >= 0) {
        LinuxCalls.close(number);
      }
      return number;
    }

    void abandon() {
      int number = state.getAndSet(ABANDONED);
      if (number >= 0) {
        LinuxCalls.close(number);
      }
    }
  }

  private FileSystemException failure(int error) {
    String name = path.toString();
    return switch (error) {
      case LinuxCalls.ENOENT -> new NoSuchFileException(name);
      case LinuxCalls.EACCES -> new AccessDeniedException(name);
      default -> new FileSystemException(name, null, LinuxCalls.text(error));
    };
  }
}
