// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What no class may contain but those that are listed, each with its reason. Runs in each module
/// on its classes.
///
/// A list names classes, fields, or packages with a dot at the end. It only shrinks: an entry that
/// excuses nothing fails the test.
@Tag("once")
class CodeRulesTest {
  private static final List<String> MODULES =
      List.of("process", "cluster.ratis", "cluster", "netty", "context", "metrics", "test", "cli");

  /// Packages of the core whose code runs on the carrier or on a coroutine's stack for others: it
  /// takes no lock. In process and netty that goes for every package.
  private static final Set<String> LOOP_PACKAGES =
      Set.of(
          "event",
          "event.source",
          "failure",
          "flow",
          "internal",
          "reactor",
          "scheduler",
          "scheduler.inbox",
          "scheduler.context",
          "coroutine",
          "coroutine.capture",
          "coroutine.tree",
          "loop",
          "loop.diagnostics",
          "loop.feed",
          "sync");

  private static final Map<String, String> REFLECTION =
      Map.ofEntries(
          entry("dev.heddle.scheduler.context.", "the room that touches the JDK's insides"),
          entry("dev.heddle.test.ChangedValues", "reads the annotation of a test"),
          entry("dev.heddle.test.HeddleTestExtension", "reads the annotation of a test"),
          entry("dev.heddle.test.FailureKind", "asks whether a class is the JDK's or a library's"),
          entry("dev.heddle.test.FreshBody", "makes an object of a class that was loaded anew"),
          entry("dev.heddle.test.FreshTest", "calls a test whose class was loaded anew"),
          entry("dev.heddle.test.PhaseInterceptor", "JUnit passes the methods of a test"),
          entry("dev.heddle.test.run.RunParts", "looks whether the module of processes is there"),
          entry("dev.heddle.test.SeedInvocation", "JUnit passes the methods of a test"),
          entry("dev.heddle.test.RealTimeInvocation", "JUnit passes the methods of a test"),
          entry("dev.heddle.test.TestName", "JUnit passes the methods of a test"),
          entry("dev.heddle.test.TestRerun", "calls the methods of a test once more"),
          entry("dev.heddle.process.CoroutineProcess", "throws UndeclaredThrowableException"),
          entry("dev.heddle.cluster.wire.TypeWalk", "looks at the components of messages"),
          entry(
              "dev.heddle.process.scheduler.WorkerThread",
              "looks whether the module of simulations is there"),
          entry("dev.heddle.process.simulation.MessageImage", "looks into messages"),
          entry("dev.heddle.cli.source.", "runs a program whose classes are compiled just now"));

  private static final String ON_WORKER =
      "on a worker: a log handler that waits holds one worker, as a step that waits does";

  private static final Map<String, String> PRINTERS =
      Map.ofEntries(
          entry(
              "dev.heddle.loop.diagnostics.LoopReporter",
              "prints a failure into a string, on the thread of the log"),
          entry("dev.heddle.observe.log.AsyncLog", "the log, on a thread of its own"),
          entry(
              "dev.heddle.coroutine.capture.StandardStreams",
              "puts a stream of its own in the place of the standard ones"),
          entry("dev.heddle.process.dispatch.CommandLoop", ON_WORKER),
          entry("dev.heddle.process.dispatch.OpenResources", ON_WORKER),
          entry("dev.heddle.process.event.EventBus", ON_WORKER),
          entry(
              "dev.heddle.process.observe.RuntimeRegistration",
              "on the thread that starts or closes a runtime"),
          entry(
              "dev.heddle.process.host.ProcessFailures",
              "prints a failure into a string, on a thread of its own"),
          entry("dev.heddle.process.pool.ProcessPool", ON_WORKER),
          entry(
              "dev.heddle.process.routing.RoutingTable",
              "on the thread that sends, which a peer may block as well"),
          entry(
              "dev.heddle.process.scheduler.UninterruptibleLog",
              "the log of workers and their monitor, which no handler's failure reaches"),
          entry("dev.heddle.process.supervisor.DynamicSupervisorLogic", ON_WORKER),
          entry("dev.heddle.process.supervisor.StartOnce", ON_WORKER),
          entry("dev.heddle.process.supervisor.SupervisorLogic", ON_WORKER),
          entry("dev.heddle.cluster.", "on threads of the cluster, and where a program joins"),
          entry("dev.heddle.cluster.ratis.", "on threads of the log of voters"),
          entry("dev.heddle.cli.", "prints what its commands answer"));

