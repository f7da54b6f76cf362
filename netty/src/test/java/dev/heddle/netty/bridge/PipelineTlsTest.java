// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import dev.heddle.netty.OnDriver;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandler;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Netty's TLS handler, on both sides of a connection on one loop.
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T14.6")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
record PipelineTlsTest(String driver) implements OnDriver {
  private static final char[] PASSWORD = "changeit".toCharArray(); // of a key that is thrown away
  private static final int LENGTH = 300_000; // more than a socket takes at once

  private static final int WRITERS = 16;
  private static final int EACH = 20; // messages
  private static final int MESSAGE = 20_000; // bytes, more than a record

  private static SSLContext context;

  @BeforeAll
  static void makeKeys(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command =
        List.of(
            keytool,
            "-genkeypair",
            "-keyalg",
            "EC",
            "-alias",
            "own",
            "-dname",
            "CN=localhost",
            "-storetype",
            "PKCS12",
            "-keystore",
            file.toString(),
            "-storepass",
            "changeit");
    Process made = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(made.waitFor()).as(said).isZero();

    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("own", store.getCertificate("own"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
  }

  private static SslHandler tls(boolean asClient) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(asClient);
    return new SslHandler(engine);
  }

  @Test
  void tls_onBothSides_bringsEveryByte() {
    String text = "0123456789".repeat(LENGTH / 10);
    Bridge.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Promise<String> back = Heddle.promise("what comes back");
          StringBuilder got = new StringBuilder();
          Channel server =
              Bridge.listen(
                  loop, channel -> channel.pipeline().addLast(tls(false), new Bridge.Echo()));
          SslHandler handler = tls(true);
          Channel client =
              Bridge.connect(
                  loop,
                  server.localAddress(),
                  channel ->
                      channel
                          .pipeline()
                          .addLast(
                              handler,
                              new SimpleChannelInboundHandler<ByteBuf>() {
                                @Override
                                protected void channelRead0(
                                    ChannelHandlerContext ctx, ByteBuf bytes) {
                                  got.append(bytes.toString(StandardCharsets.US_ASCII));
                                  if (got.length() == LENGTH) {
                                    back.complete(got.toString());
                                  }
                                }
                              }));
          NettyFutures.await(handler.handshakeFuture());
          NettyFutures.await(client.writeAndFlush(Bridge.bytes(text)));
          assertThat(back.future().await()).isEqualTo(text);
          NettyFutures.await(client.close());
        });
  }

  /// Counts messages, each of which is one byte again and again.
  private static final class Whole extends SimpleChannelInboundHandler<ByteBuf> {
    final Promise<Integer> torn = Heddle.promise("all messages, and how many were torn");
    private int position; // in the message
    private byte tag;
    private int messages;
    private int tornOnes;

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
      while (bytes.isReadable()) {
        byte next = bytes.readByte();
        if (position == 0) {
          tag = next;
        } else if (next != tag) {
          tornOnes++;
          tag = next;
        }
        position = (position + 1) % MESSAGE;
        if (position == 0 && ++messages == WRITERS * EACH) {
          torn.complete(tornOnes);
        }
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      torn.fail(cause);
    }
  }

  @Test
  void tls_ofManyWriters_besideAThreadThatAllocates_isNotTorn() {
    AtomicBoolean over = new AtomicBoolean();
    Thread.ofPlatform().start(() -> allocate(over));
    try {
      Bridge.run(
          driver,
          () -> {
            HeddleEventLoop loop = HeddleEventLoop.current();
            Whole whole = new Whole();
            Channel server =
                Bridge.listen(loop, channel -> channel.pipeline().addLast(tls(false), whole));
            Channel client =
                Bridge.connect(
                    loop, server.localAddress(), channel -> channel.pipeline().addLast(tls(true)));
            for (int i = 0; i < WRITERS; i++) {
              byte[] message = new byte[MESSAGE];
              Arrays.fill(message, (byte) i);
              Heddle.spawn(() -> {
                for (int k = 0; k < EACH; k++) {
                  NettyFutures.await(client.writeAndFlush(Unpooled.wrappedBuffer(message)));
                }
              });
            }
            assertThat(whole.torn.future().await()).isZero();
            NettyFutures.await(client.close());
          });
    } finally {
      over.set(true);
    }
  }

  private static void allocate(AtomicBoolean over) {
    ByteBuf[] taken = new ByteBuf[100];
    while (!over.get()) {
      for (int i = 0; i < taken.length; i++) {
        taken[i] = ByteBufAllocator.DEFAULT.directBuffer(64 + i * 100);
      }
      for (ByteBuf each : taken) {
        each.release();
      }
    }
  }
}
