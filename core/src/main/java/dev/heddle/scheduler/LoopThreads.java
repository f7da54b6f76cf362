// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler;

import dev.heddle.scheduler.context.VirtualThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Creates virtual threads that are no coroutines and whose turns the loop runs, between those of
/// its coroutines. For loops with [SchedulerParts.Births#ON_LOOP], in place of threads of the
/// system.
public final class LoopThreads implements ThreadFactory {
  private final BiConsumer<Runnable, @Nullable Thread> loop;
  private final String prefix;
  private int created; // loop only

  /// @param loop runs a turn of a thread, which is null if it is not known
  /// @param prefix of the threads' names, before their number
  LoopThreads(BiConsumer<Runnable, @Nullable Thread> loop, String prefix) {
    this.loop = loop;
    this.prefix = prefix;
  }

  /// Those of a loop; null: the system has them.
  ///
  /// @param prefix of the threads' names, before their number
  public static @Nullable ThreadFactory of(Scheduler loop, String prefix) {
    return loop.bornThreads() == null ? null : new LoopThreads(loop::runBorn, prefix);
  }

  @Override
  public Thread newThread(Runnable body) {
    Turns turns = new Turns();
    Thread thread = VirtualThreads.create(turns, body);
    thread.setName(prefix + ++created);
    turns.thread = thread;
    return thread;
  }

  /// The scheduler of one thread, and of those that this one starts.
  private final class Turns implements Executor {
    private @Nullable Thread thread; // set before the thread starts
    private @Nullable Runnable first; // the task of the thread itself

    @Override
    public void execute(Runnable turn) {
      first = first == null ? turn : first;
      loop.accept(turn, turn == first ? thread : null);
    }
  }
}
