// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import dev.heddle.simulated.program.Threads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Programs that select what never comes.
final class SelectorDeadlocks {
  private SelectorDeadlocks() {}

  static void selectOfNothing() throws IOException {
    try (Selector selector = Selector.open()) {
      selector.select();
    }
  }

  static void connectNever() throws IOException {
    try (Selector selector = Selector.open();
        SocketChannel channel = SocketChannel.open()) {
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_CONNECT);
      selector.select();
    }
  }

  static void writeUnconnected() throws IOException {
    try (Selector selector = Selector.open();
        SocketChannel channel = SocketChannel.open()) {
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_WRITE);
      selector.select();
      selector.select();
    }
  }

  static void connectToNobody() throws IOException {
    try (Selector selector = Selector.open();
        SocketChannel channel = SocketChannel.open()) {
      channel.configureBlocking(false);
      channel.connect(Meeting.nobody());
      channel.register(selector, SelectionKey.OP_CONNECT);
      selector.select();
      channel.finishConnect();
    }
  }

  static void selectAfterClose(Threads threads) throws Exception {
    Meeting meeting = new Meeting();
    threads.start(() -> {
      try (Selector selector = Selector.open();
          ServerSocketChannel server = meeting.listen()) {
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        selector.select();
        server.accept();
      }
    });
    InetSocketAddress address = meeting.address();
    try (Selector selector = Selector.open()) {
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.connect(address);
      channel.register(selector, SelectionKey.OP_CONNECT);
      selector.select();
      channel.finishConnect();
      channel.close();
      selector.select();
    }
  }
}
