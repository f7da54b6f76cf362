// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a figure means only together with: a text for each of the keys below.
final class Setup {
  static final String MACHINE = "machine";
  static final String EFFORT = "effort";
  static final String SHAPE = "shape";

  private static final String FLAGS = "; flags: ";

  // the launcher sets it where the processor has AVX-512
  private static final String OF_A_PROCESSOR = " -XX:UseAVX=2";

  private Setup() {}

  /// A text without the flags that the launcher sets by the processor: a page is of several.
  static @Nullable String ofAnyProcessor(@Nullable String text) {
    return text == null ? null : text.replace(OF_A_PROCESSOR, "");
  }

  /// The flags in the text of a contender.
  static String flagsIn(String text) {
    int behind = text.lastIndexOf(FLAGS);
    return behind < 0 ? "" : text.substring(behind + FLAGS.length());
  }

  static String of(Case size) {
    return "case " + size.name();
  }

  static String of(Contender contender) {
    return "contender " + contender.name();
  }

  /// That of a shape with its cases and contenders.
  static Map<String, String> of(Shape shape) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(SHAPE, shape.what());
    for (Case size : shape.cases()) {
      texts.put(of(size), size.size() + ", " + size.what());
    }
    for (Contender contender : shape.contenders()) {
      String flags = String.join(" ", contender.flags());
      texts.put(of(contender), contender.what() + FLAGS + flags);
    }
    texts.replaceAll((_, text) -> RoundLog.oneLine(text).strip());
    return texts;
  }
}
