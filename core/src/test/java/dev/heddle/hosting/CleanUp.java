// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import dev.heddle.Heddle;
import dev.heddle.io.Tcp;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// What a clean-up waits for; each wait takes place, and is over soon.
enum CleanUp {
  DELAY("`Heddle.delay`", false) {
    @Override
    void run(CleanUpWorld world) {
      Heddle.delay(Duration.ofMillis(1));
    }
  },
  MUTEX("`Mutex`", false) {
    @Override
    void run(CleanUpWorld world) {
      world.lockMutexOfAnother();
    }
  },
  STAGE("`Heddle.await`", false) {
    @Override
    void run(CleanUpWorld world) {
      Heddle.await(CompletableFuture.runAsync(() -> {}, CleanUpWorld.SOON));
    }
  },
  OFFLOAD("`Heddle.offload`", false) {
    @Override
    void run(CleanUpWorld world) {
      Heddle.offload(() -> {
        Thread.sleep(1);
        return true;
      });
    }
  },
  HEDDLE_IO("`Tcp` connect, write, read", false) {
    @Override
    void run(CleanUpWorld world) throws Exception {
      try (var socket = Tcp.connect(world.echo())) {
        socket.write(ByteBuffer.wrap(new byte[] {1}));
        socket.read(ByteBuffer.allocate(1));
      }
    }
  },
  SLEEP("`Thread.sleep`", true) {
    @Override
    void run(CleanUpWorld world) throws Exception {
      Thread.sleep(1);
    }
  },
  POLL("`BlockingQueue.poll`", true) {
    @Override
    void run(CleanUpWorld world) throws Exception {
      LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
      CleanUpWorld.SOON.execute(() -> queue.add("item"));
      queue.poll(1, TimeUnit.HOURS);
    }
  },
  SOCKET("`Socket` connect, write, read", true) {
    @Override
    void run(CleanUpWorld world) throws Exception {
      try (Socket socket = new Socket()) {
        socket.connect(world.echo());
        socket.getOutputStream().write(1);
        InputStream in = socket.getInputStream();
        in.read();
      }
    }
  };

  private final String name;
  private final boolean ofTheJdk;

  CleanUp(String name, boolean ofTheJdk) {
    this.name = name;
    this.ofTheJdk = ofTheJdk;
  }

  abstract void run(CleanUpWorld world) throws Exception;

  boolean isOfTheJdk() {
    return ofTheJdk;
  }

  @Override
  public String toString() {
    return name;
  }
}
