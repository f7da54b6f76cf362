// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import dev.heddle.libraries.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.tools.Server;

/// A database behind a socket, with one row that many transactions want.
final class Database {
  /// Which one.
  enum Kind {
    /// H2's server, in this JVM: it is always there.
    H2,
    /// A process, where its programs are installed.
    POSTGRESQL
  }

  private static final String USER = "sa"; // H2's own
  private static final String AN_HOUR = "3600000"; // ms

  private final String url;
  private final String user;
  private final String password;
  private final String waiters;
  private final String sessions;
  private final AutoCloseable server;

  private int idle; // sessions, with an observer's

  private Database(
      String url,
      String user,
      String password,
      String waiters,
      String sessions,
      AutoCloseable server) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.waiters = waiters;
    this.sessions = sessions;
    this.server = server;
  }

  /// Starts one, or skips the test.
  static Database start(Kind kind, int connections) throws Exception {
    Database database =
        switch (kind) {
          case H2 -> h2();
          case POSTGRESQL -> postgresql(connections);
        };
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create table counter (id int primary key, n int not null)");
      statement.execute("insert into counter values (1, 0)");
      database.idle = number(connection, database.sessions);
    }
    return database;
  }

  private static Database h2() throws SQLException {
    // no client may make a database by the socket; this one keeps it open
    Connection keeper = DriverManager.getConnection("jdbc:h2:mem:peers", USER, "");
    Server server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
    return new Database(
        "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:peers;LOCK_TIMEOUT=" + AN_HOUR,
        USER,
        "",
        "select count(*) from information_schema.sessions where blocker_id is not null",
        "select count(*) from information_schema.sessions",
        () -> {
          server.stop();
          keeper.close();
        });
  }

  private static Database postgresql(int connections) throws Exception {
    PostgresServer.assumeInstalled("that handlers of other servers wait for PostgreSQL");
    PostgresServer server = PostgresServer.start(connections);
    return new Database(
        "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres",
        PostgresServer.USER,
        PostgresServer.PASSWORD,
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock'",
        "select count(*) from pg_stat_activity where backend_type = 'client backend'",
        server);
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  /// Locks the row until the transaction ends.
  ///
  /// @return its number
  static int lock(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    return number(connection, "select n from counter where id = 1 for update");
  }

  /// Adds one to the number of the row, once it is free.
  ///
  /// @return the new number
  int increment() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      int next = lock(connection) + 1;
      statement.execute("update counter set n = " + next + " where id = 1");
      connection.commit();
      return next;
    }
  }

  /// The number of transactions that wait for the row.
  int waiting(Connection observer) throws SQLException {
    return number(observer, waiters);
  }

  /// Waits until no session is left, also of clients that have gone.
  void awaitIdle() throws SQLException {
    try (Connection observer = connect()) {
      while (number(observer, sessions) != idle) {
        Thread.onSpinWait();
      }
    }
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /// Stops its server.
  void stop() throws Exception {
    server.close();
  }
}
