// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.Promise;
import dev.heddle.netty.HeddleEventLoop;
import dev.heddle.netty.NettyFutures;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslHandler;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

/// Netty's TLS handler with many writers: every byte says whose it is.
@ParameterizedClass
@MethodSource("dev.heddle.libraries.netty.TwoLoops#drivers")
@Tag("T14.6")
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // set before the tests
record TlsTest(String driver) {
  private static final int WRITERS = 16; // on each loop
  private static final int MESSAGE = 20_000; // bytes, more than a record
  private static final char[] PASSWORD = "changeit".toCharArray(); // of a key that is thrown away

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
            new String(PASSWORD));
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
  void messages_ofManyWriters_areWhole() throws Exception {
    writeAll(20);
  }

  @Test
  @Tag("full")
  void messages_ofGigabytes_areWhole() throws Exception {
    writeAll(TwoLoops.many(driver) / 100); // of a million: six gigabytes
  }

  /// @param each messages of each writer
  private void writeAll(int each) throws Exception {
    TwoLoops.run(
        driver,
        () -> {
          HeddleEventLoop loop = HeddleEventLoop.current();
          Whole whole = new Whole(each);
          Channel server = Sockets.listen(loop, c -> c.pipeline().addLast(tls(false), whole));
          Channel client =
              Sockets.connect(loop, server.localAddress(), c -> c.pipeline().addLast(tls(true)));
          Heddle.scope(() -> {
            for (int i = 0; i < WRITERS; i++) {
              int writer = i;
              Heddle.launch("writer", () -> write(client, writer, each));
            }
          });
          whole.all.future().await();
          NettyFutures.await(client.close());
          NettyFutures.await(server.close());
        });
  }

  private static void write(Channel client, int writer, int messages) {
    for (int number = 0; number < messages; number++) {
      byte[] message = new byte[MESSAGE];
      message[0] = (byte) writer;
      for (int i = 1; i < MESSAGE; i++) {
        message[i] = whose(writer, number, i);
      }
      NettyFutures.await(client.writeAndFlush(Unpooled.wrappedBuffer(message)));
    }
  }

  /// Mixed, so that bytes of another writer, message or place show, wherever they stand.
  private static byte whose(int writer, int number, int index) {
    int mixed = ((writer * 31 + number) * 0x9E3779B9 + index) * 0x85EBCA6B; // odd factors
    return (byte) (((mixed ^ (mixed >>> 15)) * 0xC2B2AE35) >>> 24);
  }

  @Test
  void bytes_shiftedInTheirMessage_orOfAnother_areNotTheSame() {
    for (int shift = 1; shift < MESSAGE / 2; shift++) {
      assertThat(equalBytes(0, 0, shift)).as("shifted by %d", shift).isLessThan(MESSAGE / 10);
    }
    for (int number = 1; number < 256; number++) {
      assertThat(equalBytes(0, number, 0)).as("message %d", number).isLessThan(MESSAGE / 10);
    }
    for (int writer = 1; writer < WRITERS; writer++) {
      assertThat(equalBytes(writer, 0, 0)).as("writer %d", writer).isLessThan(MESSAGE / 10);
    }
  }

  /// How many are as in the first message of the first writer.
  private static int equalBytes(int writer, int number, int shift) {
    int equal = 0;
    for (int i = 0; i < MESSAGE / 2; i++) {
      equal += whose(writer, number, i + shift) == whose(0, 0, i) ? 1 : 0;
    }
    return equal;
  }

  /// Compares every byte; a message begins with its writer's number.
  private static final class Whole extends SimpleChannelInboundHandler<ByteBuf> {
    final Promise<Boolean> all = Heddle.promise("all messages");
    private final int[] numbers = new int[WRITERS]; // of the next message of each
    private int left;
    private int index; // in the message
    private int writer;

    Whole(int each) {
      left = WRITERS * each;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
      while (bytes.isReadable()) {
        byte next = bytes.readByte();
        if (index == 0) {
          writer = next;
        } else if (next != whose(writer, numbers[writer], index)) {
          throw new AssertionError(
              "byte " + index + " of message " + numbers[writer] + " of writer " + writer);
        }
        index = (index + 1) % MESSAGE;
        if (index == 0) {
          ended();
        }
      }
    }

    private void ended() {
      numbers[writer]++;
      if (--left == 0) {
        all.complete(true);
      }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the failure is told already
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      all.tryFail(cause);
      ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      all.tryFail(new EOFException(left + " messages are missing"));
    }
  }
}
