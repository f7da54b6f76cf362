// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.HeddleOptions;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.TickListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What ends the waits of a program in the JDK: the simulation, where the agent is installed;
/// otherwise other threads.
///
/// **Thread** the carrier's, but for `newCarrier`, `abandon` and `close`.
sealed interface JdkWaits extends TickListener permits AgentWaits, ForeignWaits {
  /// The thread of the run, not started.
  Thread newCarrier(HeddleOptions options, Runnable run);

  /// The loop has started; no coroutine has run.
  void started(LoopRuntime loop);

  /// A step begins.
  ///
  /// @param thread the thread that will run; null: it does not exist yet, or only the JDK knows it
  void onStep(@Nullable Thread thread);

  /// Before a poll of the driver, on the trampoline.
  void beforePoll();

  /// What happens when the loop has nothing to do; see [RunTurn.Idle#onIdle].
  RunTurn.Next onIdle(boolean endless);

  /// The threads of the program at its deadlock, and what they waited for; null: there were none,
  /// or the simulation does not know them.
  @Nullable String threadsAtDeadlock();

  /// Ends the wait of a thread for no reason.
  ///
  /// @return false: it does not wait, or the simulation does not control it
  boolean wake(Thread thread);

  /// Whether timed ones end, in virtual time.
  boolean endsTimed();

  /// What threads have left behind, at the end of the run.
  List<Finding> findings();

  /// What the program has been refused, in words.
  List<String> refused();

  /// The run is over, and its carrier has not ended. What the program does there ends by an error
  /// where the simulation is asked. Any thread.
  void abandon();

  /// The run is over. Any thread.
  void close();
}
