// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which thread waits for which monitor, and who holds it: of the JDK's own thread dump, the one
/// place that tells it of virtual threads.
///
/// @param blockedOn by the thread's id, the monitor's class and identity
/// @param owners by the monitor, the id of the thread that holds it
/// @param names of the threads that have one, by id
/// @param problem why the JDK could not be asked, or null
record Monitors(
    Map<Long, String> blockedOn,
    Map<String, Long> owners,
    Map<Long, String> names,
    @Nullable String problem) {
  /// Nobody was asked.
  static final Monitors UNKNOWN = new Monitors(Map.of(), Map.of(), Map.of(), null);

  private static final int MOST = 10_000; // coroutines; a dump takes about 2 kB for each thread

  private static final Pattern FIELD = Pattern.compile("\\s*\"(\\w+)\": \"?([^\"]*)\"?,?");

  /// Asks the JDK, which writes a file with the stacks of all threads. Not on the loop's thread.
  static Monitors asTheJdkTells(LoopRoot loop) {
    if (loop.coroutines().size() > MOST) {
      return unknown("there are more than " + MOST + " coroutines");
    }
    try {
      Path folder = Files.createTempDirectory("heddle-threads");
      Path file = folder.resolve("threads.json");
      try {
        JdkDump.write(file);
        return read(Files.readAllLines(file));
      } finally {
        Files.deleteIfExists(file);
        Files.delete(folder);
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      return unknown(e.toString());
    }
  }

  private static Monitors unknown(String why) {
    return new Monitors(Map.of(), Map.of(), Map.of(), why);
  }

  // apart, because its class is not there without the module jdk.management
  private static final class JdkDump {
    static void write(Path file) throws IOException {
      ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class)
          .dumpThreads(
              file.toString(), com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
    }
  }

  /// The JDK writes each field, and each element of an array, on a line of its own. Should it stop
  /// to, nobody is named.
  private static Monitors read(List<String> lines) {
    Map<Long, String> blockedOn = new HashMap<>();
    Map<String, Long> owners = new HashMap<>();
    Map<Long, String> names = new HashMap<>();
    long thread = 0;
    boolean inLocks = false;
    for (String line : lines) {
      Matcher field = FIELD.matcher(line);
      if (field.matches() && field.group(1).equals("tid")) {
        thread = Long.parseLong(field.group(2));
      } else if (field.matches() && field.group(1).equals("blockedOn")) {
        blockedOn.put(thread, field.group(2));
      } else if (field.matches() && field.group(1).equals("name")) {
        names.put(thread, field.group(2));
      } else if (inLocks && line.strip().startsWith("\"")) {
        owners.put(line.strip().replaceAll("[\",]", ""), thread);
      } else {
        inLocks = line.contains("\"locks\": [");
      }
    }
    return new Monitors(blockedOn, owners, names, null);
  }
}
