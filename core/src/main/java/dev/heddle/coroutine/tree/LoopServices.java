// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.internal.Rethrow;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/// What rooms above keep for a loop: one of a kind, made when it is first asked for. So the root
/// need not know them.
public final class LoopServices {
  private final LoopRoot loop;

  // loop only
  private final Map<Class<?>, LoopService> services = new HashMap<>();

  LoopServices(LoopRoot loop) {
    this.loop = loop;
  }

  /// The loop's only one of its kind.
  ///
  /// @param make makes it, at the first call; asks for no other
  public <S extends LoopService> S get(Class<S> kind, Function<LoopRoot, S> make) {
    LoopService service = services.get(kind);
    if (service == null) {
      service = make.apply(loop);
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
