// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.suspended;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.io.Unix;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A read that stops before the end of what is there, on every driver: the next one gets the rest
/// though the peer sends nothing more. Each peer sends all before anybody reads, waits for the
/// answer, and would wait for ever.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShortReadConformanceTest {
  private static final int LARGE =
      100_000; // bytes; more than the drivers receive by a call of theirs

  @TempDir Path folder;
  private final String driver;

  ShortReadConformanceTest(String driver) {
    this.driver = driver;
  }

  /// Reads into buffers of which each has more room than there is to come.
  private static String read(AsyncIo from, int length, int room) throws IOException {
    StringBuilder all = new StringBuilder();
    while (all.length() < length) {
      ByteBuffer buffer =
          all.length() % 2 == 0 ? ByteBuffer.allocate(room) : ByteBuffer.allocateDirect(room);
      assertThat(from.read(buffer)).isPositive();
      all.append(StandardCharsets.US_ASCII.decode(buffer.flip()));
    }
    return all.toString();
  }

  private interface Peer {
    void connect() throws Throwable;

    void begin() throws Throwable;

    void goOn() throws Throwable;

    void end() throws Throwable;
  }

  /// Waits for a byte, so that the driver watches already, then lets the peer go on.
  private void exchange(Listener listener, Peer peer, String expected, int room) throws Exception {
    Heddle.offload(() -> did(peer::connect));
    try (StreamSocket accepted = listener.accept()) {
      Coroutine<String> first = suspended(() -> read(accepted, 1, room));
      Heddle.offload(() -> did(peer::begin));
      assertThat(first.await()).isEqualTo("!");
      Heddle.offload(() -> did(peer::goOn));
      assertThat(read(accepted, expected.length(), room)).isEqualTo(expected);
    } finally {
      Heddle.offload(() -> did(peer::end));
    }
  }

  private interface Step {
    void run() throws Throwable;
  }

  private static boolean did(Step step) throws Exception {
    try {
      step.run();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    return true;
  }

  private static final class Urgent implements Peer {
    private final Socket socket = new Socket();
    private final InetSocketAddress address;

    Urgent(Listener listener) {
      this.address = (InetSocketAddress) listener.localAddress();
    }

    @Override
    public void connect() throws IOException {
      socket.connect(address);
      socket.setTcpNoDelay(true);
    }

    @Override
    public void begin() throws IOException {
      send("!");
    }

    private void send(String text) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void goOn() throws IOException {
      send("abc");
      socket.sendUrgentData('d');
      send("efg");
    }

    @Override
    public void end() throws IOException {
      socket.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4_096, LARGE})
  void read_beforeAnUrgentByte_leavesTheRestToTheNextOne(int room) {
    Cell.run(
        driver,
        () -> {
          try (Listener listener =
              Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            exchange(listener, new Urgent(listener), "abcefg", room);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {4_096, LARGE})
  @EnabledOnOs(OS.LINUX)
  void read_beforeDescriptors_leavesTheRestToTheNextOne(int room) {
    Path path = folder.resolve("socket");
    Peer peer =
        new Peer() {
          private RawUnixPeer raw;

          @Override
          public void connect() throws Throwable {
            raw = RawUnixPeer.connect(path);
          }

          @Override
          public void begin() throws Throwable {
            raw.send("!", false);
          }

          @Override
          public void goOn() throws Throwable {
            raw.send("abc", false);
            raw.send("def", true);
            raw.send("ghi", false);
            raw.send("jkl", true);
          }

          @Override
          public void end() {
            raw.close();
          }
        };
    Cell.run(
        driver,
        () -> {
          try (Listener listener = Unix.listen(path)) {
            exchange(listener, peer, "abcdefghijkl", room);
          }
        });
  }
}