  private static final String ASKS = "asks who holds a lock; takes none";
  private static final String BRIEF = "a map of the JDK: nothing waits or calls out inside";

  private static final String ONE_TURN = "of simulations, in which one turn runs at a time";

  /// Why no coroutine can hold the lock while a carrier or a worker wants it.
  private static final Map<String, String> LOCKS =
      Map.ofEntries(
          entry("dev.heddle.loop.SignalDispatcher", "carriers take it with no coroutine mounted"),
          entry("dev.heddle.loop.TaskRegistry", BRIEF),
          entry("dev.heddle.coroutine.capture.StandardStreams", "coroutines take it, no carrier"),
          entry(
              "dev.heddle.event.source.ExportedFuture",
              "the entries of futures of the JDK: no tick completes one, and nothing waits inside"),
          entry("dev.heddle.loop.diagnostics.AwaitedLock", ASKS),
          entry("dev.heddle.scheduler.context.ForeignWaits", ASKS),
          entry("dev.heddle.scheduler.context.LockOwners", ASKS),
          entry(
              "dev.heddle.scheduler.context.TimedWaitTrial",
              "each trial has a monitor of its own, in which only its thread waits"),
          entry(
              "dev.heddle.process.dispatch.CommandRegistry",
              "taken while a runtime is built; frozen, it is read without"),
          entry("dev.heddle.process.event.EventBus", BRIEF),
          entry("dev.heddle.process.feed.ProcessAccounts", BRIEF),
          entry("dev.heddle.process.feed.RuntimeFlight", BRIEF),
          entry("dev.heddle.process.host.Listeners", BRIEF),
          entry("dev.heddle.process.links.NameRegistry", BRIEF),
          entry("dev.heddle.process.routing.RoutingTable", BRIEF),
          entry("dev.heddle.process.scheduler.WorkerPool", "threads of observers only"),
          entry("dev.heddle.cluster.engine.", "threads of the engine, and those of the cluster"),
          entry("dev.heddle.cluster.name.", "the agent of the node; others for a few instructions"),
          entry("dev.heddle.cluster.node.", "threads of the engine and of the cluster"),
          entry("dev.heddle.cluster.peer.DeliveryLock", "threads of the engine, and the timers"),
          entry("dev.heddle.cluster.peer.IncomingCalls", BRIEF),
          entry("dev.heddle.cluster.peer.OutgoingCalls", BRIEF),
          entry("dev.heddle.cluster.peer.PausedReceivers", BRIEF),
          entry("dev.heddle.cluster.peer.RefusedMessages", BRIEF),
          entry("dev.heddle.cluster.ratis.", "threads of Ratis; callers take maps of the JDK only"),
          entry("dev.heddle.cluster.roster.LeaseExpiry", "the agent of the node; threads of Ratis"),
          entry("dev.heddle.cluster.roster.NodeDirectory", "where a program joins and leaves"),
          entry("dev.heddle.cluster.shard.", "threads of the engine and of the cluster"),
          entry("dev.heddle.process.scheduler.ArrivalOrder", ONE_TURN),
          entry("dev.heddle.process.scheduler.CompensatingWorkers", BRIEF),
          entry(
              "dev.heddle.process.scheduler.GlobalQueue",
              "workers hold it for nanoseconds; threads that push take no lock"),
          entry("dev.heddle.process.scheduler.SimulatedQueue", ONE_TURN),
          entry("dev.heddle.process.scheduler.WorkerThread", BRIEF),
          entry(
              "dev.heddle.process.scheduler.SchedulerMonitor",
              "the queue of the thread that calls handlers of reports"),
          entry(
              "dev.heddle.netty.dns.WarmUp",
              "taken on the loop's worker threads, not on a carrier"),
          entry("dev.heddle.netty.handler.EmbeddedHandles", BRIEF),
          entry("dev.heddle.test.FreshClasses", "the lock of a class loader, as the JDK asks"),
          entry("dev.heddle.test.Runs", "threads outside of loops, which run simulations in turn"),
          entry("dev.heddle.test.nio.", "in a simulation, where a lock parks a coroutine"),
          entry(
              "dev.heddle.netty.uring.RingFile",
              "the calls of channels, which block on the loop's worker threads"));

