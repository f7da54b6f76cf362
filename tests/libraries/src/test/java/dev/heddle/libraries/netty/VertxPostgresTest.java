// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.Heddle;
import dev.heddle.libraries.PostgresServer;
import dev.heddle.netty.HeddleEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.transport.Transport;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.PreparedQuery;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Vert.x' client of PostgreSQL, against a real server: all queries of a loop share one connection,
/// and are sent before those before them are answered.
@ParameterizedClass
@MethodSource("dev.heddle.libraries.netty.TwoLoops#drivers")
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before the tests
record VertxPostgresTest(String driver) {
  private static final int UNDERWAY = 64; // queries

  private static PostgresServer server;

  @BeforeAll
  static void start() throws Exception {
    PostgresServer.assumeInstalled("Vert.x' client on Heddle's loops");
    server = PostgresServer.start(20);
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void queries_pipelinedOnOneConnection_getTheirOwnRows() throws Exception {
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
          Vertx vertx = vertx(new WaitingTransport(HeddleEventLoop.current()));
          PgConnection connection =
              Heddle.await(PgConnection.connect(vertx, options()).toCompletionStage());
          PreparedQuery<RowSet<Row>> query = connection.preparedQuery("select 'answer to ' || $1");
          TwoLoops.askAll(
              queries,
              question ->
                  Heddle.await(query.execute(Tuple.of(question)).toCompletionStage())
                      .iterator()
                      .next()
                      .getString(0));
          Heddle.await(connection.close().toCompletionStage());
          Heddle.await(vertx.close().toCompletionStage());
        });
  }

  private static Vertx vertx(Transport transport) {
    // @start region=vertx
    Vertx vertx =
        VertxBootstrap.create()
            .options(new VertxOptions().setEventLoopPoolSize(1))
            .transport(transport)
            .init()
            .vertx();
    // @end
    return vertx;
  }

  private static PgConnectOptions options() {
    return new PgConnectOptions()
        .setHost("127.0.0.1")
        .setPort(server.port())
        .setDatabase("postgres")
        .setUser(PostgresServer.USER)
        .setPassword(PostgresServer.PASSWORD)
        .setPipeliningLimit(UNDERWAY)
        .setCachePreparedStatements(true);
  }

  /// [HeddleTransport] whose connections have a handler that waits.
  private static final class WaitingTransport extends HeddleTransport {
    WaitingTransport(HeddleEventLoop loop) {
      super(loop);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      ChannelFactory<? extends Channel> plain = super.channelFactory(domainSocket);
      return () -> Waiting.in(plain.newChannel());
    }
  }
}
