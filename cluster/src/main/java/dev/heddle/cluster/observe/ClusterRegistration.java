// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.observe;

import dev.heddle.observe.DumpPart;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.spi.DumpParts;
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

/// Registers a node for `heddle ps` and `heddle dump`, for the dumps of this JVM, and in the
/// platform's MBean server. It never starts that server, which would cost a third of a second of
/// CPU: it registers once other code has started it.
///
/// @param <B> the interface of the bean
public final class ClusterRegistration<B> {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");
  private static final String DOMAIN = "dev.heddle:type=Cluster,name=";

  private final String node;
  private final B bean;
  private final Class<B> type;
  private final Supplier<? extends DumpPart> dumper;
  private final Attachable shown;
  private final ReentrantLock lock = new ReentrantLock();

  // under the lock
  private @Nullable ObjectName name;
  private boolean gone;

  // written under the lock; read without it first, to save taking it
  private volatile boolean settled;

  /// Shows a node to `heddle ps` and in dumps; does not register its bean yet.
  ///
  /// @param dumper makes the part of dumps
  /// @param shown answers `heddle ps` and `heddle dump`
  public ClusterRegistration(
      String node, B bean, Class<B> type, Supplier<? extends DumpPart> dumper, Attachable shown) {
    this.node = node;
    this.bean = bean;
    this.type = type;
    this.dumper = dumper;
    this.shown = shown;
    DumpParts.add(dumper);
    Attachables.add(shown);
  }

  /// Whether the server runs, and the bean is not registered yet.
  public boolean mayJoin() {
    return !settled && !MBeanServerFactory.findMBeanServer(null).isEmpty();
  }

  /// Registers the bean, if [#mayJoin]. A failure is logged, and not tried again. Calls listeners
  /// of the server, which are code of the program.
  public void join() {
    if (!mayJoin()) {
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
          "node '%s' cannot be seen by management tools".formatted(node),
          e);
    } finally {
      settled = true;
      lock.unlock();
    }
  }

  private ObjectName register(MBeanServer server) throws JMException {
    Object mbean = new StandardMBean(bean, type, true);
    for (int i = 1; ; i++) {
      String free = i == 1 ? node : node + "-" + i;
      try {
        return server.registerMBean(mbean, objectName(free)).getObjectName();
      } catch (InstanceAlreadyExistsException _) {
        // a node of another cluster has that name: try the next number
      }
    }
  }

  private static ObjectName objectName(String name) throws JMException {
    boolean plain = name.matches("[\\w. -]+");
    return new ObjectName(DOMAIN + (plain ? name : ObjectName.quote(name)));
  }

  /// Removes the node for good. Calls listeners of the server.
  public void leave() {
    lock.lock();
    try {
      if (!gone) {
        gone = true;
        DumpParts.remove(dumper);
        Attachables.remove(shown);
      }
      if (name != null && ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
      }
    } catch (JMException e) {
      LOG.log(System.Logger.Level.WARNING, "the bean %s cannot be unregistered".formatted(name), e);
    } finally {
      settled = true;
      lock.unlock();
    }
  }
}
