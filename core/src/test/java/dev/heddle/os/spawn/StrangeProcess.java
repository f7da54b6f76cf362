// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.linux.LinuxCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/// Processes that run, with descriptors as they seldom are.
public final class StrangeProcess {
  private static final int NONE = SpawnedProcess.NONE;

  private StrangeProcess() {}

  /// One as the system shows it to its parent when it has ended and a tracer holds it: its number
  /// says that it has ended, and to wait for it says that it has not.
  public static SpawnedProcess held(SpawnPlan plan) throws IOException {
    int[] pipe = pipe();
    int _ = LinuxCalls.write(pipe[1], ByteBuffer.wrap(new byte[] {1}));
    LinuxCalls.close(pipe[1]);
    return start(plan, pipe[0], NONE, NONE);
  }

  /// One whose input can be watched, and whose output cannot.
  ///
  /// @param file for its output
  /// @param input gets the number of our end
  public static SpawnedProcess unwatchable(SpawnPlan plan, Path file, int[] input)
      throws IOException {
    int[] pipe = pipe();
    LinuxCalls.close(pipe[0]);
    input[0] = pipe[1];
    return start(plan, NONE, pipe[1], LinuxCalls.open(file.toString(), 0, 0));
  }

  /// What native code does that waits for any child: waits for the end of one, and takes it out of
  /// the system's table.
  public static void take(long pid) {
    int _ = SpawnCalls.end((int) pid, true);
    SpawnCalls.reap((int) pid);
  }

  private static int[] pipe() {
    int[] ends = new int[2];
    int _ = LinuxCalls.pipe(ends);
    return ends;
  }

  private static SpawnedProcess start(SpawnPlan plan, int end, int input, int output)
      throws IOException {
    SpawnedProcess runs = PosixSpawn.start(plan, () -> true);
    runs.closeAll();
    int[] streams = {input, output, NONE};
    return new SpawnedProcess((int) runs.pid(), runs.handle(), end, plan, streams);
  }
}
