// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// Echo of 64 bytes through JDK sockets, both sides in one process. The same code runs on stock
/// virtual threads and on coroutines.
///
/// A pair is two actors: [#serve()] and [#ask()]. Measured from the moment every pair has made its
/// first trip until the last pair has made its last.
public final class SocketEcho implements AutoCloseable {
  private static final int MESSAGE_BYTES = 64;

  private final int pairs;
  private final long trips;
  private final ServerSocket listener;
  private final AtomicInteger toConnect;
  private final AtomicInteger toFinish;
  private final Meter meter = new Meter();
  private final CountDownLatch open = new CountDownLatch(1);
  private volatile Sample sample = new Sample(1, 0, 0, Map.of());

  /// A game of so many pairs that share so many round trips.
  public SocketEcho(int pairs, long operations) throws IOException {
    this.pairs = pairs;
    trips = Math.max(1, operations / pairs);
    listener = new ServerSocket(0, pairs, InetAddress.getLoopbackAddress());
    toConnect = new AtomicInteger(pairs);
    toFinish = new AtomicInteger(pairs);
  }

  /// Accepts one connection and echoes until its end.
  public void serve() throws IOException {
    try (Socket socket = listener.accept()) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      var out = socket.getOutputStream();
      var buffer = new byte[MESSAGE_BYTES];
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        out.write(buffer, 0, count);
      }
    }
  }

  /// Connects and makes its share of the trips.
  public void ask() throws IOException, InterruptedException {
    try (var socket = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
      socket.setTcpNoDelay(true);
      var buffer = new byte[MESSAGE_BYTES];
      trip(socket, buffer);
      if (toConnect.decrementAndGet() == 0) {
        meter.start();
        open.countDown();
      }
      open.await(); // parked, not spinning: pairs that keep busy starve the JDK's poller threads
      for (long i = 0; i < trips; i++) {
        trip(socket, buffer);
      }
      if (toFinish.decrementAndGet() == 0) {
        sample = meter.stop(trips * pairs);
      }
    }
  }

  /// The figures, once every actor has ended.
  public Sample sample() {
    return sample;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  private static void trip(Socket socket, byte[] buffer) throws IOException {
    socket.getOutputStream().write(buffer);
    InputStream in = socket.getInputStream();
    for (int count = 0; count < MESSAGE_BYTES; ) {
      int got = in.read(buffer, count, MESSAGE_BYTES - count);
      if (got < 0) {
        throw new IOException("The echo ended after " + count + " bytes");
      }
      count += got;
    }
  }
}
