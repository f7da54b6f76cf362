// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An engine of a [LoopbackNetwork]. It can be paused, as the process of a node is: what comes then
/// comes when it goes on.
public final class LoopbackEngine implements Engine {
  private final LoopbackNetwork network;
  private final Address address;
  private final List<Runnable> kept = new ArrayList<>();
  private @Nullable Listener listener;
  private boolean paused;

  LoopbackEngine(LoopbackNetwork network, Address address) {
    this.network = network;
    this.address = address;
  }

  @Override
  public void open(Listener listener) {
    this.listener = listener;
    network.opened(this);
  }

  @Override
  public Address address() {
    return address;
  }

  @Override
  public void send(Address to, byte[] packet, Urgency urgency) {
    if (listener != null) {
      network.send(address, to, packet, urgency);
    }
  }

  @Override
  public void send(Address to, Outgoing packet, Urgency urgency) {
    if (listener != null) {
      network.send(address, to, packet, urgency);
    }
  }

  @Override
  public void forget(Address address) {} // it keeps no packets

  @Override
  public void close() {
    if (listener != null) {
      listener = null;
      network.closed(this);
    }
  }

  public void pause() {
    paused = true;
  }

  /// Goes on.
  public void resume() {
    paused = false;
    List<Runnable> now = List.copyOf(kept);
    kept.clear();
    now.forEach(Runnable::run);
  }

  /// A rumour.
  public void suspected(Address address) {
    tell(to -> to.suspected(address));
  }

  /// A connection has closed, as one of two that cross does.
  public void connectionClosed(Address address) {
    tell(to -> to.closed(address));
  }

  void found(Address address) {
    tell(to -> to.found(address));
  }

  void received(Address from, byte[] packet) {
    tell(to -> to.received(from, packet));
  }

  private interface Tidings {
    void to(Listener listener);
  }

  private void tell(Tidings tidings) {
    if (paused) {
      kept.add(() -> tell(tidings));
    } else if (listener != null) {
      tidings.to(listener);
    }
  }
}
