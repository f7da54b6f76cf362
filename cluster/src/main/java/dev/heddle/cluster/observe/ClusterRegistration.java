// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.observe;

import dev.heddle.observe.DumpPart;
import dev.heddle.observe.attach.Attachable;
import dev.heddle.observe.attach.Attachables;
import dev.heddle.observe.jmx.ManagedBean;
import dev.heddle.observe.spi.DumpParts;
import java.util.function.Supplier;

/// Shows a node to `heddle ps` and `heddle dump`, in the dumps of this JVM, and in the platform's
/// MBean server once other code has started that.
///
/// **Thread** any. [#join] and [#leave] call listeners of the server, which are code of the
/// program.
///
/// @param <B> the interface of the bean
public final class ClusterRegistration<B> {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  private final String name;
  private final ManagedBean<B> managed;
  private final Supplier<? extends DumpPart> dumper;
  private final Attachable shown;

  /// Shows a node, but for its bean.
  ///
  /// @param dumper makes the part of dumps
  /// @param shown answers `heddle ps` and `heddle dump`
  public ClusterRegistration(
      String node, B bean, Class<B> type, Supplier<? extends DumpPart> dumper, Attachable shown) {
    this.name = node;
    this.managed = new ManagedBean<>("Cluster", node, bean, type);
    this.dumper = dumper;
    this.shown = shown;
    DumpParts.add(dumper);
    Attachables.add(shown);
  }

  /// Whether the server runs, and the bean is not registered yet.
  public boolean mayJoin() {
    return managed.mayJoin();
  }

  /// Registers the bean, if [#mayJoin]. A failure is logged, and not tried again.
  public void join() {
    logged(managed::join);
  }

  /// Removes the node for good.
  public void leave() {
    DumpParts.remove(dumper);
    Attachables.remove(shown);
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
          "management tools do not see node '%s' as it is".formatted(name),
          e);
    }
  }
}
