// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.programs.racy.Counter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Where preemption points are put.
@Tag("sim-19")
class PointsTest {
  @Test
  void sync_beforeMonitorsVolatileFieldsAndCallsThatSynchronize() throws IOException {
    assertThat(pointsIn("everyKind", false))
        .containsExactly("monitor", "seen", "lock", "interrupt");
  }

  @Test
  void memory_beforeEveryFieldAndElementToo() throws IOException {
    assertThat(pointsIn("everyKind", true))
        .containsExactly("monitor", "seen", "element", "element", "lock", "interrupt", "count");
  }

  @Test
  void constructor_noPointBeforeTheObjectIsBorn() throws IOException {
    assertThat(pointsIn("<init>", true)).isEmpty();
  }

  // what stands behind each point of a method
  private static List<String> pointsIn(String method, boolean memory) throws IOException {
    byte[] rewritten =
        new ClassRewriter(
                Counter.class.getClassLoader(),
                bytesOfCounter(),
                List.of(),
                List.of(),
                new PointFinder(
                    memory, false, Counter.class.getClassLoader(), new ClassFacts.Known()))
            .rewritten();
    List<String> behind = new ArrayList<>();
    for (MethodModel model : ClassFile.of().parse(rewritten).methods()) {
      if (model.methodName().equalsString(method)) {
        collect(model, behind);
      }
    }
    return behind;
  }

  private static void collect(MethodModel model, List<String> behind) {
    boolean point = false;
    for (CodeElement element : model.code().orElseThrow()) {
      String name = nameOf(element);
      if (point && name != null) {
        behind.add(name);
        point = false;
      }
      point |=
          element instanceof InvokeInstruction invoke
              && invoke.owner().name().equalsString("java/lang/HeddlePoints");
    }
  }

  private static String nameOf(CodeElement element) {
    return switch (element) {
      case MonitorInstruction _ -> "monitor";
      case FieldInstruction field -> field.name().stringValue();
      case ArrayLoadInstruction _, ArrayStoreInstruction _ -> "element";
      case InvokeInstruction invoke -> invoke.name().stringValue();
      default -> null;
    };
  }

  private static byte[] bytesOfCounter() throws IOException {
    try (InputStream in = Counter.class.getResourceAsStream("Counter.class")) {
      return in.readAllBytes();
    }
  }
}
