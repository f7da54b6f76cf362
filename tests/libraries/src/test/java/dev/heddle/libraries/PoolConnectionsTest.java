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
import dev.heddle.sync.CircuitBreaker;
import dev.heddle.sync.CircuitBreakerOptions;
import dev.heddle.sync.Lease;
import dev.heddle.sync.Pool;
import dev.heddle.sync.PoolOptions;
import dev.heddle.sync.RecoveryStrategy;
import java.sql.Connection;
import java.sql.DriverManager;
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
    String url = server.url();
    String user = PostgresServer.USER;
    String password = PostgresServer.PASSWORD;
    // @start region=options
    PoolOptions<Connection> options =
        PoolOptions.<Connection>of(
                () -> {
                  // on another thread: SCRAM computes for 10 ms and more
                  Connection connection =
                      Heddle.offload(() -> DriverManager.getConnection(url, user, password));
                  connection.setAutoCommit(false);
                  return connection;
                })
            .withName("accounts")
            .withSize(0, 8)
            .withBeforeRelease(connection -> {
              connection.rollback(); // what was not committed; fails on a broken connection
              return !connection.isClosed();
            })
            .withHealthCheck(Duration.ofSeconds(30), connection -> connection.isValid(1))
            .withMaxIdle(Duration.ofMinutes(10))
            .withLeakThreshold(Duration.ofMinutes(1))
            .withDestroy(Connection::close);
    // @end
    return options;
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

  private static void print(String pool, int worst) {
    System.out.printf(
        "%s: %d transactions of %d coroutines over %d connections;"
            + " the worst wait lasted %d transactions of others%n",
        pool, CLIENTS * ROUNDS, CLIENTS, CONNECTIONS, worst);
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
    print("Pool", worst);
    // those before it in the queue, and none twice
    assertThat(worst).isLessThan(CLIENTS);
  }

  /// The same work: HikariCP waits in its coroutines as well; it promises no order.
  @Test
  void hikari_under200Coroutines_addsUpToo() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.url());
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
      print("HikariCP", worst);
      assertThat(worst).isPositive();
    }
    assertThat(total()).isEqualTo(CLIENTS * ROUNDS);
  }

  @Test
  void use_asThePageShowsIt_returnsWhatItsBodyReturns() throws Exception {
    PoolOptions<Connection> options = options();
    int account = 7;
    boolean done =
        Watched.run(() -> {
          // @start region=use
          try (Pool<Connection> pool = Pool.open(options)) {
            return pool.use(connection -> deposit(connection, account));
          }
          // @end
        });
    assertThat(done).isTrue();
    assertThat(total()).isEqualTo(1);
  }

  @Test
  void lease_asThePageShowsIt_returnsItsConnection() throws Exception {
    Watched.run(() -> {
      int account = 7;
      try (Pool<Connection> pool = Pool.open(options())) {
        pool.<Boolean>use(connection -> deposit(connection, account)); // connects, without a limit
        // @start region=lease
        try (Lease<Connection> lease = pool.acquire(Deadline.after(Duration.ofSeconds(2)))) {
          Connection connection = lease.resource();
          deposit(connection, account);
        }
        // @end
        assertThat(pool.lent()).isZero();
      }
    });
    assertThat(total()).isEqualTo(2);
  }

  @Test
  void breaker_inThePool_asThePageShowsIt() {
    PoolOptions<Connection> options = options();
    Watched.run(() -> {
      // @start region=breaker
      CircuitBreaker breaker =
          new CircuitBreaker(
              CircuitBreakerOptions.defaults()
                  .withName("database")
                  .withFailures(5, 5) // in a row
                  .withRecovery(
                      RecoveryStrategy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1)))
                  .withTrialCalls(1));

      Pool<Connection> pool = Pool.open(options.withCircuitBreaker(breaker));
      // @end
      try (pool) {
        assertThat(pool.<Boolean>use(c -> deposit(c, 1))).isTrue();
      }
    });
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
