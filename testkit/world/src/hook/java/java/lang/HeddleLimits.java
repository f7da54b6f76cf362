// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.FileSystems;
import java.nio.file.Path;

/// The edge of a world: the network and the machine that it offers, and what it refuses.
public final class HeddleLimits {
  private static final int PHASER_SPINS = 256; // SPINS_PER_ARRIVAL on more than one processor

  private HeddleLimits() {}

  /// At the start of what no world can carry out.
  ///
  /// @param what a noun, for the message
  public static void refuse(String what) {
    HeddleWorld world = HeddleWorld.current();
    // the loop itself, which is no coroutine, may do what it needs
    if (world != null && Thread.currentThread().isVirtual()) {
      throw world.refuse(what);
    }
  }

  /// At the start of what opens, lists, makes or deletes a file.
  ///
  /// @param file a path, a file or a name
  public static void onFile(Object file) {
    HeddleWorld world = HeddleWorld.current();
    if (world == null || file == null || !Thread.currentThread().isVirtual()) {
      return;
    }
    if (!(file instanceof Path path) || path.getFileSystem() == FileSystems.getDefault()) {
      world.onRealFile(file.toString());
    }
  }

  /// Filters the implementation of a new socket.
  public static SocketImpl socketImpl(SocketImpl jdk, boolean server) {
    HeddleWorld world = HeddleWorld.current();
    if (world == null) {
      return jdk;
    }
    SocketImpl simulated = server ? world.newServerSocket() : world.newSocket();
    return simulated == null ? jdk : simulated;
  }

  /// Filters the factory that makes the sockets which a `ServerSocket` with an implementation that
  /// is not the JDK's accepts. Only a world has such implementations, where the program has set
  /// none.
  public static SocketImplFactory socketFactory(SocketImplFactory jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null || jdk != null ? jdk : world::newSocket;
  }

  /// Filters the provider of channels.
  public static SelectorProvider selectorProvider(SelectorProvider jdk) {
    HeddleWorld world = HeddleWorld.current();
    SelectorProvider simulated = world == null ? null : world.selectorProvider();
    return simulated == null ? jdk : simulated;
  }

  /// Filters a number of processors that the JDK keeps.
  public static int processors(int jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.processors();
  }

  /// Filters whether the JDK takes the machine for one with a single processor.
  public static boolean isUniprocessor(boolean jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.processors() == 1;
  }

  /// Filters how long a `Phaser` spins, which it decides by the number of processors.
  public static int phaserSpins(int jdk) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? jdk : world.processors() == 1 ? 1 : PHASER_SPINS;
  }

  /// Instead of `Runtime.availableProcessors()`, in programs and where the JDK asks again and
  /// again.
  public static int availableProcessors(Runtime runtime) {
    HeddleWorld world = HeddleWorld.current();
    return world == null ? runtime.availableProcessors() : world.processors();
  }
}
