// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The examples in the documentation of the classes of processes compile.
///
/// An example is what stands between fences. Its declarations become members of a class, its
/// statements a method; what it takes for granted is said here.
class JavadocExamplesTest {
  private static final Path SOURCES =
      Path.of(System.getProperty("heddle.root"), "process/src/main/java");

  private static final Pattern EXAMPLE = Pattern.compile("(?ms)^ */// ```java\\n(.*?)^ */// ```$");
  private static final Pattern DECLARES =
      Pattern.compile("(sealed|final|static|record|enum|class|interface)\\b.*", Pattern.DOTALL);

  private static final String IMPORTS =
      """
      import dev.heddle.process.*;
      import dev.heddle.process.behavior.*;
      import dev.heddle.process.event.*;
      import dev.heddle.process.pool.*;
      import dev.heddle.process.supervisor.*;
      import java.time.*;
      import java.util.*;
      """;

  private static final String COUNTER =
      """
      sealed interface Message {}
      record Add(int amount) implements Message {}
      record Total(Reply<Integer> reply) implements Message {}
      """;

  /// What examples take for granted, as members, by the class that shows them.
  private static final Map<String, String> GIVEN =
      Map.of(
          "ProcessDeadlock", "void alarm(String text) {}",
          "ProcessStatistics", "ProcessContext context; void shedLoad() {}",
          "EventBus", "Pid logger; record OrderPaid(int number) {}",
          "TypedProcess",
              """
              static class Counter extends GenServer<Message> {
                Counter() { super(Message.class); }
                protected void receive(Message message) {}
              }
              """,
          "Ref", "interface Counter { %s }".formatted(COUNTER),
          "CoroutineProcess",
              """
              Object connect(CoroutineProcess self) { return self; }
              Object serve(CoroutineProcess self, Object database) { return database; }
              """,
          "ProcessExitException",
              """
              List<String> stock; Shop shop; String article; Instant since;
              interface Shop { boolean isClosed(); }
              record SoldOut(String article) {}
              record Closed(Instant since) {}
              """,
          "TypedCoroutineProcess", COUNTER,
          "Stash",
              """
              sealed interface Message {}
              record Connected() implements Message {}
              record Job() implements Message {}
              TypedCoroutineProcess<Message> self; boolean isConnected; void work(Job job) {}
              """);

  @TempDir private Path folder = Path.of("");

  static Stream<Arguments> examples() throws IOException {
    Stream.Builder<Arguments> found = Stream.builder();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
        String type = file.getFileName().toString().replace(".java", "");
        String text = Files.readString(file);
        List<MatchResult> here = EXAMPLE.matcher(text).results().toList();
        assertThat(here).as(file + ", examples").hasSize(text.split("```java", -1).length - 1);
        here.forEach(example -> found.add(Arguments.of(type, plain(example.group(1)))));
      }
    }
    return found.build();
  }

  private static String plain(String comment) {
    return comment.replaceAll("(?m)^ */// ?", "");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("examples")
  void example_inTheDocumentationOfAClass_compiles(String type, String example) {
    String source = program(type, example);
    StringWriter said = new StringWriter();
    boolean isSound =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                said,
                null,
                null,
                List.of("-proc:none", "-d", folder.toString()),
                null,
                List.of(file(source)))
            .call();
    assertThat(isSound).as(said + "\n" + source).isTrue();
  }

  /// Parts stand apart by an empty line that is not within braces.
  private static String program(String type, String example) {
    StringBuilder members = new StringBuilder(GIVEN.getOrDefault(type, ""));
    StringBuilder statements = new StringBuilder();
    StringBuilder part = new StringBuilder();
    int depth = 0;
    for (String line : (example + "\n").split("\n", -1)) {
      depth += count(line, '{') - count(line, '}');
      part.append(line).append('\n');
      if (depth == 0 && line.isBlank()) {
        (DECLARES.matcher(part).matches() ? members : statements).append(part);
        part.setLength(0);
      }
    }
    return IMPORTS
        + "@SuppressWarnings(\"all\") class Example {\n"
        + members
        + "\nvoid example(ProcessRuntime runtime) throws Exception {\n"
        + statements
        + "}\n}\n";
  }

  private static int count(String line, char of) {
    return (int) line.chars().filter(c -> c == of).count();
  }

  private static JavaFileObject file(String source) {
    return new SimpleJavaFileObject(
        URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
  }
}