  private static final String REPORTS =
      "what is known of a throwable stands beside it, and must outlive the loop that threw it";
  private static final String UNCHANGED = "filled where it is declared, and never written to";

  private static final Map<String, String> STATICS =
      Map.ofEntries(
          entry(
              "dev.heddle.loop.MainHandlers.ENTRIES",
              "main-start handlers, copied into each loop as it starts"),
          entry("dev.heddle.failure.FailureTable.HEADS", REPORTS),
          entry("dev.heddle.failure.FailureTable.MERGED", REPORTS),
          entry("dev.heddle.failure.FailureTable.MERGES", REPORTS),
          entry(
              "dev.heddle.event.source.ExportedFuture.OPEN",
              "failures that other threads may look at when the loop has ended"),
          entry("dev.heddle.loop.diagnostics.Watchdog.WATCHED", "the registry of running loops"),
          entry(
              "dev.heddle.scheduler.context.TimedWaits.SERVING",
              "of a carrier, while its loop runs: only the thread tells the JDK's call which it is"),
          entry(
              "dev.heddle.process.remote.RuntimeAccess.access",
              "set once, when the class of runtimes is initialised"),
          entry("dev.heddle.cluster.engine.NodeSocket.GREETING", UNCHANGED),
          entry(
              "dev.heddle.cluster.roster.NodeDirectory.OPEN",
              "locks of files belong to the process"),
          entry("dev.heddle.cluster.name.VoterFeed.ROOM", "a future that is complete"),
          entry("dev.heddle.cluster.peer.Deliveries.NOW", "a future that is complete"),
          entry("dev.heddle.cluster.session.Outbox.SPACE", "a future that is complete"),
          entry(
              "dev.heddle.process.scheduler.WorkerThread.ADOPTED",
              "the registry of the carriers of simulations"),
          entry("dev.heddle.test.PointsNotice.IS_CHECKED", "a warning is said once in a JVM"),
          entry("dev.heddle.test.Runs.TURN", "one simulation with the agent runs at a time"),
          entry(
              "dev.heddle.loop.JvmExit.LEFT_BEHIND",
              "coroutines that outlive their loops, and may hold what the JVM's exit waits for"),
          entry(
              "dev.heddle.observe.attach.Attachables.REGISTERED",
              "the registry of what observers may look at"),
          entry(
              "dev.heddle.observe.spi.DumpParts.RUNNING",
              "the registry of what runs beside them, for dumps"),
          entry(
              "dev.heddle.io.InheritedSockets.TAKEN",
              "numbers that belong to the process, and whose environment a JVM cannot unset"),
          entry(
              "dev.heddle.internal.StackGuard.NOTHING",
              "holds 0 for ever; compilers must not know"),
          entry("dev.heddle.io.AtomicReplacement.ALL_MAY", UNCHANGED),
          entry(
              "dev.heddle.io.handle.FifoOpening.WATCHES",
              "watches of inotify, of which a user has few for all processes"),
          entry("dev.heddle.os.pipe.DescriptorSink.LINE_ENDS", UNCHANGED),
          entry(
              "dev.heddle.os.spawn.SpawnEnvironment.INHERITED",
              "the environment, read once: native code may change it at any time"),
          entry("dev.heddle.os.watch.DirectoryWatcher.KINDS", UNCHANGED),
          entry("dev.heddle.reactor.jdk.JdkDriver.CAPABILITIES", UNCHANGED),
          entry("dev.heddle.netty.nio.NioDriver.CAPABILITIES", UNCHANGED),
          entry(
              "dev.heddle.netty.dns.WarmUp.done",
              "whether the JVM has loaded the classes of a query"),
          entry(
              "dev.heddle.netty.uring.RingFiles.LEAKED",
              "memory that the kernel may write to after the loop's end"),
          entry(
              "dev.heddle.process.behavior.BehaviorAgenda.MADE",
              "counts agendas, so that their tags differ over an upgrade"));

