// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.process.Pid;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// What a worker does in a flight recording, or what all threads do for a runtime that are no
/// workers: what a trace has, as events.
///
/// They are off unless a recording enables one of them by its name. This class cannot be loaded
/// where `jdk.jfr` is absent, so nothing may be called here unless
/// [ProcessJfrEvents#workIsWanted()].
///
/// The JDK (25.0.3) loses the first event of a thread that has carried a virtual thread since its
/// last one: that would be the run of each body. So [#carried] writes an event that may be lost.
///
/// **Thread** the worker, or the body that it has mounted; for other threads any.
public final class WorkJfrEvents {
  private final String runtime;
  private final int worker;

  /// @param runtime its name
  /// @param worker its number; negative: a compensating worker, or other threads
  public WorkJfrEvents(String runtime, int worker) {
    this.runtime = runtime;
    this.worker = worker;
  }

  /// Whether a recording that runs has enabled one of these events. Loads their classes.
  static boolean areEnabled() {
    return Types.areEnabled();
  }

  /// Loads the classes, when a recording has been started anyway.
  private static final class Types {
    private static final List<EventType> ALL =
        List.of(
            EventType.getEventType(ProcessRun.class),
            EventType.getEventType(ProcessWakeUp.class),
            EventType.getEventType(ProcessSpawn.class),
            EventType.getEventType(ProcessMessage.class),
            EventType.getEventType(CommandIssued.class),
            EventType.getEventType(CommandCompleted.class),
            EventType.getEventType(SupervisorRestart.class),
            EventType.getEventType(TaskSteal.class),
            EventType.getEventType(WorkerSleep.class));

    static boolean areEnabled() {
      return ALL.stream().anyMatch(EventType::isEnabled);
    }
  }

  private static @Nullable String text(@Nullable Pid process) {
    return process == null ? null : process.toString();
  }

  private void commit(WorkEvent event) {
    event.runtime = runtime;
    event.worker = worker;
    event.commit();
  }

  private void commit(ProcessEvent event, @Nullable Pid process) {
    event.pid = text(process);
    commit(event);
  }

  /// The worker has carried a body, and does so no more.
  public void carried() {
    new WorkerCarried().commit();
  }

  /// Something that lasts, and has begun.
  public sealed interface Lasting permits ProcessRun, WorkerSleep {}

  /// A run of a process begins now.
  public Lasting runBegins() {
    ProcessRun event = new ProcessRun();
    event.begin();
    return event;
  }

  /// A run ends.
  ///
  /// @param kind of the process
  /// @param then why it ended
  public void runEnds(Lasting run, Pid process, String kind, String then) {
    if (run instanceof ProcessRun event) {
      event.end();
      if (event.shouldCommit()) {
        event.kind = kind;
        event.then = then;
        commit(event, process);
      }
    }
  }

  /// A process was made ready.
  ///
  /// @param by the process that runs on this worker; null: none
  /// @param why by a message, or by something else
  public void wokenUp(Pid process, @Nullable Pid by, String why) {
    ProcessWakeUp event = new ProcessWakeUp();
    if (event.shouldCommit()) {
      event.by = text(by);
      event.why = why;
      commit(event, process);
    }
  }

  /// A process was started.
  ///
  /// @param by the process that runs on this worker; null: none
  public void spawned(Pid process, String kind, @Nullable Pid by) {
    ProcessSpawn event = new ProcessSpawn();
    if (event.shouldCommit()) {
      event.kind = kind;
      event.by = text(by);
      commit(event, process);
    }
  }

  /// A message was accepted.
  ///
  /// @param from null: no process of this worker has sent it
  public void sent(Pid to, @Nullable Pid from) {
    ProcessMessage event = new ProcessMessage();
    if (event.shouldCommit()) {
      event.from = text(from);
      commit(event, to);
    }
  }

  /// A process has issued a command.
  public void issued(Pid by, String command, long tag) {
    CommandIssued event = new CommandIssued();
    if (event.shouldCommit()) {
      event.command = command;
      event.tag = tag;
      commit(event, by);
    }
  }

  /// The reply to a command was delivered.
  public void completed(Pid of, long tag, boolean failed) {
    CommandCompleted event = new CommandCompleted();
    if (event.shouldCommit()) {
      event.tag = tag;
      event.failed = failed;
      commit(event, of);
    }
  }

  /// A supervisor restarts a child, or several together.
  ///
  /// @param supervisor null: its run began before the recording
  public void restarts(@Nullable Pid supervisor) {
    SupervisorRestart event = new SupervisorRestart();
    if (event.shouldCommit()) {
      commit(event, supervisor);
    }
  }

  /// The worker has taken ready processes from another one.
  ///
  /// @param first of them, which it runs now
  public void stole(Pid first, int count, int from) {
    TaskSteal event = new TaskSteal();
    if (event.shouldCommit()) {
      event.count = count;
      event.from = from;
      commit(event, first);
    }
  }

