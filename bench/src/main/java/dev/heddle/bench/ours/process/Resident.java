// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Program;
import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/// A program whose runtime lives between its rounds.
abstract class Resident implements Program {
  private static final long LOOK_NANOS = 50_000;

  final ProcessRuntime runtime = ProcessRuntime.start();

  /// Starts so many processes, and waits until they have.
  List<Pid> spawn(int count, IntFunction<Process> process) throws Exception {
    List<Pid> pids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      pids.add(runtime.spawn(process.apply(i)));
    }
    for (Pid pid : pids) {
      runtime.whenStarted(pid).get();
    }
    return pids;
  }

  /// Waits until processes have ended.
  ///
  /// @throws IllegalStateException when one has not ended by itself
  void awaitEnd(List<Pid> pids) throws Exception {
    for (Pid pid : pids) {
      Exit exit = runtime.whenExited(pid).get();
      if (exit.isAbnormal() && exit.reason() != Exit.Reason.NOT_FOUND) {
        throw new IllegalStateException("it has failed: " + exit, exit.cause());
      }
    }
  }

  /// Ends processes that wait for more, and waits for that.
  void terminate(List<Pid> pids) throws Exception {
    pids.forEach(runtime::terminate);
    for (Pid pid : pids) {
      var _ = runtime.whenExited(pid).get();
    }
  }

  /// Waits for the last ones, between what they said and their end.
  void awaitNone() {
    awaitQuiet(() -> runtime.counters().processes() == 0);
  }

  /// Looks again and again, and leaves the processors to others meanwhile.
  static void awaitQuiet(BooleanSupplier is) {
    while (!is.getAsBoolean()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Override
  public void close() {
    runtime.close();
  }
}