  private static final List<JavaClass> CLASSES =
      StreamSupport.stream(
              new ClassFileImporter()
                  .importPath(Path.of(System.getProperty("heddle.classes")))
                  .spliterator(),
              false)
          .toList();

  @Test
  void names_ofTypes_areTheFieldsNouns() {
    check("names that do not say what the thing is: rename it", Map.of(), CodeRules::vagueNames);
  }

  @Test
  void reflection_isUsedByTheListedOnly() {
    check(
        "uses reflection: ask dev.heddle.scheduler.context, or list the class with a reason",
        REFLECTION,
        CodeRules::reflection);
  }

  /// A handler takes locks, waits and throws: on the carrier that stops the loop, or ends it.
  @Test
  @Tag("trap-42")
  void logging_isDoneByTheListedOnly() {
    check(
        "logs or prints: a log handler may wait for a lock that a parked coroutine holds, and may"
            + " throw. In the core give the line to dev.heddle.observe.log.AsyncLog or to"
            + " LoopRuntime.report and warn; or list the class with a reason",
        PRINTERS,
        CodeRules::logging);
  }

  @Test
  void locks_areTakenByTheListedOnly() {
    check(
        "takes a lock: a coroutine parked inside it would stop the carrier. Use a lock-free"
            + " handover, or list the class with a reason",
        LOCKS,
        classes -> CodeRules.locks(classes.stream().filter(CodeRulesTest::takesNoLock).toList()));
  }

  private static boolean takesNoLock(JavaClass type) {
    String room = type.getPackageName().replaceFirst("^dev\\.heddle\\.?", "");
    return switch (moduleOf(type.getName())) {
      case "core" -> LOOP_PACKAGES.contains(room);
      case "cli" -> false; // no coroutine runs in the launcher and its tools
      default -> true;
    };
  }

  @Test
  void statics_doNotChange() {
    check(
        "can change: make it a field of the loop; a collection made by List.of, Set.of, Map.of or"
            + " copyOf cannot change. Or list the field with a reason",
        STATICS,
        CodeRules::mutableStatics);
  }

  /// Compares what is found in this module with what a list allows there.
  private static void check(
      String what, Map<String, String> listed, Function<List<JavaClass>, Set<String>> rule) {
    String module = moduleOf(CLASSES.getFirst().getName());
    Set<String> unused = new TreeSet<>(listed.keySet());
    unused.removeIf(entry -> !moduleOf(entry).equals(module));
    List<String> unlisted = new ArrayList<>();
    for (String name : rule.apply(CLASSES)) {
      List<String> entries = listed.keySet().stream().filter(entry -> covers(entry, name)).toList();
      unused.removeAll(entries);
      if (entries.isEmpty()) {
        unlisted.add(name);
      }
    }
    assertThat(unlisted).as(what).isEmpty();
    assertThat(unused).as("entries that excuse nothing by now: delete them").isEmpty();
  }

  private static boolean covers(String entry, String name) {
    return entry.endsWith(".") ? name.startsWith(entry) : name.equals(entry);
  }

  private static String moduleOf(String name) {
    return MODULES.stream()
        .filter(module -> name.startsWith("dev.heddle." + module + "."))
        .findFirst()
        .orElse("core");
  }
}
