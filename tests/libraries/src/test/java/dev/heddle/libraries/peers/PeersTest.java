// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.libraries.Watched;
import dev.heddle.observe.CoroutineSnapshot;
import dev.heddle.observe.Dump;
import dev.heddle.observe.LoopReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Servers of others on `Loop.executor()`: their handlers are coroutines of one loop, and wait in
/// JDBC for one row of a database, all at the same time.
@Tag("T16")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PeersTest {
  private static final int REQUESTS = 24;
  private static final int CONNECTIONS = REQUESTS + 10; // some are kept for administrators

  private static final Duration GUARD = Duration.ofMinutes(5);

  /// Daemons that Helidon never stops: `helidon-idle-connection-timer`, one of each server, and
  /// `helidon-http-timer`, one of the JVM.
  private static final String HELIDONS_TIMERS = "helidon-";

  private static final Map<Database.Kind, Database> DATABASES = new EnumMap<>(Database.Kind.class);

  static Stream<Arguments> all() {
    return Stream.of(Database.Kind.values())
        .flatMap(kind -> Stream.of(Peer.values()).map(peer -> Arguments.of(peer, kind)));
  }

  private static Database database(Database.Kind kind) throws Exception {
    Database database = DATABASES.get(kind);
    if (database == null) {
      database = Database.start(kind, CONNECTIONS);
      DATABASES.put(kind, database);
    }
    return database;
  }

  @AfterEach
  void logAgain() {
    log(Level.INFO);
  }

  private static void log(Level level) {
    for (java.util.logging.Handler each : Logger.getLogger("").getHandlers()) {
      each.setLevel(level);
    }
  }

  @AfterAll
  static void stopDatabases() throws Exception {
    for (Database database : DATABASES.values()) {
      database.stop();
    }
    DATABASES.clear();
  }

  @ParameterizedTest(name = "{0} over {1}")
  @MethodSource("all")
  void handlers_waitInJdbcAsCoroutinesOfOneLoop(Peer peer, Database.Kind kind) throws Exception {
    Database database = database(kind);
    List<LoopReport> reports = new CopyOnWriteArrayList<>();
    ThreadGroup threads = new ThreadGroup(peer.name());
    int[] answered = {0};
    try (Loop<?> loop = start(reports);
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      ScheduledExecutorService executor = loop.executor();
      Handler handler = () -> answer(database, answered);
      try (Running running = inGroup(threads, () -> peer.start(executor, handler));
          Connection holder = database.connect()) {
        int before = Database.lock(holder);
        List<Future<String>> answers = askAll(clients, running);
        awaitWaiting(loop, database, answers);
        holder.commit();
        assertThat(numbers(answers)).containsExactlyInAnyOrderElementsOf(after(before));
      }
      assertNothingLeft(loop, executor, threads);
      database.awaitIdle();
      assertThat(loop.submit(() -> answered[0]).join()).isEqualTo(REQUESTS);
    }
    Watched.assertNotHeld(reports);
  }

  @ParameterizedTest(name = "{0} over {1}")
  @MethodSource("all")
  void shutdownNow_whileHandlersWait_cancelsThem(Peer peer, Database.Kind kind) throws Exception {
    Database database = database(kind);
    ThreadGroup threads = new ThreadGroup(peer.name());
    int[] answered = {0};
    try (Loop<?> loop = start(new ArrayList<>());
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      ScheduledExecutorService executor = loop.executor();
      Handler handler = () -> answer(database, answered);
      try (Connection holder = database.connect();
          Running running = inGroup(threads, () -> peer.start(executor, handler))) {
        var _ = Database.lock(holder);
        log(Level.OFF); // each server logs each request that is cancelled
        awaitWaiting(loop, database, askAll(clients, running));
        // but for a method of Spring's that waits for its time, all have begun
        assertThat(executor.shutdownNow()).allMatch(ScheduledFuture.class::isInstance);
        assertThat(executor.awaitTermination(1, TimeUnit.HOURS)).isTrue();
        running.end().run(); // some servers cannot answer any more
      }
      assertNothingLeft(loop, executor, threads);
      database.awaitIdle();
      assertThat(loop.submit(() -> answered[0]).join()).isZero();
    }
  }

  private static Loop<?> start(List<LoopReport> reports) {
    return Loop.start(
        Watched.options(reports::add),
        () -> {
          Heddle.await(Heddle.trigger("the end of the test"));
          return null;
        });
  }

  private static List<Future<String>> askAll(ExecutorService clients, Running running) {
    List<Future<String>> answers = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      answers.add(clients.submit(running.client()::ask));
    }
    return answers;
  }

  /// Threads belong to the group of the thread that starts them.
  private static <T> T inGroup(ThreadGroup group, Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(group, task, "starter").start();
    return task.get();
  }

  /// What each handler does.
  private static String answer(Database database, int[] answered) throws SQLException {
    int number = database.increment();
    answered[0]++; // one thread: no lock
    return String.valueOf(number);
  }

  /// Waits until all handlers wait for the row, as the database and the loop see it.
  private static void awaitWaiting(Loop<?> loop, Database database, List<Future<String>> answers)
      throws Exception {
    try (Connection observer = database.connect()) {
      while (database.waiting(observer) != REQUESTS || inJdbc(loop.dump()) != REQUESTS) {
        assertThat(answers).noneMatch(Future::isDone); // none has failed
      }
    }
  }

  private static long inJdbc(Dump dump) {
    return dump.coroutines().stream()
        .filter(coroutine -> coroutine.state() == CoroutineSnapshot.State.FOREIGN)
        .filter(coroutine ->
            coroutine.stack().stream()
                .anyMatch(frame -> frame.getClassName().equals(Database.class.getName())))
        .count();
  }

  private static List<Integer> numbers(List<Future<String>> answers) throws Exception {
    List<Integer> numbers = new ArrayList<>();
    for (Future<String> answer : answers) {
      numbers.add(Integer.valueOf(answer.get()));
    }
    return numbers;
  }

  private static List<Integer> after(int before) {
    return IntStream.rangeClosed(before + 1, before + REQUESTS).boxed().toList();
  }

  /// No task, no coroutine, and no thread of the server; it waits for those that are about to end.
  private static void assertNothingLeft(
      Loop<?> loop, ScheduledExecutorService executor, ThreadGroup threads) throws Exception {
    executor.close(); // ends when all tasks have ended
    assertThat(executor.toString()).endsWith("terminated, with 0 tasks");
    while (loop.dump().coroutines().size() > 1) {
      Thread.onSpinWait();
    }
    for (List<Thread> left = members(threads); !left.isEmpty(); left = members(threads)) {
      // one that ends may start another
      assertThat(left.getFirst().join(GUARD)).as("%s ends", left.getFirst()).isTrue();
    }
  }

  private static List<Thread> members(ThreadGroup group) {
    Thread[] members = new Thread[group.activeCount() + REQUESTS];
    int number = group.enumerate(members);
    return Arrays.stream(members, 0, number)
        .filter(thread -> !(thread instanceof ForkJoinWorkerThread)) // of the whole JVM
        .filter(thread -> !thread.getName().startsWith(HELIDONS_TIMERS))
        .toList();
  }
}
