// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.Transform;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.sync.Lease;
import dev.heddle.sync.Pool;
import dev.heddle.sync.PoolOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Heddle's pool over PostgreSQL's JDBC driver and a real server, under 200 coroutines, beside
/// HikariCP. `docs/how-to/pool-connections.md` shows this code.
@Tag("T16")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before the tests
class PoolConnectionsTest {
  private static final int CLIENTS = 200;
  private static final int ROUNDS = 5;
  private static final int CONNECTIONS = 8;

  private static PostgresServer server;

  @BeforeAll
  static void start() throws Exception {
    PostgresServer.assumeInstalled("that a pool of connections serves coroutines in turn");
    server = PostgresServer.start(3 * CONNECTIONS);
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
      execute(connection, "insert into account select i, 0 from generate_series(1, 200) i");
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

  private static PoolOptions<Connection> options() {
    return PoolOptions.<Connection>of(PoolConnectionsTest::connect)
        .withName("accounts")
        .withSize(0, CONNECTIONS)
        .withBeforeRelease(PoolConnectionsTest::reset)
        .withHealthCheck(Duration.ofSeconds(30), c -> c.isValid(1))
        .withMaxIdle(Duration.ofMinutes(10))
        .withLeakThreshold(Duration.ofMinutes(1))
        .withDestroy(Connection::close);
  }

  private static Connection connect() throws SQLException {
    Connection connection = server.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  // ends a transaction that its user has not committed; a broken connection fails, and is destroyed
  private static boolean reset(Connection connection) throws SQLException {
    connection.rollback();
    return !connection.isClosed();
  }

  private static boolean deposit(Connection connection, int account) throws SQLException {
    execute(connection, "update account set balance = balance + 1 where id = " + account);
    connection.commit();
    return true;
  }

  private static int total() throws SQLException {
    try (Connection connection = server.connect()) {
      return number(connection, "select sum(balance) from account");
    }
  }

  private interface Lender {
    boolean use(Transform<Connection, Boolean> work) throws Exception;
  }

  /// 200 coroutines, each with some transactions.
  ///
  /// @return the most transactions of others between a request and its connection
  private static int worstWait(Lender pool) {
    int[] turns = {0};
    int[] worst = {0};
    int[] clients = {0};
    List<Coroutine<Boolean>> all =
        crowd(
            CLIENTS,
            () -> {
              int account = ++clients[0];
              for (int i = 0; i < ROUNDS; i++) {
                int asked = turns[0];
                pool.use(connection -> {
                  worst[0] = Math.max(worst[0], turns[0] - asked);
                  turns[0]++;
                  return deposit(connection, account);
                });
              }
              return true;
            });
    all.forEach(Coroutine::await);
    return worst[0];
  }

  @Test
  void pool_under200Coroutines_addsUpAndServesInTurn() throws Exception {
    int worst =
        Watched.run(() -> {
          // all are made before: else an acquirer that makes one is overtaken by those that need
          // not
          PoolOptions<Connection> full = options().withSize(CONNECTIONS, CONNECTIONS);
          try (Pool<Connection> pool = Pool.open(full)) {
            int most = worstWait(pool::use);
            assertThat(pool.size()).isEqualTo(CONNECTIONS);
            assertThat(pool.lent()).isZero();
            return most;
          }
        });
    assertThat(total()).isEqualTo(CLIENTS * ROUNDS);
    // those before it in the queue, and none twice
    assertThat(worst).isLessThan(CLIENTS);
  }

  /// The same work: HikariCP waits in its coroutines as well; it promises no order.
  @Test
  void hikari_under200Coroutines_addsUpToo() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres");
    config.setUsername(PostgresServer.USER);
    config.setPassword(PostgresServer.PASSWORD);
    config.setAutoCommit(false);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(Duration.ofHours(1).toMillis());
    try (HikariDataSource pool = new HikariDataSource(config)) {
      int worst =
          Watched.run(() ->
              worstWait(work -> {
                try (Connection connection = pool.getConnection()) {
                  return work.apply(connection);
                }
              }));
      assertThat(worst).isPositive();
    }
    assertThat(total()).isEqualTo(CLIENTS * ROUNDS);
  }

  @Test
  void query_thatIsCutByItsLimit_costsItsConnectionAndNoOther() throws Exception {
    Watched.run(() -> {
      try (Pool<Connection> pool = Pool.open(options().withSize(0, 1))) {
        assertThatThrownBy(() ->
                Heddle.withTimeout(
                    Duration.ofMillis(200),
                    () -> pool.run(c -> execute(c, "select pg_sleep(3600)"))))
            .isInstanceOf(DeadlineException.class);
        assertThat(pool.size()).isZero(); // its socket was closed by the interrupt
        assertThat(pool.<Boolean>use(c -> deposit(c, 1))).isTrue();
      }
    });
    try (Connection connection = server.connect()) {
      execute(
          connection,
          "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
    }
  }

  @Test
  void connection_thatTheServerEnds_isReplaced() throws Exception {
    Watched.run(() -> {
      PoolOptions<Connection> options =
          options().withSize(0, 1).withBeforeAcquire(c -> c.isValid(1));
      try (Pool<Connection> pool = Pool.open(options);
          Connection admin = server.connect()) {
        int first = pool.use(c -> number(c, "select pg_backend_pid()"));
        execute(admin, "select pg_terminate_backend(" + first + ")");
        Watched.until(
            () -> number(admin, "select count(*) from pg_stat_activity where pid = " + first) == 0);
        int second = pool.use(c -> number(c, "select pg_backend_pid()"));
        assertThat(second).isNotEqualTo(first);
        assertThat(pool.size()).isEqualTo(1);
      }
    });
  }

  @Test
  void acquire_withADeadline_failsWhileAllAreLentAndNamesTheirHolders() {
    Watched.run(() -> {
      try (Pool<Connection> pool = Pool.open(options().withSize(0, 1));
          Lease<Connection> lease = pool.acquire()) {
        assertThat(lease.resource().isValid(0)).isTrue();
        assertThatThrownBy(() -> pool.acquire(Deadline.after(Duration.ofMillis(1))))
            .isInstanceOf(DeadlineException.class);
        assertThat(Heddle.dump().text()).contains("Pool 'accounts'", "PgConnection@", "held for");
      }
    });
  }
}
