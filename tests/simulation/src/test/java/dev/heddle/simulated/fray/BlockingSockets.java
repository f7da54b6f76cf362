// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.simulated.program.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Programs with channels that block.
final class BlockingSockets {
  private BlockingSockets() {}

  static void acceptFromNobody() throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      server.accept();
    }
  }

  static void connectToNobody() throws IOException {
    try (SocketChannel channel = SocketChannel.open()) {
      channel.connect(Meeting.nobody());
    }
  }

  static void connectTwice(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> {
      try (ServerSocketChannel server = meeting.listen()) {
        server.accept();
      }
    });
    InetSocketAddress address = meeting.address();
    try (SocketChannel channel = SocketChannel.open()) {
      channel.connect(address);
      channel.connect(address);
    }
  }

  static void bothWriteThenRead(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> {
      try (ServerSocketChannel server = meeting.listen();
          SocketChannel client = server.accept()) {
        writeThenRead(client, "World", "Hello");
      }
    });
    try (SocketChannel channel = SocketChannel.open(meeting.address())) {
      writeThenRead(channel, "Hello", "World");
    }
  }

  private static void writeThenRead(SocketChannel channel, String mine, String others)
      throws IOException {
    channel.write(ByteBuffer.wrap(mine.getBytes(UTF_8)));
    ByteBuffer read = ByteBuffer.allocate(others.length());
    while (read.hasRemaining()) {
      check(channel.read(read) >= 0, "ended after " + read.position() + " bytes");
    }
    check(others.equals(new String(read.array(), UTF_8)), "another text");
  }

  static void readersOfClosedChannel(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> {
      try (ServerSocketChannel server = meeting.listen();
          SocketChannel client = server.accept()) {
        client.write(ByteBuffer.wrap("Hello World".getBytes(UTF_8)));
      }
    });
    try (SocketChannel channel = SocketChannel.open(meeting.address())) {
      check(channel.read(ByteBuffer.allocate(1_024)) > 0, "nothing was read");
      threads.start(3, () -> readUntilClosed(channel));
    }
  }

  private static void readUntilClosed(SocketChannel channel) {
    try {
      channel.read(ByteBuffer.allocate(1_024));
    } catch (IOException e) {
      // another thread has closed the channel
    }
  }
}
