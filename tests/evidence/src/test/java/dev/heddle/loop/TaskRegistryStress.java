// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/// An executor accepts a task while another thread shuts it down or stops it.
public class TaskRegistryStress {
  private TaskRegistryStress() {}

  /// A task, which one thread takes back.
  static final class Task {
    private final AtomicBoolean taken = new AtomicBoolean();

    boolean takeBack() {
      return taken.compareAndSet(false, true);
    }
  }

  // ---- a task that is left keeps the executor from being terminated ----

  /// **Model.** A lock around each step.
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not terminated: a task is left")
  @Outcome(expect = FORBIDDEN, desc = "terminated, although a task is left")
  @State
  public static class ModelOfTheLastTask {
    private final Task late = new Task();
    private int left = 1; // one that runs
    private boolean there;
    private boolean stopped;
    private boolean terminated;

    @Actor
    public void submitter() {
      synchronized (this) {
        left++;
        there = true;
      }
      if (isStopped() && late.takeBack()) {
        remove();
      }
    }

    @Actor
    public void stopper() {
      synchronized (this) {
        stopped = true;
      }
      if (isThere() && late.takeBack()) {
        remove();
      }
    }

    private synchronized boolean isStopped() {
      return stopped;
    }

    private synchronized boolean isThere() {
      return there;
    }

    private synchronized void remove() {
      left--;
      terminated |= stopped && left == 0;
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = terminated ? 1 : 0;
    }
  }

  /// **Real class.** A task is taken back while it is added, and another one runs.
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not terminated: a task is left")
  @Outcome(expect = FORBIDDEN, desc = "terminated, although a task is left")
  @State
  public static class RealLastTask {
    private final TaskRegistry<Task> registry = new TaskRegistry<>();
    private final Task late = new Task();

    public RealLastTask() {
      registry.add(new Task()); // it runs
    }

    @Actor
    public void submitter() {
      registry.add(late);
      if (!registry.isOpen() && late.takeBack()) {
        registry.remove(late);
      }
    }

    @Actor
    public void stopper() {
      registry.stop();
      for (Task each : registry.all()) {
        if (each == late && late.takeBack()) {
          registry.remove(late);
        }
      }
      registry.terminateIfEmpty();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = registry.terminated().isDone() ? 1 : 0;
    }
  }

  /// **Mutant.** The count is that of the map, which counts an entry after it has linked it.
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "not terminated: a task is left")
  @Outcome(expect = FORBIDDEN, desc = "terminated, although a task is left")
  @State
  public static class CountsAfterwards {
    private final Set<Task> tasks = ConcurrentHashMap.newKeySet();
    private final Task late = new Task();
    private volatile boolean stopped;
    private volatile boolean terminated;

    public CountsAfterwards() {
      tasks.add(new Task()); // it runs
    }

    @Actor
    public void submitter() {
      tasks.add(late);
      if (stopped && late.takeBack()) {
        remove();
      }
    }

    @Actor
    public void stopper() {
      stopped = true;
      for (Task each : tasks) {
        if (each == late && late.takeBack()) {
          remove();
        }
      }
    }

    private void remove() {
      tasks.remove(late);
      if (tasks.isEmpty()) {
        terminated = true;
      }
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = terminated ? 1 : 0;
    }
  }

  // ---- a task is accepted, or the executor is terminated ----

  /// **Model.** A lock.
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "accepted: the executor waits for it")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "rejected: the executor is terminated")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class ModelOfTheEnd {
    private int left;
    private boolean shutDown;

    @Actor
    public synchronized void submitter(II_Result r) {
      left += shutDown ? 0 : 1;
      r.r1 = shutDown ? 0 : 1;
    }

    @Actor
    public synchronized void closer() {
      shutDown = true;
    }

    @Arbiter
    public synchronized void end(II_Result r) {
      r.r2 = shutDown && left == 0 ? 1 : 0;
    }
  }

  /// **Real class.**
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "accepted: the executor waits for it")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "rejected: the executor is terminated")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class RealEnd {
    private final TaskRegistry<Task> registry = new TaskRegistry<>();
    private final Task task = new Task();

    @Actor
    public void submitter(II_Result r) {
      registry.add(task);
      r.r1 = registry.isOpen() ? 1 : 0;
      if (r.r1 == 0) {
        registry.remove(task);
      }
    }

    @Actor
    public void closer() {
      registry.shutdown();
      registry.terminateIfEmpty();
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = registry.terminated().isDone() ? 1 : 0;
    }
  }

  /// **Real class.** After the stop each accepted task is found, and taken back once.
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "accepted, and the stopper has taken it back")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the stopper was faster: it returns the task")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "rejected: the submitter has taken it back")
  @Outcome(expect = FORBIDDEN, desc = "accepted, and neither runs nor is returned")
  @State
  public static class RealStop {
    private final TaskRegistry<Task> registry = new TaskRegistry<>();
    private final Task task = new Task();

    @Actor
    public void submitter(II_Result r) {
      registry.add(task);
      r.r1 = registry.isOpen() ? 1 : 0;
      if (r.r1 == 0 && task.takeBack()) {
        registry.remove(task);
      }
    }

    @Actor
    public void stopper(II_Result r) {
      registry.stop();
      for (Task each : registry.all()) {
        if (each.takeBack()) {
          r.r2 = 1;
          registry.remove(each);
        }
      }
      registry.terminateIfEmpty();
    }
  }

  /// **Mutant.** The submitter asks whether the executor is open, and adds the task then.
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "accepted: the executor waits for it")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "rejected: the executor is terminated")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class AsksTooSoon {
    private final TaskRegistry<Task> registry = new TaskRegistry<>();
    private final Task task = new Task();

    @Actor
    public void submitter(II_Result r) {
      r.r1 = registry.isOpen() ? 1 : 0;
      if (r.r1 == 1) {
        registry.add(task);
      }
    }

    @Actor
    public void closer() {
      registry.shutdown();
      registry.terminateIfEmpty();
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = registry.terminated().isDone() ? 1 : 0;
    }
  }
}
