// SPDX-License-Identifier: Apache-2.0
package dev.heddle.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.counts.AllocationProgram.Subject;
import dev.heddle.heap.HeapHistogram;
import dev.heddle.hosting.ChildJvm;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// What one call allocates, to the byte.
///
/// Each figure is taken in a JVM of its own that compiles nothing. What a compiler leaves out
/// depends on what it copied into what, and so on the machine and its load; what the code says does
/// not. Compiled, a call allocates this or less.
@Tag("T8")
@Tag("once")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class AllocationTest {
  private static final long SPAWN = 144; // bytes; with a walk of the stack for each, 1,500
  private static final long WAITER = 64;
  private static final long TIMER = 56;
  private static final long CHUNK = 40;
  private static final long PLACES = 48; // eight
  private static final long WAIT_OF_THE_JDK = 48; // what the JDK gets for the timer of a wait

  private static final String WAITER_TYPE = "dev.heddle.scheduler.WaitQueue$Waiter";
  private static final String TIMER_TYPE = "dev.heddle.reactor.TimerEvent";
  private static final String CHUNK_TYPE = "dev.heddle.reactor.TimerSlots$Chunk";
  private static final String PLACES_TYPE = "[Ldev.heddle.reactor.TimerEntry;";
  private static final String WAIT_TYPE = "dev.heddle.scheduler.ParkTimers$ParkTimer";

  // what a timed wait allocates in the JDK itself differs between its versions
  private static final List<String> JDKS =
      List.of("java.lang.VirtualThread", "java.util.concurrent.", "jdk.internal.vm.StackChunk");

  private static Map<String, Long> bytesOf(Subject subject) throws Exception {
    return bytesOf(AllocationProgram.class, subject.name());
  }

  /// What one call allocates, by class.
  ///
  /// @param program tells it
  public static Map<String, Long> bytesOf(Class<?> program, String... arguments) throws Exception {
    ChildJvm child =
        ChildJvm.of(program)
            .with(HeapHistogram.FLAGS.toArray(String[]::new))
            .withArguments(arguments);
    return HeapHistogram.told(child.run().output());
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {
        "HAND_OVER",
        "ECHO",
        "LONE_TIMER",
        "DELAY",
        "SLEEP",
        "POLL",
        "SPAWN_WITH_LIMIT",
        "SPAWN",
        "CONTROL"
      })
  void call_each_allocatesNothing(Subject subject) throws Exception {
    assertThat(bytesOf(subject)).isEmpty();
  }

  /// One for the coroutine that waits: its place in the channel's queue.
  @Test
  void handOver_toACoroutineThatWaits_allocatesItsPlaceInTheQueue() throws Exception {
    assertThat(bytesOf(Subject.HAND_OVER)).isEqualTo(Map.of(WAITER_TYPE, WAITER));
  }

  /// What the JDK's selector allocates differs between its versions.
  @Test
  void echo_ofARequest_allocatesNothingOfHeddles() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.ECHO);
    assertThat(bytes.keySet()).allMatch(type -> type.matches("\\[*L?(java|jdk|sun)\\..*"));
  }

  /// The coroutine with its end, and nothing for its site.
  @Test
  void spawn_atOneLine_allocatesNothingForItsSite() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.SPAWN);
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(SPAWN);
  }

  @Test
  @Tag("T13.2")
  void awaitWithALimit_allocatesItsTimer() throws Exception {
    Map<String, Long> bytes = bytesOf(Subject.SPAWN_WITH_LIMIT);
    assertThat(HeapHistogram.sum(bytes))
        .as("%s, on Java %s", bytes, Runtime.version())
        .isEqualTo(SPAWN + TIMER);
  }

  /// And eight places, for others of its tick.
  @Test
  @Tag("T13.2")
  void timer_thatIsAloneInItsTick_allocatesItselfAndAChunk() throws Exception {
    assertThat(bytesOf(Subject.LONE_TIMER))
        .isEqualTo(Map.of(TIMER_TYPE, TIMER, CHUNK_TYPE, CHUNK, PLACES_TYPE, PLACES));
  }

  @Test
  @Tag("T13.2")
  void delay_allocatesItsTimer() throws Exception {
    assertThat(bytesOf(Subject.DELAY)).containsExactly(Map.entry(TIMER_TYPE, TIMER));
  }

  @Test
  @Tag("T13.2")
  void sleepOfTheJdk_allocatesATimer_andWhatTheJdkGetsForIt() throws Exception {
    assertThat(withoutTheJdks(bytesOf(Subject.SLEEP)))
        .isEqualTo(Map.of(TIMER_TYPE, TIMER, WAIT_TYPE, WAIT_OF_THE_JDK));
  }

  /// Two of them a call.
  @Test
  @Tag("T13.2")
  void pollOfTheJdk_thatIsServedInTime_allocatesNoMoreThanASleep() throws Exception {
    assertThat(withoutTheJdks(bytesOf(Subject.POLL)))
        .isEqualTo(Map.of(TIMER_TYPE, 2 * TIMER, WAIT_TYPE, 2 * WAIT_OF_THE_JDK));
  }

  private static Map<String, Long> withoutTheJdks(Map<String, Long> bytes) {
    Map<String, Long> rest = new TreeMap<>(bytes);
    rest.keySet().removeIf(type -> JDKS.stream().anyMatch(type::startsWith));
    return rest;
  }

  @Test
  void measure_ofACallThatAllocates_seesIt() throws Exception {
    // without this the tests above could not fail
    assertThat(bytesOf(Subject.CONTROL)).containsExactly(Map.entry("java.lang.Object", 16L));
  }
}
