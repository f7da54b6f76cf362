// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

import dev.heddle.bench.measure.Schedule;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.HdrHistogram.Histogram;

/// Asks a server at a fixed rate, one connection after the other, and takes down how long each
/// answer took from the moment its request was due.
///
/// One thread that never sleeps, the same for every contender: it takes a processor of its own.
public final class OpenLoadClient implements AutoCloseable {
  private static final Duration SILENCE = Duration.ofSeconds(60); // of a server that hangs
  private static final int INPUT_BYTES = 64 << 10;
  private static final int BATCH = 64; // requests in one write, when a server is late
  private static final int DIGITS = 3; // of a histogram's values

  private final Selector selector = Selector.open();
  private final List<Connection> connections = new ArrayList<>();
  private final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES);
  private final ByteBuffer requests;
  private final int requestBytes;

  private Histogram latencies = new Histogram(DIGITS);
  private long toCome; // in this round

  /// Connects, and exchanges a first request and answer on every connection.
  ///
  /// @throws IOException when the server does not answer as it should
  public OpenLoadClient(InetSocketAddress server, Load load) throws IOException {
    byte[] request = load.dialogue().request();
    requestBytes = request.length;
    requests = ByteBuffer.allocateDirect(BATCH * requestBytes);
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

  /// Sends so many requests and waits for their answers.
  ///
  /// @param interval nanoseconds from one request to the next
  /// @return how long they took, in nanoseconds
  /// @throws IOException when an answer is missing or is none
  public Histogram run(long operations, double interval) throws IOException {
    latencies = new Histogram(DIGITS);
    toCome = operations;
    var schedule = new Schedule(System.nanoTime(), interval, operations);
    long request = 0;
    long heard = System.nanoTime();
    try {
      while (toCome > 0) {
        long now = System.nanoTime();
        for (int due = schedule.due(now); due > 0; due--) {
          Connection next = connections.get((int) (request % connections.size()));
          next.ask(schedule.time(request++));
        }
        if (selector.selectNow(this::ready) > 0) {
          heard = now;
        } else if (schedule.isOver() && now - heard > SILENCE.toNanos()) {
          throw new IOException(toCome + " answers did not come within " + SILENCE);
        }
      }
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
    return latencies;
  }

  private void ready(SelectionKey key) {
    try {
      Connection connection = (Connection) key.attachment();
      if (key.isWritable()) {
        connection.send();
      }
      if (key.isReadable()) {
        connection.hear();
      }
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
    private final SelectionKey key;
    private final int answerBytes;
    private final byte first; // of every answer
    private final Deque<Long> due = new ArrayDeque<>(); // of requests without an answer
    private long unsent; // bytes, of requests that are due
    private int partial; // bytes of an answer whose rest is to come

    Connection(InetSocketAddress server, Dialogue dialogue) throws IOException {
      channel = SocketChannel.open(server);
      try {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.write(requests.duplicate().position(0).limit(requestBytes));
        byte[] answer = answer(dialogue);
        answerBytes = answer.length;
        first = answer[0];
        channel.configureBlocking(false);
        key = channel.register(selector, SelectionKey.OP_READ, this);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    }

    private byte[] answer(Dialogue dialogue) throws IOException {
      input.clear();
      int length = Dialogue.UNKNOWN;
      byte[] bytes = new byte[0];
      while (length == Dialogue.UNKNOWN || bytes.length < length) {
        read();
        bytes = new byte[input.position()];
        input.get(0, bytes);
        length = dialogue.answerLength(bytes);
      }
      dialogue.check(bytes);
      return bytes;
    }

    private int read() throws IOException {
      int count = channel.read(input);
      if (count < 0) {
        throw new EOFException("The server closed a connection");
      }
      return count;
    }

    void ask(long time) throws IOException {
      due.add(time);
      unsent += requestBytes;
      if (unsent == requestBytes) {
        send(); // otherwise it waits for room
      }
    }

    void send() throws IOException {
      while (unsent > 0) {
        int begin = (int) ((requestBytes - unsent % requestBytes) % requestBytes);
        int count = (int) Math.min(unsent, requests.capacity() - begin);
        requests.limit(begin + count).position(begin);
        unsent -= channel.write(requests);
        if (requests.hasRemaining()) {
          key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
          return;
        }
      }
      key.interestOps(SelectionKey.OP_READ);
    }

    void hear() throws IOException {
      input.clear();
      int count = read();
      long now = System.nanoTime();
      int begin = partial == 0 ? 0 : answerBytes - partial; // of the first answer to begin here
      for (int at = begin; at < count; at += answerBytes) {
        if (input.get(at) != first) {
          throw new IOException("Something that is no answer came");
        }
      }
      int answers = (partial + count) / answerBytes;
      partial = (partial + count) % answerBytes;
      for (int i = 0; i < answers; i++) {
        latencies.recordValue(Math.max(0, now - due.remove()));
      }
      toCome -= answers;
    }
  }
}
