// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.pipe.BlockingSink;
import dev.heddle.os.pipe.BlockingSource;
import dev.heddle.os.pipe.PipeSink;
import dev.heddle.os.pipe.PipeSource;
import java.util.function.IntConsumer;

/// A program that the JDK has started. A thread of the JDK waits for its end, and one thread of the
/// loop serves each pipe.
///
/// @param process the process as the JDK represents it
record JdkProgram(Process process) implements StartedProgram {
  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public ProcessHandle handle() {
    return process.toHandle();
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public boolean holdsGroup() {
    return false; // it has no group of its own
  }

  @Override
  public boolean hasLiveGroup() {
    return false;
  }

  @Override
  public void release() {
    // reaped by the JDK
  }

  @Override
  public void watch(LoopRuntime loop, IntConsumer whenEnded) {
    var _ = process.onExit().thenAccept(over -> whenEnded.accept(over.exitValue()));
  }

  @Override
  public PipeSink input(LoopRuntime loop, String what) {
    return new BlockingSink(loop, thread("input"), what, process.getOutputStream());
  }

  @Override
  public PipeSource output(LoopRuntime loop, String what) {
    return new BlockingSource(loop, thread("output"), what, process.getInputStream());
  }

  @Override
  public PipeSource error(LoopRuntime loop, String what) {
    return new BlockingSource(loop, thread("error-output"), what, process.getErrorStream());
  }

  private String thread(String of) {
    return process.pid() + "-" + of;
  }

  @Override
  public void closeStreams() {
    // closing cannot fail the start: the child exists
  }

  @Override
  public void abandon() {
    ProcessTree.of(this).kill();
  }

  @Override
  public void discard() throws InterruptedException {
    abandon();
    int _ = process.waitFor();
  }
}
