// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Each public type shows its use in a snippet; javadoc checks that its region exists, the tests
/// run it.
@Tag("once")
class SnippetGateTest {
  private static final String CORE = "core/src/main/java/dev/heddle";
  private static final String CONTEXT = "context/src/main/java/dev/heddle/context";

  private static final List<String> EXPORTED =
      List.of("", "coroutine", "event", "flow", "io", "observe", "os", "sync", "thread");

  private static final String SNIPPET = "{@snippet";

  private static final Pattern INTERFACE =
      Pattern.compile("(?m)^public (?:(?:non-)?sealed )?interface ");

  private static final Pattern NESTED =
      Pattern.compile(
          "(?<doc>(?:  ///.*\\n)+)(?:  @.*\\n)*"
              + "  (?<modifiers>(?:[a-z-]+ )*)(?:class|interface|record|enum) (?<name>\\w+)");

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
          Map.entry("CoroutineSnapshot", PART),
          Map.entry("CoroutineSnapshot.State", PART),
          Map.entry("DumpPart", PART),
          Map.entry("ForeignWait", PART),
          Map.entry("HoldReport", PART),
          Map.entry("HoldReport.Activity", PART),
          Map.entry("LoopMXBean", "is what management tools show"),
          Map.entry("PlatformReport.DriverStatus", "is read from a PlatformReport, which shows it"),
          Map.entry("StallReport", PART),
          Map.entry("ScopeSnapshot", PART),
          Map.entry("WaitSnapshot", PART),
          Map.entry("Awaitable", "is what the types it stands for show"),
          Map.entry("Switch", "is an argument: the snippet of SwitchHandler shows it"));

  @Test
  void publicTypes_ofExportedRooms_showTheirUse() throws IOException {
    assertThat(namesWithout().filter(name -> !WITHOUT.containsKey(name)))
        .as(
            "public types, also nested ones, without a {@snippet class=... region=...}: add one"
                + " from core/src/test/java/dev/heddle/snippets, or list the type in WITHOUT with"
                + " the reason")
        .isEmpty();
  }

  @Test
  void typesThatNeedNoSnippet_areThere_andHaveNone() throws IOException {
    assertThat(namesWithout()).containsAll(WITHOUT.keySet());
  }

  private static Stream<String> namesWithout() throws IOException {
    Stream.Builder<String> names = Stream.builder();
    for (Path room : rooms()) {
      try (Stream<Path> files = Files.list(room)) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(file -> add(file, names));
      }
    }
    return names.build();
  }

  private static List<Path> rooms() {
    Path root = Path.of(System.getProperty("heddle.root"));
    return Stream.concat(
            EXPORTED.stream().map(room -> root.resolve(CORE).resolve(room)),
            Stream.of(root.resolve(CONTEXT)))
        .toList();
  }

  // of the public type in the file, and of the public types nested in it
  private static void add(Path file, Stream.Builder<String> names) {
    String text = read(file);
    if (!text.contains("\npublic ")) {
      return;
    }
    String outer = file.getFileName().toString().replace(".java", "");
    if (!text.contains(SNIPPET)) {
      names.add(outer);
    }
    boolean ofInterface = INTERFACE.matcher(text).find();
    NESTED
        .matcher(text)
        .results()
        .filter(type -> isPublic(type.group("modifiers"), ofInterface))
        .filter(type -> !type.group("doc").contains(SNIPPET))
        .forEach(type -> names.add(outer + "." + type.group("name")));
  }

  private static boolean isPublic(String modifiers, boolean ofInterface) {
    return modifiers.contains("public") || (ofInterface && !modifiers.contains("private"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
