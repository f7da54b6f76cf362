// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// When a singleton that is declared again is the same.
@Tag("C6")
class SingletonInputTest {
  /// Two that were decoded from the same bytes are not equal.
  record Key(String name, byte[] secret) {}

  record Names(Set<String> names) {}

  private final MessageTypes types = MessageTypes.of(List.of(Key.class, Names.class), List.of());
  private final MessageWriter writer = new MessageWriter(types, new NodeLife("a", "main", 7));

  private boolean isSame(@Nullable Object one, @Nullable Object other) {
    return SingletonDeclarations.isSameInput(writer, one, other);
  }

  @Test
  void inputWithAnArray_isTheSame_whenItsContentIs() {
    Key key = new Key("k", new byte[] {1, 2});
    assertThat(key).isNotEqualTo(new Key("k", new byte[] {1, 2}));

    assertThat(isSame(key, new Key("k", new byte[] {1, 2}))).isTrue();
    assertThat(isSame(List.of(key), List.of(new Key("k", new byte[] {1, 2})))).isTrue();
    assertThat(isSame(key, new Key("k", new byte[] {1, 3}))).isFalse();
    assertThat(isSame(new byte[] {1}, new byte[] {1})).isTrue();
    assertThat(isSame(null, key)).isFalse();
  }

  @Test
  void inputWithASet_isTheSame_inWhateverOrder() {
    Set<String> one = new LinkedHashSet<>(List.of("x", "y"));
    Set<String> other = new LinkedHashSet<>(List.of("y", "x"));
    assertThat(isSame(new Names(one), new Names(other))).isTrue();
  }
}
