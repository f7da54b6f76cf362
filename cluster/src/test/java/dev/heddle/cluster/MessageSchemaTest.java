// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The contract as text, and what breaks it.
@Tag("wire-4")
class MessageSchemaTest {
  @Wire("Command")
  sealed interface Command permits Add, Clear {}

  @Wire("Add")
  record Add(String item, int count, Colour colour, List<Add> more) implements Command {}

  @Wire("Clear")
  record Clear() implements Command {}

  @Wire("Colour")
  enum Colour {
    RED,
    GREEN
  }

  private static final MessageSchema SCHEMA = MessageSchema.of(Command.class);

  @Test
  void text_isSorted() {
    assertThat(SCHEMA.text())
        .isEqualTo(
            """
            Add(item:String,count:int,colour:Colour,more:List<Add>)
            Clear()
            Colour{RED,GREEN}
            Command=Add|Clear
            """);
  }

  static Stream<Arguments> breaks() {
    String add = "Add(item:String,count:int,colour:Colour,more:List<Add>)";
    return Stream.of(
        Arguments.of(add, List.of()),
        Arguments.of("", List.of()), // all is new
        Arguments.of("Add(count:int,item:String)", List.of()), // reordered, added
        Arguments.of("Add(item:String,gone:UUID)", List.of()), // removed
        Arguments.of("Colour{GREEN}\nCommand=Add", List.of()), // added
        Arguments.of(
            "Add(item:String,count:long)", List.of("component Add.count was long and is int")),
        Arguments.of(
            "Add(item:String,number:int)",
            List.of("component Add.number seems to be renamed to count")),
        Arguments.of("Remove(item:String)", List.of("type Remove is gone, or was renamed")),
        Arguments.of("Colour{RED,BLUE}", List.of("constant Colour.BLUE is gone, or was renamed")),
        Arguments.of("Command=Add|Clear|Undo", List.of("Undo is no Command any more")),
        Arguments.of("Clear{A}", List.of("type Clear was Clear{A} and is Clear()")),
        Arguments.of("Clear", List.of("type Clear was Clear and is Clear()")));
  }

  @ParameterizedTest
  @MethodSource
  void breaks(String earlier, List<String> expected) {
    assertThat(SCHEMA.breaks(earlier)).isEqualTo(expected);
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.ValueSource(
      strings = {"Add(item:String", "Add(item)", "{", "Add()\nAdd()", "Colour{RED"})
  void text_thatIsNoSchema_isRefused(String text) {
    assertThatThrownBy(() -> SCHEMA.breaks(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
