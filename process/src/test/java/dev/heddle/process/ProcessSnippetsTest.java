// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.remote.LocalProcesses;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The code that the documentation of processes and their runtime shows, compiled and run.
@Tag("once")
@Timeout(300)
class ProcessSnippetsTest {
  private static final Duration LIMIT = Kit.SOON;

  private final List<Object> log = new CopyOnWriteArrayList<>();

  @Test
  void runtime() throws Exception {
    // @start region=runtime
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid greeter =
          runtime.spawn((events, out) -> {
            for (ProcessEvent event : events) {
              out.done("hello " + event.data()); // ends with this result
            }
          });
      runtime.send(greeter, "Ann");
      Exit exit = runtime.awaitExit(greeter, LIMIT);
      log.add(exit.result());
    }
    // @end
    assertThat(log).containsExactly("hello Ann");
  }

  // @start region=process
  /// Reads the file that it is sent, and ends with its size.
  static final class FileSize implements Process {
    private static final long READ = 1; // the tag of the command

    @Override
    public void init(ProcessContext context, String entryPoint, @Nullable Object input) {
      context.register("file size"); // now others can send to this name
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      for (ProcessEvent event : events) {
        switch (event.type()) {
          case MESSAGE -> out.execute(READ, Commands.readFile((Path) event.data()));
          case COMMAND_COMPLETED -> {
            if (event.error() == null) {
              out.done(((byte[]) event.data()).length);
            } else {
              out.failWith(event.error());
            }
          }
        }
      }
    }
  }

  // @end

  @Test
  void process(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "text");
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid pid = runtime.spawn(new FileSize());
      runtime.send(pid, file);
      assertThat(runtime.awaitExit(pid, LIMIT).result()).isEqualTo(4);
    }
  }

  @Test
  void commands(@TempDir Path folder) throws Exception {
    Path path = Files.writeString(folder.resolve("file"), "headline");
    // @start region=commands
    CoroutineProcess reader =
        CoroutineProcess.of(self -> {
          ResourceHandle file = self.execute(Commands.openFile(path, StandardOpenOption.READ));
          byte[] head = self.execute(Commands.read(file, 4)); // null at the end of the file
          self.execute(Commands.close(file)); // else it is closed when the process ends
          return head == null ? "" : new String(head, StandardCharsets.UTF_8);
        });
    // @end
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Exit exit = runtime.awaitExit(runtime.spawn(reader), LIMIT);
      assertThat("headline").startsWith((String) exit.result());
    }
  }

  @Test
  void command() throws Exception {
    // @start region=command
    record Roll(int sides) implements ProcessCommand<Integer> {}

    record Charge(int cents) implements ProcessCommand<String> {}

    ProcessRuntime runtime =
        ProcessRuntime.builder()
            .handler(Roll.class, CommandHandler.onThread((roll, _) -> rollOf(roll.sides())))
            .handler(
                Charge.class,
                CommandHandler.inline((charge, invocation) ->
                    chargeLater(charge.cents(), invocation::complete))) // from any thread
            .start();
    Pid player =
        runtime.spawn(
            CoroutineProcess.of(
                self -> self.execute(new Roll(6)) + " for " + self.execute(new Charge(10))));
    // @end
    try (runtime) {
      log.add(runtime.awaitExit(player, LIMIT).result());
    }
    assertThat(log).containsExactly("6 for a receipt of 10");
  }

  private static int rollOf(int sides) {
    return sides;
  }

  private static void chargeLater(int cents, Consumer<String> receipt) {
    receipt.accept("a receipt of " + cents);
  }

  @Test
  void noHandler() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      // @start region=noHandler
      record Roll(int sides) implements ProcessCommand<Integer> {}

      Pid player =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                try {
                  return self.execute(new Roll(6));
                } catch (NoHandlerException e) {
                  return 1; // ProcessRuntimeBuilder.handler was not called for Roll
                }
              }));
      // @end
      assertThat(runtime.awaitExit(player, LIMIT).result()).isEqualTo(1);
    }
  }

  @Test
  void builder() throws Exception {
    BlockingQueue<Exit.Reason> ended = Kit.queue();
    // @start region=builder
    ProcessRuntime runtime =
        ProcessRuntime.builder()
            .workers(2)
            .maxProcesses(10_000)
            .longStep(Duration.ofMillis(100), step -> log.add(step.pid() + " holds a worker"))
            .listener(
                new ProcessListener() {
                  @Override
                  public void onExit(Exit exit) {
                    ended.add(exit.reason());
                  }
                })
            .start();
    // @end
    try (runtime) {
      runtime.spawn((_, out) -> out.done());
      assertThat(Kit.take(ended)).isEqualTo(Exit.Reason.NORMAL);
    }
  }

  @Test
  void options() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      // @start region=options
      StartOptions options =
          StartOptions.defaults()
              .withName("logger")
              .withPriority(Priority.LOW)
              .withMailbox(1_000, MailboxPolicy.DROP_OLDEST) // rather lose a line than wait
              .withLifetime(Lifetime.INDEPENDENT);
      Pid logger = runtime.spawn((events, _) -> log.addAll(events), options);
      // @end
      assertThat(runtime.whereIs("logger")).isEqualTo(logger);
    }
  }

  @Test
  void refused() {
    // @start region=refused
    try (ProcessRuntime runtime = ProcessRuntime.builder().maxProcesses(1).start()) {
      runtime.spawn((_, _) -> {});
      try {
        runtime.spawn((_, _) -> {});
      } catch (StartRefusedException e) {
        log.add("busy"); // or the name is taken, the parent has ended, the runtime is closed
      }
    }
    // @end
    assertThat(log).containsExactly("busy");
  }

  @Test
  void entryPoint() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      // @start region=entryPoint
      try {
        runtime.spawn(new FileSize(), StartOptions.defaults().withEntryPoint("fly"));
      } catch (UnknownEntryPointException e) {
        log.add(e.getMessage()); // it names those of Process.entryPoints()
      }
      // @end
    }
    assertThat(log).singleElement().asString().contains("fly");
  }

  @Test
  void exit() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid pid = runtime.spawn(Kit.resting());
      runtime.terminate(pid);
      // @start region=exit
      Exit exit = runtime.awaitExit(pid, LIMIT);
      log.add(
          switch (exit.reason()) {
            case NORMAL -> "result " + exit.result();
            case SHUTDOWN -> "ended on purpose: " + exit.detail();
            case FAILED -> "failed: " + exit.cause(); // what the process has thrown
            case LINKED -> "failed with " + exit.origin(); // the cause is a LinkedExitException
            case TERMINATED, ABANDONED -> "ended: " + exit.cause(); // ProcessTerminatedException
            case NOT_FOUND -> "there is no such process";
            case NO_CONNECTION -> "its node is out of reach; it may be alive";
          });
      // @end
      assertThat(exit.cause()).isInstanceOf(ProcessTerminatedException.class);
    }
    assertThat(log).singleElement().asString().startsWith("ended:");
  }

  @Test
  void signals() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid worker = runtime.spawn(Kit.resting());
      // @start region=signals
      Pid watcher =
          runtime.spawn(
              CoroutineProcess.of(self -> {
                self.context().trapExits(); // else an end that was asked for, or a link, ends it
                self.context().monitor(worker);
                return switch (self.receive(ProcessSignal.class)) {
                  case ProcessSignal.Down down -> "ended: " + down.exit().reason();
                  case ProcessSignal.LinkDown link -> "linked one ended: " + link.exit();
                  case ProcessSignal.Cancel cancel -> "clean up within " + cancel.remaining();
                  case ProcessSignal.ExitRequest request -> "asked to end: " + request.detail();
                  case ProcessSignal.Undelivered lost -> lost.count() + " messages were refused";
                };
              }));
      // @end
      runtime.terminate(worker);
      assertThat((String) runtime.awaitExit(watcher, LIMIT).result()).startsWith("ended:");
    }
  }

  @Test
  void undelivered() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid far = new Pid("other", "host", 1, 1);
      // @start region=undelivered
      Pid sender =
          runtime.spawn(
              CoroutineProcess.of(
                      self -> {
                        self.context().trapUndelivered();
                        self.ready();
                        var lost = self.receive(ProcessSignal.Undelivered.class);
                        return "%d messages to %s: %s"
                            .formatted(lost.count(), lost.to(), lost.why());
                      })
                  .reportingReady());
      // @end
      runtime.whenStarted(sender).join();
      LocalProcesses.of(runtime)
          .undelivered(sender, new ProcessSignal.Undelivered(far, 2, SendResult.FULL));
      assertThat((String) runtime.awaitExit(sender, LIMIT).result()).startsWith("2 messages");
    }
  }

  @Test
  void beforeShutdown() {
    // @start region=beforeShutdown
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      Pid audit = runtime.spawn(Kit.resting());
      runtime.beforeShutdown(() -> runtime.send(audit, "the shutdown begins")); // it still runs
      runtime.beforeShutdown(() -> log.add("first")); // what was added last is closed first
    }
    // @end
    assertThat(log).containsExactly("first");
  }

  @Test
  void counters() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      // @start region=counters
      ProcessCounters counts = runtime.counters();
      log.add(counts.processes() + " of " + counts.started() + " are alive");
      log.add("99% of the ready ones waited below " + counts.queueDelay().percentile(0.99));
      for (WorkerCounters worker : counts.workers()) {
        log.add("worker " + worker.number() + " has run " + worker.executed());
      }
      log.add(counts.compensation().running() + " compensating workers"); // for those held up
      // @end
    }
    assertThat(log).contains("0 of 0 are alive");
  }

  @Test
  void mxBean() {
    try (ProcessRuntime runtime = ProcessRuntime.builder().host("orders").start()) {
      // @start region=mxBean
      ProcessRuntimeMXBean bean = runtime.mxBean();
      log.add(bean.getName() + ": " + bean.getAwakeWorkers() + " workers are awake");
      // @end
    }
    assertThat(log).singleElement().asString().startsWith("orders: ");
  }

  @Test
  void snapshots() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      runtime.spawn(Kit.resting());
      // @start region=snapshots
      for (ProcessSnapshot process : runtime.processes()) {
        if (process.mailbox() > 100) {
          log.add(process.kind() + " is behind, " + process.state().displayName());
        }
      }
      // @end
      assertThat(runtime.processes()).hasSize(1);
    }
  }

  @Test
  void bean() throws Exception {
    // @start region=bean
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    var pattern = new ObjectName("dev.heddle:type=ProcessRuntime,*");
    for (ObjectName name : server.queryNames(pattern, null)) {
      var runtime = JMX.newMXBeanProxy(server, name, ProcessRuntimeMXBean.class);
      log.add(runtime.getName() + ": " + runtime.getProcesses() + " processes");
    }
    // @end
  }

  @Test
  void shutdown() {
    try (ProcessRuntime runtime = ProcessRuntime.start()) {
      // @start region=shutdown
      ShutdownReport report = runtime.shutdown(Duration.ofSeconds(5));
      for (ShutdownReport.Abandoned stuck : report.abandoned()) {
        log.add(stuck.kind() + " still holds a worker: " + stuck.stack());
      }
      // @end
    }
    assertThat(log).isEmpty();
  }

  @Test
  void upgrade() throws Exception {
    // @start region=upgrade
    try (ProcessRuntime runtime =
        ProcessRuntime.builder()
            .factory(source ->
                switch (source) {
                  case "counter v2" -> CoroutineProcess.of(self -> "v2 with " + self.input());
                  default -> throw new IllegalArgumentException(source);
                })
            .start()) {
      Pid counter =
          runtime.spawn((events, out) -> {
            if (!events.isEmpty()) {
              out.upgrade("counter v2", Process.RUN, 41); // the input: what it has counted
            }
          });
      runtime.send(counter, "upgrade");
      log.add(Objects.requireNonNull(runtime.awaitExit(counter, LIMIT).result()));
    }
    // @end
    assertThat(log).containsExactly("v2 with 41");
  }
}
