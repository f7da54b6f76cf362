// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CodeLockTest {
  @Test
  void code_opensTheDoor_whichLocksAgain() throws Exception {
    try (var lock = ExampleProcess.start("CodeLock", "-o", "1", "712580")) {
      assertThat(lock.awaitExit()).as(lock.text()).isZero();
      assertThat(lock.output()).isEqualTo("The door is open.\nJournal: [OPEN, LOCKED]");
    }
  }

  @Test
  void wrongCode_doesNot() throws Exception {
    try (var lock = ExampleProcess.start("CodeLock", "--code", "99", "2580")) {
      assertThat(lock.awaitExit()).as(lock.text()).isEqualTo(1);
      assertThat(lock.output()).isEqualTo("The door stays locked.\nJournal: []");
    }
  }

  @Test
  void brokenLock_isBack_andHasForgottenWhatWasEntered() throws Exception {
    try (var lock = ExampleProcess.start("CodeLock", "-o", "1", "258x02580")) {
      assertThat(lock.awaitExit()).as(lock.text()).isZero();
      assertThat(lock.output())
          .startsWith("Button 'x' has broken the lock.\nThe door is open.")
          .endsWith("Journal: [OPEN, LOCKED]");
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var wrong = ExampleProcess.start("CodeLock", "-c", "abc", "1");
        var none = ExampleProcess.start("CodeLock");
        var help = ExampleProcess.start("CodeLock", "--help")) {
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output()).contains("CodeLock: -c needs 1 to 8 digits, not abc");
      assertThat(none.awaitExit()).isEqualTo(2);
      assertThat(none.output()).contains("no buttons").contains("usage:");
      assertThat(help.awaitExit()).isZero();
      assertThat(help.output()).startsWith("usage:");
    }
  }
}
