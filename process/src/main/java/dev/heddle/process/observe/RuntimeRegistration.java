// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import dev.heddle.observe.jmx.ManagedBean;
import dev.heddle.observe.spi.DumpParts;
import dev.heddle.observe.trace.Recording;
import dev.heddle.process.ProcessRuntimeMXBean;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Registers a runtime for the dumps of this JVM and in the platform's MBean server. It never
/// starts that server, which would cost a third of a second of CPU: it registers once other code
/// has started it.
public final class RuntimeRegistration {
  private static final System.Logger LOG = System.getLogger("dev.heddle.process");

  private final String name;
  private final Supplier<@Nullable RuntimeDump> dumper;
  private final Attachable shown;
  private final ManagedBean<ProcessRuntimeMXBean> managed;
  private final AtomicBoolean isGone = new AtomicBoolean();
  private volatile boolean isShown; // to observers
  private volatile BooleanSupplier isInDump = () -> true;

  /// What [#show] or [#showInDumps] registers.
  ///
  /// @param dumper makes the dump of the runtime, as a part of dumps of loops
  /// @param feeder makes its feed for one observer, from the row of the runtime itself
  /// @param recorder begins a trace of it for one observer
  public RuntimeRegistration(
      ProcessRuntimeMXBean bean,
      Supplier<RuntimeDump> dumper,
      Function<Supplier<Map<String, String>>, Feed> feeder,
      Supplier<Recording> recorder) {
    this.name = bean.getName();
    this.managed =
        new ManagedBean<>("ProcessRuntime", bean.getName(), bean, ProcessRuntimeMXBean.class);
    this.dumper = () -> isInDump.getAsBoolean() ? dumper.get() : null;
    this.shown = new Answers(bean, feeder, recorder);
  }

  /// Shows it: in dumps, in the system properties, which external tools can read at almost no cost
  /// to the JVM, and as a bean, if that server runs. To be called once.
  public void show() {
    isShown = true;
    announce(1);
    DumpParts.add(dumper);
    Attachables.add(shown);
    join();
  }

  /// Shows it in dumps only, and only in those that are taken where `here` says so. To be called
  /// once, in place of [#show].
  public void showInDumps(BooleanSupplier here) {
    isInDump = here;
    DumpParts.add(dumper);
  }

  private static void announce(int more) {
    System.getProperties()
        .merge(
            Attachables.PROCESS_RUNTIMES,
            Integer.toString(more),
            (count, _) -> {
              int runtimes = Integer.parseInt(count.toString()) + more;
              return runtimes == 0 ? null : Integer.toString(runtimes);
            });
  }

  /// Registers the bean, if the server runs and the bean is not registered. A failure is logged,
  /// and not tried again.
  public void join() {
    logged(managed::join);
  }

  /// Removes the runtime for good.
  public void leave() {
    if (!isGone.compareAndSet(false, true)) {
      return;
    }
    DumpParts.remove(dumper);
    if (isShown) {
      announce(-1);
      Attachables.remove(shown);
    }
    if (managed.leave()) {
      logged(managed::unregister);
    }
  }

  private void logged(Runnable action) {
    try {
      action.run();
    } catch (IllegalStateException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "management tools do not see runtime '%s' as it is".formatted(name),
          e);
    }
  }

  /// Answers `heddle ps` and `heddle dump` about a runtime, from its bean, on their threads.
  private record Answers(
      ProcessRuntimeMXBean runtime,
      Function<Supplier<Map<String, String>>, Feed> feeder,
      Supplier<Recording> recorder)
      implements Attachable {
    @Override
    public String kind() {
      return "runtime";
    }

    @Override
    public Map<String, String> summary() {
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("name", runtime.getName());
      fields.put("workers", Integer.toString(runtime.getWorkers()));
      fields.put("awake", Integer.toString(runtime.getAwakeWorkers()));
      fields.put("processes", Integer.toString(runtime.getProcesses()));
      fields.put("started", Long.toString(runtime.getStarted()));
      fields.put("executed", Long.toString(runtime.getExecuted()));
      fields.put("queueDelay99Micros", Long.toString(runtime.getQueueDelay99Micros()));
      fields.put("uptimeMillis", Long.toString(runtime.getUptimeMillis()));
      return fields;
    }

    @Override
    public Feed watch() {
      return feeder.apply(this::summary);
    }

    @Override
    public Recording record() {
      return recorder.get();
    }

    @Override
    public String answer(String question) {
      return switch (question) {
        case "table" -> runtime.table();
        case "workers" -> runtime.workerTable();
        case "dump" -> runtime.dump();
        case "json" -> runtime.dumpJson();
        default -> throw new IllegalArgumentException("a runtime does not know '" + question + "'");
      };
    }
  }
}
