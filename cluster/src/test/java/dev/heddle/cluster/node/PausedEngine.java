// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.cluster.engine.Engine;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/// An engine that keeps the packets that are not urgent while it is paused.
final class PausedEngine implements Engine {
  private record Kept(Address to, byte[] packet) {}

  private final Engine engine;
  private final Queue<Kept> kept = new ArrayDeque<>(); // under its own lock
  private boolean paused; // the same

  PausedEngine(Engine engine) {
    this.engine = engine;
  }

  void pause() {
    synchronized (kept) {
      paused = true;
    }
  }

  void resume() {
    synchronized (kept) {
      paused = false;
      kept.forEach(it -> engine.send(it.to, it.packet, Urgency.IN_ORDER));
      kept.clear();
    }
  }

  @Override
  public void open(Listener listener) throws IOException {
    engine.open(listener);
  }

  @Override
  public Address address() {
    return engine.address();
  }

  @Override
  public void send(Address to, byte[] packet, Urgency urgency) {
    synchronized (kept) {
      if (paused && urgency == Urgency.IN_ORDER) {
        kept.add(new Kept(to, packet));
      } else {
        engine.send(to, packet, urgency);
      }
    }
  }

  @Override
  public void forget(Address address) {
    engine.forget(address);
  }

  @Override
  public void close() {
    engine.close();
  }
}
