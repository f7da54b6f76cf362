// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.look.Looker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// Looks at programs once a second, each by a thread of its own.
final class LookerOpener implements Programs.Opener {
  static final Duration INTERVAL = Duration.ofSeconds(1);

  @Override
  public Programs.Looking open(long pid, Looker.Listener listener, boolean paused)
      throws AttachException {
    return new ByThread(new Looker(Watch.of(pid), INTERVAL.toNanos(), listener, paused));
  }

  private record ByThread(Looker looker) implements Programs.Looking {
    @Override
    public void pause(boolean on) {
      looker.pause(on);
    }

    @Override
    public String silence() {
      return looker.silence();
    }

    @Override
    public <A> CompletableFuture<A> ask(Looker.Question<A> question) {
      return looker.ask(question);
    }

    @Override
    public void close() {
      looker.close();
    }
  }
}
