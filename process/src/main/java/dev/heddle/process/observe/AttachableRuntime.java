// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.observe;

import dev.heddle.observe.attach.Attachable;
import dev.heddle.process.ProcessRuntimeMXBean;
import java.util.LinkedHashMap;
import java.util.Map;

/// Answers `heddle ps` and `heddle dump` about a runtime, from its bean, on their threads.
record AttachableRuntime(ProcessRuntimeMXBean runtime) implements Attachable {
  @Override
  public String kind() {
    return "runtime";
  }

  @Override
  public Map<String, String> summary() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("name", runtime.getName());
    fields.put("workers", Integer.toString(runtime.getWorkers()));
    fields.put("awake", Integer.toString(runtime.getAwakeWorkers()));
    fields.put("processes", Integer.toString(runtime.getProcesses()));
    fields.put("started", Long.toString(runtime.getStarted()));
    fields.put("executed", Long.toString(runtime.getExecuted()));
    fields.put("queueDelay99Micros", Long.toString(runtime.getQueueDelay99Micros()));
    fields.put("uptimeMillis", Long.toString(runtime.getUptimeMillis()));
    return fields;
  }

  @Override
  public String answer(String question) {
    return switch (question) {
      case "table" -> runtime.table();
      case "workers" -> runtime.workerTable();
      case "dump" -> runtime.dump();
      case "json" -> runtime.dumpJson();
      default -> throw new IllegalArgumentException("a runtime does not know '" + question + "'");
    };
  }
}
