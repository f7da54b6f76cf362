// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Body;
import dev.heddle.Heddle;

/// A program that class loaders of their own load.
public final class SpawnSiteProgram implements Body<String> {
  /// Loaders call it.
  public SpawnSiteProgram() {}

  /// Returns what it says about a coroutine that it has spawned.
  @Override
  public String run() {
    return Heddle.scope(s -> s.spawn(() -> Heddle.current().toString()).await());
  }

  static final class Loader extends ClassLoader {
    Loader() {
      super(SpawnSiteProgram.class.getClassLoader());
    }

    @SuppressWarnings("unchecked") // it is this class
    Body<String> load() throws Exception {
      String name = SpawnSiteProgram.class.getName();
      try (var code =
          SpawnSiteProgram.class.getResourceAsStream(
              SpawnSiteProgram.class.getSimpleName() + ".class")) {
        byte[] bytes = code.readAllBytes();
        Class<?> loaded = defineClass(name, bytes, 0, bytes.length);
        return (Body<String>) loaded.getDeclaredConstructor().newInstance();
      }
    }
  }
}
