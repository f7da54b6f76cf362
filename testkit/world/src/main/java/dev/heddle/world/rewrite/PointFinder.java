// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Says which instructions are preemption points.
///
/// | | `sync` | `memory`, also |
/// |---|---|---|
/// | monitors | entry; calls of synchronized methods; `notify` | |
/// | fields | volatile ones | all that are not final |
/// | arrays | | each element |
/// | calls | of `VarHandle`, `java.util.concurrent`, `Thread`; of collections that may be shared |
/// of `java.util` |
///
/// In classes of the JDK, for those who test the JDK: monitors, volatile fields, `VarHandle` and
/// compare-and-set of `Unsafe`.
final class PointFinder {
  private static final String CONCURRENT = "java/util/concurrent/";
  private static final String UTIL = "java/util/";

  // What hides behind an interface may be shared; what is synchronized, is.
  private static final Set<String> SHARED =
      Set.of(
          "java/lang/StringBuffer",
          "java/util/Collection",
          "java/util/Deque",
          "java/util/Hashtable",
          "java/util/List",
          "java/util/Map",
          "java/util/Queue",
          "java/util/Set",
          "java/util/Vector");

  private static final Set<String> OF_THREADS = Set.of("start", "interrupt", "isAlive");

  private final boolean memory;
  private final boolean jdk; // of the class that gets the points
  private final @Nullable ClassLoader loader;
  private final ClassFacts.Known known;

  PointFinder(boolean memory, boolean jdk, @Nullable ClassLoader loader, ClassFacts.Known known) {
    this.memory = memory && !jdk;
    this.jdk = jdk;
    this.loader = loader;
    this.known = known;
  }

  /// @param model the class that `element` belongs to
  boolean isPoint(ClassModel model, CodeElement element) {
    return switch (element) {
      case MonitorInstruction monitor -> monitor.opcode() == Opcode.MONITORENTER;
      case FieldInstruction field -> isPoint(model, field);
      case ArrayLoadInstruction _, ArrayStoreInstruction _ -> memory;
      case InvokeInstruction invoke -> isPoint(model, invoke);
      default -> false;
    };
  }

  private boolean isPoint(ClassModel model, FieldInstruction field) {
    String owner = field.owner().asInternalName();
    String name = field.name().stringValue();
    boolean ofCompiler = name.startsWith("$") || name.startsWith("this$");
    if (ofCompiler || (!jdk && isOfJdk(owner))) {
      return false;
    }
    ClassFacts facts = known.of(owner, model, loader);
    return memory ? !facts.finals().contains(name) : facts.volatiles().contains(name);
  }

  private boolean isPoint(ClassModel model, InvokeInstruction invoke) {
    String owner = invoke.owner().asInternalName();
    String name = invoke.name().stringValue();
    if (name.equals("<init>")) {
      return false;
    }
    if (owner.equals("java/lang/invoke/VarHandle")) {
      return true;
    }
    if (jdk) {
      return owner.equals("jdk/internal/misc/Unsafe") && name.startsWith("compareAndSet");
    }
    return isOfJdk(owner)
        ? isPointOfJdk(owner, name)
        : known.of(owner, model, loader).locked().contains(name);
  }

  private boolean isPointOfJdk(String owner, String name) {
    if (owner.startsWith(CONCURRENT)) {
      return !owner.equals(CONCURRENT + "TimeUnit");
    }
    return switch (owner) {
      case "java/lang/Thread" -> OF_THREADS.contains(name);
      case "java/lang/Object" -> name.startsWith("notify");
      default ->
          SHARED.contains(owner)
              || owner.startsWith("java/util/Collections$Synchronized")
              || (memory && owner.startsWith(UTIL) && owner.indexOf('/', UTIL.length()) < 0);
    };
  }

  private static boolean isOfJdk(String owner) {
    return owner.startsWith("java/") || owner.startsWith("jdk/");
  }
}
