// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class HelloTest {
  private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");

  @Test
  void readme_firstExample_isHelloWordForWord() throws Exception {
    String readme = Files.readString(ExampleProcess.root().resolve("README.md"));
    String hello = Files.readString(ExampleProcess.root().resolve("examples/Hello.java"));
    var block = BLOCK.matcher(readme);
    assertThat(block.find()).isTrue();
    assertThat(block.group(1)).isEqualTo(hello.lines().skip(1).reduce("", (a, b) -> a + b + "\n"));
    assertThat(block.group(1).lines().count()).isLessThanOrEqualTo(12);
    assertThat(readme.substring(0, block.end()).lines().count()).isLessThanOrEqualTo(25);
  }

  @Test
  void readme_output_isWhatHelloPrints() throws Exception {
    List<String> readme = Files.readAllLines(ExampleProcess.root().resolve("README.md"));
    try (var hello = ExampleProcess.start("Hello")) {
      assertThat(hello.awaitExit()).isZero();
      String printed = hello.output();
      assertThat(printed).matches("10,000 sleeps of 1 s in \\d{4,} ms");
      assertThat(readme).anyMatch(line -> inKind(line).equals(inKind(printed)));
    }
  }

  // times differ from run to run
  private static String inKind(String line) {
    return line.replaceAll("\\d+ ms", "N ms");
  }
}
