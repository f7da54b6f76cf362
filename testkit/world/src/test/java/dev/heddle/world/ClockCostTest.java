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

  // the report has a line for each call, indented by how deep it is
  private static void assertInlined(String said, String hook, String clock) {
    List<String> lines = said.lines().dropWhile(line -> !line.contains(hook)).toList();
    assertThat(lines).as(said).isNotEmpty();
    assertThat(lines.getFirst()).contains("inline (hot)");
    int depth = depthOf(lines.getFirst());
    List<String> inside = lines.stream().skip(1).takeWhile(line -> depthOf(line) > depth).toList();
    assertThat(inside)
        .as(said)
        .allMatch(line -> line.matches(".*(inline \\(hot\\)|\\(intrinsic\\)).*"));
    assertMentioned(inside, "java.lang.HeddleWorld::current ", "inline (hot)");
    assertMentioned(inside, "Thread::currentCarrierThread ", "(intrinsic)");
    assertMentioned(inside, clock + " ", "(intrinsic)");
  }

  private static int depthOf(String line) {
    return line.indexOf('@');
  }

  private static void assertMentioned(List<String> lines, String method, String how) {
    assertThat(lines)
        .as(method)
        .anySatisfy(line -> assertThat(line).contains(method).contains(how));
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
