// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.Heddle;
import dev.heddle.libraries.PostgresServer;
import dev.heddle.netty.HeddleEventLoop;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/// R2DBC's driver for PostgreSQL, which is built on Reactor Netty, against a real server: all
/// queries of a loop share one connection.
@ParameterizedClass
@MethodSource("dev.heddle.libraries.netty.TwoLoops#drivers")
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before the tests
record R2dbcTest(String driver) {
  private static PostgresServer server;

  @BeforeAll
  static void start() throws Exception {
    PostgresServer.assumeInstalled("R2DBC on Heddle's loops");
    server = PostgresServer.start(20);
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void queries_ofOneConnection_getTheirOwnRows() throws Exception {
    queryAll(2_000);
  }

  @Test
  @Tag("full")
  void queries_manyMore_getTheirOwnRows() throws Exception {
    queryAll(TwoLoops.many(driver));
  }

  private void queryAll(int queries) throws Exception {
    TwoLoops.run(
        driver,
        () -> {
          LoopResources loop = new WaitingLoopResources(HeddleEventLoop.current());
          PostgresqlConnection connection = Heddle.await(factory(loop).create().toFuture());
          TwoLoops.askAll(
              queries, question -> Heddle.await(query(connection, question).toFuture()));
          Heddle.await(connection.close().toFuture());
        });
  }

  private static Mono<String> query(PostgresqlConnection connection, String question) {
    return connection
        .createStatement("select 'answer to ' || $1")
        .bind("$1", question)
        .execute()
        .flatMap(result -> result.map((row, _) -> String.valueOf(row.get(0))))
        .single();
  }

  private static PostgresqlConnectionFactory factory(LoopResources resources) {
    // @start region=r2dbc
    PostgresqlConnectionConfiguration.Builder configuration =
        PostgresqlConnectionConfiguration.builder().loopResources(resources);
    // @end
    return new PostgresqlConnectionFactory(
        configuration
            .host("127.0.0.1")
            .port(server.port())
            .database("postgres")
            .username(PostgresServer.USER)
            .password(PostgresServer.PASSWORD)
            .build());
  }
}
