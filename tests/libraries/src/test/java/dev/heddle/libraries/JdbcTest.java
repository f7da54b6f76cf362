// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.TURNS;
import static dev.heddle.libraries.Watched.turnsBeside;
import static dev.heddle.libraries.Watched.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// PostgreSQL's JDBC driver inside coroutines, against a real server.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before the tests
class JdbcTest {
  private static final int CLIENTS = 200;
  private static final String CANCELED = "57014"; // PostgreSQL: query_canceled
  private static final String DEADLOCK = "40P01"; // PostgreSQL: deadlock_detected

  private static PostgresServer server;

  @BeforeAll
  static void start() throws Exception {
    PostgresServer.assumeInstalled("that its driver holds no loop");
    server = PostgresServer.start(CLIENTS + 20);
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void fill() throws SQLException {
    try (Connection connection = server.connect()) {
      execute(connection, "drop table if exists account");
      execute(connection, "create table account (id int primary key, balance int not null)");
      execute(connection, "insert into account values (1, 0), (2, 0)");
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /// Backends that wait for a lock of another's transaction.
  private static int waiting(Connection connection) throws SQLException {
    return number(
        connection, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
  }

  /// Whether a query sleeps in the server.
  private static boolean isAsleep(Connection connection) throws SQLException {
    String sleepers = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'";
    return number(connection, sleepers) > 0;
  }

  /// The server does not notice that a client has gone while its query sleeps.
  private static void endSleepers(Connection connection) throws SQLException {
    execute(
        connection,
        "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
  }

  /// Adds one in a transaction, and then commits it or not.
  private static int add(boolean commit) throws SQLException {
    try (Connection connection = server.connect()) {
      connection.setAutoCommit(false);
      execute(connection, "update account set balance = balance + 1 where id = 1");
      if (commit) {
        connection.commit();
        return 1;
      }
      connection.rollback();
      return 0;
    }
  }

  @Test
  void transactions_of200CoroutinesThatWaitForOneRow_suspendOnlyThemAndAddUp() {
    Watched.run(() -> {
      try (Connection holder = server.connect();
          Connection observer = server.connect()) {
        holder.setAutoCommit(false);
        execute(holder, "select * from account where id = 1 for update");
        List<Coroutine<Integer>> adders = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          boolean commit = i % 4 != 0;
          adders.add(Heddle.spawn(() -> add(commit)));
        }
        until(() -> waiting(observer) == CLIENTS);
        assertThat(turnsBeside(adders)).isEqualTo(TURNS);
        holder.commit(); // now the row is free for one after the other
        int committed = 0;
        for (Coroutine<Integer> adder : adders) {
          committed += adder.await();
        }
        assertThat(committed).isEqualTo(CLIENTS - CLIENTS / 4);
        assertThat(number(observer, "select balance from account where id = 1"))
            .isEqualTo(committed);
      }
    });
  }

  @Test
  void cancel_ofAQueryByAnotherCoroutine_endsItAndLeavesTheConnectionUsable() {
    int after =
        Watched.run(() -> {
          try (Connection connection = server.connect();
              Connection observer = server.connect();
              Statement sleep = connection.createStatement()) {
            Coroutine<String> state =
                Heddle.spawn(() -> stateOf(() -> sleep.execute("select pg_sleep(3600)")));
            until(() -> isAsleep(observer));
            assertThat(turnsBeside(List.of(state))).isEqualTo(TURNS);
            sleep.cancel();
            assertThat(state.await()).isEqualTo(CANCELED);
            return number(connection, "select 7");
          }
        });
    assertThat(after).isEqualTo(7);
  }

  /// How it failed, in the standard's five characters; "" when it did not.
  private static String stateOf(Action call) throws Exception {
    try {
      call.run();
      return "";
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  @Test
  void queryTimeout_ofTheDriver_endsTheQueryAndLeavesTheConnectionUsable() {
    int after =
        Watched.run(() -> {
          try (Connection connection = server.connect();
              Statement sleep = connection.createStatement()) {
            sleep.setQueryTimeout(1);
            assertThat(stateOf(() -> sleep.execute("select pg_sleep(3600)"))).isEqualTo(CANCELED);
            return number(connection, "select 7");
          }
        });
    assertThat(after).isEqualTo(7);
  }

  @Test
  void within_aroundAQuery_cutsItAndClosesItsConnectionAndNoOther() {
    int other =
        Watched.run(() -> {
          try (Connection connection = server.connect();
              Connection observer = server.connect();
              Statement sleep = connection.createStatement()) {
            assertThatThrownBy(() ->
                    Watched.cutWhen(
                        () -> isAsleep(observer), () -> sleep.execute("select pg_sleep(3600)")))
                .isInstanceOf(WaitCancelledException.class); // not the driver's SQLException
            assertThat(connection.isClosed()).isTrue(); // the JDK closes sockets on interrupts
            endSleepers(observer);
            until(() -> !isAsleep(observer));
            return number(observer, "select 7");
          }
        });
    assertThat(other).isEqualTo(7);
  }

  @Test
  void deadlock_ofTwoCoroutinesInTheDatabase_isTheDatabasesToResolve() {
    List<String> states =
        Watched.run(() -> {
          CyclicBarrier both = new CyclicBarrier(2);
          Coroutine<String> left = Heddle.spawn(() -> stateOf(() -> cross(1, 2, both)));
          Coroutine<String> right = Heddle.spawn(() -> stateOf(() -> cross(2, 1, both)));
          return List.of(left.await(), right.await());
        });
    assertThat(states).containsExactlyInAnyOrder("", DEADLOCK);
  }

  private static void cross(int first, int second, CyclicBarrier both) throws Exception {
    try (Connection connection = server.connect()) {
      connection.setAutoCommit(false);
      execute(connection, "update account set balance = balance + 1 where id = " + first);
      both.await();
      execute(connection, "update account set balance = balance + 1 where id = " + second);
      connection.commit();
    }
  }
}
