// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.simulated.program.Threads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Programs that select one thing after the other.
final class Selectors {
  private Selectors() {}

  static void closedDuringSelect(Threads threads) throws IOException {
    Selector selector = Selector.open();
    threads.start(selector::close);
    try {
      selector.select();
    } catch (ClosedSelectorException e) {
      // closed before the select
    }
  }

  static void conversation(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> serve(meeting));
    try (Selector selector = Selector.open();
        SocketChannel channel = connect(selector, meeting.address())) {
      channel.register(selector, SelectionKey.OP_WRITE);
      selectOne(selector);
      channel.write(ByteBuffer.wrap("Hello".getBytes(UTF_8)));
      channel.register(selector, SelectionKey.OP_READ);
      selectOne(selector);
      check(channel.read(ByteBuffer.allocate(16)) > 0, "no answer");
    }
  }

  private static void serve(Meeting meeting) throws IOException {
    try (Selector selector = Selector.open();
        ServerSocketChannel server = meeting.listen()) {
      server.configureBlocking(false);
      server.register(selector, SelectionKey.OP_ACCEPT);
      selectOne(selector);
      try (SocketChannel client = server.accept()) {
        client.configureBlocking(false);
        client.register(selector, SelectionKey.OP_READ);
        selectOne(selector);
        check(client.read(ByteBuffer.allocate(16)) > 0, "no question");
        client.register(selector, SelectionKey.OP_WRITE);
        selectOne(selector);
        client.write(ByteBuffer.wrap("World".getBytes(UTF_8)));
      }
    }
  }

  static void writableAfterConnect(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> {
      try (Selector selector = Selector.open();
          ServerSocketChannel server = meeting.listen()) {
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        selectOne(selector);
        server.accept().close();
      }
    });
    try (Selector selector = Selector.open();
        SocketChannel channel = connect(selector, meeting.address())) {
      channel.register(selector, SelectionKey.OP_WRITE);
      selectOne(selector);
    }
  }

  private static SocketChannel connect(Selector selector, InetSocketAddress address)
      throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_CONNECT);
    if (!channel.connect(address)) {
      selectOne(selector);
      channel.finishConnect();
    }
    return channel;
  }

  /// Waits for one event, and takes it out of the set of selected ones.
  private static void selectOne(Selector selector) throws IOException {
    selector.select();
    check(selector.selectedKeys().size() == 1, "selected " + selector.selectedKeys().size());
    selector.selectedKeys().clear();
  }
}
