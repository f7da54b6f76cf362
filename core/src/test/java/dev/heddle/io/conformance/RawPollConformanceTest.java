// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.suspended;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Deadline;
import dev.heddle.io.Poll;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Readiness of descriptors known by their numbers, on every driver that serves it; another one
/// says why not.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T13.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("RAW_POLL")
class RawPollConformanceTest implements OnDriver {
  private static final int AF_UNIX = 1;
  private static final int STREAM = 1;
  private static final int CLOEXEC = 0x80000;

  private final String driver;

  RawPollConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  /// Two connected sockets of libc's, and what a library would do with them.
  private static final class Sockets implements AutoCloseable {
    int ours;
    int theirs;

    Sockets() {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
        long result =
            call(
                "socketpair",
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS),
                AF_UNIX,
                STREAM | CLOEXEC,
                0,
                ends);
        assertThat(result).isZero();
        ours = ends.getAtIndex(ValueLayout.JAVA_INT, 0);
        theirs = ends.getAtIndex(ValueLayout.JAVA_INT, 1);
      }
    }

    /// Sends a byte to ours.
    void send() {
      try (Arena arena = Arena.ofConfined()) {
        long sent = io("write", theirs, arena.allocate(1), 1);
        assertThat(sent).isEqualTo(1);
      }
    }

    /// Reads a byte from ours.
    void receive() {
      try (Arena arena = Arena.ofConfined()) {
        long read = io("read", ours, arena.allocate(1), 1);
        assertThat(read).isEqualTo(1);
      }
    }

    void closeOurs() {
      shut(ours);
      ours = -1;
    }

    void closeTheirs() {
      shut(theirs);
      theirs = -1;
    }

    @Override
    public void close() {
      if (ours >= 0) {
        closeOurs();
      }
      if (theirs >= 0) {
        closeTheirs();
      }
    }
  }

  private static long io(String name, int fd, MemorySegment bytes, long length) {
    return call(
        name,
        FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG),
        fd,
        bytes,
        length);
  }

  /// Fails unless it was open: nobody else has closed it.
  private static void shut(int fd) {
    long result =
        call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), fd);
    assertThat(result).isZero();
  }

  @SuppressWarnings("restricted") // the types are those of the signature beside it
  private static long call(String name, FunctionDescriptor type, Object... arguments) {
    Linker linker = Linker.nativeLinker();
    try {
      MethodHandle handle = linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
      return ((Number) handle.invokeWithArguments(arguments)).longValue();
    } catch (Throwable e) {
      throw new AssertionError(name, e);
    }
  }

  @FunctionalInterface
  private interface Program {
    void run(Sockets pair) throws Exception;
  }

  /// Runs with a pair, where the driver serves its numbers.
  private void run(Program program) {
    Cell.run(
        driver,
        () -> {
          Support support =
              CoroutineNode.current()
                  .scheduler()
                  .reactor()
                  .driver()
                  .capabilities()
                  .get(Capability.RAW_POLL);
          if (support == null || support.level() == Support.Level.UNSUPPORTED) {
            assertThatThrownBy(() -> Poll.of(0))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(driver)
                .hasMessageContaining(support == null ? "RAW_POLL" : support.description());
            return;
          }
          try (Sockets pair = new Sockets()) {
            program.run(pair);
          }
        });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void subscribers_ofOneNumber_areAllNotified() {
    run(pair -> {
      try (Poll one = Poll.of(pair.ours);
          Poll other = Poll.of(pair.ours)) {
        Coroutine<Object> first = suspended(() -> Heddle.await(one.readable()));
        Coroutine<Object> second = suspended(() -> Heddle.await(other.readable()));
        pair.send();
        first.await();
        second.await();
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void interests_ofOneNumber_areToldApart() {
    run(pair -> {
      try (Poll poll = Poll.of(pair.ours)) {
        Coroutine<Object> reader = suspended(() -> Heddle.await(poll.readable()));
        Heddle.await(poll.writable());
        Heddle.await(poll.writable());
        assertThat(reader.isDone()).isFalse();
        pair.send();
        reader.await();
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void readiness_thatStays_isReportedToEachWhoWaits() {
    run(pair -> {
      pair.send();
      pair.send();
      try (Poll poll = Poll.of(pair.ours)) {
        Heddle.await(poll.readable());
        pair.receive();
        Heddle.await(poll.readable());
        Heddle.await(poll.readable());
        pair.receive();
        Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
        Heddle.await(poll.writable());
        assertThat(waits.isDone()).isFalse();
        pair.send();
        waits.await();
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void numbers_manyAtOnce_areNotifiedEachOfItsOwn() {
    run(_ -> {
      int many = 150; // more than one look brings
      Sockets[] pairs = new Sockets[many];
      Poll[] polls = new Poll[many];
      Coroutine<?>[] waits = new Coroutine<?>[many];
      for (int i = 0; i < many; i++) {
        pairs[i] = new Sockets();
        polls[i] = Poll.of(pairs[i].ours);
        Poll poll = polls[i];
        waits[i] = suspended(() -> Heddle.await(poll.readable()));
      }
      for (int i = 1; i < many; i++) {
        pairs[i].send();
      }
      for (int i = 1; i < many; i++) {
        waits[i].await();
      }
      assertThat(waits[0].isDone()).isFalse();
      pairs[0].send();
      waits[0].await();
      for (int i = 0; i < many; i++) {
        polls[i].close();
        pairs[i].close();
      }
    });
  }

  @Test
  @Shows(Aspect.END)
  void hangUp_isReportedInBothDirections() {
    run(pair -> {
      try (Poll poll = Poll.of(pair.ours)) {
        Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
        pair.closeTheirs();
        waits.await();
        Heddle.await(poll.writable());
        Heddle.await(poll.readable());
      }
    });
  }

  @Test
  @Shows({Aspect.CANCEL, Aspect.DEADLINE})
  void waits_cancelledOrPastTheirDeadline_leaveTheOthers() {
    run(pair -> {
      try (Poll poll = Poll.of(pair.ours)) {
        Coroutine<Object> alone = suspended(() -> Heddle.await(poll.readable()));
        alone.cancel("enough");
        assertThatThrownBy(alone::await).isInstanceOf(Cancellation.class);
        Coroutine<Object> stays = suspended(() -> Heddle.await(poll.readable()));
        Coroutine<Object> leaves = suspended(() -> Heddle.await(poll.readable()));
        leaves.cancel("enough");
        assertThatThrownBy(leaves::await).isInstanceOf(Cancellation.class);
        Deadline soon = Deadline.after(Duration.ofMillis(5));
        assertThatThrownBy(() -> Heddle.await(poll.readable(), soon))
            .isInstanceOf(DeadlineException.class);
        pair.send();
        stays.await();
      }
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_ofTheLastPoll_endsWaitsAndLeavesTheDescriptorOpen() {
    run(pair -> {
      Poll poll = Poll.of(pair.ours);
      Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
      poll.close();
      try (Poll again = Poll.of(pair.ours)) {
        Coroutine<Object> next = suspended(() -> Heddle.await(again.readable()));
        assertThatThrownBy(waits::await).hasCauseInstanceOf(AsynchronousCloseException.class);
        assertThatThrownBy(poll::readable)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("descriptor " + pair.ours);
        pair.send();
        next.await();
      }
      pair.receive();
    });
  }

  /// What is promised of it: the wait can be left, nobody else is harmed, and the next one fails.
  @Test
  @Tag("trap-29")
  @Shows(Aspect.CLOSE)
  void close_ofTheDescriptorUnderAWait_leavesAWaitThatCanBeCancelled() {
    run(pair -> {
      try (Poll poll = Poll.of(pair.ours);
          Poll peer = Poll.of(pair.theirs)) {
        Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
        Heddle.await(poll.writable()); // the driver has been told
        Coroutine<Object> sees = suspended(() -> Heddle.await(peer.readable()));
        pair.closeOurs();
        sees.await(); // the end: the driver does not keep it open
        waits.cancel("it was closed");
        assertThatThrownBy(waits::await).isInstanceOf(Cancellation.class);
        assertThatThrownBy(() -> Heddle.await(poll.writable()))
            .hasStackTraceContaining("is not open");
      }
    });
  }

  @Test
  @Tag("trap-29")
  @Shows(Aspect.CLOSE)
  void number_ofAnotherDescriptorMeanwhile_isWatchedAnew() {
    run(pair -> {
      try (Poll poll = Poll.of(pair.ours)) {
        Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
        Heddle.await(poll.writable());
        int number = pair.ours;
        try (Sockets other = new Sockets()) {
          long moved =
              call(
                  "dup2",
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                  other.ours,
                  number);
          assertThat(moved).isEqualTo(number);
          Heddle.await(poll.writable()); // asks the system about both directions
          assertThat(waits.isDone()).isFalse();
          other.send();
          waits.await();
        }
      }
    });
  }

  @Test
  void number_thatCannotBeWatched_isRefused() {
    run(_ -> {
      assertThatThrownBy(() -> Poll.of(-1))
          .isInstanceOf(IOException.class)
          .hasMessage("descriptor -1 is not open");
      assertThatThrownBy(() -> Poll.of(1_000_000))
          .isInstanceOf(IOException.class)
          .hasMessage("descriptor 1000000 is not open");
      int file;
      try (Arena arena = Arena.ofConfined()) {
        file =
            (int)
                call(
                    "memfd_create",
                    FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                    arena.allocateFrom("file"),
                    1); // MFD_CLOEXEC
      }
      assertThatThrownBy(() -> Poll.of(file))
          .isInstanceOf(IOException.class)
          .hasMessage("descriptor %d is a file or a directory: these are always ready", file);
      shut(file);
    });
  }
}
