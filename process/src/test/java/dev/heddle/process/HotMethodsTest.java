// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// The size of the methods that each message runs. HotSpot inlines a hot method of at most 325
/// bytes (`FreqInlineSize`); a longer one costs each message a call, and the objects that it passes
/// stay on the heap.
class HotMethodsTest {
  private static final int MAX_INLINED = 325; // bytes of code, the JVM's default

  /// The methods of a class with one of these names that HotSpot would not inline.
  private static List<String> tooLong(String type, List<String> names) throws IOException {
    List<String> found = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    String file = "/dev/heddle/process/" + type + ".class";
    try (InputStream in = Objects.requireNonNull(Process.class.getResourceAsStream(file), file)) {
      for (MethodModel method : ClassFile.of().parse(in.readAllBytes()).methods()) {
        String name = method.methodName().stringValue();
        if (!names.contains(name)) {
          continue;
        }
        seen.add(name);
        int bytes = method.findAttribute(Attributes.code()).orElseThrow().codeLength();
        if (bytes > MAX_INLINED) {
          found.add("%s.%s has %d bytes of code".formatted(type, name, bytes));
        }
      }
    }
    assertThat(seen).containsAll(names);
    return found;
  }

  @Test
  void methodsThatEachStepRuns_areShortEnoughToBeInlined() throws IOException {
    assertThat(tooLong("instance/ProcessInstance", List.of("step", "takeEvents", "stepResult")))
        .isEmpty();
    assertThat(tooLong("scheduler/Worker", List.of("runOnce", "run", "runSteps"))).isEmpty();
    assertThat(tooLong("scheduler/EventQueue", List.of("take", "takeOrdinary", "reverseAndTake")))
        .isEmpty();
    assertThat(tooLong("mailbox/EventBatch", List.of("of"))).isEmpty();
  }

  @Test
  void methodsThatEachMessageRuns_areShortEnoughToBeInlined() throws IOException {
    assertThat(tooLong("host/InstanceContext", List.of("send", "offer"))).isEmpty();
    assertThat(tooLong("host/ProcessHost", List.of("send", "offer"))).isEmpty();
    assertThat(tooLong("instance/ProcessInstance", List.of("receive", "receiveAlone"))).isEmpty();
    assertThat(tooLong("scheduler/EventQueue", List.of("push"))).isEmpty();
    assertThat(tooLong("scheduler/WorkScheduler", List.of("wake"))).isEmpty();
    assertThat(tooLong("scheduler/Task", List.of("wake", "endRun"))).isEmpty();
  }
}
