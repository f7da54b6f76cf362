// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Prints how many virtual threads a thread dump shows: before anything has run, and after 10,000
/// loops (`runs`), or in the middle of one with eleven coroutines (`during`).
final class ThreadDumpProgram {
  private ThreadDumpProgram() {}

  public static void main(String[] arguments) throws Exception {
    aRun();
    System.out.println(virtualThreads());
    if (arguments[0].equals("runs")) {
      for (int i = 0; i < 10_000; i++) {
        aRun();
      }
      System.out.println(virtualThreads());
    } else {
      System.out.println(duringARun());
    }
  }

  private static void aRun() {
    Heddle.run(() -> {
      Coroutine<Integer> resumed =
          Heddle.spawn(() -> {
            Heddle.yieldNow();
            return 1;
          });
      Heddle.spawn(() -> 2);
      resumed.await();
    });
  }

  private static long duringARun() {
    return Heddle.run(() -> {
      for (int i = 0; i < 10; i++) {
        Heddle.launch("beside", Heddle::yieldNow);
      }
      Heddle.yieldNow();
      return virtualThreads();
    });
  }

  private static long virtualThreads() throws IOException {
    Path dump = Files.createTempFile("threads", ".json");
    Files.delete(dump); // the JDK writes new files only
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(dump.toString(), ThreadDumpFormat.JSON);
    try (Stream<String> lines = Files.lines(dump)) {
      return lines.filter(line -> line.contains("\"virtual\": true")).count();
    } finally {
      Files.delete(dump);
    }
  }
}
