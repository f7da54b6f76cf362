// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.DaemonThread;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.pipe.DescriptorSink;
import dev.heddle.os.pipe.DescriptorSource;
import dev.heddle.os.pipe.PipeSink;
import dev.heddle.os.pipe.PipeSource;
import dev.heddle.os.spawn.SpawnPlan;
import dev.heddle.os.spawn.SpawnedProcess;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.linux.RawStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A program that Heddle has started itself: the driver reports its end and the readiness of its
/// pipes, and no thread waits.
final class NativeProgram implements StartedProgram {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final SpawnedProcess process;
  private final List<RawStream> streams = new ArrayList<>(); // that are open
  private @Nullable End end;
  private @Nullable RawStream terminal; // the side that the loop writes to
  private @Nullable DescriptorSink keys; // input of the terminal

  NativeProgram(SpawnedProcess process) {
    this.process = process;
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public ProcessHandle handle() {
    return process.handle();
  }

  @Override
  public boolean leads() {
    return process.leads();
  }

  @Override
  public int signalGroup(int signal) {
    return process.signalGroup(signal);
  }

  @Override
  public boolean holdsGroup() {
    return process.holdsGroup();
  }

  @Override
  public boolean hasLiveGroup() {
    return process.hasLiveGroup();
  }

  @Override
  public void release() {
    process.release();
  }

  // ---- the end ----

  @Override
  public void watch(LoopRuntime loop, IntConsumer whenEnded) throws IOException {
    RawStream number = stream(loop, process.takeEnd());
    end = new End(loop, number, whenEnded);
    end.await();
  }

  @Override
  public boolean isAlive() {
    return end == null ? !process.hasEnded() : end.isAhead();
  }

  /// Waits for the end of the process, also without a waiter: an ended process stays a zombie until
  /// it is reaped.
  private final class End implements ReadinessListener {
    private final LoopRuntime loop;
    private final RawStream number;
    private final IntConsumer whenEnded;
    private Duration pause = FIRST_PAUSE;
    private boolean reported;

    End(LoopRuntime loop, RawStream number, IntConsumer whenEnded) {
      this.loop = loop;
      this.number = number;
      this.whenEnded = whenEnded;
    }

    void await() {
      if (!reported) {
        number.arm(Direction.READ, this);
      }
    }

    /// Runs in a tick: the check takes no lock and does not block.
    @Override
    public void onReady(@Nullable Throwable error) {
      if (reported) {
        return;
      }
      if (process.hasEnded()) {
        report();
      } else if (error == null) {
        loop.scheduler().runOnCarrier(this::pause);
      } else {
        loop.scheduler().runOnCarrier(this::waitOnAThread); // the driver has failed
      }
    }

    /// The process has ended but is held by a tracer: until the tracer detaches, the system reports
    /// it as running.
    private void pause() {
      EventSource timer = loop.tree().daemonTimer(pause);
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
      InlineCallback again = (event, result, failure) -> loop.scheduler().runOnCarrier(this::await);
      timer.subscribe(again);
      timer.start();
    }

    boolean isAhead() {
      if (!reported && process.hasEnded()) {
        number.disarm(Direction.READ, this);
        report();
      }
      return !reported;
    }

    private void report() {
      reported = true;
      loop.scheduler().runOnCarrier(this::close);
      whenEnded.accept(process.code());
    }

    private void close() {
      number.close();
      if (keys != null) {
        keys.release();
      }
    }

    private void waitOnAThread() {
      var _ =
          DaemonThread.start(
              "heddle-" + process.pid() + "-end",
              () -> {
                process.awaitEnd();
                whenEnded.accept(process.code());
              });
    }
  }

  @Override
  public void abandon() {
    ProcessTree.of(this).kill();
    process.reapLater();
    process.closeAll();
  }

  @Override
  public void discard() {
    ProcessTree.of(this).kill();
    process.awaitEnd();
    process.closeAll();
  }

  // ---- pipes ----

  @Override
  public PipeSink input(LoopRuntime loop, String what) throws IOException {
    RawStream stream = stream(loop, process.takeInput());
    var sink = new DescriptorSink(loop.scheduler(), stream, what, process.hasTerminal());
    if (process.hasTerminal()) {
      terminal = stream;
      keys = sink;
    }
    return sink;
  }

  @Override
  public PipeSource output(LoopRuntime loop, String what) throws IOException {
    return source(loop, process.takeOutput(), what);
  }

  @Override
  public PipeSource error(LoopRuntime loop, String what) throws IOException {
    return source(loop, process.takeError(), what);
  }

  private PipeSource source(LoopRuntime loop, int number, String what) throws IOException {
    return new DescriptorSource(loop.scheduler(), stream(loop, number), what);
  }

  private RawStream stream(LoopRuntime loop, int number) throws IOException {
    RawStream stream = loop.scheduler().reactor().stream(number);
    streams.add(stream);
    return stream;
  }

  @Override
  public void closeStreams() {
    streams.forEach(RawStream::close);
  }

  // ---- terminal ----

  boolean hasTerminal() {
    return process.hasTerminal();
  }

  /// Sets the size of the terminal unless it is closed; returns 0 or the negated system error.
  int resize(SpawnPlan.TerminalSize size) {
    RawStream ours = terminal;
    return ours == null || ours.isClosed() ? 0 : SpawnedProcess.resize(ours.number(), size);
  }
}
