// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Each public type shows its use in a snippet; javadoc checks that its region exists, the tests
/// run it.
@Tag("once")
class SnippetGateTest {
  private static final Path SOURCES =
      Path.of(System.getProperty("heddle.root"), "core/src/main/java/dev/heddle");

  private static final List<String> EXPORTED =
      List.of("", "coroutine", "event", "flow", "io", "observe", "os", "sync", "thread");

  private static final String THROWN =
      "is caught, not called: its documentation says who throws it";
  private static final String LAMBDA = "is written as a lambda in the snippets of what takes it";

  private static final String PART = "is read from a Dump or a report, which show their use";

  /// Public types without a snippet, and why they need none.
  private static final Map<String, String> WITHOUT =
      Map.ofEntries(
          Map.entry("Cancellation", THROWN),
          Map.entry("CommandFailedException", THROWN),
          Map.entry("CompositeException", THROWN),
          Map.entry("CoroutineException", THROWN),
          Map.entry("DeadlineException", THROWN),
          Map.entry("DeadlockError", THROWN),
          Map.entry("DescriptorTypeException", THROWN),
          Map.entry("EventsLostException", THROWN),
          Map.entry("ExitException", THROWN),
          Map.entry("LoopEndedException", THROWN),
          Map.entry("OutputLimitException", THROWN),
          Map.entry("PinnedException", THROWN),
          Map.entry("WaitCancelledException", THROWN),
          Map.entry("Action", LAMBDA),
          Map.entry("Body", LAMBDA),
          Map.entry("ItemAction", LAMBDA),
          Map.entry("ItemTest", LAMBDA),
          Map.entry("ScopeBody", LAMBDA),
          Map.entry("FailureHandler", LAMBDA),
          Map.entry("PeerCredentials", "is a record that is read: Unix.peerCredentials returns it"),
          Map.entry("CompletionHandler", LAMBDA),
          Map.entry("CancelMode", "is an argument: the snippet of Scope.child shows it"),
          Map.entry("Transform", LAMBDA),
          Map.entry("Producer", LAMBDA),
          Map.entry("CoroutineSnapshot", PART),
          Map.entry("DumpPart", PART),
          Map.entry("ForeignWait", PART),
          Map.entry("HoldReport", PART),
          Map.entry("LoopMXBean", "is what management tools show"),
          Map.entry("StallReport", PART),
          Map.entry("ScopeSnapshot", PART),
          Map.entry("WaitSnapshot", PART),
          Map.entry("Awaitable", "is what the types it stands for show"),
          Map.entry("Switch", "is an argument: the snippet of SwitchHandler shows it"));

  @Test
  void publicTypes_ofExportedRooms_showTheirUse() throws IOException {
    for (String room : EXPORTED) {
      try (Stream<Path> files = Files.list(SOURCES.resolve(room))) {
        assertThat(
                files.filter(SnippetGateTest::needsSnippet).filter(file -> !has(file, "{@snippet")))
            .as(
                "public types without a {@snippet class=... region=...}: add one from"
                    + " core/src/test/java/dev/heddle/snippets, or list the type in WITHOUT with"
                    + " the reason")
            .isEmpty();
      }
    }
  }

  private static boolean needsSnippet(Path file) {
    String name = file.getFileName().toString();
    String type = name.replace(".java", "");
    return name.endsWith(".java") && !WITHOUT.containsKey(type) && has(file, "\npublic ");
  }

  private static boolean has(Path file, String text) {
    try {
      return Files.readString(file).contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
