// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static dev.heddle.libraries.Watched.assertOnlyTheyWait;
import static dev.heddle.libraries.Watched.assertUndisturbed;
import static dev.heddle.libraries.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A pool of connections, over H2 in memory, whose statements wait for each other's rows inside the
/// coroutine.
@Tag("T16")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HikariTest {
  private static final int CONNECTIONS = 4;

  private static final String UPDATE = "update counter set n = n + 1 where id = 1";

  /// Opened beside the loop, since it loads classes and makes connections.
  private static HikariDataSource open(String test) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=86400000".formatted(test));
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(Duration.ofHours(1).toMillis());
    HikariDataSource pool = new HikariDataSource(config);
    execute(pool, "create table counter (id int primary key, n int)");
    execute(pool, "insert into counter values (1, 0)");
    return pool;
  }

  /// How many ask for a connection and have none.
  private static int waiting(HikariDataSource pool) {
    return pool.getHikariPoolMXBean().getThreadsAwaitingConnection();
  }

  private static void execute(HikariDataSource pool, String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int counter(HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select n from counter")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  void getConnection_of100CoroutinesFrom4_suspendsOnlyThem() throws Exception {
    try (HikariDataSource pool = open("get")) {
      Watched.run(() -> {
        Promise<Boolean> released = Heddle.promise("released");
        int[] inUse = {0, 0};
        List<Coroutine<Integer>> users =
            crowd(
                100,
                () -> {
                  try (Connection connection = pool.getConnection()) {
                    inUse[1] = Math.max(inUse[1], ++inUse[0]);
                    released.future().await();
                    inUse[0]--;
                    return connection.isValid(0) ? 1 : 0;
                  }
                });
        assertOnlyTheyWait(users, () -> waiting(pool) == 100 - CONNECTIONS);
        released.complete(true);
        assertThat(users.stream().mapToInt(Coroutine::await).sum()).isEqualTo(100);
        assertThat(inUse[1]).isEqualTo(CONNECTIONS);
      });
    }
  }

  @Test
  void updates_ofARowThatAnotherTransactionHolds_suspendOnlyTheirCoroutines() throws Exception {
    try (HikariDataSource pool = open("row")) {
      int n =
          Watched.run(() -> {
            List<Coroutine<?>> updates = new ArrayList<>();
            try (Connection holder = pool.getConnection();
                Statement statement = holder.createStatement()) {
              holder.setAutoCommit(false);
              statement.execute(UPDATE);
              for (int i = 0; i < 20; i++) {
                updates.add(Heddle.spawn(() -> execute(pool, UPDATE)));
              }
              assertOnlyTheyWait(updates, () -> updates.stream().allMatch(Coroutine::isSuspended));
              holder.commit();
            }
            updates.forEach(Coroutine::await);
            return counter(pool);
          });
      assertThat(n).isEqualTo(21);
    }
  }

  @Test
  void getConnection_thatIsCancelled_leavesNoWaiterAndAPoolThatCanBeUsed() throws Exception {
    try (HikariDataSource pool = open("cut")) {
      Watched.run(() -> {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
          all.add(pool.getConnection());
        }
        assertThatThrownBy(
                () -> Watched.cutWhen(() -> waiting(pool) == 1, () -> pool.getConnection()))
            .isInstanceOf(WaitCancelledException.class);
        assertThat(waiting(pool)).isZero();
        assertUndisturbed();
        for (Connection connection : all) {
          connection.close();
        }
        assertThat(counter(pool)).isZero();
      });
    }
  }
}
