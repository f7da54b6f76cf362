// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.spi.DumpParts;
import dev.heddle.process.ProcessRuntimeMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/// A runtime's place in the dumps of this JVM, and in the platform's MBean server, which it takes
/// once somebody else has started that: it costs a third of a second of CPU, which a program that
/// nobody watches is not to pay.
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

  // written under the lock; read before it, to save it
  private volatile boolean settled;

  /// A runtime that is not registered, but announced: tools outside can read the properties of a
  /// JVM at next to no cost to it.
  ///
  /// @param dumper writes the runtime down, for dumps of loops
  public RuntimeRegistration(ProcessRuntimeMXBean bean, Supplier<RuntimeDump> dumper) {
    this.bean = bean;
    this.dumper = dumper;
    announce(1);
    this.shown = new AttachableRuntime(bean);
    DumpParts.add(dumper);
    Attachables.add(shown);
  }

  private static void announce(int more) {
    System.getProperties()
        .merge(
            ProcessRuntimeMXBean.ANNOUNCEMENT,
            Integer.toString(more),
            (count, _) -> {
              int runtimes = Integer.parseInt(count.toString()) + more;
              return runtimes == 0 ? null : Integer.toString(runtimes);
            });
  }

  /// Registers it, if the server runs and it is not registered. What fails is logged, and not tried
  /// again.
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
        // another runtime of that name: the next number is free, or the one after
      }
    }
  }

  private static ObjectName objectName(String name) throws JMException {
    boolean plain = name.matches("[\\w. -]+");
    return new ObjectName(DOMAIN + (plain ? name : ObjectName.quote(name)));
  }

  /// Takes it out for good.
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
      LOG.log(System.Logger.Level.WARNING, "the bean " + name + " cannot be taken out", e);
    } finally {
      settled = true;
      lock.unlock();
    }
  }
}
