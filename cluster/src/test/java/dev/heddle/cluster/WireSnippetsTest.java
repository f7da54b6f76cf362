// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The code that the documentation of messages between nodes shows, compiled and run.
@Tag("once")
class WireSnippetsTest {
  // @start region=wire
  sealed interface CartCommand permits Add, Clear {}

  @Wire("cart.Add") // the name between nodes: the class may be renamed and moved
  record Add(String item, int count) implements CartCommand {}

  @Wire("cart.Clear")
  record Clear() implements CartCommand {}

  // @end

  // @start region=codec
  static final class BitSetCodec implements MessageCodec<BitSet> {
    @Override
    public Class<BitSet> type() {
      return BitSet.class;
    }

    @Override
    public String name() {
      return "bits";
    }

    @Override
    public byte[] encode(BitSet value) {
      return value.toByteArray();
    }

    @Override
    public BitSet decode(byte[] bytes) {
      return BitSet.valueOf(ByteBuffer.wrap(bytes));
    }
  }

  // @end

  @Test
  void wire() {
    assertThat(MessageSchema.of(CartCommand.class).text()).contains("cart.Add(");
  }

  @Test
  void codec() {
    BitSet bits = BitSet.valueOf(new long[] {5});
    BitSetCodec codec = new BitSetCodec();
    assertThat(codec.decode(codec.encode(bits))).isEqualTo(bits);
    assertThat(MessageSchema.of(List.of(), List.of(codec)).text()).isEqualTo("bits\n");
  }

  @Test
  void schema(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("messages.txt");
    Files.writeString(file, "cart.Add(item:String)\ncart.Remove(item:String)\n");
    // @start region=schema
    MessageSchema now = MessageSchema.of(CartCommand.class);
    List<String> breaks = now.breaks(Files.readString(file)); // as of the last release
    // [type cart.Remove is gone, or was renamed]
    Files.writeString(file, now.text()); // to commit with the next one
    // @end
    assertThat(breaks).containsExactly("type cart.Remove is gone, or was renamed");
  }
}
