// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A class loader and a jar have monitors, and the coroutine that waits may wait for one of them.
@Tag("trap-42")
class CarrierClassesTest {
  private static final Pattern LOADING = Pattern.compile("Java stack when loading (\\S+):");
  private static final String IN_A_COROUTINE = "jdk.internal.vm.Continuation.run(";
  private static final String IN_THE_LOOP = "dev.heddle.scheduler.Scheduler.run(";

  @TempDir Path files;

  /// A class that was loaded, and the frames of the thread that did.
  private record Load(String name, List<String> stack) {
    boolean has(String frame) {
      return stack.stream().anyMatch(line -> line.contains(frame));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"monitor", "park", "sleep", "wait", "delay", "offload", "socket"})
  void carrier_whenACoroutineFirstWaits_loadsNoClass(String wait) throws Exception {
    Path log = files.resolve("loads");
    ChildJvm.Result result =
        ChildJvm.of(FirstWaitsProgram.class)
            .with(
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:LogClassLoadingCauseFor=*",
                "-Xlog:class+load+cause=info:file=" + log)
            .withArguments(wait)
            .run();
    assertThat(result.output()).contains("waited");
    List<Load> loads = loads(log);
    assertThat(loads).as("the JVM tells the stacks").anyMatch(load -> load.has(IN_A_COROUTINE));
    assertThat(loads).as("and those of the loop").anyMatch(load -> load.has(IN_THE_LOOP));
    assertThat(loads.stream().dropWhile(load -> !load.has(IN_A_COROUTINE)))
        .as("loaded by the loop's own thread, after a coroutine had begun")
        .filteredOn(load -> load.has(IN_THE_LOOP) && !load.has(IN_A_COROUTINE))
        .filteredOn(load -> load.name().startsWith("dev.heddle.")) // not of the JDK's own loader
        .filteredOn(load -> !load.name().contains("$$Lambda")) // not from a jar
        .filteredOn(load -> !load.has(".LoopShutdown."))
        .extracting(Load::name)
        .isEmpty();
  }

  private static List<Load> loads(Path log) throws IOException {
    List<Load> all = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      Matcher loading = LOADING.matcher(line);
      if (loading.find()) {
        all.add(new Load(loading.group(1), new ArrayList<>()));
      } else if (!all.isEmpty()) {
        all.getLast().stack().add(line);
      }
    }
    return all;
  }
}
