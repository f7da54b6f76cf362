// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.jmx;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/// A bean that the platform's MBean server gets once other code has started that server: starting
/// it costs a third of a second of CPU and 18 MiB, too much for a program that is not observed.
///
/// **Thread** any. [#join] and [#unregister] call listeners of the server, which are code of the
/// program.
///
/// @param <B> the interface of the bean
public final class ManagedBean<B> {
  /*
   * from        event                        to          what follows
   * OUT         join() begins                JOINING     it registers the bean
   * JOINING     registered                   IN
   * JOINING     the server refuses           GONE        join() throws
   * JOINING     leave()                      GONE        join() unregisters the bean
   * IN          leave()                      GONE        the caller of leave() unregisters the bean
   * OUT, GONE   leave()                      GONE        nothing
   */
  private enum State {
    OUT,
    JOINING,
    IN,
    GONE
  }

  private final String domain;
  private final String name;
  private final B bean;
  private final Class<B> type;
  private final AtomicReference<State> state = new AtomicReference<>(State.OUT);

  // written before IN, read after
  private @Nullable ObjectName registered;

  /// @param kind of things, such as `Loop`
  /// @param name of this one; a second one of that name gets a number
  public ManagedBean(String kind, String name, B bean, Class<B> type) {
    this.domain = "dev.heddle:type=" + kind + ",name=";
    this.name = name;
    this.bean = bean;
    this.type = type;
  }

  /// Whether the server runs, and the bean has not been registered yet.
  public boolean mayJoin() {
    return state.get() == State.OUT && !MBeanServerFactory.findMBeanServer(null).isEmpty();
  }

  /// Registers the bean, if [#mayJoin].
  ///
  /// @throws IllegalStateException when the server refuses it; that is not tried again
  public void join() {
    if (!mayJoin() || !state.compareAndSet(State.OUT, State.JOINING)) {
      return;
    }
    try {
      registered = register(ManagementFactory.getPlatformMBeanServer());
    } catch (JMException e) {
      state.set(State.GONE);
      throw new IllegalStateException("'" + name + "' cannot be seen by management tools", e);
    }
    if (!state.compareAndSet(State.JOINING, State.IN)) {
      unregister();
    }
  }

  private ObjectName register(MBeanServer server) throws JMException {
    Object mbean = new StandardMBean(bean, type, true);
    for (int i = 1; ; i++) {
      String free = i == 1 ? name : name + "-" + i;
      try {
        return server.registerMBean(mbean, objectName(free)).getObjectName();
      } catch (InstanceAlreadyExistsException _) {
        // another one has that name: try the next number
      }
    }
  }

  private ObjectName objectName(String free) throws JMException {
    boolean plain = free.matches("[\\w. -]+");
    return new ObjectName(domain + (plain ? free : ObjectName.quote(free)));
  }

  /// Ends the registration for good. Takes no lock, and calls nobody. When [#join] is just about to
  /// register the bean, it unregisters it a moment later.
  ///
  /// @return whether [#unregister] is to be called
  public boolean leave() {
    return state.getAndSet(State.GONE) == State.IN;
  }

  /// Unregisters the bean, after [#leave].
  ///
  /// @throws IllegalStateException when the server refuses
  public void unregister() {
    try {
      if (registered != null) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(registered);
      }
    } catch (InstanceNotFoundException _) {
      // safe: other code has unregistered it
    } catch (JMException e) {
      throw new IllegalStateException("the bean " + registered + " cannot be unregistered", e);
    }
  }
}
