// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.nio;

import dev.heddle.scheduler.Clock;
import dev.heddle.test.host.HostDriver;
import dev.heddle.world.OpenWorld;
import org.jspecify.annotations.Nullable;

/// The network of a run, as the JDK's sockets in it see it.
///
/// @param driver opens the descriptors
/// @param clock the virtual time
/// @param threads what is special about the threads of the run
public record HostNetwork(HostDriver driver, Clock clock, Threads threads) {
  static final long FOREVER = Long.MAX_VALUE;

  /// A world that has a network.
  public interface Networked {
    /// Its network.
    HostNetwork network();
  }

  /// What the waits need to know of the threads in a run.
  public interface Threads {
    /// Whether the program knows the current thread as a virtual one. The JDK closes a `Socket`
    /// whose virtual thread is interrupted; a platform thread goes on waiting.
    boolean isVirtual();

    /// The current thread asks again and again for what is not there yet. Some virtual time passes,
    /// and other threads may run.
    void onFruitless();

    /// The program has opened a socket, a channel or an end of a pipe, which it has to close.
    void opened(Object socket);

    /// It is closed.
    void closed(Object socket);
  }

  /// That of the run to which the current thread belongs; null: it belongs to none.
  static @Nullable HostNetwork currentOrNull() {
    return OpenWorld.current() instanceof Networked world ? world.network() : null;
  }

  /// The time `millis` from now; 0: never.
  long deadline(long millis) {
    return millis == 0 ? FOREVER : clock.nanoTime() + millis * 1_000_000;
  }
}
