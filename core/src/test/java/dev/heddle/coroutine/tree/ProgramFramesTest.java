// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which frames are the runtime's.
@Tag("once")
@Tag("T22")
class ProgramFramesTest {
  // of the rooms that share their names with tests: what never has a frame, or only above a
  // program's
  private static final Set<String> ROOMS =
      Set.of("dev.heddle", "dev.heddle.coroutine", "dev.heddle.event", "dev.heddle.observe");

  @Test
  void everyClassOfTheRuntime_isKnown() throws IOException {
    Path classes = Path.of(System.getProperty("heddle.classes"));
    try (Stream<Path> files = Files.walk(classes)) {
      List<String> unknown =
          files
              .map(file -> classes.relativize(file).toString().replace('/', '.'))
              .filter(name -> name.endsWith(".class") && name.startsWith("dev.heddle."))
              .map(name -> name.substring(0, name.length() - ".class".length()))
              .filter(name -> !ROOMS.contains(name.substring(0, name.lastIndexOf('.'))))
              .filter(name -> !name.startsWith("dev.heddle.observe."))
              .filter(name -> !ProgramFrames.isRuntime(name))
              .toList();
      assertThat(unknown).isEmpty();
    }
  }

  @Test
  void waitInAnotherModule_isWhereTheProgramCalledIt() {
    List<StackTraceElement> stack =
        List.of(
            frame("dev.heddle.netty.NettyFutures", "await"),
            frame("dev.heddle.process.ProcessRuntime", "ask"),
            frame("dev.heddle.os.Child", "await"),
            frame("dev.heddle.coroutine.Await", "all"),
            frame("shop.Main", "run"));
    assertThat(ProgramFrames.site(stack)).startsWith("shop.Main.run(");
    assertThat(ProgramFrames.of(stack.toArray(StackTraceElement[]::new)))
        .containsExactly(frame("shop.Main", "run"));
  }

  private static StackTraceElement frame(String className, String method) {
    return new StackTraceElement(className, method, "F.java", 37);
  }

  @Test
  void frontDoor_isTheRuntimes() {
    assertThat(ProgramFrames.isRuntime(Heddle.class.getName())).isTrue();
    assertThat(ProgramFrames.isRuntime("dev.heddle.LoopGroup$1")).isTrue();
  }
}
