// SPDX-License-Identifier: Apache-2.0
package dev.heddle.peers;

import static dev.heddle.peers.Watched.assertOnlyTheyWait;
import static dev.heddle.peers.Watched.assertUndisturbed;
import static dev.heddle.peers.Watched.crowd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.heddle.CoroutineFailure;
import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Pools of connections, over H2 in memory, whose statements wait for each other's rows inside the
/// coroutine.
@Tag("T16")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionPoolsTest {
  private static final int CONNECTIONS = 4;

  private static final String UPDATE = "update counter set n = n + 1 where id = 1";

  /// An open pool.
  interface Connections extends AutoCloseable {
    DataSource source();

    /// How many ask for a connection and have none.
    long waiting();

    @Override
    void close();
  }

  /// The libraries. Each is opened beside the loop, since it loads classes and makes connections.
  enum Library {
    HIKARI {
      @Override
      Connections open(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(Duration.ofHours(1).toMillis());
        HikariDataSource source = new HikariDataSource(config);
        return of(
            source,
            () -> source.getHikariPoolMXBean().getThreadsAwaitingConnection(),
            source::close);
      }
    },

    /// As many connections from the start as there may be: while it makes one, Agroal spins.
    AGROAL {
      @Override
      Connections open(String url) throws SQLException {
        AgroalDataSource source =
            AgroalDataSource.from(
                new AgroalDataSourceConfigurationSupplier()
                    .metricsEnabled()
                    .connectionPoolConfiguration(pool ->
                        pool.initialSize(CONNECTIONS)
                            .minSize(CONNECTIONS)
                            .maxSize(CONNECTIONS)
                            .acquisitionTimeout(Duration.ofHours(1))
                            .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
        return of(source, () -> source.getMetrics().awaitingCount(), source::close);
      }

      @Override
      Class<? extends Exception> endWhenCut() {
        return CoroutineFailure.class; // an SQLException that does not name the interrupt
      }
    };

    abstract Connections open(String url) throws SQLException;

    /// What a block throws that is cut while it waits for a connection.
    Class<? extends Exception> endWhenCut() {
      return WaitCancelledException.class;
    }

    private static Connections of(DataSource source, LongSupplier waiting, Runnable close) {
      return new Connections() {
        @Override
        public DataSource source() {
          return source;
        }

        @Override
        public long waiting() {
          return waiting.getAsLong();
        }

        @Override
        public void close() {
          close.run();
        }
      };
    }
  }

  private static Connections open(Library library, String test) throws SQLException {
    Connections pool =
        library.open(
            "jdbc:h2:mem:%s_%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=86400000".formatted(library, test));
    execute(pool, "create table counter (id int primary key, n int)");
    execute(pool, "insert into counter values (1, 0)");
    for (int i = 0; i < CONNECTIONS; i++) { // whatever is still being made in the background
      pool.source().getConnection().close();
    }
    return pool;
  }

  private static void execute(Connections pool, String sql) throws SQLException {
    try (Connection connection = pool.source().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int counter(Connections pool) throws SQLException {
    try (Connection connection = pool.source().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select n from counter")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void getConnection_of100CoroutinesFrom4_suspendsOnlyThem(Library library) throws Exception {
    try (Connections pool = open(library, "get")) {
      Watched.run(() -> {
        Promise<Boolean> released = Heddle.promise("released");
        int[] inUse = {0, 0};
        List<Coroutine<Integer>> users =
            crowd(
                100,
                () -> {
                  try (Connection connection = pool.source().getConnection()) {
                    inUse[1] = Math.max(inUse[1], ++inUse[0]);
                    released.future().await();
                    inUse[0]--;
                    return connection.isValid(0) ? 1 : 0;
                  }
                });
        assertOnlyTheyWait(users, () -> pool.waiting() == 100 - CONNECTIONS);
        released.complete(true);
        assertThat(users.stream().mapToInt(Coroutine::await).sum()).isEqualTo(100);
        assertThat(inUse[1]).isEqualTo(CONNECTIONS);
      });
    }
  }

  @ParameterizedTest
  @EnumSource(names = "HIKARI")
  void updates_ofARowThatAnotherTransactionHolds_suspendOnlyTheirCoroutines(Library library)
      throws Exception {
    try (Connections pool = open(library, "row")) {
      int n =
          Watched.run(() -> {
            List<Coroutine<?>> updates = new ArrayList<>();
            try (Connection holder = pool.source().getConnection();
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

  @ParameterizedTest
  @EnumSource
  void getConnection_thatIsCut_leavesNoWaiterAndAPoolThatCanBeUsed(Library library)
      throws Exception {
    try (Connections pool = open(library, "cut")) {
      Watched.run(() -> {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
          all.add(pool.source().getConnection());
        }
        assertThatThrownBy(() ->
                Watched.cutWhen(() -> pool.waiting() == 1, () -> pool.source().getConnection()))
            .isInstanceOf(library.endWhenCut());
        assertThat(pool.waiting()).isZero();
        assertUndisturbed();
        for (Connection connection : all) {
          connection.close();
        }
        assertThat(counter(pool)).isZero();
      });
    }
  }
}
