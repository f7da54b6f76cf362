// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.heddle.world.programs.Environment;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What clocks cost with the agent installed and outside of any simulation, without a stopwatch:
/// the compiler says what it has made of a call, and the JVM counts what it allocates.
class ClockCostTest {
  private static final int CALLS = 200_000; // the second compiler takes a method after 10,000

  /// A program that reads the clocks until they are compiled.
  static final class Reader {
    private Reader() {}

    public static void main(String[] arguments) {
      long sum = 0;
      for (int i = 0; i < CALLS; i++) {
        sum += Environment.nanoTime() + Environment.currentTimeMillis();
      }
      System.out.println("read " + (sum != 0));
    }
  }

  /// What is compiled is the question for the carrier, two branches, and the JVM's own clock.
  @Test
  @Tag("sim-13")
  void clock_isCompiledIntoItsCaller_andCallsNothingButTheJdksClock() throws Exception {
    String said =
        ChildJvm.run(
            Reader.class,
            List.of(
                "-Xbatch",
                "-XX:-TieredCompilation",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:CompileCommand=PrintInlining," + Environment.class.getName() + "::*Time*",
                "-XX:CompileCommand=quiet"));
    assertThat(said).contains("read true");
    assertInlined(said, "java.lang.HeddleTime::nanoTime", "java.lang.System::nanoTime");
    assertInlined(
        said, "java.lang.HeddleTime::currentTimeMillis", "java.lang.System::currentTimeMillis");
  }

  private static void assertInlined(String said, String hook, String clock) {
    List<String> calls = said.lines().dropWhile(line -> !line.contains(hook)).limit(4).toList();
    assertThat(calls).as(said).hasSize(4);
    assertThat(calls.get(0)).contains(hook).contains("inline (hot)");
    assertThat(calls.get(1)).contains("java.lang.HeddleWorld::current").contains("inline (hot)");
    assertThat(calls.get(2)).contains("Thread::currentCarrierThread").contains("(intrinsic)");
    assertThat(calls.get(3)).contains(clock).contains("(intrinsic)");
  }

  @Test
  @Tag("sim-13")
  void clock_allocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long itself = -threads.getCurrentThreadAllocatedBytes();
    itself += threads.getCurrentThreadAllocatedBytes();
    Environment.nanoTime();
    Environment.currentTimeMillis();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 1_000; i++) {
      Environment.nanoTime();
      Environment.currentTimeMillis();
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isEqualTo(itself);
  }
}
