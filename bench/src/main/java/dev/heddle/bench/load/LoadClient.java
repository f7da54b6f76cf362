// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Keeps a server busy: as answers come on a connection, as many requests follow, with one write.
///
/// One thread and the JDK's selector, the same for every contender. It is no contender itself: its
/// time is not measured, and a server that waits for it is idle, not slow.
public final class LoadClient implements AutoCloseable {
  private static final Duration SILENCE = Duration.ofSeconds(60); // of a server that hangs
  private static final int INPUT_BYTES = 64 << 10;

  private final Selector selector = Selector.open();
  private final List<Connection> connections = new ArrayList<>();
  private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES);
  private final ByteBuffer requests; // as many as may be under way on a connection
  private final int requestBytes;
  private final int depth;

  private long toAsk; // in this round
  private long toCome;

  /// Connects, and exchanges a first request and answer on every connection.
  ///
  /// @throws IOException when the server does not answer as it should
  public LoadClient(InetSocketAddress server, Load load) throws IOException {
    byte[] request = load.dialogue().request();
    requestBytes = request.length;
    depth = load.depth();
    requests = ByteBuffer.allocateDirect(depth * requestBytes);
    while (requests.hasRemaining()) {
      requests.put(request);
    }
    try {
      for (int i = 0; i < load.connections(); i++) {
        connections.add(new Connection(server, load.dialogue()));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /// Sends so many requests in all and waits for their answers.
  ///
  /// @throws IOException when an answer is missing or is none
  public void run(long operations) throws IOException {
    toAsk = operations;
    toCome = operations;
    for (Connection connection : connections) {
      connection.ask(depth);
    }
    try {
      while (toCome > 0) {
        if (selector.select(this::ready, SILENCE.toMillis()) == 0) {
          throw new IOException(
              toCome + " answers did not come within " + SILENCE.toSeconds() + " s");
        }
      }
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private void ready(SelectionKey key) {
    try {
      ((Connection) key.attachment()).hear();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections) {
      connection.channel.close();
    }
    selector.close();
  }

  private final class Connection {
    private final SocketChannel channel;
    private final byte[] answer; // what every answer looks like, but for its date
    private int partial; // bytes of an answer whose rest is to come

    Connection(InetSocketAddress server, Dialogue dialogue) throws IOException {
      channel = SocketChannel.open(server);
      try {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.write(requests.duplicate().position(0).limit(requestBytes));
        answer = first(dialogue);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, this);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    }

    private byte[] first(Dialogue dialogue) throws IOException {
      input.clear();
      int length = Dialogue.UNKNOWN;
      while (length == Dialogue.UNKNOWN || input.position() < length) {
        read();
        length = dialogue.answerLength(copy());
      }
      byte[] bytes = copy();
      if (bytes.length != length) {
        throw new IOException(bytes.length + " bytes came for an answer of " + length);
      }
      dialogue.check(bytes);
      return bytes;
    }

    private byte[] copy() {
      var bytes = new byte[input.position()];
      input.get(0, bytes);
      return bytes;
    }

    private int read() throws IOException {
      int count = channel.read(input);
      if (count < 0) {
        throw new EOFException("The server closed a connection");
      }
      return count;
    }

    /// Sends up to so many requests. What may be under way on a connection is less than the least
    /// buffer a system has for it, so that a short write means that the server does not read.
    void ask(int wanted) throws IOException {
      int count = (int) Math.min(wanted, toAsk);
      if (count == 0) {
        return;
      }
      toAsk -= count;
      requests.position(0).limit(count * requestBytes);
      channel.write(requests);
      if (requests.hasRemaining()) {
        throw new IOException("The server does not read");
      }
    }

    /// Counts the answers that have come, and asks for as many.
    void hear() throws IOException {
      input.clear();
      int count = read();
      int begin = partial == 0 ? 0 : answer.length - partial; // of the first answer to begin here
      for (int at = begin; at < count; at += answer.length) {
        if (input.get(at) != answer[0]) {
          throw new IOException("Something that is no answer came");
        }
      }
      int answers = (partial + count) / answer.length;
      partial = (partial + count) % answer.length;
      toCome -= answers;
      ask(answers);
    }
  }
}
