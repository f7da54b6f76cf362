// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;

/// The JVM's count of the classes that it has initialised. It is a performance counter, which the
/// JDK shows to its own management beans only.
///
/// **Thread** any.
final class ClassInitialisations {
  private static final String MODULE = "java.management";
  private static final String ROOM = "sun.management";

  private ClassInitialisations() {}

  /// Lets this class see the counter. To be called once, by the agent.
  ///
  /// @throws IllegalStateException when the JVM runs without the module
  static void open(Instrumentation jvm) {
    Module beans =
        ModuleLayer.boot()
            .findModule(MODULE)
            .orElseThrow(() ->
                new IllegalStateException(
                    "the agent of heddle-world needs the module java.management; start Java with"
                        + " --add-modules java.management"));
    jvm.redefineModule(
        beans,
        Set.of(),
        Map.of(),
        Map.of(ROOM, Set.of(ClassInitialisations.class.getModule())),
        Set.of(),
        Map.of());
  }

  /// How many there were since the JVM started.
  ///
  /// @throws IllegalStateException when this JVM does not count them
  static long count() {
    try {
      return (long) Counter.READ.invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // the method declares none
    }
  }

  // found when it is first asked for: a start without a simulation does not pay for it
  private static final class Counter {
    private static final MethodHandle READ = find();

    private static MethodHandle find() {
      MethodHandle read;
      long now;
      try {
        Object management =
            Class.forName(ROOM + ".ManagementFactoryHelper")
                .getMethod("getVMManagement")
                .invoke(null);
        Method count = Class.forName(ROOM + ".VMManagement").getMethod("getInitializedClassCount");
        count.setAccessible(true);
        read = MethodHandles.lookup().unreflect(count).bindTo(management);
        now = (long) read.invokeExact();
      } catch (Throwable e) {
        throw new IllegalStateException(
            "this JDK ("
                + Runtime.version()
                + ") has no place where heddle-world reads the number of initialised classes",
            e);
      }
      if (now < 0) {
        throw new IllegalStateException(
            "heddle-world counts the classes that a run initialises, and this JVM does not; start"
                + " Java without -XX:-UsePerfData");
      }
      return read;
    }
  }
}
