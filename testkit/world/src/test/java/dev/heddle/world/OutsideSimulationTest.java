// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.programs.Environment;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Code outside of any simulation, in a JVM that has the agent.
@Tag("sim-13")
class OutsideSimulationTest {
  @Test
  void clocks_areTrue() {
    checkClocks();
  }

  private static void checkClocks() {
    long before = System.nanoTime(); // this package is not rewritten
    long seen = Environment.nanoTime();
    assertThat(seen).isBetween(before, System.nanoTime());
    long millis = System.currentTimeMillis();
    assertThat(Environment.currentTimeMillis()).isBetween(millis, System.currentTimeMillis());
  }

  @Test
  void threads_areThoseOfTheJvm() throws Exception {
    checkThreads();
  }

  private static void checkThreads() throws InterruptedException {
    assertThat(Environment.currentThread()).isSameAs(Thread.currentThread());
    assertThat(Environment.threadId()).isEqualTo(Thread.currentThread().threadId());
    Thread[] seen = new Thread[1];
    Thread thread = new Thread(() -> seen[0] = Environment.currentThread());
    thread.start();
    thread.join();
    assertThat(seen[0]).isSameAs(thread);
    assertThat(OpenWorld.current()).isNull();
  }

  @Test
  void ordinaryThreads_areUntouchedWhileASimulationRuns() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    FifoWorld world = new FifoWorld(1);
    Thread simulation =
        new Thread(() -> {
          try {
            world.runMain(() -> {
              OpenWorld.outside(() -> {
                inside.countDown();
                while (asked.getCount() > 0) {
                  Thread.onSpinWait(); // holds the carrier, as no program does
                }
              });
              return null;
            });
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    simulation.start();
    inside.await();
    try {
      checkClocks();
      checkThreads();
      assertThat(Environment.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
    } finally {
      asked.countDown();
    }
    simulation.join();
  }

  @Test
  void afterTheSimulation_nothingOfItIsLeft() throws Exception {
    FifoWorld.run(() -> null);
    checkClocks();
    checkThreads();
  }

  /// Structure, not time: what a clock costs outside is the question for the carrier and one
  /// branch.
  @Test
  void clock_asksForTheCarrierAndCallsTheJdk() throws Exception {
    assertThat(callsOf("HeddleTime", "nanoTime"))
        .containsExactly("current", "branch", "System.nanoTime", "nanoTime");
    assertThat(callsOf("HeddleTime", "currentTimeMillis"))
        .startsWith("current", "branch", "System.currentTimeMillis");
    // neither a lock, nor a thread-local, nor an allocation
    assertThat(callsOf("HeddleWorld", "current"))
        .containsExactly("Thread.currentCarrierThread", "branch", "branch");
  }

  // calls and branches, in their order
  private static List<String> callsOf(String type, String name) throws Exception {
    byte[] bytes =
        OutsideSimulationTest.class
            .getResourceAsStream("/META-INF/hook/java/lang/" + type + ".class")
            .readAllBytes();
    List<String> calls = new ArrayList<>();
    for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
      if (method.methodName().equalsString(name)) {
        method.code().orElseThrow().forEach(element -> collect(element, type, calls));
      }
    }
    return calls;
  }

  private static void collect(CodeElement element, String type, List<String> calls) {
    if (element instanceof InvokeInstruction invoke) {
      String owner = invoke.owner().asSymbol().displayName();
      String name = invoke.name().stringValue();
      calls.add(owner.startsWith("Heddle") ? name : owner + "." + name);
    } else if (element instanceof BranchInstruction branch && branch.opcode() != Opcode.GOTO) {
      calls.add("branch");
    } else if (element instanceof NewObjectInstruction || element instanceof MonitorInstruction) {
      calls.add("costs: " + element + " in " + type);
    }
  }
}
