// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.feed;

import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.Pid;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.observe.ProcessJfrEvents;
import dev.heddle.process.observe.WorkJfrEvents;
import dev.heddle.process.observe.WorkJfrEvents.Lasting;
import dev.heddle.process.scheduler.Node;
import dev.heddle.process.scheduler.Task;
import dev.heddle.process.scheduler.Task.StepResult;
import dev.heddle.process.scheduler.WorkObserver;
import dev.heddle.process.scheduler.WorkObservers;
import dev.heddle.process.scheduler.Worker;
import dev.heddle.process.scheduler.WorkerPool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Writes what the workers of a runtime do as events of a flight recording, while one has enabled
/// them.
///
/// **Thread** the one that reports, and before the workers start the one that starts them.
public final class RuntimeFlight {
  private static final int NO_NUMBER = -1;

  private final WorkerPool workers;
  private final String runtime;
  private @Nullable Observers told; // null: no recording wants it

  /// @param runtime its name
  public RuntimeFlight(WorkerPool workers, String runtime) {
    this.workers = workers;
    this.runtime = runtime;
  }

  /// Begins or ends it, as recordings want it.
  public void update() {
    boolean isWanted = ProcessJfrEvents.workIsWanted();
    if (isWanted && told == null) {
      told = new Observers(runtime);
      workers.observe(told);
    } else if (!isWanted && told != null) {
      workers.unobserve(told);
      told = null;
    }
  }

  /// One for each worker.
  private static final class Observers implements WorkObservers {
    private final String runtime;
    private final WorkObserver others;
    private final Map<Worker, WorkObserver> all = new ConcurrentHashMap<>();

    Observers(String runtime) {
      this.runtime = runtime;
      this.others = new OfOthers(new WorkJfrEvents(runtime, NO_NUMBER));
    }

    @Override
    public WorkObserver of(Worker worker) {
      int number = worker.isCompensating() ? NO_NUMBER : worker.number();
      WorkObserver made = new OfWorker(new WorkJfrEvents(runtime, number));
      WorkObserver known = all.putIfAbsent(worker, made);
      return known == null ? made : known;
    }

    @Override
    public WorkObserver ofOthers() {
      return others;
    }

    @Override
    public void ended(Worker worker) {
      var _ = all.remove(worker);
    }
  }

  private static boolean isBody(ProcessInstance process) {
    return process.process() instanceof CoroutineProcess;
  }

  private static Pid pid(Task task) {
    return ((ProcessInstance) task).self();
  }

  /// What a thread does that is no worker.
  ///
  /// **Thread** any.
  private static sealed class OfOthers implements WorkObserver permits OfWorker {
    final WorkJfrEvents events;

    OfOthers(WorkJfrEvents events) {
      this.events = events;
    }

    /// The process that runs now; null: none, or one whose run began before.
    @Nullable Pid running() {
      return null;
    }

    /// An event is written next.
    void writes() {}

    @Override
    public void sent(Task to, @Nullable Node item) {
      writes();
      events.sent(pid(to), running());
    }

    @Override
    public void woke(Task task, int why) {
      writes();
      switch (why) {
        case Task.BY_MESSAGE -> events.wokenUp(pid(task), running(), "message");
        case Task.BY_COMMAND -> events.wokenUp(pid(task), running(), "command or signal");
        default -> events.spawned(pid(task), ((ProcessInstance) task).kind(), running());
      }
    }

    @Override
    public void issued(Task by, Class<?> command, long tag) {
      writes();
      events.issued(pid(by), command.getSimpleName(), tag);
    }

    @Override
    public void completed(Task of, long tag, boolean failed) {
      writes();
      events.completed(pid(of), tag, failed);
    }
  }

  /// What a worker does.
  ///
  /// **Thread** the worker, or the body that it has mounted.
  private static final class OfWorker extends OfOthers {
    private @Nullable ProcessInstance running; // null: none, or one whose run began before
    private String kind = ""; // of `running`; when it has ended it is another
    private boolean hasBody; // it may have mounted one in this run
    private @Nullable Lasting run;
    private @Nullable Lasting sleep;

    OfWorker(WorkJfrEvents events) {
      super(events);
    }

    @Override
    @Nullable Pid running() {
      return running == null ? null : running.self();
    }

    @Override
    void writes() {
      hasBody |= Thread.currentThread().isVirtual(); // maybe that of a process within this one
    }

    @Override
    public void runBegins(Task task, long picks) {
      running = (ProcessInstance) task;
      kind = running.kind();
      hasBody = isBody(running);
      run = events.runBegins();
    }

    @Override
    public void runEnds(Task task, StepResult how) {
      ProcessInstance process = (ProcessInstance) task;
      Lasting ended = run;
      if (hasBody || isBody(process)) { // it had one until it ended, or has one by an upgrade
        events.carried();
      }
      if (ended != null) {
        events.runEnds(ended, process.self(), kind, then(process, how));
      }
      run = null;
      running = null;
    }

    private static String then(ProcessInstance process, StepResult how) {
      return switch (how) {
        case DONE -> process.outcome().isEmpty() ? "ends" : process.outcome();
        case CONTINUE -> "yields";
        case IDLE -> "waits for message";
        case WAIT -> "waits for command or message";
        case WAIT_FOR_COMMANDS -> "waits for command";
      };
    }

    @Override
    public void restarts() {
      events.restarts(running());
    }

    @Override
    public void stole(Task first, int tasks, int from, long stolen) {
      events.stole(pid(first), tasks, from);
    }

    @Override
    public void sleeps() {
      sleep = events.sleepBegins();
    }

    @Override
    public void slept(long parks) {
      if (sleep != null) {
        events.sleepEnds(sleep);
        sleep = null;
      }
    }
  }
}
