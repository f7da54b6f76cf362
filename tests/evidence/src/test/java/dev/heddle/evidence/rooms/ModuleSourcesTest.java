// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModuleSourcesTest {
  @TempDir Path sources;

  private void file(String type, String header, String body) throws IOException {
    int dot = type.lastIndexOf('.');
    Path file = sources.resolve(type.replace('.', '/') + ".java");
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        "package %s; %s class %s %s"
            .formatted(type.substring(0, dot), header, type.substring(dot + 1), body));
  }

  @Test
  void circle_overTwoPackages_isFound_howeverATypeIsNamed() throws IOException {
    file("a.One", "import b.Two;", "{ Two next; }");
    file("b.Two", "import static b.Three.next;", "{ int n = next(); }");
    file("b.Three", "", "{ static int next() { return a.One.class.hashCode(); } }");
    file("b.Four", "", "{ Three next; }");
    assertThat(ModuleSources.knotsAcrossPackages(sources))
        .containsExactly(Set.of("a.One", "b.Two", "b.Three"));
  }

  @Test
  void importForDocumentation_andPermits_areNoUse() throws IOException {
    file("a.One", "import b.Two;", "{ Two next; }");
    file("b.Two", "import a.One; /// [One]\n sealed", "permits Three {}");
    file("b.Three", "", "extends Two { a.Other other; }");
    file("a.Other", "", "{ One one; }");
    assertThat(ModuleSources.knotsAcrossPackages(sources)).isEmpty();
  }

  @Test
  void name_thatTwoPackagesHave_meansTheImportedOne() throws IOException {
    file("a.One", "import b.Two;", "{ Two next; }");
    file("b.Two", "import c.Three;", "{ Three next; }");
    file("b.Three", "import a.One;", "{ One next; }"); // the neighbour of the same name
    file("c.Three", "", "{}");
    assertThat(ModuleSources.knotsAcrossPackages(sources)).isEmpty();
  }
}
