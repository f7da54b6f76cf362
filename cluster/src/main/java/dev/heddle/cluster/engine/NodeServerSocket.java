// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// Accepts connections of other nodes: [#accept] returns a connection that has greeted.
///
/// JGroups accepts, and reads the first bytes, on one thread: a client that says nothing would keep
/// it from accepting others. So each greeting has a thread of its own here.
///
/// **Thread** any.
final class NodeServerSocket extends ServerSocket {
  /*
   * At most GREETING connections greet at a time: one more closes the oldest of them, so that
   * clients that send a byte now and then cannot keep others out for good. Each has a platform
   * thread until it has greeted or failed.
   */
  private static final int GREETING = 64; // as many nodes as a cluster may have, at the same time

  private final @Nullable SSLContext context;
  private final int timeoutMillis;
  private final Refusals refusals;
  private final BlockingQueue<Greeted> greeted = new LinkedBlockingQueue<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashSet<NodeSocket> greeting = new LinkedHashSet<>(); // under the lock
  private boolean started; // under the lock

  /// What [#accept] returns or throws.
  private record Greeted(@Nullable NodeSocket socket, @Nullable IOException failure) {}

  NodeServerSocket(@Nullable SSLContext context, int timeoutMillis, Refusals refusals)
      throws IOException {
    this.context = context;
    this.timeoutMillis = timeoutMillis;
    this.refusals = refusals;
  }

  @Override
  public Socket accept() throws IOException {
    start();
    try {
      Greeted next = greeted.take();
      if (next.socket != null) {
        return next.socket;
      }
      greeted.add(next); // for a later caller
      throw new SocketException(next.failure == null ? "closed" : next.failure.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SocketException("interrupted");
    }
  }

  private void start() {
    lock.lock();
    try {
      if (started) {
        return;
      }
      started = true;
    } finally {
      lock.unlock();
    }
    thread("heddle-accept-" + getLocalPort(), this::acceptAll);
  }

  private static void thread(String name, Runnable body) {
    Thread.ofPlatform().daemon().name(name).inheritInheritableThreadLocals(false).start(body);
  }

  private void acceptAll() {
    while (!isClosed()) {
      NodeSocket socket = new NodeSocket(context, timeoutMillis, refusals);
      try {
        implAccept(socket);
      } catch (IOException e) {
        if (isClosed()) {
          break;
        }
        refusals.failedToAccept(e);
        continue;
      }
      begin(socket);
      thread("heddle-greet-" + getLocalPort(), () -> greet(socket));
    }
    greeted.add(new Greeted(null, new SocketException("closed")));
  }

  private void begin(NodeSocket socket) {
    NodeSocket oldest = null;
    lock.lock();
    try {
      if (greeting.size() == GREETING) {
        oldest = greeting.removeFirst();
      }
      greeting.add(socket);
    } finally {
      lock.unlock();
    }
    if (oldest != null) {
      close(oldest);
    }
  }

  private void greet(NodeSocket socket) {
    try {
      socket.welcome();
      refusals.welcomed(socket.getInetAddress());
      greeted.add(new Greeted(socket, null));
      if (isClosed()) {
        closeAll(); // it may have missed this one
      }
    } catch (IOException e) {
      refusals.refused(socket.getInetAddress(), e);
      close(socket);
    } finally {
      lock.lock();
      try {
        greeting.remove(socket);
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    closeAll();
  }

  private void closeAll() {
    var open = new ArrayDeque<NodeSocket>();
    lock.lock();
    try {
      open.addAll(greeting);
    } finally {
      lock.unlock();
    }
    var waiting = new ArrayDeque<Greeted>();
    greeted.drainTo(waiting);
    for (Greeted one : waiting) {
      if (one.socket == null) {
        greeted.add(one);
      } else {
        open.add(one.socket);
      }
    }
    open.forEach(NodeServerSocket::close);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // safe: nobody uses this connection
    }
  }
}
