// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.process.scheduler.EventQueue;
import dev.heddle.process.scheduler.Task;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How a body reads its mailbox.
@Timeout(300)
class MailboxReaderTest {
  private static final class Observed extends Task.Run {
    @Override
    public Task.Run observed() {
      return this;
    }
  }

  /// A body that waited for hours kept the rings of each trace in which it had run.
  @Test
  @Tag("watch-3")
  void runOfAnObserver_isForgottenWithTheStep() {
    Recipient nobody =
        (Recipient)
            Proxy.newProxyInstance(
                Recipient.class.getClassLoader(),
                new Class<?>[] {Recipient.class},
                (_, method, _) -> {
                  throw new AssertionError(method);
                });
    MailboxReader reader = new MailboxReader(nobody, new EventQueue(2), 2);
    WeakReference<Task.Run> run = step(reader);
    while (run.get() != null) {
      System.gc();
      assertThat(Thread.interrupted()).as("kept until the limit").isFalse();
    }
    assertThat(reader.hasUnseen()).isFalse();
  }

  private static WeakReference<Task.Run> step(MailboxReader reader) {
    Observed run = new Observed();
    reader.stepBegins(run, 1);
    assertThat(reader.stepEnded()).isZero();
    return new WeakReference<>(run);
  }
}
