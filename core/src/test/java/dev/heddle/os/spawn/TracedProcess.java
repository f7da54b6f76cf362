// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.raw.RawCalls;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A process as the system shows one to its parent that has ended and that a tracer holds: its
/// number says that it has ended, and to wait for it says that it has not.
public final class TracedProcess {
  private TracedProcess() {}

  /// One that runs.
  public static SpawnedProcess start(SpawnPlan plan) throws IOException {
    SpawnedProcess runs = PosixSpawn.start(plan, () -> true);
    runs.closeAll();
    int[] pipe = new int[2];
    int _ = RawCalls.pipe(pipe);
    int _ = RawCalls.write(pipe[1], ByteBuffer.wrap(new byte[] {1}));
    RawCalls.close(pipe[1]);
    int none = SpawnedProcess.NONE;
    return new SpawnedProcess(
        (int) runs.pid(), runs.handle(), pipe[0], plan, new int[] {none, none, none});
  }
}
