// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.TlsSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;

/// What the tests of streams do with them.
final class Streams {
  static final int MANY = 1 << 20; // bytes: more than the system keeps between two ends of a pair

  private Streams() {}

  static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static long checksum(byte[] bytes) {
    CRC32 sum = new CRC32();
    sum.update(bytes);
    return sum.getValue();
  }

  static <T> Coroutine<T> suspended(Body<T> body) {
    Coroutine<T> waiting = Heddle.spawn(body);
    while (!waiting.isSuspended() && !waiting.isDone()) {
      Heddle.yieldNow();
    }
    return waiting;
  }

  /// Writes until nobody takes any more.
  static Void writeForEver(AsyncIo sink) throws IOException {
    while (true) {
      sink.write(ByteBuffer.allocate(MANY));
    }
  }

  static byte[] readAll(AsyncIo source) throws IOException {
    return source.inputStream().readAllBytes();
  }

  static void writeInPieces(AsyncIo sink, byte[] bytes, Random random) throws IOException {
    for (int at = 0; at < bytes.length; ) {
      int length = Math.min(bytes.length - at, 1 + random.nextInt(70_000));
      ByteBuffer piece =
          random.nextBoolean()
              ? ByteBuffer.wrap(bytes, at, length)
              : ByteBuffer.allocateDirect(length).put(bytes, at, length).flip();
      sink.write(piece);
      at += length;
      if (random.nextInt(4) == 0) {
        Heddle.yieldNow();
      }
    }
  }

  static void end(Pair pair) throws IOException {
    switch (pair.sink()) {
      case StreamSocket socket -> socket.shutdownOutput();
      case TlsSocket socket -> socket.shutdownOutput();
      default -> pair.sink().close();
    }
  }
}
