// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop.diagnostics;

import dev.heddle.observe.LoopMXBean;
import dev.heddle.observe.attach.Attachable;
import java.util.LinkedHashMap;
import java.util.Map;

/// A loop for `heddle ps` and `heddle dump`, queried on the threads of those: delegates to its
/// bean.
record AttachableLoop(LoopMXBean loop) implements Attachable {
  @Override
  public String kind() {
    return "loop";
  }

  @Override
  public Map<String, String> summary() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", loop.getName());
    fields.put("state", loop.getState());
    fields.put("coroutines", Integer.toString(loop.getCoroutines()));
    fields.put("ready", Integer.toString(loop.getReady()));
    fields.put("waiting", Integer.toString(loop.getWaiting()));
    fields.put("foreign", Integer.toString(loop.getForeign()));
    fields.put("switches", Long.toString(loop.getSwitches()));
    fields.put("uptimeMillis", Long.toString(loop.getUptimeMillis()));
    String holder = loop.getHolder();
    if (holder != null) {
      fields.put("holder", holder);
      fields.put("heldMillis", Long.toString(loop.getHeldMillis()));
    }
    return fields;
  }

  @Override
  public String answer(String question) {
    return switch (question) {
      case "table" -> loop.table();
      case "dump" -> loop.dump();
      case "json" -> loop.dumpJson();
      default -> throw new IllegalArgumentException("a loop does not know '" + question + "'");
    };
  }
}
