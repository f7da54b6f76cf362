// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.spawn.PosixSpawn;
import dev.heddle.reactor.Reactor;
import dev.heddle.reactor.RemoteEvent;
import dev.heddle.scheduler.Scheduler;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Starts a process on a worker thread, because that takes a millisecond.
///
/// A coroutine that is cancelled meanwhile waits until the unwanted process has ended: otherwise
/// the process would run, and hold its pipes, after its scope has ended. A start that waits for the
/// other end of a named pipe is released by opening that end.
final class ProcessLauncher implements Callable<StartedProgram> {
  private static final String NO_THREAD = "native thread"; // part of the JVM's message
  private static final String UNIX = "unix"; // the JDK's attribute view
  private static final int TYPE = 0170000; // S_IFMT
  private static final int NAMED_PIPE = 0010000; // S_IFIFO

  private final CommandSettings command;
  private final ProcessBuilder builder; // also checks its arguments
  private final @Nullable String refusal; // why it is not started natively

  // set by the starting thread or the cancelled caller: the first one decides
  private final AtomicBoolean decided = new AtomicBoolean();
  private final CompletableFuture<StartedProgram> program = new CompletableFuture<>();
  private volatile boolean abandoned; // by the caller
  // named pipes whose other ends it waits for
  private final CompletableFuture<List<Path>> pipes = new CompletableFuture<>();
  private final CompletableFuture<Boolean> stuck = new CompletableFuture<>(); // opening one of them

  private ProcessLauncher(CommandSettings command, @Nullable String refusal) {
    this.command = command;
    this.builder = command.builder();
    this.refusal = refusal;
  }

  static StartedProgram of(CommandSettings command) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    ProcessLauncher start = new ProcessLauncher(command, refusal(LoopRuntime.of(self)));
    try {
      return (StartedProgram) run(self, "the start of " + command, start);
    } catch (OutOfMemoryError e) {
      start.undo(self);
      throw start.refused(e);
    } catch (Throwable e) {
      start.undo(self);
      throw e;
    }
  }

  /// Why children of this loop are started by the JDK; null: natively, if [PosixSpawn#problem()] is
  /// null, which is checked on a worker thread because it is slow.
  private static @Nullable String refusal(LoopRuntime loop) {
    String unasked = PosixSpawn.unasked();
    Reactor reactor = loop.scheduler().reactor();
    if (unasked != null || reactor.hasStreams()) {
      return unasked;
    }
    return "the driver " + reactor.driver().name() + " cannot poll file descriptors";
  }

  private static Object run(CoroutineNode<?> self, String what, Callable<?> call) {
    return Objects.requireNonNull(
        LoopRuntime.of(self).blockingPools().offload().run(self, what, call));
  }

  /// A missing thread fails only this start.
  private IOException refused(OutOfMemoryError e) {
    if (!isForThreads(e)) {
      throw e;
    }
    return new IOException(
        "Cannot run program \""
            + command.program()
            + "\": there is no thread to start it on; the limit of processes and threads is"
            + " reached: ulimit -u of this user, or pids.max of the container",
        e);
  }

  /// Whether the system has no more threads, rather than the JVM no more memory.
  static boolean isForThreads(OutOfMemoryError e) {
    return String.valueOf(e.getMessage()).contains(NO_THREAD);
  }

  /// Runs on a worker thread.
  @Override
  public StartedProgram call() throws IOException {
    if (!decided.compareAndSet(false, true)) {
      throw new CancellationException(); // the caller has left
    }
    try {
      pipes.complete(
          command.files().filter(ProcessLauncher::isNamedPipe).map(File::toPath).toList());
      StartedProgram started = start();
      program.complete(started);
      return started;
    } catch (Throwable e) {
      program.completeExceptionally(e);
      pipes.complete(List.of()); // in case of a failure
      throw e;
    }
  }

  private StartedProgram start() throws IOException {
    if (builder.command().stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
      throw new IOException("invalid null character in command");
    }
    String why = refusal == null ? PosixSpawn.problem() : refusal;
    if (why == null) {
      return new NativeProgram(PosixSpawn.start(command.plan(), () -> !abandoned));
    }
    command.requireNothingNative(why);
    return new JdkProgram(builder.start());
  }

  private void undo(CoroutineNode<?> self) {
    abandoned = true;
    if (decided.compareAndSet(false, true) || program.isCompletedExceptionally()) {
      return;
    }
    Scheduler scheduler = LoopRuntime.of(self).scheduler();
    String what = "the end of " + command + ", cancelled";
    RemoteEvent over = new RemoteEvent(scheduler, scheduler.inbox(), what);
    try {
      // not on a worker thread: all of them may be held by such starts
      Thread.ofPlatform().daemon().name("heddle-start-end").start(() -> undone(over));
      self.shielded(() -> scheduler.await(over));
    } catch (Throwable e) {
      if (e instanceof OutOfMemoryError) {
        release(); // no thread is available: briefly on the loop
      }
      // past the shutdown deadline there is no shielding, and no waiting
      var _ = program.thenAccept(StartedProgram::abandon);
    }
  }

  private boolean undone(RemoteEvent over) {
    try {
      release();
      return over.complete(end(), null);
    } catch (Throwable e) {
      return over.complete(null, e);
    }
  }

  /// Opening both ends of a named pipe needs no peer, and completes the open call of the waiting
  /// start. Both stay open until the start is over, because it may not have begun to wait.
  private void release() {
    for (Path pipe : pipes.join()) {
      try {
        FileChannel ends = FileChannel.open(pipe, READ, WRITE);
        var _ = program.whenComplete((started, error) -> close(ends));
      } catch (IOException _) {
        // the pipe was deleted, or only one end may be opened: the start cannot be awaited
        stuck.complete(true);
      }
    }
  }

  private static boolean isNamedPipe(File file) {
    try {
      return FileSystems.getDefault().supportedFileAttributeViews().contains(UNIX)
          && ((int) Files.getAttribute(file.toPath(), UNIX + ":mode") & TYPE) == NAMED_PIPE;
    } catch (IOException | InvalidPathException _) {
      return false; // the start does not open it either, or creates it
    }
  }

  private static void close(FileChannel ends) {
    try {
      ends.close();
    } catch (IOException _) {
      // safe: nothing was written
    }
  }

  /// Runs on another thread: the starting thread may not have finished.
  private boolean end() throws InterruptedException {
    try {
      Object _ = CompletableFuture.anyOf(program, stuck).join();
      if (program.isDone()) {
        program.join().discard();
      } else {
        var _ = program.thenAccept(StartedProgram::abandon);
      }
      return true;
    } catch (CompletionException _) {
      return false; // safe: nothing was started, and the caller has left
    }
  }
}
