// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.coroutine.tree.Precedence;
import dev.heddle.internal.Rethrow;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/// The services of higher rooms for one loop: one of each class, created at the first use. So the
/// loop does not depend on them.
public final class LoopServices {
  // loop only
  private final Map<Class<?>, LoopService> services = new HashMap<>();

  /// The loop's service of a class; `make` creates it, and must not request another service.
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
        first = Precedence.merged(first, e); // the others must release, too
      }
    }
    if (first != null) {
      throw Rethrow.unchecked(first);
    }
  }
}
