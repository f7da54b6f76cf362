// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.coroutine.TaskGroup;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of task groups shows, compiled and run.
@Tag("once")
class TaskGroupSnippetsTest {
  private static String load(String page) {
    Heddle.yieldNow();
    return "<" + page + ">";
  }

  // @start region=all
  static List<String> loadAll(List<String> pages) {
    var group = new TaskGroup<String>(8); // 8 at a time
    for (String page : pages) {
      group.spawn(() -> load(page)); // waits while 8 run
    }
    return group.all(); // in the order of the pages
  }

  // @end

  @Test
  void all() {
    Heddle.run(() -> assertThat(loadAll(List.of("a", "b"))).containsExactly("<a>", "<b>"));
  }
}
