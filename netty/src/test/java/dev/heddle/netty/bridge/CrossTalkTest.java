// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopGroup;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import dev.heddle.netty.bridge.Bridge.Echo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Many coroutines ask over one connection, while other loops and threads use the same allocator,
/// logger and lock: each gets the answer to its own question.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record CrossTalkTest(String driver) implements OnDriver {
  private static final int LOOPS = 2;
  private static final int ASKERS = 50; // a loop
  private static final Object MONITOR = new Object();

  @Test
  void answers_ofOneConnection_goToWhoAsked(@TempDir Path folder) throws Exception {
    askAll(10_000, folder);
  }

  @Test
  @Tag("full")
  void answers_toAMillionQuestions_goToWhoAsked(@TempDir Path folder) throws Exception {
    askAll(1_000_000, folder);
  }

  private void askAll(int questions, Path folder) throws Exception {
    PrintStream log = new PrintStream(Files.newOutputStream(folder.resolve("log")), true);
    AtomicLong right = new AtomicLong();
    CompletableFuture<Void> over = new CompletableFuture<>();
    Thread other = Thread.ofPlatform().start(() -> allocateAndLog(log, over));
    try (LoopGroup group = LoopGroup.start(HeddleOptions.defaults().withDriver(driver), LOOPS)) {
      group.submitToEach(() -> right.addAndGet(ask(questions / LOOPS / ASKERS, log))).join();
    } finally {
      over.complete(null);
      other.join();
      log.close();
    }
    assertThat(right).hasValue(questions);
  }

  private static void allocateAndLog(PrintStream log, CompletableFuture<Void> over) {
    ByteBuf[] taken = new ByteBuf[100];
    while (!over.isDone()) {
      for (int i = 0; i < taken.length; i++) {
        taken[i] = ByteBufAllocator.DEFAULT.directBuffer(64 + i * 16);
      }
      for (ByteBuf each : taken) {
        each.release();
      }
      synchronized (MONITOR) {
        log.println("another thread");
      }
    }
  }

  private static long ask(int each, PrintStream log) throws Exception {
    HeddleEventLoop loop = HeddleEventLoop.current();
    Channel server = Bridge.listen(loop, c -> c.pipeline().addLast(new Echo()));
    Channel client =
        Bridge.connect(loop, server.localAddress(), c -> c.pipeline().addLast(new Codec(log)));
    long[] right = new long[1];
    Heddle.scope(scope -> {
      for (int i = 0; i < ASKERS; i++) {
        scope.spawn(() -> {
          for (int k = 0; k < each; k++) {
            Question question = new Question(ThreadLocalRandom.current().nextLong());
            NettyFutures.await(client.writeAndFlush(question));
            long answer = question.answer.future().await();
            right[0] += answer == question.value ? 1 : 0;
          }
        });
      }
      return null;
    });
    NettyFutures.await(client.close());
    NettyFutures.await(server.close());
    return right[0];
  }

  private static final class Question {
    final long value;
    final Promise<Long> answer = Heddle.promise();

    Question(long value) {
      this.value = value;
    }
  }

  /// As clients have it that send many commands over one connection: who has asked first is
  /// answered first.
  private static final class Codec extends ChannelDuplexHandler {
    private final PrintStream log;
    private final Queue<Question> asked = new ArrayDeque<>();
    private long half;
    private int bytes;

    Codec(PrintStream log) {
      this.log = log;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      Question question = (Question) message;
      asked.add(question);
      ByteBuf out = ctx.alloc().directBuffer(Long.BYTES); // may wait for another thread
      synchronized (MONITOR) {
        log.println("a handler"); // and so may this
      }
      out.writeLong(question.value);
      ctx.write(out, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf in = (ByteBuf) message;
      while (in.isReadable()) {
        half = half << Byte.SIZE | in.readUnsignedByte();
        if (++bytes == Long.BYTES) {
          asked.remove().answer.complete(half);
          bytes = 0;
        }
      }
      in.release();
    }
  }
}
