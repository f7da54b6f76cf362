// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Listener;
import dev.heddle.io.Tcp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// Coroutines that wait in each way, in a loop that has just begun. The argument says which comes
/// first.
public final class FirstWaitsProgram {
  private FirstWaitsProgram() {}

  public static void main(String[] args) throws Exception {
    Object monitor = new Object();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch wanted = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              synchronized (monitor) {
                held.countDown();
                awaitQuietly(wanted);
              }
            });
    held.await();
    // a report of a stall would load classes
    HeddleOptions patient = HeddleOptions.defaults().withStallLimit(Duration.ofHours(1));
    Heddle.run(
        patient,
        () -> {
          switch (args[0]) {
            case "monitor" -> {
              Heddle.background("beside", wanted::countDown);
              synchronized (monitor) {
                held.countDown();
              }
            }
            case "park" -> LockSupport.parkNanos(1_000_000);
            case "sleep" -> Thread.sleep(1);
            case "wait" -> {
              synchronized (held) {
                held.wait(1);
              }
            }
            case "delay" -> Heddle.delay(Duration.ofMillis(1));
            case "offload" -> Heddle.offload(() -> true);
            case "socket" -> echo();
            default -> throw new IllegalArgumentException(args[0]);
          }
        });
    wanted.countDown();
    holder.join();
    System.out.println("waited");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void echo() throws Exception {
    try (Listener listener =
        Tcp.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      Heddle.background(
          "peer",
          () -> {
            try (AsyncIo peer = listener.accept()) {
              peer.write(ByteBuffer.wrap(new byte[] {1}));
            }
          });
      try (AsyncIo stream = Tcp.connect(listener.localAddress())) {
        stream.read(ByteBuffer.allocate(1));
      }
    }
  }
}
