// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.jmx;

import dev.heddle.observe.LoopMXBean;
import dev.heddle.observe.attach.Attachables;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/// Registers loops with the platform's MBean server, once other code has started it: starting it
/// costs a third of a second of CPU and 18 MiB, too much for a program that is not observed.
public final class LoopMBeans {
  private static final String DOMAIN = "dev.heddle:type=Loop,name=";

  private LoopMBeans() {}

  /// Announces by a system property, which tools can read at almost no cost, that this JVM has
  /// loops.
  public static void announce() {
    System.setProperty(Attachables.LOOPS, DOMAIN + "*");
  }

  public static void withdraw() {
    System.clearProperty(Attachables.LOOPS);
  }

  public static final class Entry {
    private static final int OUT = 0;
    private static final int IN = 1;
    private static final int GONE = 2;

    private final LoopMXBean bean;

    // the log's thread and the ending loop, CAS
    private final AtomicInteger state = new AtomicInteger(OUT);

    // written by the log's thread before IN, read after
    private @Nullable ObjectName name;

    public Entry(LoopMXBean bean) {
      this.bean = bean;
    }
  }

  public static boolean mayJoin(Entry loop) {
    return loop.state.get() == Entry.OUT && !MBeanServerFactory.findMBeanServer(null).isEmpty();
  }

  /// Registers a loop if it is not registered. Calls listeners of the server, which are user code.
  public static void join(Entry loop) {
    if (loop.state.get() != Entry.OUT) {
      return;
    }
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      loop.name = register(server, loop.bean);
    } catch (JMException e) {
      throw new IllegalStateException("loop '" + loop.bean.getName() + "' cannot be managed", e);
    }
    if (!loop.state.compareAndSet(Entry.OUT, Entry.IN)) {
      takeOut(loop);
    }
  }

  private static ObjectName register(MBeanServer server, LoopMXBean bean) throws JMException {
    Object mbean = new StandardMBean(bean, LoopMXBean.class, true);
    String given = bean.getName();
    for (int i = 1; ; i++) {
      String name = i == 1 ? given : given + "-" + i;
      try {
        return server.registerMBean(mbean, objectName(name)).getObjectName();
      } catch (InstanceAlreadyExistsException _) {
        // another loop of that name: the next number is free, or the one after
      }
    }
  }

  private static ObjectName objectName(String name) throws JMException {
    boolean plain = name.matches("[\\w. -]+");
    return new ObjectName(DOMAIN + (plain ? name : ObjectName.quote(name)));
  }

  /// Ends the registration of a loop; returns whether [#takeOut] is to be called.
  public static boolean leaves(Entry loop) {
    return loop.state.getAndSet(Entry.GONE) == Entry.IN;
  }

  /// Unregisters a loop for good. Calls listeners of the server.
  public static void takeOut(Entry loop) {
    try {
      if (loop.name != null) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(loop.name);
      }
    } catch (InstanceNotFoundException _) {
      // safe: other code has unregistered it
    } catch (JMException e) {
      throw new IllegalStateException("the bean of " + loop.name + " cannot be taken out", e);
    }
  }
}
