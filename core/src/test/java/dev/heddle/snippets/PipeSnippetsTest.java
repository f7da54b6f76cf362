// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Pipe;
import dev.heddle.io.Stdio;
import dev.heddle.io.Terminal;
import dev.heddle.io.Tty;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The examples of the documentation on pipes and terminals.
@Tag("once")
class PipeSnippetsTest {
  @Test
  void pipe() {
    String line =
        Heddle.run(() -> {
          // @start region=pipe
          try (Pipe pipe = Pipe.open()) {
            Heddle.launch(
                "writer",
                () ->
                    pipe.sink().write(ByteBuffer.wrap("hello\n".getBytes(StandardCharsets.UTF_8))));
            return pipe.source().readLine();
          }
          // @end
        });
    assertThat(line).isEqualTo("hello");
  }

  @Test
  void stdio() {
    Heddle.run(() -> {
      // @start region=stdio
      AsyncIo out = Stdio.out();
      out.write(ByteBuffer.wrap("ready\n".getBytes(StandardCharsets.UTF_8)));
      // @end
      assertThat(out.writeFailure()).isNull();
    });
  }

  /// Where there is no terminal, that is what it says.
  @Test
  void terminal() {
    Heddle.run(() -> {
      // @start region=terminal
      try (Terminal terminal = Tty.open()) {
        int columns = terminal.size().columns();
        terminal.write(ByteBuffer.wrap("-".repeat(columns).getBytes(StandardCharsets.UTF_8)));
      } catch (IOException e) {
        System.err.println(e.getMessage());
      }
      // @end
    });
  }
}
