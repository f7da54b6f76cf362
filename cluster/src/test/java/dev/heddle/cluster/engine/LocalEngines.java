// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// Engines in memory that carry packets at once, each with a thread that receives.
public final class LocalEngines {
  private record Place(String name) implements Engine.Address {
    @Override
    public String toString() {
      return name;
    }
  }

  private final Map<Engine.Address, Local> open = new ConcurrentHashMap<>();

  public Engine engine(String name) {
    return new Local(new Place(name));
  }

  /// An engine is gone without a word; the others may have seen its connection close.
  public void kill(Engine engine) {
    Local gone = (Local) engine;
    gone.close();
    open.values().forEach(other -> other.run(to -> to.suspected(gone.address)));
  }

  private interface Tidings {
    void to(Engine.Listener listener);
  }

  private final class Local implements Engine {
    private final Place address;
    private final ExecutorService receiver =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private volatile @Nullable Listener listener;

    Local(Place address) {
      this.address = address;
    }

    void run(Tidings tidings) {
      receiver.execute(() -> {
        Listener to = listener;
        if (to != null) {
          tidings.to(to);
        }
      });
    }

    @Override
    public void open(Listener listener) {
      this.listener = listener;
      open.values().forEach(other -> other.run(to -> to.found(address)));
      open.put(address, this);
    }

    @Override
    public Address address() {
      return address;
    }

    @Override
    public void send(Address to, byte[] packet, Urgency urgency) {
      Local receiver = open.get(to);
      if (receiver != null && listener != null) {
        receiver.run(it -> it.received(address, packet));
      }
    }

    @Override
    public void forget(Address address) {} // it keeps no packets

    @Override
    public void close() {
      listener = null;
      open.remove(address, this);
    }
  }
}
