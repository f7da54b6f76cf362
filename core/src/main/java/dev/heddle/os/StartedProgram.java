// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.loop.LoopRuntime;
import dev.heddle.os.pipe.PipeSink;
import dev.heddle.os.pipe.PipeSource;
import java.io.IOException;
import java.util.function.IntConsumer;

/// A program that was started, in one of two ways: natively, or by the JDK.
///
/// **Thread** the loop's, from [#watch] on; before it the one that has started it.
interface StartedProgram {
  /// Its number.
  long pid();

  /// The same process, for the JDK.
  ProcessHandle handle();

  /// Whether it runs.
  boolean isAlive();

  /// Whether it has a process group of its own.
  default boolean leads() {
    return false;
  }

  /// Sends a signal to that group. **Thread** any.
  ///
  /// @return 0, or the system's error, negative
  default int signalGroup(int signal) {
    throw new IllegalStateException("there is no process group of its own");
  }

  /// Whether it has a process group of its own, and its number is kept for that, also when it has
  /// ended itself. **Thread** any.
  boolean holdsGroup();

  /// Whether its process group has others that could still do something. **Thread** one beside the
  /// loop.
  boolean hasLiveGroup();

  /// Nobody will ask for the group of one that has ended: its number may be another's. **Thread**
  /// any.
  void release();

  /// Begins to wait for its end.
  ///
  /// @param whenEnded told how it has ended, as the JDK says it; by any thread
  void watch(LoopRuntime loop, IntConsumer whenEnded) throws IOException;

  /// What it reads; to be asked for once.
  PipeSink input(LoopRuntime loop, String what) throws IOException;

  /// What it writes; to be asked for once.
  PipeSource output(LoopRuntime loop, String what) throws IOException;

  /// What it writes to its standard error; to be asked for once.
  PipeSource error(LoopRuntime loop, String what) throws IOException;

  /// Closes what it has been asked for so far, for there is to be no child. To be called instead of
  /// reading from it or writing to it.
  void closeStreams();

  /// Kills it with its descendants, and sees to what is left of it. **Thread** also that of the
  /// loop's end. Does not wait.
  void abandon();

  /// Kills it with its descendants, for nobody wants it, and waits until it has ended. **Thread**
  /// one beside the loop.
  void discard() throws InterruptedException;
}