  /// The worker goes to sleep now.
  public Lasting sleepBegins() {
    WorkerSleep event = new WorkerSleep();
    event.begin();
    return event;
  }

  /// It has woken.
  public void sleepEnds(Lasting sleep) {
    if (sleep instanceof WorkerSleep event) {
      event.end();
      if (event.shouldCommit()) {
        commit(event);
      }
    }
  }

  /// What all of them have.
  abstract static sealed class WorkEvent extends Event permits ProcessEvent, WorkerSleep {
    @Label("Runtime")
    @Nullable String runtime;

    @Label("Worker")
    @Description("Its number; -1: a compensating worker, or a thread that is none")
    int worker;
  }

  abstract static sealed class ProcessEvent extends WorkEvent
      permits ProcessRun,
          ProcessWakeUp,
          ProcessSpawn,
          ProcessMessage,
          CommandIssued,
          CommandCompleted,
          SupervisorRestart,
          TaskSteal {
    @Label("Process")
    @Nullable String pid;
  }

  @Name("dev.heddle.ProcessRun")
  @Label("Process Run")
  @Category({"Heddle", "Processes"})
  @Description("A process has run on a worker: its steps, one after the other")
  @Enabled(false)
  @StackTrace(false)
  static final class ProcessRun extends ProcessEvent implements Lasting {
    @Label("Kind")
    @Nullable String kind;

    @Label("Then")
    @Description("Why the run has ended: what the process waits for, or that it yields or ends")
    @Nullable String then;
  }

  @Name("dev.heddle.ProcessWakeUp")
  @Label("Process Wake-up")
  @Category({"Heddle", "Processes"})
  @Description("A process that waited is ready to run")
  @Enabled(false)
  @StackTrace(false)
  static final class ProcessWakeUp extends ProcessEvent {
    @Label("Woken By")
    @Description("The process that has woken it; none: a timer, a command or another thread")
    @Nullable String by;

    @Label("Why")
    @Nullable String why;
  }

  @Name("dev.heddle.ProcessSpawn")
  @Label("Process Spawn")
  @Category({"Heddle", "Processes"})
  @Description("A process was started")
  @Enabled(false)
  @StackTrace(false)
  static final class ProcessSpawn extends ProcessEvent {
    @Label("Kind")
    @Nullable String kind;

    @Label("Spawned By")
    @Description("None: another thread")
    @Nullable String by;
  }

  @Name("dev.heddle.ProcessMessage")
  @Label("Process Message")
  @Category({"Heddle", "Processes"})
  @Description("A message was accepted by the mailbox of a process, the receiver")
  @Enabled(false)
  @StackTrace(false)
  static final class ProcessMessage extends ProcessEvent {
    @Label("Sender")
    @Description("None: another thread")
    @Nullable String from;
  }

  @Name("dev.heddle.CommandIssued")
  @Label("Command Issued")
  @Category({"Heddle", "Processes"})
  @Description("A process has issued a command")
  @Enabled(false)
  @StackTrace(false)
  static final class CommandIssued extends ProcessEvent {
    @Label("Command")
    @Nullable String command;

    @Label("Tag")
    long tag;
  }

  @Name("dev.heddle.CommandCompleted")
  @Label("Command Completed")
  @Category({"Heddle", "Processes"})
  @Description("The reply to a command was delivered to its process")
  @Enabled(false)
  @StackTrace(false)
  static final class CommandCompleted extends ProcessEvent {
    @Label("Tag")
    @Description("That of its command")
    long tag;

    @Label("Failed")
    boolean failed;
  }

  @Name("dev.heddle.SupervisorRestart")
  @Label("Supervisor Restart")
  @Category({"Heddle", "Processes"})
  @Description("A supervisor restarts a child, or several together")
  @Enabled(false)
  @StackTrace(false)
  static final class SupervisorRestart extends ProcessEvent {}

  @Name("dev.heddle.TaskSteal")
  @Label("Task Steal")
  @Category({"Heddle", "Processes"})
  @Description("A worker has taken ready processes from another one; it runs the first of them")
  @Enabled(false)
  @StackTrace(false)
  static final class TaskSteal extends ProcessEvent {
    @Label("Count")
    int count;

    @Label("From")
    @Description("The number of the other worker")
    int from;
  }

  @Name("dev.heddle.WorkerSleep")
  @Label("Worker Sleep")
  @Category({"Heddle", "Processes"})
  @Description("A worker had nothing to do")
  @Enabled(false)
  @StackTrace(false)
  static final class WorkerSleep extends WorkEvent implements Lasting {}

  @Name("dev.heddle.WorkerCarried")
  @Label("Worker Carried a Body")
  @Category({"Heddle", "Processes"})
  @Description("Written because the JDK loses one event then, which is this one")
  @StackTrace(false)
  static final class WorkerCarried extends Event {}
}
