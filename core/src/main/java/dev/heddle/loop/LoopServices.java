// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.internal.Rethrow;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/// What rooms above keep for a loop: one of a kind, made when it is first asked for. So the root
/// need not know them.
public final class LoopServices {
  // loop only
  private final Map<Class<?>, LoopService> services = new HashMap<>();

  /// The loop's only one of its kind.
  ///
  /// @param make makes it, at the first call; asks for no other
  public <S extends LoopService> S get(Class<S> kind, Supplier<S> make) {
    LoopService service = services.get(kind);
    if (service == null) {
      service = make.get();
      services.put(kind, service);
    }
    return kind.cast(service);
  }

  void close() {
    Throwable first = null;
    for (LoopService service : services.values()) {
      try {
        service.loopEnded();
      } catch (Throwable e) {
        first = Precedence.merged(first, e); // the others hold children, signals, watches
      }
    }
    if (first != null) {
      throw Rethrow.unchecked(first);
    }
  }
}
