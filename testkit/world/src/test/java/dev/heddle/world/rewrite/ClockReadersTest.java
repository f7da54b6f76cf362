// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// The list of what reads a clock, against the JDK at hand.
class ClockReadersTest {
  private static final List<Call> CLOCKS =
      Calls.ALL.stream()
          .filter(call -> call.reach() == Call.Reach.EVERYWHERE)
          .filter(call -> !call.owner().startsWith("java.net."))
          .toList();

  // its static initialiser, which runs before any agent
  private static final Set<String> TOO_EARLY = Set.of("java.util.ImmutableCollections");

  @Test
  void list_isWhatThisJdkHas() throws IOException {
    Set<String> readers = new TreeSet<>();
    Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : (Iterable<Path>) files.filter(ClockReadersTest::isClass)::iterator) {
        ClassModel model = ClassFile.of().parse(Files.readAllBytes(file));
        if (readsClock(model)) {
          readers.add(model.thisClass().asInternalName().replace('/', '.'));
        }
      }
    }
    readers.removeIf(JdkNames::isLeftAlone);
    readers.removeAll(TOO_EARLY);
    assertThat(new TreeSet<>(ClockReaders.NAMES)).isEqualTo(readers);
  }

  private static boolean isClass(Path file) {
    return file.toString().endsWith(".class");
  }

  private static boolean readsClock(ClassModel model) {
    Inheritance inheritance = new Inheritance(model, null);
    return StreamSupport.stream(model.constantPool().spliterator(), false)
        .anyMatch(entry ->
            entry instanceof MemberRefEntry member
                && CLOCKS.stream().anyMatch(call -> call.isMeantBy(member, inheritance)));
  }
}
