// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.pipe.PipeSink;
import dev.heddle.os.pipe.PipeSource;
import java.io.IOException;
import java.util.function.IntConsumer;

/// A started program, started either natively or by the JDK.
///
/// **Thread** the carrier, from [#watch] on; before that, the thread that has started it.
interface StartedProgram {
  long pid();

  ProcessHandle handle();

  boolean isAlive();

  default boolean leads() {
    return false;
  }

  /// Sends a signal to its process group; returns 0 or the negated error. **Thread** any.
  default int signalGroup(int signal) {
    throw new IllegalStateException("there is no process group of its own");
  }

  /// Whether it leads its own process group whose id is still reserved, also after its own end.
  /// **Thread** any.
  boolean holdsGroup();

  /// Whether its process group has running members. **Thread** a worker thread.
  boolean hasLiveGroup();

  /// Releases the process id of an ended program: its group is no longer needed. **Thread** any.
  void release();

  /// Begins to wait for its end.
  ///
  /// @param whenEnded called with its exit code in the JDK's encoding, on any thread
  void watch(LoopRuntime loop, IntConsumer whenEnded) throws IOException;

  /// Its standard input; called once.
  PipeSink input(LoopRuntime loop, String what) throws IOException;

  /// Its standard output; called once.
  PipeSource output(LoopRuntime loop, String what) throws IOException;

  /// Its standard error; called once.
  PipeSource error(LoopRuntime loop, String what) throws IOException;

  /// Closes the streams opened so far, because the start has failed. They must not have been used.
  void closeStreams();

  /// Kills it with its descendants and arranges its reaping. Does not wait. **Thread** also the
  /// thread that ends the loop.
  void abandon();

  /// Kills an unwanted program with its descendants and waits until it has ended. **Thread** a
  /// worker thread.
  void discard() throws InterruptedException;
}
