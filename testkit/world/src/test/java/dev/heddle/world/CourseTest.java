// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.world.FifoWorld.Outcome;
import dev.heddle.world.programs.Course;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The same seed gives the same course, whatever the JVM does beneath.
class CourseTest {
  private static final int RUNS = 20;

  /// What a child JVM runs: the second course, as text.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      course(5); // the first run in a JVM initialises classes
      System.out.println(course(5));
    }
  }

  private static String course(long seed) throws Exception {
    Outcome outcome = FifoWorld.run(seed, Course::all);
    return outcome.orThrow() + " " + outcome.trace();
  }

  @Test
  @Tag("sim-1")
  void sameSeed_sameCourseInOneJvm() throws Exception {
    course(5);
    String first = course(5);
    for (int run = 0; run < RUNS; run++) {
      assertThat(course(5)).isEqualTo(first);
    }
  }

  @Test
  @Tag("sim-1")
  void otherSeeds_otherCourses() throws Exception {
    Set<String> courses = new HashSet<>();
    for (int seed = 0; seed < RUNS; seed++) {
      courses.add(course(seed));
    }
    assertThat(courses).hasSize(RUNS);
  }

  /// Each compiler, collector and number of processors, in as few JVMs as that takes.
  @Test
  @Tag("sim-1")
  void sameSeed_sameCourseInOtherJvms() throws Exception {
    assertSameCourse(
        List.of(
            List.of("-Xint", "-XX:+UseSerialGC", "-Xmx64m", "-XX:ActiveProcessorCount=1"),
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseZGC", "-XX:ActiveProcessorCount=8")));
  }

  @Test
  @Tag("sim-1")
  @Tag("full")
  void sameSeed_sameCourseInEachKindOfJvm() throws Exception {
    assertSameCourse(
        List.of(
            List.of("-Xint"),
            List.of("-XX:TieredStopAtLevel=1"),
            List.of("-XX:+UseSerialGC", "-Xmx64m"),
            List.of("-XX:+UseZGC"),
            List.of("-XX:ActiveProcessorCount=1"),
            List.of("-XX:ActiveProcessorCount=8")));
  }

  private static void assertSameCourse(List<List<String>> flags) throws Exception {
    List<String> courses = new ArrayList<>();
    for (List<String> of : flags) {
      courses.add(ChildJvm.run(Child.class, of));
    }
    assertThat(courses.getFirst()).contains("pool-2-thread-2");
    for (int i = 1; i < courses.size(); i++) {
      assertThat(courses.get(i)).as("%s", flags.get(i)).isEqualTo(courses.getFirst());
    }
  }
}
