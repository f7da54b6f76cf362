// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.attach.Feed;
import dev.heddle.observe.spi.DumpParts;
import dev.heddle.process.ProcessRuntimeMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/// Registers a runtime for the dumps of this JVM and in the platform's MBean server. It never
/// starts that server, which would cost a third of a second of CPU: it registers once other code
/// has started it.
public final class RuntimeRegistration {
  private static final System.Logger LOG = System.getLogger("dev.heddle.process");
  private static final String DOMAIN = "dev.heddle:type=ProcessRuntime,name=";

  private final ProcessRuntimeMXBean bean;
  private final Supplier<RuntimeDump> dumper;
  private final Attachable shown;
  private final ReentrantLock lock = new ReentrantLock();

  // under the lock
  private @Nullable ObjectName name;
  private boolean gone;

  // written under the lock; read without it first, to save taking it
  private volatile boolean settled;

  /// Announces a runtime in the system properties, which external tools can read at almost no cost
  /// to the JVM; does not register its bean yet.
  ///
  /// @param dumper makes the dump of the runtime, as a part of dumps of loops
  /// @param feeder makes its feed for one observer, from the row of the runtime itself
  public RuntimeRegistration(
      ProcessRuntimeMXBean bean,
      Supplier<RuntimeDump> dumper,
      Function<Supplier<Map<String, String>>, Feed> feeder) {
    this.bean = bean;
    this.dumper = dumper;
    announce(1);
    this.shown = new Answers(bean, feeder);
    DumpParts.add(dumper);
    Attachables.add(shown);
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
    if (settled || MBeanServerFactory.findMBeanServer(null).isEmpty()) {
      return;
    }
    lock.lock();
    try {
      if (name == null && !gone) {
        name = register(ManagementFactory.getPlatformMBeanServer());
      }
    } catch (JMException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runtime '" + bean.getName() + "' cannot be seen by management tools",
          e);
    } finally {
      settled = true;
      lock.unlock();
    }
  }

  private ObjectName register(MBeanServer server) throws JMException {
    Object mbean = new StandardMBean(bean, ProcessRuntimeMXBean.class, true);
    for (int i = 1; ; i++) {
      String free = i == 1 ? bean.getName() : bean.getName() + "-" + i;
      try {
        return server.registerMBean(mbean, objectName(free)).getObjectName();
      } catch (InstanceAlreadyExistsException _) {
        // another runtime has that name: try the next number
      }
    }
  }

  private static ObjectName objectName(String name) throws JMException {
    boolean plain = name.matches("[\\w. -]+");
    return new ObjectName(DOMAIN + (plain ? name : ObjectName.quote(name)));
  }

  /// Removes the runtime for good.
  public void leave() {
    lock.lock();
    try {
      if (!gone) {
        gone = true;
        announce(-1);
        DumpParts.remove(dumper);
        Attachables.remove(shown);
      }
      if (name != null && ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
      }
    } catch (JMException e) {
      LOG.log(System.Logger.Level.WARNING, "the bean " + name + " cannot be unregistered", e);
    } finally {
      settled = true;
      lock.unlock();
    }
  }

  /// Answers `heddle ps` and `heddle dump` about a runtime, from its bean, on their threads.
  private record Answers(
      ProcessRuntimeMXBean runtime, Function<Supplier<Map<String, String>>, Feed> feeder)
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
