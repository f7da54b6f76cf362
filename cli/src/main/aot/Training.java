// SPDX-License-Identifier: Apache-2.0

// What most programs do first: the launcher runs it once to learn which classes to keep ready.
import dev.heddle.Heddle;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

record Word(String text, int length) {}

void main() throws IOException {
  Heddle.delay(Duration.ofMillis(1));
  var words = List.of("warp", "weft", "heddle").stream().map(w -> new Word(w, w.length())).toList();
  IO.println(words.stream().map(Word::text).collect(Collectors.joining(" ")));
  IO.println("%d words, the longest %s".formatted(words.size(), words.getLast()));
}
