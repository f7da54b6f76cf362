// SPDX-License-Identifier: Apache-2.0

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.heddle.Heddle;
import dev.heddle.Transform;
import dev.heddle.sync.Pool;
import dev.heddle.sync.PoolOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.h2.tools.Server;

/// 200 coroutines share 8 JDBC connections: first those of a `Pool`, then those of HikariCP. Each
/// coroutine pays into its account five times. At the end the accounts add up, and the program says
/// how many transactions of others went before the one that waited longest for a connection.
///
/// The arguments are the URL of a database, its user and the password; without them it is H2 behind
/// a socket. The jars of the database's driver, of H2, HikariCP and SLF4J go into `-cp`.
final class PooledJdbc {
  private static final int CLIENTS = 200;
  private static final int PAYMENTS = 5; // of each client
  private static final int CONNECTIONS = 8;

  /// Lends a connection to some work.
  interface Lender {
    boolean use(Transform<Connection, Boolean> work) throws Exception;
  }

  private final String url;
  private final String user;
  private final String password;

  private PooledJdbc(String url, String user, String password) {
    this.url = url;
    this.user = user;
    this.password = password;
  }

  static void main(String[] args) throws SQLException {
    if (args.length == 3) {
      new PooledJdbc(args[0], args[1], args[2]).run();
      return;
    }
    Server h2 = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists").start();
    String url = "jdbc:h2:tcp://127.0.0.1:" + h2.getPort() + "/mem:bank;DB_CLOSE_DELAY=-1";
    new PooledJdbc(url, "sa", "").run();
    h2.stop();
  }

  private void run() throws SQLException {
    createAccounts();
    try (Pool<Connection> pool = Pool.open(options())) {
      payIn("Pool", work -> pool.use(work));
    }
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setAutoCommit(false);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(Duration.ofHours(1).toMillis());
    try (HikariDataSource pool = new HikariDataSource(config)) {
      payIn(
          "HikariCP",
          work -> {
            try (Connection connection = pool.getConnection()) {
              return work.apply(connection);
            }
          });
    }
    System.out.printf("%d paid in, %d in the accounts%n", 2 * CLIENTS * PAYMENTS, total());
  }

  private PoolOptions<Connection> options() {
    return PoolOptions.<Connection>of(
            () -> {
              // on another thread: a password that is turned into a key takes 10 ms and more
              Connection connection = Heddle.offload(this::connect);
              connection.setAutoCommit(false);
              return connection;
            })
        .withName("bank")
        .withSize(CONNECTIONS, CONNECTIONS)
        .withBeforeRelease(connection -> {
          connection.rollback(); // what was not committed; fails on a broken connection
          return !connection.isClosed();
        })
        .withDestroy(Connection::close);
  }

  private void payIn(String name, Lender pool) {
    // plain variables: the coroutines of a loop run on one thread
    int[] turns = {0};
    int[] worst = {0};
    Heddle.scope(() -> {
      for (int client = 1; client <= CLIENTS; client++) {
        int account = client;
        Heddle.launch(
            "client " + account,
            () -> {
              for (int i = 0; i < PAYMENTS; i++) {
                int asked = turns[0];
                pool.use(connection -> {
                  worst[0] = Math.max(worst[0], turns[0] - asked);
                  turns[0]++;
                  return deposit(connection, account);
                });
              }
            });
      }
    });
    System.out.printf("%-8s  %d transactions, worst wait %d%n", name, turns[0], worst[0]);
  }

  private static boolean deposit(Connection connection, int account) throws SQLException {
    String update = "update account set balance = balance + 1 where id = ?";
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setInt(1, account);
      int rows = statement.executeUpdate();
      connection.commit();
      return rows == 1;
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  private void createAccounts() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("drop table if exists account");
      statement.execute("create table account (id int primary key, balance int not null)");
      for (int id = 1; id <= CLIENTS; id++) {
        statement.execute("insert into account values (" + id + ", 0)");
      }
    }
  }

  private long total() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select sum(balance) from account")) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
