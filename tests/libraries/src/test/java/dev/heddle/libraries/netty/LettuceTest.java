// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import static dev.heddle.libraries.netty.TwoLoops.answer;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Heddle;
import dev.heddle.netty.HeddleEventLoop;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Lettuce, against a real Redis: all commands of a loop share one connection, and are sent before
/// those before them are answered.
///
/// It chooses its transport once, by system properties: so each driver has a JVM of its own, which
/// the build starts with `heddle.driver`.
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before the tests
class LettuceTest {
  private static String driver;
  private static RedisServer server;

  @BeforeAll
  static void start() throws Exception {
    driver = System.getProperty("heddle.driver", TwoLoops.drivers().findFirst().orElseThrow());
    TwoLoops.require(driver);
    assumeTrue(
        RedisServer.isInstalled(),
        "no redis-server on the PATH: not proved here is Lettuce on Heddle's loops");
    System.setProperty("io.lettuce.core.epoll", driver.equals("epoll") + "");
    System.setProperty("io.lettuce.core.iouring", driver.equals("io_uring") + "");
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void commands_pipelinedOnOneConnection_getTheirOwnReplies() throws Exception {
    commandAll(4_000);
  }

  @Test
  @Tag("full")
  void commands_manyMore_getTheirOwnReplies() throws Exception {
    commandAll(TwoLoops.many(driver));
  }

  private static void commandAll(int commands) throws Exception {
    TwoLoops.run(
        driver,
        () -> {
          ClientResources resources = resources(HeddleEventLoop.current());
          RedisClient client =
              RedisClient.create(resources, RedisURI.create("127.0.0.1", server.port()));
          StatefulRedisConnection<String, String> connection = client.connect();
          TwoLoops.askAll(commands, question -> setAndGet(connection, question));
          connection.close();
          client.shutdown(0, 1, TimeUnit.SECONDS);
          resources.shutdown(0, 1, TimeUnit.SECONDS).await();
        });
  }

  private static String setAndGet(
      StatefulRedisConnection<String, String> connection, String question) {
    String key = question.substring(0, question.indexOf('-')); // an asker's own
    if (question.length() % 2 == 0) {
      RedisCommands<String, String> redis = connection.sync(); // blocks in Lettuce's way
      redis.set(key, answer(question));
      return redis.get(key);
    }
    RedisAsyncCommands<String, String> redis = connection.async();
    Heddle.await(redis.set(key, answer(question)));
    return Heddle.await(redis.get(key));
  }

  private static ClientResources resources(HeddleEventLoop loop) {
    NettyCustomizer waiting =
        new NettyCustomizer() {
          @Override
          public void afterChannelInitialized(Channel channel) {
            Waiting.in(channel);
          }
        };
    // @start region=lettuce
    ClientResources.Builder resources =
        ClientResources.builder().eventLoopGroupProvider(new OneLoop(loop));
    // @end
    return resources.nettyCustomizer(waiting).build();
  }
}
