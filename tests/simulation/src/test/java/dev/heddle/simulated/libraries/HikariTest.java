// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.libraries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.heddle.simulated.Simulated;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// HikariCP's timeouts and leak detection, over H2 in memory.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HikariTest {
  /// A pool of one connection.
  private static HikariConfig config() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:mem:");
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(Duration.ofHours(1).toMillis());
    return config;
  }

  @Test
  void getConnection_givesUpAfterItsHour() {
    Duration elapsed =
        Simulated.virtually(() -> {
          try (HikariDataSource pool = new HikariDataSource(config());
              Connection _ = pool.getConnection()) {
            assertThatThrownBy(pool::getConnection)
                .isInstanceOf(SQLTransientConnectionException.class);
          }
        });
    assertThat(elapsed).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }

  @Test
  void getConnection_getsWhatIsReturnedWithinItsHour() {
    Duration elapsed =
        Simulated.virtually(() -> {
          try (HikariDataSource pool = new HikariDataSource(config())) {
            Connection first = pool.getConnection();
            Thread returning = new Thread(() -> closeLater(first));
            returning.start();
            try (Connection second = pool.getConnection()) {
              assertThat(second.isValid(1)).isTrue();
            }
            returning.join();
          }
        });
    assertThat(elapsed).isBetween(Duration.ofMinutes(50), Duration.ofMinutes(60));
  }

  private static void closeLater(Connection connection) {
    try (connection) {
      Thread.sleep(Duration.ofMinutes(50));
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void maxLifetime_replacesTheConnection() {
    Simulated.virtually(() -> {
      HikariConfig config = config();
      config.setMaxLifetime(Duration.ofMinutes(30).toMillis());
      try (HikariDataSource pool = new HikariDataSource(config)) {
        String young = connectionName(pool);
        assertThat(connectionName(pool)).isEqualTo(young);
        Thread.sleep(Duration.ofMinutes(31));
        assertThat(connectionName(pool)).isNotEqualTo(young);
      }
    });
  }

  @Test
  void idleTimeout_closesWhatNobodyUses() {
    Simulated.virtually(() -> {
      HikariConfig config = config();
      config.setMinimumIdle(0);
      config.setIdleTimeout(Duration.ofMinutes(10).toMillis());
      try (HikariDataSource pool = new HikariDataSource(config)) {
        pool.getConnection().close();
        assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isOne();
        Thread.sleep(Duration.ofMinutes(12));
        assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isZero();
      }
    });
  }

  @Test
  void leakDetection_namesWhoKeepsAConnection() {
    Warnings warnings = Warnings.of("com.zaxxer.hikari.pool.ProxyLeakTask");
    Simulated.virtually(() -> {
      HikariConfig config = config();
      config.setLeakDetectionThreshold(Duration.ofMinutes(20).toMillis());
      try (HikariDataSource pool = new HikariDataSource(config)) {
        try (Connection _ = pool.getConnection()) {
          Thread.sleep(Duration.ofMinutes(19));
        }
        assertThat(warnings.take()).isEmpty();
        try (Connection _ = pool.getConnection()) {
          Thread.sleep(Duration.ofMinutes(21));
        }
        assertThat(warnings.take()).hasSize(1).first().asString().contains("leak");
      }
    });
  }

  private static String connectionName(HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return connection.unwrap(org.h2.jdbc.JdbcConnection.class).toString();
    }
  }
}
