// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.look.Looker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// When accounts end that several pages may want.
@Tag("watch-4")
class WantedAccountsTest {
  private static final String ACCOUNTS = "api/7/1/accounts";

  private final List<CompletableFuture<?>> questions = new ArrayList<>(); // of the program
  private final List<Runnable> later = new ArrayList<>();
  private final Programs programs = new Programs((_, _, _) -> new Fake(), () -> 0, _ -> {});
  private final Answers answers = new Answers(programs, later::add);

  private final class Fake implements Programs.Looking {
    @Override
    public void pause(boolean on) {}

    @Override
    public String silence() {
      return "";
    }

    @Override
    public <A> CompletableFuture<A> ask(Looker.Question<A> question) {
      CompletableFuture<A> answer = new CompletableFuture<>();
      questions.add(answer);
      return answer;
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void watch() throws Exception {
    programs.add(7, "Shop.java");
  }

  private void answerLast() {
    boolean _ = questions.getLast().cancel(false); // any answer will do
  }

  /// One page that was left ended the accounts of the other.
  @Test
  void accounts_goOnWhileAPageAsksForThem() {
    assertThat(answers.to(ACCOUNTS)).isNotNull();
    answerLast();
    assertThat(answers.to(ACCOUNTS)).isNotNull();
    answerLast();
    later.removeFirst().run();
    assertThat(questions).hasSize(2);
  }

  /// A page that was closed left them open as long as there was another one.
  @Test
  void accountsThatNoPageAsksForAnyMore_end() {
    assertThat(answers.to(ACCOUNTS)).isNotNull();
    answerLast();
    later.removeFirst().run();
    assertThat(questions).as("and one that ends them").hasSize(2);
  }

  @Test
  void accountsOfASlowProgram_doNotEnd_beforeItAnswers() {
    assertThat(answers.to(ACCOUNTS)).isNotNull();
    assertThat(later).isEmpty();
    answerLast();
    assertThat(later).hasSize(1);
  }

  @Test
  void otherQuestions_keepNothing() {
    assertThat(answers.to("api/7/1/processes")).isNotNull();
    answerLast();
    assertThat(later).isEmpty();
    assertThat(answers.to("api/7/1/unaccounted")).isNull();
  }
}
