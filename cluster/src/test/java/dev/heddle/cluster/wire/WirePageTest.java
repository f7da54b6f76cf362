// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The page of the wire names each kind of frame with its number.
final class WirePageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("heddle.root"), "docs/reference/wire.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:0x)?\\d\\w*) \\| `(\\w+)` \\|");

  @Test
  void kindsOfFrames_areThoseOfThePage() throws IOException {
    String page = Files.readString(PAGE);
    int urgent = page.indexOf("### Frames of urgent packets");
    assertThat(rows(page.substring(0, urgent)))
        .isEqualTo(kinds(FrameCodec.class, Set.of("SKIP", "USUAL")));
    assertThat(rows(page.substring(urgent)))
        .isEqualTo(kinds(UrgentCodec.class, Set.of("OTHER_CODE")));
  }

  private static Set<String> rows(String text) {
    return ROW.matcher(text)
        .results()
        .map(row -> row.group(2) + " " + Integer.decode(row.group(1)))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Set<String> kinds(Class<?> codec, Set<String> others) {
    Set<String> kinds = new LinkedHashSet<>();
    for (Field field : codec.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers())
          && field.getType() == int.class
          && !others.contains(field.getName())) {
        kinds.add(field.getName() + " " + valueOf(field));
      }
    }
    return kinds;
  }

  private static int valueOf(Field constant) {
    constant.setAccessible(true);
    try {
      return constant.getInt(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
